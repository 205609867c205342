"""Whether a URL or an address may be reached, decided by plain functions over what the operator allowed.

Two moments: `judge_target` looks at a URL before anything is resolved, `judge_address` at each address its name
resolved to. A connection is made only to an address that passed.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_network

import msgspec

from periplus.model import Code, Problem, glob_matches
from periplus.net.addresses import (
    METADATA_NAMES,
    Address,
    AddressClass,
    Network,
    class_of,
    meanings,
)
from periplus.net.urls import DEFAULT_PORTS, Target, parse_host, place, port_of

_LOOPBACK_NAMES = ("localhost", "*.localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `allow`, `deny` or `ref_hosts`: a network, or a host (`*` is any text), perhaps with a port."""

    text: str
    network: Network | None = None
    host: str = ""
    port: int | None = None

    def names(self, host: str, port: int) -> bool:
        """Whether this is about that host, by name."""
        return bool(self.host) and self.port in (None, port) and glob_matches(self.host, host)

    def holds(self, address: Address, port: int) -> bool:
        """Whether this is about that address."""
        return self.network is not None and self.port in (None, port) and address in self.network

    @property
    def is_single(self) -> bool:
        """Names exactly one host or address, as metadata services demand."""
        if self.network is not None:
            return self.network.prefixlen == self.network.max_prefixlen
        return "*" not in self.host


@lru_cache(maxsize=1024)
def parse_entry(text: str) -> Entry:
    """Read one line of `[fetch] allow` and its like."""
    try:
        if "/" in text:
            return Entry(text=text, network=ip_network(text.strip(), strict=False))
        host, port = _split_port(text.strip().lower())
        if host == "*":
            return Entry(text=text, host=host, port=port)
        if host.startswith("*."):  # elsewhere a wildcard would also match names that others own
            return Entry(text=text, host="*." + parse_host(host[2:])[0], port=port)
        name, address = parse_host(host)
    except (ValueError, Problem) as error:
        raise Problem(
            Code.BAD_SETTING,
            f"not a network, a host or host:port: {text[:100]!r}",
            hints=("write 10.0.0.0/8, api.example.com, *.example.com, api.example.com:8443 or [::1]:8080",),
        ) from error
    if address is None:
        return Entry(text=text, host=name, port=port)
    return Entry(text=text, network=ip_network(address), port=port)


def _split_port(text: str) -> tuple[str, int | None]:
    host, _, port = text.rpartition(":")
    if text.startswith("["):
        inner, closed, after = text[1:].partition("]")
        if not closed or (after and not after.startswith(":")):
            raise ValueError(text)
        return inner, _entry_port(after[1:]) if after else None
    return (host, _entry_port(port)) if host and ":" not in host else (text, None)


def _entry_port(text: str) -> int:
    return port_of(text or "0", 0)


class FetchPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The `[fetch]` table: what may be reached beyond public addresses, and how."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()  # beats allow, and beats what a source names
    ref_hosts: tuple[str, ...] = ()  # where references may lead besides their document's origin
    file_roots: tuple[str, ...] = ()  # directories references may lead to besides their document's own
    proxy: str = ""
    ca: str = ""  # a PEM file or a directory of them, besides the system's roots
    timeout_seconds: float = 60
    loopback_allowed: bool = False  # the gateway itself serves only stdio or loopback

    def __post_init__(self) -> None:
        for text in (*self.allow, *self.deny, *self.ref_hosts):
            parse_entry(text)


Grant = frozenset[str]  # `host:port` of what the operator wrote into a source
NO_GRANT: Grant = frozenset()


def judge_target(policy: FetchPolicy, grant: Grant, target: Target, *, unresolved: bool = False) -> None:
    """Refuse a URL by its name or literal address. `unresolved`: a proxy will look the name up, so that is all."""
    denied = _denial(policy, target, None)
    if denied:
        raise _denied(target, None, denied)
    if target.address is not None:
        judge_address(policy, grant, target, target.address)
    elif target.host in METADATA_NAMES:
        if not _named_singly(policy, target):
            raise _refused(target, None, AddressClass.METADATA, target.place)
    elif unresolved and any(glob_matches(name, target.host) for name in _LOOPBACK_NAMES):
        named = target.place in grant or any(_names(policy.allow, target))
        if not (named or policy.loopback_allowed):
            raise _refused(target, None, AddressClass.LOOPBACK, target.place)


