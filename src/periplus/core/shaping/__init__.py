"""What of a result is shown: rows chosen, members picked, and cut where it grows too large. The whole stays kept."""
