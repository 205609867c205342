"""Where a reference inside one schema leads: pointers, anchors and ids, and nothing outside of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urljoin

from periplus.model import FindingCode

_NAMED_PLACES = frozenset({"$defs", "definitions"})


class Lost(Exception):  # noqa: N818 - not an error of ours: the reference leads nowhere
    """A reference nobody can follow, and which kind of finding that is."""

    def __init__(self, code: FindingCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Targets:
    """The places of one schema document that references may name."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._named: dict[str, str] = {}  # an anchor (#x) or an absolute id -> pointer
        self._base = ""
        if isinstance(root, dict):
            self._base = next((text for key in ("$id", "id") if isinstance(text := root.get(key), str)), "")
            self._collect(root, "", self._base)

    def pointer(self, reference: str) -> str:
        """The pointer a reference means, as text after `#`."""
        if not reference.startswith("#"):
            return self._of_resource(reference)
        return self._in(reference, "")

    def at(self, pointer: str) -> Any:
        """What stands at a pointer."""
        value = self._root
        for token in pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isascii() and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                raise Lost(FindingCode.DANGLING_REF, f"#{pointer} is not there")
        return value

    def schema_at(self, pointer: str) -> None:
        """Make sure that what stands there can be a schema."""
        if not isinstance(self.at(pointer), (dict, bool)):
            raise Lost(FindingCode.DANGLING_REF, f"#{pointer} is no schema")

    def _of_resource(self, reference: str) -> str:
        resource, _, fragment = urljoin(self._base, reference).partition("#")
        base = self._base.partition("#")[0]
        if resource and resource == base:
            start = ""
        elif resource in self._named:
            start = self._named[resource]
        else:
            message = f"{reference[:200]!r} leads out of the schema; nothing is fetched for it"
            raise Lost(FindingCode.REF_REFUSED, message)
        return self._in(f"#{fragment}", start)

    def _in(self, reference: str, start: str) -> str:
        fragment = unquote(reference[1:])
        if not fragment or fragment.startswith("/"):
            return start + fragment
        if (found := self._named.get(f"#{fragment}")) is not None:
            return found
        raise Lost(FindingCode.DANGLING_REF, f"there is no anchor {fragment[:100]!r}")

    def _collect(self, value: Any, pointer: str, base: str) -> None:
        """Note the anchors and ids of a document; one inside an example costs nothing."""
        if isinstance(value, dict):
            inner = base
            if pointer and isinstance(text := value.get("$id"), str):
                inner = urljoin(base, text)
                self._named.setdefault(inner.partition("#")[0] or inner, pointer)
            for key in ("$anchor", "$dynamicAnchor"):
                if isinstance(text := value.get(key), str):
                    self._named.setdefault(f"#{text}", pointer)
            for name, member in value.items():
                self._collect(member, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", inner)
        elif isinstance(value, list):
            for number, member in enumerate(value):
                self._collect(member, f"{pointer}/{number}", base)


def name_of(pointer: str, owner: str) -> str:
    """What a person would call the thing at a pointer."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    if not steps:
        return owner
    if len(steps) > 1 and steps[-2] in _NAMED_PLACES:
        return steps[-1]
    return "_".join(step for step in steps if step != "properties") or owner
