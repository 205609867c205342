"""Tokens from the operator's own helper programs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import anyio

from periplus.model import Code, CredentialSpec, Problem
from periplus.net.credentials.flights import Flights, Fresh

_SECONDS = 20


class Commands:
    """Runs each helper once for all who want its token, and uses it for a while."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._flights = Flights(now)

    async def get(self, spec: CredentialSpec, refused: str = "") -> str:
        """The first line the program prints."""

        async def fetch(_previous: Fresh | None) -> Fresh:
            return Fresh(value=await _first_line(spec), until=self._now() + spec.cache_seconds)

        return await self._flights.get((spec.title, spec.command), fetch, refused=refused)


async def _first_line(spec: CredentialSpec) -> str:
    program = spec.command[0]
    try:
        with anyio.fail_after(_SECONDS):
            done = await anyio.run_process(
                list(spec.command), check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
    except TimeoutError as error:
        raise _failed(spec, f"{program} did not end within {_SECONDS} s") from error
    except OSError as error:
        raise _failed(spec, f"{program} does not start: {error.strerror}") from error
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    if done.returncode or not lines:
        what = f"ended with {done.returncode}" if done.returncode else "printed nothing"
        raise _failed(spec, f"{program} {what}")
    return lines[0].strip()


def _failed(spec: CredentialSpec, reason: str) -> Problem:
    return Problem(
        Code.CREDENTIALS_MISSING,
        f"the helper of {spec.title} gave no token: {reason}",
        hints=("run it by hand as the user the gateway runs as",),
        details={"not_processed": True},
    )
