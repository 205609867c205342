"""A listed tool as a draft: its name as it is, its schemas mended, its annotations weighed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from periplus.documents import canonical
from periplus.documents.schemas import Definitions, Findings, Normaliser, shown
from periplus.model import Draft, Effect, Schema, short_hash
from periplus.sources.mcp.written import as_written

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_MIRRORED_TYPES = frozenset({"string", "integer", "boolean"})


def tool_drafts(
    tools: Sequence[dict[str, Any]],
    definitions: Definitions,
    findings: Findings,
    *,
    trusted: bool,
    mirrors: bool = False,
    keeps: bool = False,
) -> Iterator[Draft]:
    """One draft per tool; equal names stay apart, equal tools do not count twice.

    `mirrors`: by the revision the server speaks, a tool whose marks for headers are faulty is not to be used.
    `keeps`: input schemas are kept as they were written, too.
    """
    times = Counter(name for tool in tools if isinstance(name := tool.get("name"), str))
    seen: set[bytes] = set()
    for number, tool in enumerate(tools):
        where = f"/tools/{number}"
        name = tool.get("name")
        if not isinstance(name, str) or not name.strip():
            findings.skipped(where, name, f"a tool without a name: {shown(tool)}")
            continue
        origin = f"tools/call {name}"
        if times[name] > 1:
            content = canonical(tool)
            if content in seen:
                findings.repeated(where, name)
                continue
            seen.add(content)
            origin = f"{origin} #{short_hash(content.decode(), 8)}"
        if mirrors and (fault := _unmirrored(tool.get("inputSchema"))):
            findings.skipped(where, name, f"its x-mcp-header is one that servers over HTTP refuse: {fault}")
            continue
        draft = _draft(tool, origin, normaliser := Normaliser(name, where, definitions, findings), trusted=trusted)
        if keeps:
            own = as_written(tool.get("inputSchema"), draft.args_schema, mended=normaliser.mended)
            draft = msgspec.structs.replace(draft, written_args=own)
        yield draft


class Weighed(msgspec.Struct, frozen=True):
    """What the annotations of a tool amount to."""

    effect: Effect = Effect.WRITE
    declared: bool = False
    idempotent: bool = False


def weighed(annotations: dict[str, Any], *, trusted: bool) -> Weighed:
    """By the table of effects; those of a server that is not trusted can raise but not lower (S-29)."""
    reads = annotations.get("readOnlyHint") is True
    destroys = annotations.get("destructiveHint")
    if not trusted:
        return Weighed(Effect.DESTROY, declared=True) if destroys is True else Weighed()
    idempotent = annotations.get("idempotentHint") is True
    if reads:
        return Weighed(Effect.READ, declared=True, idempotent=idempotent)
    if destroys is True:
        return Weighed(Effect.DESTROY, declared=True, idempotent=idempotent)
    return Weighed(Effect.WRITE, declared=destroys is False, idempotent=idempotent)


def kept(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    """Those members that are there, as they are."""
    return {name: entry[name] for name in names if entry.get(name) is not None}


def as_object(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _draft(tool: dict[str, Any], origin: str, normaliser: Normaliser, *, trusted: bool) -> Draft:
    name = text_of(tool, "name")
    annotations = as_object(tool.get("annotations"))
    weight = weighed(annotations, trusted=trusted)
    args = normaliser.arguments(tool.get("inputSchema"), "/inputSchema")
    output = tool.get("outputSchema")
    binding: dict[str, Any] = {"kind": "mcp", "method": "tools/call", "name": name}
    if headers := mirrored(args, normaliser):
        binding["headers"] = headers
    return Draft(
        key=name,
        leaf=name,
        origin=origin,
        title=text_of(tool, "title") or text_of(annotations, "title"),
        description=text_of(tool, "description"),
        args_schema=args,
        result_schema=None if output is None else normaliser.result(output, "/outputSchema"),
        effect=weight.effect,
        effect_declared=weight.declared,
        idempotent=weight.idempotent,
        aliases=(name,),
        binding=binding | kept(tool, "annotations", "execution"),
        metadata=kept(tool, "_meta", "icons"),
    )


def _unmirrored(schema: Any) -> str:
    """What is wrong with the first faulty mark for a header; nothing where all are right."""
    faults: list[str] = []
    list(_marks(schema, lambda _name, fault: faults.append(fault)))
    return faults[0] if faults else ""


def mirrored(args: Schema, normaliser: Normaliser) -> list[dict[str, Any]]:
    """Arguments a call repeats in HTTP headers (`x-mcp-header`), by their path; faulty marks only cost the mirror."""

    def complain(name: str, fault: str) -> None:
        normaliser.complain("/inputSchema", f"x-mcp-header of {name!r} is not used: {fault}")

    return sorted(_marks(args, complain), key=lambda each: each["path"])


def _marks(args: Any, complain: Callable[[str, str], None]) -> Iterator[dict[str, Any]]:
    taken: set[str] = set()
    todo: list[tuple[tuple[str, ...], Any]] = [((), args)]
    while todo:
        path, schema = todo.pop()
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict):
            continue
        for name, member in properties.items():
            todo.append(((*path, name), member))
            if not isinstance(member, dict) or "x-mcp-header" not in member:
                continue
            token = member["x-mcp-header"]
            fault = _fault(token, member.get("type"), taken)
            if fault:
                complain(name, fault)
            else:
                taken.add(token.lower())
                yield {"path": [*path, name], "header": f"Mcp-Param-{token}"}


def _fault(token: Any, type_: Any, taken: set[str]) -> str:
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        return f"{shown(token)} is no header name"
    if not isinstance(type_, str) or type_ not in _MIRRORED_TYPES:
        return f"only a string, an integer or a boolean can be mirrored, not {shown(type_)}"
    return f"{token!r} is taken" if token.lower() in taken else ""
