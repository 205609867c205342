"""What a session knows: variables by source, active modes, and placeholders filled from them (W-70, W-71)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from periplus.core.conditions.truth import Lack
from periplus.core.workflows.conditions import resolve
from periplus.core.workflows.definition import Definition
from periplus.core.workflows.model import Mode
from periplus.core.workflows.record import Record

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.-]*)\}")


class Filled(NamedTuple):
    """A value with its placeholders replaced, and the names nothing stands for."""

    value: Any
    unresolved: tuple[str, ...]


class Facts:
    """One session's variables against its definition."""

    def __init__(self, definition: Definition, record: Record) -> None:
        self._definition = definition
        self._record = record
        self.modes: tuple[Mode, ...] = tuple(
            mode for mode in definition.modes() if self.known(mode.activation_variable) is True
        )
        self._defaults = {
            **definition.defaults,
            **{name: value for mode in self.modes for name, value in mode.defaults.items()},
        }

    def known(self, name: str) -> Any:
        """What answers and tools have made certain; names that agents set never are."""
        value = self._record.variables.get(name)
        if value is None or not value.resolved or name in self._definition.agent_names:
            return Lack.UNKNOWN
        return value.value

    def assumed(self, name: str) -> Any:
        """What is known, else what holds by default."""
        known = self.known(name)
        return self._defaults.get(name, Lack.UNKNOWN) if isinstance(known, Lack) else known

    def source(self, name: str) -> str:
        """Where a value is from: `effect`, `tool`, `default` or `unknown`."""
        if not isinstance(self.known(name), Lack):
            return self._record.variables[name].source
        return "default" if name in self._defaults else "unknown"

    def skipped(self) -> tuple[str, ...]:
        """Activities that answers and modes leave out."""
        by_modes = (id_ for mode in self.modes for id_ in mode.skip_activities)
        return tuple(dict.fromkeys((*self._record.skipped, *by_modes)))

    def filled(self, value: Any) -> Filled:
        """A value with every `{name}` replaced; one that is nothing but a name keeps the type of what it means."""
        missing: dict[str, None] = {}
        return Filled(self._fill(value, missing), tuple(missing))

    def _fill(self, value: Any, missing: dict[str, None]) -> Any:
        if isinstance(value, Mapping):
            return {name: self._fill(item, missing) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._fill(item, missing) for item in value]
        if not isinstance(value, str) or "{" not in value:
            return value
        whole = _PLACEHOLDER.fullmatch(value)
        if whole:
            found = self._value(whole[1], missing)
            return value if isinstance(found, Lack) else found
        return _PLACEHOLDER.sub(lambda match: self._text(match, missing), value)

    def _text(self, match: re.Match[str], missing: dict[str, None]) -> str:
        found = self._value(match[1], missing)
        if isinstance(found, Lack):
            return match[0]
        return found if isinstance(found, str) else msgspec.json.encode(found).decode()

    def _value(self, name: str, missing: dict[str, None]) -> Any:
        value = resolve(name, self.assumed)
        if isinstance(value, Lack):
            missing[name] = None
        return value
