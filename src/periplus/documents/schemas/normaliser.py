"""Schemas as servers write them, in the form the rest of Periplus reads: 2020-12, definitions shared (S-94).

Every draft from 4 on is taken; a fault costs the keyword it stands in, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.documents.schemas.definitions import Definitions, digests
from periplus.documents.schemas.drafts4 import modern
from periplus.documents.schemas.findings import Findings, shown
from periplus.documents.schemas.keywords import (
    ALLOWED,
    ANNOTATIONS,
    ANY_TYPE,
    DROPPED,
    HOLDS_LIST,
    HOLDS_MANY,
    HOLDS_ONE,
    TYPES,
)
from periplus.documents.schemas.patterns import runs
from periplus.documents.schemas.references import Ref, break_circles, inlined, referred, renamed
from periplus.documents.schemas.targets import Lost, Targets, name_of
from periplus.model import FindingCode, Schema

_OLD_DRAFTS = ("draft-03", "draft-04", "draft-05", "draft-06", "draft-07")
_PATTERN_SHOWN = 500
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Normaliser:
    """Normalises the schemas of one tool into the definitions of its listing."""

    def __init__(self, owner: str, where: str, definitions: Definitions, findings: Findings) -> None:
        self._owner = owner
        self._where = where
        self._definitions = definitions
        self._findings = findings
        self.mended = False  # whether something was left out or read as something else

    def arguments(self, value: Any, member: str) -> Schema:
        """An input schema: whatever was written, arguments are an object."""
        if value is None or value is True:
            self._findings.missing(self._where + member, self._owner, "no input schema; any arguments are passed on")
            return _anything()
        if not isinstance(value, dict):
            self.complain(member, f"not a schema: {shown(value)}; any arguments are passed on")
            return _anything()
        schema = _Document(self, self._owner, value, member).normalised(self._definitions, inline=True)
        type_ = schema.get("type")
        if type_ is not None and "object" not in (type_ if isinstance(type_, list) else [type_]):
            self.complain(member, f"arguments are always an object, not {shown(type_)}; any are passed on")
            return _anything() | {name: schema[name] for name in ("title", "description") if name in schema}
        return {"type": "object", **{name: each for name, each in schema.items() if name != "type"}}

    def result(self, value: Any, member: str) -> Schema | None:
        """An output schema; one that is none is left out."""
        if isinstance(value, dict):
            return _Document(self, self._owner, value, member).normalised(self._definitions, inline=False)
        self.complain(member, f"not a schema: {shown(value)}")
        return None

    def complain(self, member: str, message: str) -> None:
        self.mended = True
        self._findings.bad(self._where + member, self._owner, message)

    def lost(self, member: str, lost: Lost) -> None:
        self.mended = self.mended or lost.code is not FindingCode.PATTERN_UNSUPPORTED
        self._findings.lost(lost.code, self._where + member, self._owner, lost.message)


class _Document:
    """One schema document: its root and what that refers to, under names of its own until all is known."""

    def __init__(self, normaliser: Normaliser, owner: str, document: Schema, member: str) -> None:
        self._normaliser = normaliser
        self._owner = owner
        self._document = document
        self._member = member
        self._targets = Targets(document)
        self._names: dict[str, str] = {}  # pointer -> local name
        self._taken: set[str] = set()
        self._local: dict[str, Schema | bool] = {}  # local name -> normalised schema
        dialect = document.get("$schema")
        self._is_old = isinstance(dialect, str) and any(draft in dialect for draft in _OLD_DRAFTS)

    def normalised(self, definitions: Definitions, *, inline: bool) -> Schema:
        """The root; what it refers to is among the definitions then."""
        root = self._object(self._document, "")
        while missing := [(pointer, name) for pointer, name in self._names.items() if name not in self._local]:
            for pointer, name in missing:
                self._local[name] = self._schema(self._targets.at(pointer), pointer)
        for lost in break_circles(self._local):
            self._normaliser.lost(self._member, lost)
        if inline:
            root = inlined(root, self._local)
        final = self._final(definitions)
        for name, schema in self._local.items():
            written = renamed(schema, final)
            definitions.schemas.setdefault(final[name], written if isinstance(written, dict) else _of(written))
        written = renamed(root, final)
        return written if isinstance(written, dict) else {}

    def _final(self, definitions: Definitions) -> Mapping[str, str]:
        plain = {name: renamed(schema, {}) for name, schema in self._local.items()}
        refers = {name: frozenset(referred(schema)) for name, schema in self._local.items()}
        return {name: definitions.name(name, digest) for name, digest in digests(plain, refers).items()}

    def _schema(self, value: Any, pointer: str) -> Schema | bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, dict):
            return self._object(value, pointer)
        self._complain(pointer, f"not a schema: {shown(value)}; anything is accepted there")
        return {}

    def _object(self, value: Schema, pointer: str) -> Schema:
        result = self._reference(value, pointer)
        # Up to draft 7 nothing beside a reference counted; descriptions are written there all the same.
        only = ANNOTATIONS if self._is_old and "$ref" in result else None
        for name, member in modern(value).items():
            if name in DROPPED or (only is not None and name not in only):
                continue
            if name == "type":
                self._type(member, pointer, result)
            else:
                self._keyword(name, member, f"{pointer}/{name}", result)
        if value.get("nullable") is True and isinstance(result.get("type"), str):
            result["type"] = [result["type"], "null"]
        self._patterns(result, pointer)
        return result

    def _patterns(self, result: Schema, pointer: str) -> None:
        """A pattern that cannot be run is told in words; what it would have refused is left to the server."""
        pattern = result.get("pattern")
        if isinstance(pattern, str) and not runs(pattern):
            del result["pattern"]
            told = f"Pattern: {pattern[:_PATTERN_SHOWN]}"
            result["description"] = f"{result['description']}\n{told}" if "description" in result else told
            self._unsupported(f"{pointer}/pattern", pattern)
        named = result.get("patternProperties")
        for pattern in [each for each in named if not runs(each)] if isinstance(named, dict) else []:
            del result["patternProperties"][pattern]
            # Its members would otherwise count as additional.
            for keyword in ("additionalProperties", "unevaluatedProperties"):
                result.pop(keyword, None)
            self._unsupported(f"{pointer}/patternProperties", pattern)

    def _unsupported(self, pointer: str, pattern: str) -> None:
        message = f"this pattern is not checked, its syntax needs another engine: {shown(pattern)}"
        self._normaliser.lost(f"{self._member}{pointer}", Lost(FindingCode.PATTERN_UNSUPPORTED, message))

    def _keyword(self, name: str, member: Any, pointer: str, result: Schema) -> None:
        if name in HOLDS_ONE:
            result[name] = self._schema(member, pointer)
        elif name in HOLDS_MANY and isinstance(member, dict):
            result[name] = {key: self._schema(each, f"{pointer}/{_escaped(key)}") for key, each in member.items()}
        elif name in HOLDS_LIST and isinstance(member, list) and member:
            result[name] = [self._schema(each, f"{pointer}/{number}") for number, each in enumerate(member)]
        elif name in HOLDS_MANY | HOLDS_LIST or (name in ALLOWED and not ALLOWED[name](member)):
            # Null stands for "not said" with many generators, so it is no loss worth a line.
            if member is not None and member != []:
                self._complain(pointer, f"{name} cannot be {shown(member)}; it is left out")
        else:
            result[name] = member

    def _type(self, member: Any, pointer: str, result: Schema) -> None:
        written = member if isinstance(member, list) else [member]
        known = [TYPES.get(each.lower()) if isinstance(each, str) else None for each in written]
        kinds = list(dict.fromkeys(kind for kind in known if kind is not None))
        if kinds and None not in known:
            result["type"] = kinds if isinstance(member, list) else kinds[0]
        elif member not in (None, [], ANY_TYPE):
            self._complain(f"{pointer}/type", f"no such type: {shown(member)}; any is accepted")

    def _reference(self, value: Schema, pointer: str) -> Schema:
        reference = next((value[name] for name in _REFERENCES if name in value), None)
        if reference is None:
            return {}
        if not isinstance(reference, str):
            self._complain(pointer, f"not a reference: {shown(reference)}; anything is accepted there")
            return {}
        try:
            target = self._targets.pointer(reference)
            return {"$ref": Ref(self._name(target))}
        except Lost as lost:
            self._normaliser.lost(f"{self._member}{pointer}", lost)
            return {}

    def _name(self, pointer: str) -> str:
        if pointer not in self._names:
            self._targets.schema_at(pointer)
            wish = name_of(pointer, self._owner)
            name, number = wish, 2
            while name in self._taken:
                name, number = f"{wish}_{number}", number + 1
            self._taken.add(name)
            self._names[pointer] = name
        return self._names[pointer]

    def _complain(self, pointer: str, message: str) -> None:
        self._normaliser.complain(f"{self._member}{pointer}", message)


def _anything() -> Schema:
    return {"type": "object", "properties": {}}


def _of(boolean: Any) -> Schema:
    """A boolean schema as an object, which is what a definition is."""
    return {} if boolean is True else {"not": {}}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
