"""The command line: a face with exit codes."""
