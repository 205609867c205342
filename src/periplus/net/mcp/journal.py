"""What a server said beside the protocol: its stderr and what was odd about it, without secrets, never much."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from periplus.net.credentials.redaction import redacted, redacted_value

_LINES = 200
_LINE_MAX = 2_000
_PARTIAL_MAX = 65_536
_NOTES = 50
_SECRETS = 50
_MASK = "***"
_PATTERNS = re.compile(
    r"(?P<keep>(?:bearer|basic)\s+|(?:api[_-]?key|token|secret|password|passwd|access_key)[\"']?\s*[=:]\s*[\"']?)"
    r"[^\s\"'&,;]{4,}"
    r"|\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abprs])[-_][A-Za-z0-9_-]{10,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{10,}|\bAKIA[A-Z0-9]{12,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
    re.IGNORECASE,
)


class Journal:
    """The last lines and the notes of one server. Masked on the way in, so nothing secret is ever held."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._notes: dict[str, int] = {}
        self._partial = b""
        self._recent = 0  # lines since the last start
        self.secrets: tuple[str, ...] = ()
        self.status: int | None = None  # how the process ended, where it was not well

    def begin(self, secrets: tuple[str, ...]) -> None:
        """A new start: earlier lines stay to be read, but explain nothing any more."""
        self.secrets = secrets
        self.status = None
        self._recent = 0
        self._notes.clear()

    def learn(self, secrets: Iterable[str]) -> None:
        """Further secrets that were sent; of those that are renewed again and again, the latest."""
        fresh = tuple(secret for secret in secrets if secret not in self.secrets)
        self.secrets = (fresh + self.secrets)[:_SECRETS] if fresh else self.secrets

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(text if times == 1 else f"{text} ({times} times)" for text, times in self._notes.items())

    @property
    def last_words(self) -> str:
        """The end of what was written, for a message about a server that ended."""
        recent = list(self._lines)[-self._recent :] if self._recent else []
        told = [line for line in recent if line.strip()]
        return " | ".join(told[-3:])[-600:]

    def feed(self, chunk: bytes) -> None:
        """Take stderr as it comes; a line without end is cut, not collected."""
        lines = (self._partial + chunk).split(b"\n")
        self._partial = lines.pop()
        for line in lines[-_LINES:]:
            self._write(line)
        if len(self._partial) > _PARTIAL_MAX:
            self.finish()

    def finish(self) -> None:
        """What stands after the last line break is a line, too."""
        if self._partial:
            self._write(self._partial)
            self._partial = b""

    def log(self, params: Mapping[str, Any]) -> None:
        """A log message that came over the protocol, as the line the server would have written."""
        data = params.get("data")
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
        told = " ".join(str(each) for each in (params.get("level"), params.get("logger"), text) if each)
        self._write(" ".join(told.split()).encode("utf-8", "replace"))

    def note(self, text: str) -> None:
        """Something odd, told once with a count; the fiftieth kind is the last."""
        text = self.masked(text)
        if text in self._notes or len(self._notes) < _NOTES:
            self._notes[text] = self._notes.get(text, 0) + 1

    def masked(self, text: str) -> str:
        """The text without what must not be seen."""
        text = redacted(text, self.secrets)
        return _PATTERNS.sub(lambda found: (found.group("keep") or "") + _MASK, text)

    def without_secrets(self, value: Any) -> Any:
        """A value without what was sent in confidence; nothing else in it is touched (S-79)."""
        return redacted_value(value, frozenset(self.secrets)) if self.secrets else value

    def _write(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._recent = min(self._recent + 1, _LINES)
        # Masked before it is cut: half a secret at the edge would not be recognised.
        self._lines.append(self.masked(text[: _LINE_MAX * 4])[:_LINE_MAX])
