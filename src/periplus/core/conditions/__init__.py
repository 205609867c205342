"""Conditions on names: `pipeline == "smart" AND (n > 3 OR NOT (force exists))`, with three answers."""
