"""XML bodies from arguments, named by the `xml` hints of their schema (S-52)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from periplus.transports.openapi.values import refuse, text_of

Hints = Mapping[str, Any]

_NAME: Final = re.compile(r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?")
_ILLEGAL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IN_TEXT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE: Final = _IN_TEXT | str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NIL: Final = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"'
_NONE: Final[Hints] = {}


def document(media: Mapping[str, Any], value: Any) -> bytes:
    """The value as an XML document in UTF-8."""
    writer = _Writer(media.get("xml_named", {}))
    hints = writer.known(media.get("xml", _NONE))
    name = hints.get("name") or hints.get("as") or "root"
    if isinstance(value, list):
        text = writer.around(name, hints, writer.items(name, value, hints))
    else:
        text = writer.element(name, value, hints)
    return (_HEAD + text).encode()


class _Writer:
    """Writes elements; `named` are the hints of definitions, which may lead back to themselves."""

    def __init__(self, named: Mapping[str, Hints]) -> None:
        self._named = named

    def known(self, hints: Hints) -> Hints:
        """Hints behind their reference."""
        return self._named.get(hints["ref"], _NONE) if "ref" in hints else hints

    def element(self, name: str, value: Any, hints: Hints) -> str:
        """One element with its attributes and what is in it."""
        if value is None:
            return f"<{_tag(name, hints)}{_NIL}/>"
        if not isinstance(value, dict):
            return self.around(name, hints, _text(value, hints, name))
        members = [(key, item, self.known(hints.get("members", {}).get(key, _NONE))) for key, item in value.items()]
        attributes = "".join(
            _namespace(told) + f' {_tag(told.get("name", key), told, bare=True)}="{_attribute(item, key)}"'
            for key, item, told in members
            if _is_attribute(told) and item is not None
        )
        inside = "".join(self._member(key, item, told) for key, item, told in members if not _is_attribute(told))
        return self.around(name, hints, inside, attributes)

    def around(self, name: str, hints: Hints, inside: str, attributes: str = "") -> str:
        """The element of that name around its inside."""
        tag = _tag(name, hints)
        return f"<{tag}{_namespace(hints)}{attributes}>{inside}</{tag}>"

    def items(self, name: str, values: Iterable[Any], hints: Hints) -> str:
        """The items of a list, each an element named by itself, else as the list is."""
        told = self.known(hints.get("items", _NONE))
        inner = told.get("name", name)
        return "".join(self._member(inner, value, told) for value in values)

    def _member(self, key: str, value: Any, hints: Hints) -> str:
        name, kind = hints.get("name", key), hints.get("nodeType")
        if kind in {"text", "cdata"}:
            return _text(value, hints, key)
        if isinstance(value, list):
            items = self.items(name, value, hints)
            return self.around(name, hints, items) if hints.get("wrapped") is True or kind == "element" else items
        if kind == "none" and isinstance(value, dict):
            told = hints.get("members", {})
            return "".join(
                self._member(inner, item, self.known(told.get(inner, _NONE))) for inner, item in value.items()
            )
        return self.element(name, value, hints)


def _is_attribute(hints: Hints) -> bool:
    return hints.get("attribute") is True or hints.get("nodeType") == "attribute"


def _tag(name: str, hints: Hints, *, bare: bool = False) -> str:
    """A name with its prefix; a prefix nobody bound to a namespace belongs to no attribute."""
    prefix = hints.get("prefix")
    tag = f"{prefix}:{name}" if isinstance(prefix, str) and prefix and not (bare and "namespace" not in hints) else name
    if not _NAME.fullmatch(tag):
        raise refuse(name, "cannot be the name of an XML element")
    return tag


def _namespace(hints: Hints) -> str:
    namespace, prefix = hints.get("namespace"), hints.get("prefix")
    if not isinstance(namespace, str) or not namespace:
        return ""
    name = f"xmlns:{prefix}" if isinstance(prefix, str) and prefix else "xmlns"
    return f' {name}="{namespace.translate(_IN_ATTRIBUTE)}"'


def _text(value: Any, hints: Hints, name: str) -> str:
    text = _legal("" if value is None else text_of(value), name)
    if hints.get("nodeType") == "cdata":
        return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"
    return text.translate(_IN_TEXT)


def _attribute(value: Any, name: str) -> str:
    return _legal(text_of(value), name).translate(_IN_ATTRIBUTE)


def _legal(text: str, name: str) -> str:
    if found := _ILLEGAL.search(text):
        raise refuse(name, f"XML has no letter {found.group()!r}")
    return text
