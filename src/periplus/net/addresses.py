"""What an address is: its class, the addresses it stands for, and the spellings a URL may give it."""

from __future__ import annotations

import re
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from periplus.model import Code, Problem

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class AddressClass(StrEnum):
    """Which part of the address space something is in, in the words of a refusal."""

    PUBLIC = "a public"
    METADATA = "a cloud metadata"
    LOOPBACK = "a loopback"
    PRIVATE = "a private"
    SHARED = "a shared (carrier-grade NAT)"
    LINK_LOCAL = "a link-local"
    UNIQUE_LOCAL = "a unique-local"
    MULTICAST = "a multicast"
    UNSPECIFIED = "an unspecified"
    RESERVED = "a reserved"


# Where clouds hand out credentials to whoever asks from inside. 168.63.129.16 is a public number that only
# works inside one cloud; the others hide in link-local, shared and unique-local space.
METADATA_ADDRESSES: frozenset[Address] = frozenset(
    map(
        ip_address,
        (
            *("169.254.169.254", "169.254.169.253", "169.254.170.2", "169.254.170.23", "169.254.42.42"),
            *("169.254.0.23", "169.254.10.10", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
            *("fd00:ec2::254", "fd00:ec2::253", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fe80::a9fe:a9fe"),
        ),
    )
)
METADATA_NAMES = frozenset(
    {
        *("metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.internal"),
        *("metadata.tencentyun.com", "instance-data", "instance-data.ec2.internal"),
    }
)

_Table = tuple[tuple[Network, AddressClass], ...]


def _table(rows: dict[AddressClass, str]) -> _Table:
    return tuple((ip_network(text), kind) for kind, texts in rows.items() for text in texts.split())


_V4 = _table(
    {
        AddressClass.LOOPBACK: "127.0.0.0/8",
        AddressClass.PRIVATE: "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16",
        AddressClass.SHARED: "100.64.0.0/10",
        AddressClass.LINK_LOCAL: "169.254.0.0/16",
        AddressClass.MULTICAST: "224.0.0.0/4",
        AddressClass.UNSPECIFIED: "0.0.0.0/8",
        AddressClass.RESERVED: (
            "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4"
        ),
    }
)
_V6 = _table(
    {
        AddressClass.UNSPECIFIED: "::/128",
        AddressClass.LOOPBACK: "::1/128",
        AddressClass.PRIVATE: "64:ff9b:1::/48",  # NAT64 of a network's own: what it reaches is that network's
        AddressClass.UNIQUE_LOCAL: "fc00::/7",
        AddressClass.LINK_LOCAL: "fe80::/10 fec0::/10",
        AddressClass.MULTICAST: "ff00::/8",
        # Everything outside 2000::/3 is unassigned; the rest are parts of it that lead nowhere public.
        AddressClass.RESERVED: "::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 3fff::/20",
    }
)

_EMBEDDING_LOW = tuple(ip_network(text) for text in ("::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"))
_COMPATIBLE = IPv6Network("::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_ISATAP = 0x5EFE


def meanings(address: Address) -> tuple[Address, ...]:
    """The addresses a packet sent there may reach: itself, or the IPv4 ones written inside it."""
    if isinstance(address, IPv4Address):
        return (address,)
    number = int(address)
    low = IPv4Address(number & 0xFFFF_FFFF)
    if any(address in network for network in _EMBEDDING_LOW):
        return (low,)
    if address in _SIX_TO_FOUR:
        return (IPv4Address(number >> 80 & 0xFFFF_FFFF),)
    if address in _TEREDO:  # its server, and its client with every bit turned
        return (IPv4Address(number >> 64 & 0xFFFF_FFFF), IPv4Address(int(low) ^ 0xFFFF_FFFF))
    isatap = number >> 32 & 0xFCFF_FFFF == _ISATAP
    if isatap or address in _LOCAL_NAT64 or (address in _COMPATIBLE and int(low) > 1):
        return (address, low)
    return (address,)


def class_of(address: Address) -> AddressClass:
    """The class of one address as it is written; `meanings` says which ones to ask about."""
    if address in METADATA_ADDRESSES:
        return AddressClass.METADATA
    table = _V4 if isinstance(address, IPv4Address) else _V6
    return next((kind for network, kind in table if address in network), AddressClass.PUBLIC)


_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


def address_of(host: str) -> Address | None:
    """The address a host means in any spelling a resolver would take; None when it is a name.

    `127.1`, `0177.0.0.1`, `0x7f000001` and `2130706433` are all 127.0.0.1. Raises what ends like a number and is
    no address, because resolvers disagree about it.
    """
    if ":" in host:
        try:
            return IPv6Address(host.partition("%")[0])
        except ValueError as error:
            raise Problem(Code.BAD_INPUT, f"not an IPv6 address: {host!r}") from error
    parts = host.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    numbers = [_number(part) for part in parts]
    *heads, tail = numbers
    if len(numbers) > 4 or any(head > 0xFF for head in heads) or tail >= 256 ** (5 - len(numbers)):
        raise Problem(Code.BAD_INPUT, f"not an IPv4 address: {host!r}")
    return IPv4Address(sum(head << 24 - 8 * place for place, head in enumerate(heads)) + tail)


def _number(part: str) -> int:
    """One part of an IPv4 address: `0x` is hexadecimal, a leading zero octal."""
    if not _NUMBER.fullmatch(part) or len(part) > 40:
        raise Problem(Code.BAD_INPUT, f"not a number in an IPv4 address: {part[:40]!r}")
    try:
        if part[:2] in ("0x", "0X"):
            return int(part[2:] or "0", 16)
        return int(part, 8 if part.startswith("0") and len(part) > 1 else 10)
    except ValueError as error:
        raise Problem(Code.BAD_INPUT, f"not a number in an IPv4 address: {part!r}") from error
