"""A scope as a condition on a row `t` of `tool`: the same answer as `Scope.admits`, given inside the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from periplus.model import Effect, Scope, Selector, tag_forms

_WILD = re.compile(r"[*?]")


class Condition(NamedTuple):
    """Goes where a query says `$scope`, its values beside the query's own."""

    sql: str
    values: dict[str, str]


@lru_cache(maxsize=512)
def compile_scope(scope: Scope) -> Condition:
    values = _Values()
    sql = _allowed(scope.allow, values)
    if scope.deny:
        sql = f"{sql} AND NOT {_either([_selected(selector, values) for selector in scope.deny])}"
    return Condition(f"({sql})", values.bound)


class _Values:
    def __init__(self) -> None:
        self.bound: dict[str, str] = {}

    def bind(self, value: str) -> str:
        name = f"s{len(self.bound)}"
        self.bound[name] = value
        return f":{name}"


def _allowed(selectors: Sequence[Selector], values: _Values) -> str:
    """Hidden tools only where a selector names them."""
    naming = [_selected(selector, values) for selector in selectors if selector.names_one]
    roaming = [_selected(selector, values) for selector in selectors if not selector.names_one]
    shown = [f"(t.hidden = 0 AND {_either(roaming)})"] if roaming else []
    return _either(shown + naming)


def _selected(selector: Selector, values: _Values) -> str:
    conditions = [_glob("t.ref", selector.ref, values)]
    if selector.effects is not None:
        conditions.append(f"t.effect IN ({', '.join(str(int(effect)) for effect in sorted(selector.effects))})")
    if selector.tag is not None:
        matches = _glob("sj.value", selector.tag, values)
        conditions.append(f"EXISTS (SELECT 1 FROM json_each(t.tags) AS sj WHERE {matches})")
    if selector.node is not None:
        conditions.append(_placed(selector.node, values))
    conditions += [_tagged(tag, values) for tag in selector.tags]
    return " AND ".join(conditions) if len(conditions) == 1 else f"({' AND '.join(conditions)})"


def _tagged(tag: str, values: _Values) -> str:
    forms = sorted(tag_forms(tag))
    written = ", ".join(values.bind(form) for form in forms)
    has = f"EXISTS (SELECT 1 FROM json_each(t.tags) AS sj WHERE lower(sj.value) IN ({written}))"
    effects = [str(int(effect)) for effect in Effect if effect.word in forms]
    return f"(t.effect = {effects[0]} OR {has})" if effects else has


def _placed(node: str, values: _Values) -> str:
    if "/" not in node and not _WILD.search(node):
        return _glob("t.ref", f"{node}/*", values)  # a whole source: every tool of it stands somewhere in it
    matches = _either([_glob("sn.path", node, values), _glob("sn.path", f"{node}/*", values)])
    return (
        f"EXISTS (SELECT 1 FROM json_each(t.places) AS sp CROSS JOIN node AS sn WHERE sn.id = sp.value AND {matches})"
    )


def _glob(column: str, glob: str, values: _Values) -> str:
    wild = _WILD.search(glob)
    if wild is None:
        return f"{column} = {values.bind(glob)}"
    pattern = re.sub(r"\*+", "*", glob)
    if pattern == "*":
        return "1"
    start = pattern[: wild.start()]
    if start and start.isascii() and pattern == f"{start}*":
        # A range, which an index can serve and which is quicker than matching.
        end = start[:-1] + chr(ord(start[-1]) + 1)
        return f"({column} >= {values.bind(start)} AND {column} < {values.bind(end)})"
    return f"{column} GLOB {values.bind(pattern.replace('[', '[[]'))}"


def _either(conditions: Sequence[str]) -> str:
    """Any of them; as a balanced tree, because SQLite bounds how deep an expression is."""
    if not conditions:
        return "0"
    if len(conditions) == 1:
        return conditions[0]
    middle = len(conditions) // 2
    return f"({_either(conditions[:middle])} OR {_either(conditions[middle:])})"
