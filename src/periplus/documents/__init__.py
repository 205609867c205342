"""Bytes to values, for every kind of described thing. Nothing here knows what the values describe."""

from periplus.documents.canonical import canonical
from periplus.documents.decode import decode
from periplus.documents.lazy import LazyObject, members
from periplus.documents.values import DEFAULT_LIMITS, Decoded, DecodeLimits, Note, Place

__all__ = [
    "DEFAULT_LIMITS",
    "DecodeLimits",
    "Decoded",
    "LazyObject",
    "Note",
    "Place",
    "canonical",
    "decode",
    "members",
]
