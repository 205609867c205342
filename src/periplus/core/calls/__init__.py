"""The one door through which anything runs: from arguments to a permitted, recorded request and its result."""
