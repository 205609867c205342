"""`demo`: a tour of a small harbour."""

from __future__ import annotations


def demo() -> None:
    """Start a small harbour, connect it and look around."""
    import anyio

    from periplus.demo.tour import tour

    anyio.run(tour)
