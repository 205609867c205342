"""Whom a rule or a limit means."""

from __future__ import annotations

from collections.abc import Iterable

from periplus.model import Principal, glob_matches


def is_meant(patterns: Iterable[str], principal: Principal) -> bool:
    """Whether one of the patterns means a principal: a glob on its id, `scope:NAME` or `tenant:NAME`."""
    return any(_means(pattern, principal) for pattern in patterns)


def _means(pattern: str, principal: Principal) -> bool:
    kind, colon, name = pattern.partition(":")
    if colon and kind == "scope":
        return any(glob_matches(name, scope) for scope in principal.scopes)
    if colon and kind == "tenant":
        return glob_matches(name, principal.tenant)
    return glob_matches(pattern, principal.id)
