"""Answers that hold as long as the revision they were given for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")


class Memo(Generic[_Key, _Answer]):
    """The last so many answers. Keys name the revision, so an old answer is never found, only forgotten."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._answers: OrderedDict[_Key, _Answer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key, ask: Callable[[], _Answer]) -> _Answer:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        answer = ask()
        with self._lock:
            self._answers[key] = answer
            if len(self._answers) > self._size:
                self._answers.popitem(last=False)
        return answer
