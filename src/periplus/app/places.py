"""Where the data of a gateway lies."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from periplus.model import Code, Problem
from periplus.settings import Settings

_SQLITE = "sqlite://"


def data_directory(settings: Settings) -> Path:
    """The data directory: of the store's address, as set, else the platform's own."""
    if settings.store:
        return store_directory(settings.store)
    if settings.data:
        return Path(settings.data).expanduser().absolute()
    from platformdirs import user_data_path  # noqa: PLC0415 - only where nothing is set

    return user_data_path("periplus", appauthor=False)


def store_directory(address: str) -> Path:
    """The directory a `sqlite:///...` address means: itself, or the one its `periplus.db` lies in."""
    if not address.startswith(_SQLITE):
        scheme = address.partition(":")[0]
        raise Problem(
            Code.UNSUPPORTED, f"no store for {scheme}: addresses", hints=("use sqlite:///PATH, or leave store empty",)
        )
    # As everywhere: three slashes and a relative path, or four slashes and an absolute one.
    path = unquote(address.removeprefix(_SQLITE)).removeprefix("/")
    if not path:
        raise Problem(Code.BAD_SETTING, f"{address!r} names no directory", hints=("use sqlite:///PATH",))
    place = Path(path).expanduser().absolute()
    return place.parent if place.suffix == ".db" else place
