"""Workflows: definitions read from files, sessions that walk through them, gates that hold, and a trace of it all."""
