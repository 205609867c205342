r"""The suite any source must pass (S-105).

    class TestMySource(SourceContract):
        text = b"next_ferry: When the next ferry leaves.\nferry_price: ...\nout of season"
        operations, skipped = 3, 1

        def adapter(self): return Timetable()
        def described(self, text, *, validating=False):
            spec = SourceSpec(id="ferries", kind="timetable", url="https://ferries.example.com/table.txt")
            return Described(spec, wires_of(saying(text, "text/plain"), validating=validating))

`text` is a description with at least two operations that can be used and one that cannot.
"""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from typing import Any, ClassVar

import anyio
import jsonschema_rs
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Document, Draft, Problem, Reading, Unchanged
from periplus.ports import Source
from periplus.testing.source_faults import spoiled
from periplus.testing.source_wires import Described

_ANY = [HealthCheck.differing_executors, HealthCheck.too_slow, HealthCheck.filter_too_much]


class Read(msgspec.Struct, frozen=True):
    """A reading whose stream has ended."""

    reading: Reading
    drafts: tuple[Draft, ...]

    @property
    def skipped(self) -> int:
        return sum(finding.count for finding in self.reading.findings if finding.skipped)


class SourceContract:
    """Everything the port promises, of a description that is right and of what is made of it by tearing."""

    text: ClassVar[bytes]
    operations: ClassVar[int]
    skipped: ClassVar[int]

    def adapter(self) -> Source:
        """A source that has read nothing yet."""
        raise NotImplementedError("a source's tests say how it is made")

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        """Where this text is the description; with conditional requests, where the kind has any."""
        raise NotImplementedError("a source's tests say how a description reaches it")

    def unreachable(self) -> Described | None:
        """A description that cannot be reached, where that is possible."""
        return None

    def hostile(self) -> st.SearchStrategy[bytes]:
        """What stands where a description should."""
        return spoiled(self.text)

    def read(self, text: bytes | None = None) -> Read:
        """A description read by a fresh source."""
        return _whole(self.adapter(), self.described(self.text if text is None else text))

    def test_a_description_becomes_drafts_of_its_kind(self) -> None:
        read = self.read()
        assert len(read.drafts) >= 2
        assert read.reading.document.kind == self.adapter().kind
        assert read.reading.document.sha256
        assert all(draft.key and draft.leaf and draft.origin for draft in read.drafts)

    def test_operations_are_tools_and_what_was_skipped(self) -> None:
        """S-4."""
        read = self.read()
        assert (len(read.drafts) + read.skipped, read.skipped) == (self.operations, self.skipped)
        assert self.skipped > 0
        assert all(finding.message and finding.where for finding in read.reading.findings)

    def test_two_sources_read_the_same_from_one_description(self) -> None:
        """S-20, S-106: nothing depends on order, time or chance."""
        assert _said(self.read()) == _said(self.read())

    def test_no_two_drafts_are_one(self) -> None:
        """S-21: a key is what an operation is known by, and its origin tells it from others of that key."""
        drafts = self.read().drafts
        assert len({(draft.key, draft.origin) for draft in drafts}) == len(drafts)

    @pytest.mark.parametrize("validating", [False, True])
    def test_what_was_read_before_is_unchanged(self, *, validating: bool) -> None:
        """S-106."""
        described = self.described(self.text, validating=validating)
        source = self.adapter()
        document = _whole(source, described).reading.document
        for known in (document, _restored(document)):
            again = anyio.run(source.read, described.spec, described.wires, known)
            assert isinstance(again, Unchanged)
            assert again.document.sha256 == document.sha256

    def test_schemas_stand_on_their_own(self) -> None:
        """S-2: JSON Schema 2020-12 that refers to nothing but the definitions of its reading."""
        read = self.read()
        for draft in read.drafts:
            assert draft.args_schema.get("type") == "object"
            for schema in filter(None, (draft.args_schema, draft.result_schema)):
                _compiled(schema, dict(read.reading.definitions))

    def test_drafts_can_be_written_down(self) -> None:
        for draft in self.read().drafts:
            assert msgspec.msgpack.decode(msgspec.msgpack.encode(draft), type=Draft).key == draft.key

    def test_a_description_that_cannot_be_reached_is_a_problem(self) -> None:
        """S-108: no answer is not an empty description."""
        described = self.unreachable()
        if described is None:
            pytest.skip("descriptions of this kind are always at hand")
        with pytest.raises(Problem):
            _whole(self.adapter(), described)

    @settings(max_examples=60, deadline=None, suppress_health_check=_ANY)
    @given(data=st.data())
    def test_no_description_raises_anything_but_a_problem(self, data: st.DataObject) -> None:
        """S-3; what comes of it can be stored, and what does not come is told."""
        try:
            read = self.read(data.draw(self.hostile()))
        except Problem as problem:
            assert problem.message  # noqa: PT017 - a description may also be readable
            return
        _said(read)
        assert len({(draft.key, draft.origin) for draft in read.drafts}) == len(read.drafts)
        for draft in read.drafts:
            assert draft.key
            assert draft.args_schema.get("type") == "object"
            _compiled(draft.args_schema, dict(read.reading.definitions))


def _whole(source: Source, described: Described) -> Read:
    reading = anyio.run(source.read, described.spec, described.wires, None)
    assert isinstance(reading, Reading), "what was never read cannot be unchanged"
    return Read(reading, tuple(reading.drafts))


def _said(read: Read) -> bytes:
    """Everything a reading gives, as it is stored."""
    reading = read.reading
    parts: tuple[Any, ...] = (
        reading.document, read.drafts, dict(reading.definitions), reading.nodes, reading.findings, reading.site,
        reading.instructions,
    )  # fmt: skip
    return msgspec.msgpack.encode(parts)


def _restored(document: Document) -> Document:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(document), type=Document)


def _compiled(schema: dict[str, Any], definitions: dict[str, Any]) -> None:
    jsonschema_rs.Draft202012Validator(schema | {"$defs": definitions} if definitions else schema)
