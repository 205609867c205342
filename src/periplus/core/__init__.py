"""What the gateway does: the verbs, and the one mechanism behind each concern."""
