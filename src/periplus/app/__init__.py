"""Settings in, a wired gateway out: the only place where parts are chosen."""
