"""How a test opens a gateway over its own data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from periplus.core.gateway import Gateway

Opener = Callable[..., AbstractAsyncContextManager[Gateway]]
