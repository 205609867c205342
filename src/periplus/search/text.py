"""Text as the search sees it: words of prose and identifiers, their stems, and which words say nothing."""

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

LONGEST_TEXT = 20_000
LONGEST_WORD = 40
_JOINED_PARTS = 3

_ASCII = "A-Za-z0-9"
# Scripts written without spaces between words: Thai, Lao, Khmer, kana, ideographs, Hangul.
_DENSE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0002fa1f"
# Scripts whose vowel signs are marks that \w leaves out: Devanagari to Sinhala, Arabic and Hebrew points.
_MARKED = "\u0590-\u06ff\u0900-\u0dff"
_CHUNK = re.compile(rf"[{_ASCII}]+(?:'[a-z]{{1,2}}\b)?|[{_DENSE}]+|[{_MARKED}]+|[^\W_{_ASCII}{_DENSE}{_MARKED}]+")
_PART = re.compile(r"[A-Z]+s(?![A-Za-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+")
_ACCENT = re.compile("[\u0300-\u036f]")
_NOT_NAME = re.compile(r"[\W_]+")
_NOT_NAME_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
_DENSE_WORD = re.compile(rf"[{_DENSE}]+")

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can cannot could d did do does doing don down during each few for from further had has
    have having he her here hers herself him himself his how i if im in into is isn it its itself ive just ll
    let lets m may me might more most must my myself no nor not now of off on once only or other our ours
    ourselves out over own please re s same shall she should so some such t than that the their theirs them
    themselves then there these they this those through to too under until up us ve very was we were what when
    where which while who whom why will with would you your yours yourself yourselves want wants need needs like
    wish help tell give show thank thanks hi hello hey kindly etc eg ie via able using use used
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a line for each
)

_stem_english = snowballstemmer.stemmer("english").stemWord


def fold(text: str) -> str:
    """The text without accents, compatibility forms and overlong tail, case kept."""
    text = text[:LONGEST_TEXT]
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", text)))


@lru_cache(maxsize=1 << 13)
def split_chunk(chunk: str) -> tuple[str, tuple[str, ...]]:
    """One unbroken run of characters as (joined form or "", its words); only short mixed runs have a joined form."""
    if not chunk.isascii():
        if _DENSE_WORD.fullmatch(chunk):
            pairs = tuple(chunk[i : i + 2] for i in range(len(chunk) - 1))
            return "", pairs or (chunk,)
        return "", (chunk.lower()[:LONGEST_WORD],)
    chunk = chunk.partition("'")[0][:LONGEST_WORD]
    if chunk.islower() and chunk.isalpha():
        return "", (chunk,)
    parts = tuple(part.lower() for part in _PART.findall(chunk))
    # GitHub and OAuth2 are also one word; a whole sentence in camel case is not.
    joined = "".join(parts) if 1 < len(parts) <= _JOINED_PARTS else ""
    return joined, parts


def chunks(text: str) -> list[str]:
    """The unbroken runs of letters and digits in the text, still in their case."""
    return _CHUNK.findall(fold(text))


def words(text: str) -> list[str]:
    """Lower-case words in order; an identifier yields its parts and, when short, its joined form."""
    found: list[str] = []
    for chunk in chunks(text):
        joined, parts = split_chunk(chunk)
        if joined:
            found.append(joined)
        found += parts
    return found


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The word's English stem; words of other scripts and numbers stay as they are."""
    return _stem_english(word) if word.isascii() and word.isalpha() else word


@lru_cache(maxsize=1 << 17)
def _terms_of_chunk(chunk: str) -> tuple[str, ...]:
    joined, parts = split_chunk(chunk)
    found = (joined, *parts) if joined else parts
    return tuple(stem(word) for word in found if word not in STOP_WORDS)


def terms(text: str) -> list[str]:
    """Stems of the words that say something, in order, repeated as often as they occur."""
    return terms_of(chunks(text))


@lru_cache(maxsize=1 << 11)
def terms_in(text: str) -> frozenset[str]:
    """The stems that a text has; the summaries of tools are asked for again and again."""
    return frozenset(terms(text))


def terms_of(runs: list[str]) -> list[str]:
    """`terms` of a text that is already in chunks."""
    found: list[str] = []
    for chunk in runs:
        found += _terms_of_chunk(chunk)
    return found


def name_key(text: str) -> str:
    """A name without case and separators: the form in which `pulls/list` and `pullsList` are equal."""
    if text.isascii():
        return text[:LONGEST_TEXT].lower().encode().translate(None, _NOT_NAME_ASCII).decode()
    return _NOT_NAME.sub("", fold(text).lower())
