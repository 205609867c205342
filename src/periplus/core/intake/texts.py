"""Texts from outside are data: cleaned, cut to size, and flagged where they try to be instructions (S-8, S-23)."""

from __future__ import annotations

import re
from typing import Any

import re2

from periplus.core.words import sentence, words
from periplus.documents import canonical
from periplus.model import Draft, fold

SUMMARY_MAX = 120
DESCRIPTION_MAX = 20_000

# Control characters but tab and newline; soft hyphen; zero-width, bidirectional and tag characters; lone surrogates.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_BREAK = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])(?:\s|$)|\n\s*\n")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|approx|incl|max|min)|\b[A-Z])\.$", re.IGNORECASE)
_MARKUP = re.compile(
    r"<[^<>\n]{1,80}>|[*`#]{1,6}(?=\S)|(?<=\S)[*`]{1,3}|!?\[([^\]\n]*)\]\([^)\n]*\)"
    r"|(?<!\w)_{1,3}(?=\S)|(?<=[^\W_])_{1,3}(?!\w)"  # inside a word it belongs to a name
)
_PLAIN = re.compile(r"[^<*_`#\[.!?\n\u3002\uff01\uff1f]*[.!?]?")  # no markup, and no end but its own
_PARAMETER = re.compile(r"\{([^{}]*)\}")

# Phrases that address the reader's obedience rather than describe a tool. Flagged, never acted upon.
_INSTRUCTION = re2.compile(
    r"(?i)\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|the\s+|your\s+)*"
    r"(?:previous|prior|above|earlier|other)\s+(?:instructions?|prompts?|rules?|messages?|tools?)"
    r"|\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this|it)\s+to|show)\s+(?:this\s+to\s+)?the\s+user"
    r"|\bsystem\s+prompt\b|<\s*/?\s*(?:important|system|instructions?|secret)\s*>"
    r"|\b(?:before|after|instead\s+of)\s+(?:using|calling)\s+(?:this|any\s+other)\s+tools?,?\s+you\s+must"
    r"|\byou\s+(?:must|should|are\s+required\s+to)\s+(?:always|first|now)\s+(?:call|read|send|use|run|invoke)\b"
)


# Those that turn text around or spell a second one: nobody writes them by accident.
_SMUGGLED = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")

_READ = frozenset({"title", "description", "$comment"})
_DATA = frozenset({"const", "enum", "default", "examples", "pattern"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas"})


def clean(text: str, limit: int = DESCRIPTION_MAX) -> str:
    """The text without what a reader cannot see, at most that long."""
    if not text.isprintable():  # a line break is enough not to be; a character that nobody sees, too
        if "\r" in text or not text.isascii():
            text = _BREAK.sub("\n", text)
        text = _INVISIBLE.sub("", text)
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def as_read(schema: Any) -> tuple[Any, bytes]:
    """A schema as readers and models see it, and its canonical text."""
    text = canonical(schema)
    if not _hides(text):
        return schema, text
    cleaned = _clean_schema(schema)
    return cleaned, canonical(cleaned)


def _hides(encoded: bytes) -> bool:
    """Whether the JSON of a schema may have characters in it that nobody sees; most has not, and need not be walked."""
    if b"\\u00" in encoded or b"\x7f" in encoded:
        return True
    return not encoded.isascii() and _INVISIBLE.search(encoded.decode("utf-8", "surrogatepass")) is not None


def _clean_schema(schema: Any) -> Any:
    """Texts for readers cleaned; values that are data, and names, stay as they are."""
    if isinstance(schema, list):
        return [_clean_schema(item) for item in schema]
    return {key: _clean_member(key, value) for key, value in schema.items()} if isinstance(schema, dict) else schema


def _clean_member(key: str, value: Any) -> Any:
    if key in _READ and isinstance(value, str):
        return clean(value)
    if key in _NAMED and isinstance(value, dict):
        return {name: _clean_schema(schema) for name, schema in value.items()}
    return value if key in _DATA else _clean_schema(value)


def smuggles(text: str) -> bool:
    """Whether a text holds characters that reverse what is read or spell what is not shown."""
    return not text.isascii() and _SMUGGLED.search(text) is not None


def commands(text: bytes) -> str | None:
    """The phrase in a text that reads like an instruction to a model, if there is one."""
    found = _INSTRUCTION.search(text)
    return " ".join(text[slice(*found.span())].decode("utf-8", "replace").lower().split()) if found else None


def first_sentence(text: str, limit: int = SUMMARY_MAX) -> str:
    """The first sentence without markup; one too long is cut at a word and marked."""
    if len(text) <= limit and _PLAIN.fullmatch(text):
        return " ".join(text.split())
    start = text.lstrip()[: limit * 6]
    plain = _MARKUP.sub(lambda found: found.group(1) or "", start)
    for end in _SENTENCE_END.finditer(plain):
        if not _ABBREVIATION.search(plain[: end.start()]):
            plain = plain[: end.start()]
            break
    plain = " ".join(plain.split())
    if len(plain) <= limit:
        return plain
    head = plain[: limit - 1]
    return (head[: head.rfind(" ")] if " " in head[limit // 2 :] else head).rstrip(" ,;:-") + "…"


def summary_of(draft: Draft, summary: str, description: str) -> str:
    """One sentence for a list; made from the name when the source wrote none (S-23)."""
    return first_sentence(summary) or first_sentence(description) or _from_name(draft)


def _from_name(draft: Draft) -> str:
    if not is_derived(draft):
        return sentence(words(draft.leaf))[:SUMMARY_MAX] or draft.origin
    verb, _, path = draft.origin.partition(" ")
    static = words(_PARAMETER.sub(" ", path))
    variables = _PARAMETER.findall(path)
    by = ("by", *words(variables[-1])) if path.rstrip("/").endswith("}") and variables else ()
    return sentence((verb.lower(), *static, *by))[:SUMMARY_MAX]


def is_derived(draft: Draft) -> bool:
    """Whether the leaf was made from method and path, so that its first word is the method's."""
    return fold(draft.leaf) == fold(draft.origin)
