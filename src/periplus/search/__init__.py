"""A goal and a scope become ranked hits."""

from os import environ

# The products here are small: threads of the matrix library would wait for one another longer than they work, and it
# asks for their number once, when it is loaded. Processes that are started later are to know nothing of it.
_THREADS = "OPENBLAS_NUM_THREADS"
if _THREADS not in environ:
    environ[_THREADS] = "1"
    import numpy as _  # noqa: F401, ICN001 - loads it

    del environ[_THREADS]
