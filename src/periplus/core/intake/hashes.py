"""Content hashes: of shared definitions with all they reach, of a tool's schemas, of all that a caller sees.

A tool's schemas refer to definitions shared by its whole source, so hashing each tool's expanded schemas would
cost the square of the document. Instead every definition has one hash over itself and all it reaches (cycles are
hashed as one component), and a tool's hash covers its own canonical schemas plus the hashes of what they name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import msgspec

from periplus.core.intake.texts import as_read
from periplus.model import Schema
from periplus.ports import Shape

_encode = msgspec.json.encode
_REFERENCE = re.compile(rb'"\$ref":"#/\$defs/((?:[^"\\]|\\.)*)"')


def refers_to(schema: bytes) -> tuple[str, ...]:
    """The definitions a schema names, from its canonical text (a superset where an example imitates one)."""
    found = {name.decode() for name in _REFERENCE.findall(schema)}
    return tuple(sorted(found))


def digest(*pieces: bytes) -> str:
    return hashlib.sha256(b"".join([part for piece in pieces for part in (len(piece).to_bytes(8), piece)])).hexdigest()


def shapes_of(definitions: Mapping[str, Schema]) -> dict[str, Shape]:
    """Each definition with its content hash (over all it reaches), what it names directly, and its text."""
    read = {name: as_read(schema) for name, schema in definitions.items()}
    texts = {name: text for name, (_, text) in read.items()}
    refers = {name: tuple(other for other in refers_to(text) if other in texts) for name, text in texts.items()}
    hashes = _closure_hashes(texts, refers)
    # Hashed in canonical order, kept in the author's: people read members in the order they were written.
    return {name: Shape(hashes[name], refers[name], _encode(read[name][0])) for name in texts}


def _closure_hashes(texts: Mapping[str, bytes], refers: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    hashes: dict[str, str] = {}
    for component in components(refers):
        inside = set(component)
        pieces: list[bytes] = []
        for name in sorted(component):
            pieces += (name.encode(), texts[name])
        outside = sorted({other for name in component for other in refers[name]} - inside)
        pieces += (f"{other}={hashes[other]}".encode() for other in outside)
        whole = digest(*pieces)
        for name in component:
            hashes[name] = whole if len(component) == 1 else digest(whole.encode(), name.encode())
    return hashes


def components(refers: Mapping[str, tuple[str, ...]]) -> list[list[str]]:
    """Strongly connected definitions, each after all it refers to (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    result: list[list[str]] = []
    for root in refers:
        if root in order:
            continue
        work = [(root, iter(refers[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            name, rest = work[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(refers[other])))
                    break
                if other in on_stack:
                    low[name] = min(low[name], order[other])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == order[name]:
                    result.append(_cut(stack, on_stack, name))
    return result


def _cut(stack: list[str], on_stack: set[str], name: str) -> list[str]:
    component: list[str] = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        component.append(member)
        if member == name:
            return component
