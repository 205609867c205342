"""Definitions as they are now, for many callers at once (W-26)."""

from __future__ import annotations

import anyio
import anyio.to_thread

from periplus.core.workflows.library import Library
from periplus.core.workflows.snapshot import Snapshot


class Looking:
    """Looks at the directories for whoever asks; those who wait while somebody looks share the next look."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._turn = anyio.Lock(fast_acquire=True)
        self._asked = 0
        self._served = 0  # everybody up to this number asked before the last look began
        self._seen = Snapshot()

    async def look(self) -> Snapshot:
        """What a look finds that begins after this was asked."""
        self._asked += 1
        mine = self._asked
        async with self._turn:
            if self._served < mine:
                served = self._asked
                self._seen = await anyio.to_thread.run_sync(self._library.look)
                self._served = served
            return self._seen
