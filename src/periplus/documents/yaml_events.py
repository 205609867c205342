"""The stream of events libyaml gives for a text, and where each stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from yaml import CBaseLoader
from yaml.events import Event

from periplus.documents.values import Place


def event_reader(text: str) -> Callable[[], Event]:
    """A function that gives the next event; it raises a YAMLError where the text breaks the grammar."""
    return cast("Callable[[], Event]", CBaseLoader(text).get_event)


def place(event: Event) -> Place:
    """Where the event's text begins."""
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1) if mark is not None else Place(1, 1)
