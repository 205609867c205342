"""The function behind a tool, found where it was described and kept ready."""

from __future__ import annotations

import threading
from functools import cache

from periplus.model import Code, Problem
from periplus.provider.functions import Refused
from periplus.provider.loading import Place, load
from periplus.provider.targets import target
from periplus.provider.work import Work, work_of

_LOCK = threading.RLock()  # so that two first calls do not make two objects of one class


@cache
def _works(place: Place) -> dict[str, Work | Refused]:
    """Every function of a place. Made once: an object that a class gives keeps what it knows between calls."""
    return {published.name: work_of(published) for published in target(load(place).module, place.name).published}


def work_at(place: Place, name: str) -> Work:
    """The function of that name; importing its module may take a while."""
    with _LOCK:
        work = _works(place).get(name)
    if isinstance(work, Work):
        return work
    reason = "is no longer there" if work is None else work.reason
    raise Problem(
        Code.NOT_CALLABLE,
        f"{place.module}: {name} {reason}",
        hints=("sync the source, and start periplus again if the module was edited",),
    )
