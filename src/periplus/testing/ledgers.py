"""Small entries for ledgers in tests, with everything in them that a test did not say."""

from __future__ import annotations

from typing import Any

from periplus.model import Approval, Event, Kept


def make_event(verb: str = "search", **members: Any) -> Event:
    """An event with everything in it that a test did not say."""
    chosen: dict[str, Any] = {"at": "2031-05-02T08:00:00Z", "trace": "t", "principal": "local"}
    return Event(verb=verb, **chosen | members)


def make_approval(id_: str = "a1", **members: Any) -> Approval:
    """A question that expires at 100; `members` are those of `Approval`."""
    chosen: dict[str, Any] = {"binding": f"of {id_}", "tenant": "", "principal": "ann", "tool": "zoo/feed"}
    chosen |= {"arguments": {"animal": "ox"}, "effect": "destroy", "rule": "default", "asked_at": 1.0}
    chosen |= {"expires_at": 100.0} | members
    return Approval(id=id_, **chosen)


def make_kept(id_: str = "k1", **members: Any) -> Kept:
    """A value that ends at 100; `members` are those of `Kept`."""
    chosen: dict[str, Any] = {"tenant": "", "principal": "ann", "tool": "zoo/list", "sealed": b"\x00sealed"}
    chosen |= {"kept_at": 1.0, "used_at": 1.0, "ends_at": 100.0} | members
    return Kept(id=id_, **chosen)
