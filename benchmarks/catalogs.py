"""OpenAPI documents of any size, as somebody could have written them: the same number gives the same bytes.

python -m benchmarks.catalogs OPERATIONS FILE
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

SCHEMAS = 100
_FAMILY = 4
_RESOURCES_PER_TAG = 6
_TRADES = (  # what distinguishes the areas of one document from those of the next: no two have a word in common
    "active archived billing customer daily digital external global internal local partner regional",
    "arable dairy forest garden harvest irrigated livestock orchard organic pasture seasonal vineyard",
    "clinical dental emergency inpatient maternity outpatient pediatric pharmacy radiology surgical therapy ward",
    "academic alumni campus doctoral faculty graduate lecture library research scholar student tuition",
    "aerial airport baggage boarding cabin charter cockpit hangar inflight layover passenger runway",
    "civil court criminal judicial legal litigation municipal notary parole probate statutory tribunal",
    "broadcast cinema concert editorial festival gallery museum orchestra podcast studio theatre vinyl",
    "cellular fiber landline mobile modem prepaid roaming router satellite spectrum tariff wireless",
    "alpine beach camping cruise hostel hotel lodge resort safari spa suite villa",
    "battery carbon electric geothermal grid hydro nuclear reactor solar thermal turbine wind",
)
_NOUNS = (  # noqa: SIM905 - words read better than a column of literals
    "account address agreement article asset badge batch berth booking branch budget campaign card carrier case "
    "channel charge claim container contract coupon credit crew dispute document driver email event export facility "
    "feature file fleet folder forecast gate grant group hold invoice item journal label ledger lesson license "
    "location manifest member message meter milestone note notice offer order package partner payment permit pilot "
    "plan policy port price product profile project quota quote rate receipt record refund region report request "
    "review role route rule sample schedule sensor session shift shipment site slot station stock subscription "
    "survey task team template terminal ticket tide token tour transfer trip user vehicle vendor vessel visit "
    "voucher wallet warehouse webhook zone"
).split()
_VERBS = "approve archive assign cancel close confirm copy export merge publish reopen restore schedule submit".split()  # noqa: SIM905
_SENTENCES = (
    "Returns only what the caller may see.",
    "Requires a role with write access to the owning account.",
    "Repeating the request with the same key has no further effect.",
    "The answer is complete once the job that it starts has ended.",
    "Times are given in UTC and rounded to seconds.",
    "Archived ones are left out unless they are asked for by name.",
)
_SCALARS: tuple[dict[str, Any], ...] = (
    {"type": "string"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "enum": ["draft", "open", "closed", "archived"]},
    {"type": "string", "nullable": True, "maxLength": 200},
    {"type": "integer", "format": "int64", "minimum": 0},
    {"type": "number"},
    {"type": "boolean", "default": False},
    {"type": "array", "items": {"type": "string"}},
)
_encode = msgspec.json.encode


def write(path: Path, operations: int, trade: int = 0) -> None:
    """The document, path by path, so that its size is no matter here. Each trade has areas of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    draw = random.Random(operations + trade)
    with partial.open("wb") as file:
        head = _encode(
            {
                "openapi": "3.0.3",
                "info": {"title": f"A coast of {operations} operations", "version": "1.0.0"},
                "servers": [{"url": "https://api.coast.example/v1"}],
                "security": [{"key": []}],
            }
        )
        file.write(head[:-1] + b',"components":' + _encode(_components(draw)) + b',"paths":{')
        for number, (route, item) in enumerate(_paths(draw, operations, _TRADES[trade].split())):
            file.write(b"," * bool(number) + _encode(route) + b":" + _encode(item))
        file.write(b"}}")
    partial.rename(path)


def _components(draw: random.Random) -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}},
        "parameters": {
            "Page": {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1, "default": 1}},
            "PerPage": {"name": "per_page", "in": "query", "schema": {"type": "integer", "maximum": 100}},
        },
        "responses": {
            "Failure": {"description": "What went wrong.", "content": _json({"$ref": "#/components/schemas/Failure"})}
        },
        "schemas": {
            "Failure": {"type": "object", "required": ["message"], "properties": {"message": text, "code": text}},
            **{_schema(number): _shape(draw, number) for number in range(SCHEMAS - 1)},
        },
    }


