"""A published function as a draft: its name, its schemas, what was declared of it, and how a call reaches it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from periplus.model import Draft, Effect, Example
from periplus.provider import Declared, Published
from periplus.provider.functions import Described, Refused, describe
from periplus.provider.hints import Definitions
from periplus.provider.loading import Place
from periplus.provider.registry import name_of
from periplus.provider.targets import Target
from periplus.provider.values import Nothing, jsonable
from periplus.sources.python.findings import Findings
from periplus.sources.python.tidying import tidied


def drafts_of(place: Place, found: Target, definitions: Definitions, findings: Findings) -> Iterator[Draft]:
    """One draft per function, in the order they were written; what gives none is a finding."""
    for name in found.missing:
        findings.missing(name)
    for published in found.published:
        function, name = published.function, published.name
        read = describe(published, definitions)
        if isinstance(read, Refused):
            findings.skipped(function, name, read.reason)
        elif not (found.chosen or read.annotated):
            findings.skipped(function, name, "has no annotations", "annotate it, or mark it with @tool")
        else:
            _report(published, read, findings)
            yield _draft(place, published, read, findings)


def _report(published: Published, read: Described, findings: Findings) -> None:
    for message in read.reduced:
        findings.reduced(published.function, published.name, message)
    untyped = [name for name, schema in read.args_schema.get("properties", {}).items() if not schema.keys() - _TEXTS]
    if untyped and not read.reduced and published.declared.parameters is None:
        message = f"no type is said of {', '.join(untyped)}; any value is taken"
        findings.untyped(published.function, published.name, message)


_TEXTS = frozenset({"description", "default"})


def _draft(place: Place, published: Published, read: Described, findings: Findings) -> Draft:
    said = published.declared
    effect = said.known_effect
    qualified = f"{_module(place)}.{_qualname(published.function)}"
    return Draft(
        key=tidied(published.name),
        leaf=tidied(published.name),
        origin=tidied(qualified),
        areas=((tidied(said.category),) if said.category else (),),
        title=tidied(said.title),
        summary=tidied("" if said.description else read.summary),
        description=tidied(read.description),
        args_schema=tidied(read.args_schema, findings),
        result_schema=tidied(read.result_schema, findings),
        effect=Effect.WRITE if effect is None else effect,
        effect_declared=effect is not None,
        idempotent=said.idempotent,
        requires_approval=said.requires_approval,
        hidden=said.hidden or said.internal,
        deprecated=tidied(said.deprecated),
        tags=tuple(tidied(tag) for tag in said.tags),
        examples=tuple(_examples(published, findings)),
        aliases=tuple(dict.fromkeys((tidied(qualified), name_of(published.function)))),
        version=said.version,
        binding=_binding(place, published, read),
        metadata=dict(_metadata(said)),
    )


def _binding(place: Place, published: Published, read: Described) -> dict[str, Any]:
    """All a call needs: where the function is found again, and how its arguments are passed."""
    binding: dict[str, Any] = {
        "kind": "python",
        "module": place.module,
        "target": place.name,
        "tool": published.name,
        "function": _qualname(published.function),
        "call": read.kind.value,
    }
    if read.positional:
        binding["positional"] = list(read.positional)
    if read.extra:
        binding["extra"] = read.extra
    if read.context:
        binding["context"] = list(read.context)
    if published.declared.parameters is not None:
        binding["raw"] = True  # the author wrote the schema, so hints say nothing of what comes
    written: dict[str, Any] = tidied(binding, is_schema=False)
    return written


def _examples(published: Published, findings: Findings) -> Iterator[Example]:
    for example in published.declared.examples:
        given, expected = jsonable(example.input), jsonable(example.expected_output)
        if not isinstance(given, dict) or isinstance(expected, Nothing):
            message = f"the example {example.description!r} is left out: it has values that JSON cannot say"
            findings.bad(published.function, published.name, message)
            continue
        yield Example(description=tidied(example.description), input=given, expected_output=expected)


def _metadata(said: Declared) -> Iterator[tuple[str, Any]]:
    """What a tool manifest says beside the tool; only what was declared."""
    if said.timeout_seconds is not None:
        yield "timeout", said.timeout_seconds
    if said.rate_limit_per_minute:
        yield "rate", said.rate_limit_per_minute
    if not said.enabled_by_default:
        yield "enabled_by_default", False
    if said.modifies_state is not None:
        yield "modifies_state", said.modifies_state
    for name in ("cost_estimate", "long_running", "sensitive_output"):
        if value := getattr(said, name):
            yield name, value
    if said.internal:
        yield "internal_only", True


def _module(place: Place) -> str:
    return PurePath(place.module).stem if place.is_file else place.module


def _qualname(function: Any) -> str:
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__qualname__", None) or type(function).__qualname__)
