"""SDL that does not parse as a whole: what is wrong is cut out by definition and member, and the rest is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from graphql import DefinitionNode, DocumentNode, GraphQLSyntaxError, Token, TokenKind, parse

from periplus.model import Code, Problem
from periplus.sources.graphql.sdl_pieces import KEYWORDS, Loss, definitions_in, lines_of, members_in, tokens_of

_OLD_LIST = re.compile(r"(\bimplements\s+)([\w\s,]+)")
_TRIES = 30  # shorter forms of one member that are tried


class Parsed(msgspec.Struct, frozen=True):
    """A document and what it cost to parse it."""

    document: DocumentNode
    losses: tuple[Loss, ...] = ()


def parse_sdl(text: str) -> Parsed:
    """The document, whole or with its unreadable places cut out."""
    try:
        return Parsed(parse(text, no_location=True))
    except (GraphQLSyntaxError, RecursionError) as error:
        salvaged = _salvage(text)
        if not salvaged.document.definitions:
            raise _refusal(text, error) from error
        return salvaged


def _refusal(text: str, error: Exception) -> Problem:
    start = text.lstrip()[:60]
    where = ""
    if isinstance(error, GraphQLSyntaxError) and error.locations:
        place = error.locations[0]
        lines = text.splitlines() or [""]
        there = lines[min(place.line, len(lines)) - 1].strip()[:80]
        where = f" (line {place.line}, column {place.column}: {there!r}: {error.message[:160]})"
    what = "an HTML page" if start.startswith("<") else f"{start!r}" if start else "an empty document"
    return Problem(
        Code.PARSE_ERROR,
        f"no GraphQL schema: got {what}{where}",
        hints=("give a schema in GraphQL's schema language, or the JSON answer of an introspection query",),
    )


def _salvage(text: str) -> Parsed:
    losses: list[Loss] = []
    text, tokens = tokens_of(text, losses)
    definitions: list[DefinitionNode] = []
    for piece in definitions_in(tokens):
        definitions += _definitions(text, piece, losses)
    return Parsed(DocumentNode(definitions=tuple(definitions)), tuple(losses))


def _definitions(text: str, piece: Sequence[Token], losses: list[Loss]) -> Sequence[DefinitionNode]:
    found = _parsed(_text(text, piece))
    return _by_members(text, piece, losses) if found is None else found


def _by_members(text: str, piece: Sequence[Token], losses: list[Loss]) -> Sequence[DefinitionNode]:
    """The definition with those of its members that parse, and those as far as they do."""
    name = _name_of(piece)
    brace = next((at for at, token in enumerate(piece) if token.kind is TokenKind.BRACE_L), len(piece))
    head = _OLD_LIST.sub(_with_ampersands, _text(text, piece[:brace]))
    good: list[str] = []
    bad: list[Loss] = []
    for member in _members(text, head, piece[brace + 1 :], enum=any(token.value == "enum" for token in piece[:3])):
        kept = _longest(text, head, member)
        if kept:
            good.append(_text(text, member[:kept]))
        if kept < len(member):
            bad.append(_loss(member[kept:], name))
    found = _parsed(head + (" {\n" + "\n".join(good) + "\n}" if good else ""))
    if found is None:
        losses.append(Loss(line=piece[0].line, column=piece[0].column, message="cannot be parsed", type=name))
        return ()
    losses += bad
    return found


def _members(text: str, head: str, tokens: Sequence[Token], *, enum: bool) -> Iterator[list[Token]]:
    """The members, those that do not parse cut again by how they are indented."""
    for member in members_in(tokens, enum=enum):
        if _parsed(f"{head} {{ {_text(text, member)} }}") is None:
            yield from lines_of(member)
        else:
            yield member


def _longest(text: str, head: str, member: Sequence[Token]) -> int:
    """How many tokens of a member make a member: `c: Int d Int` is one as far as `c: Int`."""
    ends = range(len(member), max(len(member) - _TRIES, 0), -1)
    return next((end for end in ends if _parsed(f"{head} {{ {_text(text, member[:end])} }}") is not None), 0)


def _loss(rest: Sequence[Token], name: str) -> Loss:
    label = next((token.value for token in rest if token.kind is TokenKind.NAME), "") or ""
    return Loss(line=rest[0].line, column=rest[0].column, message="cannot be parsed", type=name, member=label)


def _parsed(text: str) -> Sequence[DefinitionNode] | None:
    try:
        return parse(text, no_location=True).definitions
    except (GraphQLSyntaxError, RecursionError):
        return None


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _with_ampersands(found: re.Match[str]) -> str:
    """`implements A, B` as it is written today."""
    names = re.split(r"[\s,&]+", found[2].strip())
    return f"{found[1]}{' & '.join(names)} "


def _name_of(piece: Sequence[Token]) -> str:
    words = (token.value or "" for token in piece[:4] if token.kind is TokenKind.NAME)
    return next((word for word in words if word not in KEYWORDS), "")
