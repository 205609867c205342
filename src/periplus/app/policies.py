"""The policy as its file says: read anew when the file changes, and never worse than what it last said."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

import msgspec

from periplus.core.policy import compile_policy
from periplus.core.standing import Always
from periplus.model import Code, Defaults, Policy, Problem, Verdict
from periplus.ports import Clock, Policies
from periplus.settings import Settings, read_policy, read_toml

_LOG = logging.getLogger("periplus.policy")
_LOOK_S = 1.0


class FilePolicies:
    """Watches one file by its time and size, then by its content. A broken one changes nothing, and says so."""

    def __init__(self, file: Path, clock: Clock, *, given: Policy | None = None) -> None:
        self._file = file
        self._clock = clock
        self._given = given  # what the settings say in all, where the file is theirs: flags and environment count
        self._set_elsewhere: dict[str, Verdict] | None = None
        self._looked = clock.now()
        self._stamp = _stamp(file)
        self._digest = ""
        self._fault: Problem | None = None
        self._policy = self._read()

    def current(self) -> Policy:
        now = self._clock.now()
        if now - self._looked >= _LOOK_S or now < self._looked:
            self._looked = now
            if (stamp := _stamp(self._file)) != self._stamp:
                self._stamp = stamp
                self._renew()
        return self._policy

    def fault(self) -> Problem | None:
        self.current()
        return self._fault

    def _renew(self) -> None:
        before = self._digest
        try:
            policy = self._read()
        except Problem as problem:
            self._fault = problem
            _LOG.error("%s; the policy from before goes on", problem.message)
            return
        self._fault = None
        if self._digest != before:
            self._policy = policy
            _LOG.warning("the policy of %s is in force: %d rules", self._file, len(policy.rules))

    def _read(self) -> Policy:
        """The policy of the file, known to be one that can be asked."""
        tree = read_toml(self._file)
        if self._given is None:
            policy = read_policy(tree, str(self._file))
            if policy.file:
                raise Problem(Code.BAD_SETTING, f"{self._file} names a further policy file; one is enough")
        else:
            policy = read_policy(tree.get("policy", {}), str(self._file))
            if self._set_elsewhere is None:
                self._set_elsewhere = _differences(policy.defaults, self._given.defaults)
            defaults = msgspec.structs.replace(policy.defaults, **self._set_elsewhere)
            policy = msgspec.structs.replace(policy, defaults=defaults)
        compile_policy(policy)
        self._digest = hashlib.sha256(self._file.read_bytes()).hexdigest()
        return policy


def policies(settings: Settings, file: Path | None, clock: Clock) -> Policies:
    """Where the policy comes from: the file it names, else the settings file, else only what is set."""
    if settings.policy.file:
        named = Path(settings.policy.file).expanduser()
        return FilePolicies(named if file is None else file.parent / named, clock)
    if file is not None:
        return FilePolicies(file, clock, given=settings.policy)
    compile_policy(settings.policy)
    return Always(settings.policy)


def _differences(read: Defaults, given: Defaults) -> dict[str, Verdict]:
    """Defaults that a flag or the environment set: they hold whatever the file says later."""
    return {
        name: getattr(given, name)
        for name in Defaults.__struct_fields__
        if getattr(given, name) is not getattr(read, name)
    }


def _stamp(file: Path) -> tuple[int, int, int]:
    """Time, size and identity: what changes when a file is written or put in another's place."""
    try:
        found = file.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
