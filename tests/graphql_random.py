"""Random GraphQL schemas: objects, interfaces, unions, inputs and enums that refer to each other in every way."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_FIELDS = ["id", "name", "code", "title", "node", "nodes", "edges", "pageInfo", "totalCount", "errors", "a", "b", "c", "query"]  # fmt: skip
_SCALARS = ["Int", "String", "ID", "Boolean", "Float", "DateTime", "Odd", "Kind"]
_WRAPS = ["{}", "{}!", "[{}]", "[{}!]!", "[[{}]!]"]
_OUT = ["A", "B", "C", "ShipConnection", "ShipEdge", "PageInfo", "SavePayload", "I", "J", "U", "V", "Query", "Mutation"]  # fmt: skip
_IN = ["F", "G", "One"]
_DEFAULTS = {"Int": "1", "String": '"x"', "ID": '"7"', "Boolean": "true", "Float": "1.5", "Kind": "RED"}


@st.composite
def _inputs(draw: Any, *, low: int = 0) -> str:
    """`(a: Int = 1, b: [F!]!)`, or nothing."""
    pieces = []
    for name in draw(st.lists(st.sampled_from(["x", "y", "first", "input"]), unique=True, min_size=low, max_size=3)):
        base = draw(st.sampled_from(_SCALARS + _IN))
        wrap = draw(st.sampled_from(_WRAPS))
        default = f" = {_DEFAULTS[base]}" if wrap in ("{}", "{}!") and base in _DEFAULTS and draw(st.booleans()) else ""
        gone = " @deprecated" if draw(st.integers(0, 9)) == 0 and not (wrap.endswith("!") and not default) else ""
        pieces.append(f"{name}: {wrap.format(base)}{default}{gone}")
    return ", ".join(pieces)


@st.composite
def _fields(draw: Any, names: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=8)):
        base = draw(st.one_of(st.sampled_from(_SCALARS), st.sampled_from(_OUT)))
        inputs = draw(_inputs()) if draw(st.integers(0, 2)) == 0 else ""
        gone = ' @deprecated(reason: "old")' if draw(st.integers(0, 6)) == 0 else ""
        arguments = f"({inputs})" if inputs else ""
        found[name] = f"{name}{arguments}: {draw(st.sampled_from(_WRAPS)).format(base)}{gone}"
    return found


@st.composite
def schemas_as_sdl(draw: Any) -> str:
    """A valid schema as SDL; object types repeat the fields of their interfaces."""
    interfaces = {name: draw(_fields(_FIELDS)) for name in ("I", "J")}
    parts = [f"interface {name} {{ {' '.join(fields.values())} }}" for name, fields in interfaces.items()]
    for name in ["A", "B", "C", "ShipConnection", "ShipEdge", "PageInfo", "SavePayload"]:
        fields = draw(_fields(_FIELDS))
        chosen = draw(st.sampled_from(["", "I", "J"]))
        fields |= interfaces.get(chosen, {})
        implements = f" implements {chosen}" if chosen else ""
        parts.append(f"type {name}{implements} {{ {' '.join(fields.values())} }}")
    members = st.lists(st.sampled_from(["A", "B", "C", "PageInfo", "SavePayload"]), unique=True, min_size=1)
    parts += [f"union {name} = {' | '.join(draw(members))}" for name in ("U", "V")]
    parts += [f"input {name} {{ {draw(_inputs(low=1))} }}" for name in ("F", "G")]
    parts.append("input One @oneOf { a: Int b: [F!] c: Kind }")
    parts.append('enum Kind { RED GREEN @deprecated } scalar DateTime scalar Odd @specifiedBy(url: "https://odd.test")')
    roots = [f"q{number}" for number in range(6)]
    parts.append(f"type Query {{ {' '.join(draw(_fields(roots)).values())} }}")
    parts.append(f"type Mutation {{ {' '.join(draw(_fields(roots)).values())} }}")
    return "\n".join(parts)
