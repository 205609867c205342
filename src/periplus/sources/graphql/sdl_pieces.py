"""Broken SDL as pieces: its tokens, its definitions, and their members, wherever they can still be told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from graphql import GraphQLSyntaxError, Lexer, Source, Token, TokenKind

KEYWORDS = frozenset({"schema", "scalar", "type", "interface", "union", "enum", "input", "directive", "extend"})
_NOT_BEFORE = frozenset({"extend", "implements", "on"}) | (KEYWORDS - {"extend"})
_NOT_BEFORE_KINDS = frozenset({TokenKind.EQUALS, TokenKind.PIPE, TokenKind.AMP, TokenKind.AT, TokenKind.COLON})
_CLOSES = {
    TokenKind.BRACE_R: TokenKind.BRACE_L,
    TokenKind.PAREN_R: TokenKind.PAREN_L,
    TokenKind.BRACKET_R: TokenKind.BRACKET_L,
}
_OPENS = frozenset(_CLOSES.values())
_TEXTS = frozenset({TokenKind.STRING, TokenKind.BLOCK_STRING})
_UNREADABLE_MAX = 20


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """Something cut out: of which type, which member of it if only that, where and why."""

    line: int
    column: int
    message: str
    type: str = ""
    member: str = ""


def tokens_of(text: str, losses: list[Loss]) -> tuple[str, list[Token]]:
    """The text with what is no token blanked out, and its tokens; none when there is too much of that."""
    for _ in range(_UNREADABLE_MAX):
        lexer = Lexer(Source(text))
        tokens: list[Token] = []
        try:
            while (token := lexer.advance()).kind is not TokenKind.EOF:
                tokens.append(token)
        except GraphQLSyntaxError as error:
            place = next(iter(error.locations or ()), None)
            line, column = (place.line, place.column) if place else (0, 0)
            losses.append(Loss(line=line, column=column, message=error.message[:160]))
            text = _blanked(text, next(iter(error.positions or ()), 0), error.message)
        else:
            return text, tokens
    return text, []


def _blanked(text: str, at: int, message: str) -> str:
    """The text with an unreadable place as spaces, so that other places stay where they were."""
    start, end = at, at + 1
    if "Unterminated string" in message:
        block = text.rfind('"""', 0, at) if at >= len(text) else -1
        start = block if block >= 0 else max(text.rfind('"', 0, at), 0)
        end = block + 3 if block >= 0 else at
    elif text[at : at + 1] in {"", "\n", '"'} or "haracter" not in message:  # inside a string: its line goes
        start = text.rfind("\n", 0, at) + 1
        found = text.find("\n", at)
        end = len(text) if found < 0 else found
    return text[:start] + " " * (end - start) + text[end:]


def definitions_in(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of one definition after another, each with its description."""
    piece: list[Token] = []
    depth = 0
    for number, token in enumerate(tokens):
        if _starts_definition(tokens, number, depth):
            depth = 0
            text = _own_description(piece)
            if piece:
                yield piece
            piece = text
        depth += (token.kind in _OPENS) - (token.kind in _CLOSES)
        piece.append(token)
    if piece:
        yield piece


def members_in(tokens: Sequence[Token], *, enum: bool) -> Iterator[list[Token]]:
    """The members between a definition's braces, each with its description."""
    piece: list[Token] = []
    opened: list[TokenKind] = []
    for number, token in enumerate(tokens):
        if token.kind is TokenKind.BRACE_R and not opened:
            break
        if _starts_member(tokens, number, opened, enum=enum):
            opened.clear()
            text = _own_description(piece)
            if piece:
                yield piece
            piece = text
        if token.kind in _OPENS:
            opened.append(token.kind)
        elif token.kind in _CLOSES and opened[-1:] == [_CLOSES[token.kind]]:
            opened.pop()
        piece.append(token)
    if piece:
        yield piece


def lines_of(member: Sequence[Token]) -> Iterator[list[Token]]:
    """A broken member cut where another name stands below its own: what is open there was never closed."""
    piece: list[Token] = []
    for number, token in enumerate(member):
        below = token.column == member[0].column and piece and token.line > piece[-1].line
        following = member[number + 1].kind if number + 1 < len(member) else TokenKind.EOF
        named = token.kind is TokenKind.NAME and following in {TokenKind.COLON, TokenKind.PAREN_L}
        if below and (named or token.kind in _TEXTS) and not (piece[0].kind in _TEXTS and len(piece) == 1):
            yield piece
            piece = []
        piece.append(token)
    yield piece


def _own_description(piece: list[Token]) -> list[Token]:
    """Take the text at the end of a piece: it describes what comes next."""
    return [piece.pop()] if piece and piece[-1].kind in _TEXTS else []


def _starts_definition(tokens: Sequence[Token], number: int, depth: int) -> bool:
    """A keyword starts a definition at the outside, or at a line's start before a name where a brace is missing."""
    token = tokens[number]
    if token.kind is not TokenKind.NAME or token.value not in KEYWORDS:
        return False
    if depth > 0:
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        return token.column == 1 and following is not None and following.kind is TokenKind.NAME
    before = tokens[number - 1] if number else None
    return before is None or not (before.kind in _NOT_BEFORE_KINDS or before.value in _NOT_BEFORE)


def _starts_member(tokens: Sequence[Token], number: int, opened: Sequence[TokenKind], *, enum: bool) -> bool:
    if tokens[number].kind is not TokenKind.NAME or (number and tokens[number - 1].kind is TokenKind.AT):
        return False
    following = tokens[number + 1].kind if number + 1 < len(tokens) else TokenKind.EOF
    if opened and following is TokenKind.COLON:  # in a list type no name has a colon: its bracket is missing
        return all(kind is TokenKind.BRACKET_L for kind in opened)
    if opened:  # among arguments no name has a parenthesis: theirs is missing
        return following is TokenKind.PAREN_L
    return enum or following in {TokenKind.COLON, TokenKind.PAREN_L}