def _schema(number: int) -> str:
    return _NOUNS[number % len(_NOUNS)].title() + (str(number // len(_NOUNS)) if number >= len(_NOUNS) else "")


def _shape(draw: random.Random, number: int) -> dict[str, Any]:
    """An object that refers to itself and to two of its family, so that families are circles of references.

    Were all one circle, peers that copy what an operation reaches would take minutes, which says little of them.
    """
    properties: dict[str, Any] = {"id": {"type": "string", "format": "uuid", "readOnly": True}}
    for noun in draw.sample(_NOUNS, draw.randint(4, 9)):
        properties[f"{noun}_{draw.choice(('name', 'count', 'state', 'at'))}"] = {
            **draw.choice(_SCALARS),
            "description": f"The {noun} of this {_schema(number).lower()}.",
        }
    first = number - number % _FAMILY
    for other in (draw.randrange(_FAMILY), draw.randrange(_FAMILY)):
        relative = min(first + other, SCHEMAS - 2)
        properties[_schema(relative).lower()] = _ref(relative)
    properties["children"] = {"type": "array", "items": _ref(number)}
    return {"type": "object", "required": ["id"], "properties": properties}


def _paths(draw: random.Random, operations: int, kinds: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Collections with their members and actions on them, until there are as many operations as asked for."""
    left, resource = operations, 0
    while left > 0:
        for route, item in _resource(draw, resource, kinds):
            methods = dict(list(item.items())[:left])
            left -= len(methods)
            if methods:
                yield route, methods
        resource += 1


def _resource(draw: random.Random, number: int, kinds: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    tag = number // _RESOURCES_PER_TAG
    area = f"{kinds[tag % len(kinds)]}-{_NOUNS[tag // len(kinds) % len(_NOUNS)]}s"
    if tag >= len(kinds) * len(_NOUNS):
        area += str(tag // (len(kinds) * len(_NOUNS)))
    noun, kind = _NOUNS[(tag * 7 + number) % len(_NOUNS)], number % (SCHEMAS - 1)
    name = f"{area.replace('-', ' ').title().replace(' ', '')}{noun.title()}"
    told = _Told(draw, area, noun, name)
    base, member = f"/{area}/{noun}s", {"name": f"{noun}_id", "in": "path", "required": True, "schema": _TEXT}
    yield (
        base,
        {
            "get": told.operation("list", query=draw.randint(1, 3), ok=_json({"type": "array", "items": _ref(kind)})),
            "post": told.operation("create", body=_ref(kind), ok=_json(_ref(kind))),
        },
    )
    yield (
        f"{base}/{{{noun}_id}}",
        {
            "get": told.operation("get", member, ok=_json(_ref(kind))),
            "patch": told.operation("update", member, body=_ref(kind), ok=_json(_ref(kind))),
            "delete": told.operation("delete", member),
        },
    )
    for verb in draw.sample(_VERBS, 3):
        body = {"type": "object", "required": ["reason"], "properties": {"reason": _TEXT, "at": _SCALARS[1]}}
        yield f"{base}/{{{noun}_id}}/{verb}", {"post": told.operation(verb, member, body=body, ok=_json(_ref(kind)))}


class _Told:
    """What the operations of one resource have in common."""

    def __init__(self, draw: random.Random, area: str, noun: str, name: str) -> None:
        self._draw, self._area, self._noun, self._name = draw, area, noun, name

    def operation(
        self,
        verb: str,
        *parameters: dict[str, Any],
        query: int = 0,
        body: dict[str, Any] | None = None,
        ok: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        summary = f"{verb.title()} {self._area.replace('-', ' ')} {self._noun}{'s' if verb == 'list' else ''}"
        operation: dict[str, Any] = {
            "operationId": f"{verb}{self._name}",
            "tags": [self._area],
            "summary": summary,
            "description": f"{summary}. {self._draw.choice(_SENTENCES)}",
        }
        asked = [*parameters, *(self._filter() for _ in range(query))]
        if verb == "list":
            asked += [{"$ref": "#/components/parameters/Page"}, {"$ref": "#/components/parameters/PerPage"}]
        if asked:
            operation["parameters"] = list({one.get("name", str(one)): one for one in asked}.values())
        if body is not None:
            operation["requestBody"] = {"required": True, "content": _json(body)}
        good = {"200": {"description": "Done.", "content": ok}} if ok else {"204": {"description": "Done."}}
        operation["responses"] = {**good, "default": {"$ref": "#/components/responses/Failure"}}
        return operation

    def _filter(self) -> dict[str, Any]:
        noun = self._draw.choice(_NOUNS)
        told = f"Only {self._noun}s with this {noun}."
        return {"name": noun, "in": "query", "description": told, "schema": self._draw.choice(_SCALARS)}


_TEXT = {"type": "string"}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _ref(number: int) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{_schema(number)}"}


if __name__ == "__main__":
    write(Path(sys.argv[2]), int(sys.argv[1]))
