"""Blocks of content, taken apart: texts, pictures and sounds, files, links."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from periplus.answers import file_value, json_value

_MEDIA = {"image": "image/png", "audio": "audio/wav"}
_SHOWN = 80


class Blocks:
    """The content of one result. What is no block at all costs a note."""

    def __init__(self, content: Any) -> None:
        self.notes: tuple[str, ...] = ()
        self.files: dict[str, bytes] = {}
        self.texts: list[str] = []
        self._values: list[Any] = []
        self._media: list[dict[str, Any]] = []
        for block in content if isinstance(content, list) else []:
            self._take(block)

    @property
    def media(self) -> tuple[dict[str, Any], ...]:
        """All but the texts, as they came."""
        return tuple(self._media)

    def value(self, *, is_text: bool) -> tuple[Any, tuple[str, ...]]:
        """What they say together: one text as the JSON it may be, several as text, with files among them as a list."""
        if self._media:
            return (self._values[0] if len(self._values) == 1 else self._values), ()
        if len(self.texts) == 1 and not is_text:
            return _read(self.texts[0])
        objects = [] if is_text else list(_objects(self.texts))
        if self.texts and len(objects) == len(self.texts):
            return objects, ()
        return ("\n".join(self.texts) if self.texts else None), ()

    def contents(self) -> tuple[Any, tuple[str, ...]]:
        """What stands in a resource: its text or file; several parts keep their addresses."""
        if len(self._values) != 1:
            return self._values, ()
        only = self._values[0]
        if "text" not in only:
            return only, ()
        return _read(only["text"]) if "json" in str(only.get("mimeType", "")) else (only["text"], ())

    def beside(self, structured: Any) -> Iterator[dict[str, Any]]:
        """Texts that say something else than the structured value does."""
        for text in self.texts:
            try:
                said, _ = json_value(text)
            except ValueError:
                said = text
            if structured not in (said, {"result": said}, {"result": text}) and text.strip():
                yield {"type": "text", "text": text}

    def _take(self, block: Any) -> None:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            self.texts.append(block["text"])
            self._values.append(block["text"])
        elif kind in _MEDIA and isinstance(block.get("data"), str):
            self._file(block, block["data"], str(block.get("mimeType") or _MEDIA[kind]))
        elif kind == "resource_link" and isinstance(block.get("uri"), str):
            self._values.append({name: block[name] for name in block if name not in {"type", "_meta", "icons"}})
            self._media.append(block)
        elif kind == "resource" and isinstance(block.get("resource"), dict):
            self._resource(block, block["resource"])
        else:
            self._odd(block)

    def _resource(self, block: dict[str, Any], resource: dict[str, Any]) -> None:
        if isinstance(resource.get("blob"), str):
            kind = str(resource.get("mimeType") or "application/octet-stream")
            self._file(block, resource["blob"], kind, str(resource.get("uri") or ""))
        elif isinstance(resource.get("text"), str):
            self._values.append({name: resource[name] for name in resource if name != "_meta"})
            self._media.append(block)
        else:
            self._odd(block)

    def _file(self, block: dict[str, Any], data: str, kind: str, uri: str = "") -> None:
        try:
            content = base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            self._odd(block)
            return
        value, digest = file_value(content, kind, _last(uri))
        self.files[digest] = content
        self._values.append(value)
        self._media.append(block)

    def _odd(self, block: Any) -> None:
        shown = json.dumps(block, ensure_ascii=False, default=str)[:_SHOWN]
        self.notes = (*self.notes, f"left out of the result, since it is no content: {shown}")


def _last(uri: str) -> str:
    """What a file at this address would be called."""
    return unquote(re.split(r"[?#]", uri)[0].rpartition("/")[2])


def _read(text: str) -> tuple[Any, tuple[str, ...]]:
    try:
        return json_value(text)
    except ValueError:
        return text, ()


def _objects(texts: list[str]) -> Iterator[Any]:
    """Those texts that are JSON objects: some servers write a list as one block for each item."""
    for text in texts:
        value, _ = _read(text) if text.lstrip().startswith("{") else (text, ())
        if isinstance(value, dict):
            yield value
