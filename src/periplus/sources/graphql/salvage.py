"""SDL that does not parse as a whole: what is wrong is cut out by definition and member, and the rest is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from graphql import (
    DefinitionNode,
    DocumentNode,
    GraphQLSyntaxError,
    Lexer,
    Source,
    Token,
    TokenKind,
    parse,
)

from periplus.model import Code, Problem

_KEYWORDS = frozenset({"schema", "scalar", "type", "interface", "union", "enum", "input", "directive", "extend"})
_NOT_BEFORE = frozenset({"extend", "implements", "on"}) | (_KEYWORDS - {"extend"})
_NOT_BEFORE_KINDS = frozenset({TokenKind.EQUALS, TokenKind.PIPE, TokenKind.AMP, TokenKind.AT, TokenKind.COLON})
_OPEN = frozenset({TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L})
_CLOSE = frozenset({TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R})
_TEXTS = frozenset({TokenKind.STRING, TokenKind.BLOCK_STRING})
_OLD_LIST = re.compile(r"(\bimplements\s+)([\w\s,]+)")
_UNREADABLE_MAX = 20


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """Something cut out: of which type, which member of it if only that, where and why."""

    type: str
    member: str
    line: int
    column: int
    message: str


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
    text, tokens = _tokens(text, losses)
    definitions: list[DefinitionNode] = []
    for chunk in _chunks(tokens):
        definitions += _definitions(text, chunk, losses)
    return Parsed(DocumentNode(definitions=tuple(definitions)), tuple(losses))


def _tokens(text: str, losses: list[Loss]) -> tuple[str, list[Token]]:
    """All tokens, with what is no token at all blanked out of the text."""
    for _ in range(_UNREADABLE_MAX):
        lexer = Lexer(Source(text))
        tokens: list[Token] = []
        try:
            while (token := lexer.advance()).kind is not TokenKind.EOF:
                tokens.append(token)
        except GraphQLSyntaxError as error:
            at = min(next(iter(error.positions or ()), 0), max(len(text) - 1, 0))
            place = error.locations[0] if error.locations else None
            line, column = (place.line, place.column) if place else (0, 0)
            losses.append(Loss(type="", member="", line=line, column=column, message=error.message[:160]))
            text = _blanked(text, at, whole_line="haracter" not in error.message or text[at : at + 1] == '"')
        else:
            return text, tokens
    return text, []


def _blanked(text: str, at: int, *, whole_line: bool) -> str:
    """The text with a character or a line replaced by spaces, so that other places stay where they were."""
    if not whole_line and text[at : at + 1] not in {"", "\n"}:
        return f"{text[:at]} {text[at + 1 :]}"
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    start = text.rfind("\n", 0, max(end, 1) - 1 if end == at else at) + 1
    return text[:start] + " " * (end - start) + text[end:]


def _chunks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of one definition after another."""
    chunk: list[Token] = []
    depth = 0
    for number, token in enumerate(tokens):
        if _starts(tokens, number, depth):
            depth = 0
            described = bool(chunk) and chunk[-1].kind in _TEXTS
            text = [chunk.pop()] if described else []
            if chunk:
                yield chunk
            chunk = text
        depth += (token.kind in _OPEN) - (token.kind in _CLOSE)
        chunk.append(token)
    if chunk:
        yield chunk


def _starts(tokens: Sequence[Token], number: int, depth: int) -> bool:
    """A keyword starts a definition at the outside, or at a line's start before a name where a brace is missing."""
    token = tokens[number]
    if token.kind is not TokenKind.NAME or token.value not in _KEYWORDS:
        return False
    if depth > 0:
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        return token.column == 1 and following is not None and following.kind is TokenKind.NAME
    before = tokens[number - 1] if number else None
    return before is None or not (before.kind in _NOT_BEFORE_KINDS or before.value in _NOT_BEFORE)


def _definitions(text: str, chunk: Sequence[Token], losses: list[Loss]) -> Sequence[DefinitionNode]:
    whole = text[chunk[0].start : chunk[-1].end]
    try:
        return parse(whole, no_location=True).definitions
    except (GraphQLSyntaxError, RecursionError) as error:
        return _without_bad_members(text, chunk, error, losses)


def _without_bad_members(
    text: str, chunk: Sequence[Token], error: Exception, losses: list[Loss]
) -> Sequence[DefinitionNode]:
    name = _name_of(chunk)
    brace = next((at for at, token in enumerate(chunk) if token.kind is TokenKind.BRACE_L), len(chunk))
    head = text[chunk[0].start : chunk[brace - 1].end] if brace else ""
    head = _OLD_LIST.sub(lambda found: found[1] + " & ".join(re.split(r"[\s,&]+", found[2].strip())) + " ", head)
    good: list[str] = []
    bad: list[Loss] = []
    for member in _members(chunk[brace + 1 :], enum=any(token.value == "enum" for token in chunk[:3])):
        piece = text[member[0].start : member[-1].end]
        if _parses(f"{head} {{ {piece} }}"):
            good.append(piece)
        else:
            label = next((token.value for token in member if token.kind is TokenKind.NAME), "") or ""
            bad.append(_loss(member[0], name, label, error))
    body = " {\n" + "\n".join(good) + "\n}" if good else ""
    try:
        found = parse(head + body, no_location=True).definitions
    except (GraphQLSyntaxError, RecursionError):
        losses.append(_loss(chunk[0], name, "", error))
        return ()
    losses += bad
    return found


def _loss(token: Token, name: str, member: str, error: Exception) -> Loss:
    message = error.message if isinstance(error, GraphQLSyntaxError) else "nested too deeply"
    return Loss(type=name, member=member, line=token.line, column=token.column, message=message[:160])


def _parses(text: str) -> bool:
    try:
        parse(text, no_location=True)
    except (GraphQLSyntaxError, RecursionError):
        return False
    return True


def _name_of(chunk: Sequence[Token]) -> str:
    words = [token.value or "" for token in chunk[:4] if token.kind is TokenKind.NAME]
    return next((word for word in words if word not in _KEYWORDS), "")


def _members(tokens: Sequence[Token], *, enum: bool) -> Iterator[list[Token]]:
    """The members between a definition's braces, each with its description."""
    member: list[Token] = []
    depth = 0
    for number, token in enumerate(tokens):
        if token.kind is TokenKind.BRACE_R and depth <= 0:
            break
        following = tokens[number + 1].kind if number + 1 < len(tokens) else TokenKind.EOF
        named = token.kind is TokenKind.NAME and depth <= 0 and not _is_directive(member)
        if named and (enum or following in {TokenKind.COLON, TokenKind.PAREN_L}):
            described = bool(member) and member[-1].kind in _TEXTS
            text = [member.pop()] if described else []
            if member:
                yield member
            member = text
        depth += (token.kind in _OPEN) - (token.kind in _CLOSE)
        member.append(token)
    if member:
        yield member


def _is_directive(member: Sequence[Token]) -> bool:
    """Whether the next name is the one of a directive: `@tag(...)`."""
    return bool(member) and member[-1].kind is TokenKind.AT
