"""What the declared responses of an operation come to; equal ones are read once."""

from __future__ import annotations

from typing import NamedTuple

from periplus.model import Schema
from periplus.sources.openapi.answers import Answers, Responses
from periplus.sources.openapi.operations import Operation
from periplus.sources.openapi.results import result_schema
from periplus.sources.openapi.schema_memory import Readings
from periplus.sources.openapi.schemas import Schemas


class Outcome(NamedTuple):
    """What responses say about sending and following, and what success gives."""

    answers: Answers
    schema: Schema | None


class Outcomes:
    """Reads the responses of operations of one document."""

    def __init__(self, responses: Responses, schemas: Schemas) -> None:
        self._responses = responses
        self._schemas = schemas
        self._known = Readings[Outcome](schemas.report)

    def of(self, operation: Operation, key: str) -> Outcome:
        """Links know where they stand, so responses that have any are their operation's own."""
        written = operation.written
        return self._known.of(
            (written.get("responses"), written.get("produces")),
            operation.place.base,
            lambda: self._read(operation, key),
            lambda found: not found.answers.links,
        )

    def _read(self, operation: Operation, key: str) -> Outcome:
        written, place = operation.written, operation.place
        answers = self._responses.of(written, place)
        schema = result_schema(
            written.get("responses"),
            place.base,
            self._schemas,
            where=place.where,
            operation=key,
            produces=answers.produces,
        )
        return Outcome(answers, schema)