def judge_address(policy: FetchPolicy, grant: Grant, target: Target, address: Address) -> None:
    """Refuse an address a target resolved to, unless everything it may stand for is public or allowed."""
    denied = _denial(policy, target, address)
    if denied:
        raise _denied(target, address, denied)
    for meaning in meanings(address):
        kind = class_of(meaning)
        if kind is AddressClass.METADATA:
            if not _metadata_allowed(policy, target, address, meaning):
                raise _refused(target, address, kind, place(str(meaning), target.port))
        elif kind is not AddressClass.PUBLIC and not _allowed(policy, grant, target, address, meaning):
            raise _refused(target, address, kind, target.place)


def judge_reference(policy: FetchPolicy, root: Target | None, target: Target) -> None:
    """Hold a reference to its document's origin or `[fetch] ref_hosts` (S-35); a file's origin is None."""
    if root is not None and root.origin == target.origin:
        return
    if not any(_names(policy.ref_hosts, target)):
        home = f"the origin of its document, {root.origin}" if root else "its document, which is a file"
        raise Problem(
            Code.REFUSED_ADDRESS,
            f"the reference to {target.shown} leaves {home}",
            hints=(f'add "{_short_place(target)}" to [fetch] ref_hosts if it is meant',),
        )


def _names(entries: tuple[str, ...], target: Target) -> list[Entry]:
    """The entries that speak of this target before it is resolved."""
    found: list[Entry] = []
    for entry in map(parse_entry, entries):
        literal = target.address is not None and _holds(entry, target.address, target.port)
        if entry.names(target.host, target.port) or literal:
            found.append(entry)
    return found


def _holds(entry: Entry, address: Address, port: int) -> bool:
    return any(entry.holds(each, port) for each in (address, *meanings(address)))


def _allowed(policy: FetchPolicy, grant: Grant, target: Target, address: Address, meaning: Address) -> bool:
    if target.place in grant:
        return True
    if policy.loopback_allowed and class_of(meaning) is AddressClass.LOOPBACK:
        return True
    return any(
        entry.names(target.host, target.port) or entry.holds(meaning, target.port) or entry.holds(address, target.port)
        for entry in map(parse_entry, policy.allow)
    )


def _metadata_allowed(policy: FetchPolicy, target: Target, address: Address, meaning: Address) -> bool:
    entries = [entry for entry in map(parse_entry, policy.allow) if entry.is_single]
    by_address = any(entry.holds(meaning, target.port) or entry.holds(address, target.port) for entry in entries)
    return by_address or (target.host in METADATA_NAMES and _named_singly(policy, target))


def _named_singly(policy: FetchPolicy, target: Target) -> bool:
    return any(entry.is_single for entry in _names(policy.allow, target))


def _denial(policy: FetchPolicy, target: Target, address: Address | None) -> str:
    for entry in map(parse_entry, policy.deny):
        held = address is not None and _holds(entry, address, target.port)
        if held or entry.names(target.host, target.port):
            return entry.text
    return ""


def _short_place(target: Target) -> str:
    return target.host if target.port == DEFAULT_PORTS[target.scheme] else target.place


def _where(target: Target, address: Address | None) -> str:
    if address is None or target.address is not None:
        return target.host
    return f"{target.host} resolves to {address}, which"


def _refused(target: Target, address: Address | None, kind: AddressClass, entry: str) -> Problem:
    noun = "name" if address is None else "address"
    meant = "" if address is None or meanings(address) == (address,) else _stands_for(address)
    return Problem(
        Code.REFUSED_ADDRESS,
        f"{target.shown} is refused: {_where(target, address)} is {kind.value} {noun}{meant}",
        hints=(f'add "{entry}" to [fetch] allow if it is meant',),
    )


def _stands_for(address: Address) -> str:
    others = [str(meaning) for meaning in meanings(address) if meaning != address]
    return f" (it stands for {' and '.join(others)})"


def _denied(target: Target, address: Address | None, entry: str) -> Problem:
    return Problem(
        Code.REFUSED_ADDRESS,
        f"{target.shown} is refused: {_where(target, address)} is named by [fetch] deny",
        hints=(f'remove "{entry}" from [fetch] deny if it is meant',),
    )
