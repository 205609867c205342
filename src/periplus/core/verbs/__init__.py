"""The verbs, in groups: each is a few lines over the one mechanism it uses."""
