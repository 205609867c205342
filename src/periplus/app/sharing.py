"""How soon threads of a serving process get their turn."""

from __future__ import annotations

import sys

_TURN_S = 0.0005


def take_short_turns() -> None:
    """Let the threads that write the trail run soon, however busy the event loop is.

    A thread gets its next turn after 5 ms otherwise, at every statement, and two hundred callers wait for it: a third
    of all calls. It holds for the whole process, so a process does it that does nothing but serve.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), _TURN_S))
