"""Periplus: from a goal to the right, validated, permitted, recorded call."""
