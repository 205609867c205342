from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem
from periplus.net.addresses import METADATA_ADDRESSES, AddressClass, address_of, class_of, meanings

PRIVATE = [ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]
numbers = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("127.0.0.1", AddressClass.LOOPBACK),
        ("127.255.255.254", AddressClass.LOOPBACK),
        ("10.1.2.3", AddressClass.PRIVATE),
        ("172.31.255.255", AddressClass.PRIVATE),
        ("192.168.0.1", AddressClass.PRIVATE),
        ("100.64.0.1", AddressClass.SHARED),
        ("100.127.255.255", AddressClass.SHARED),
        ("169.254.1.1", AddressClass.LINK_LOCAL),
        ("224.0.0.1", AddressClass.MULTICAST),
        ("0.0.0.0", AddressClass.UNSPECIFIED),  # noqa: S104 - judged, not bound
        ("240.0.0.1", AddressClass.RESERVED),
        ("255.255.255.255", AddressClass.RESERVED),
        ("192.0.2.1", AddressClass.RESERVED),
        ("198.18.0.1", AddressClass.RESERVED),
        ("169.254.169.254", AddressClass.METADATA),
        ("100.100.100.200", AddressClass.METADATA),
        ("168.63.129.16", AddressClass.METADATA),
        ("8.8.8.8", AddressClass.PUBLIC),
        ("172.32.0.1", AddressClass.PUBLIC),
        ("::1", AddressClass.LOOPBACK),
        ("::", AddressClass.UNSPECIFIED),
        ("fd12::1", AddressClass.UNIQUE_LOCAL),
        ("fe80::1", AddressClass.LINK_LOCAL),
        ("fec0::1", AddressClass.LINK_LOCAL),
        ("ff02::1", AddressClass.MULTICAST),
        ("2001:db8::1", AddressClass.RESERVED),
        ("fd00:ec2::254", AddressClass.METADATA),
        ("2606:4700:4700::1111", AddressClass.PUBLIC),
        ("2a00:1450::1", AddressClass.PUBLIC),
    ],
)
def test_every_class_of_the_address_space_is_known(text: str, kind: AddressClass):
    """S-13."""
    assert class_of(ip_address(text)) is kind


def embedded_forms(number: int) -> list[str]:
    low = f"{number >> 16:x}:{number & 0xFFFF:x}"
    turned = number ^ 0xFFFF_FFFF
    return [
        f"::ffff:{low}",
        f"::ffff:0:{low}",
        f"64:ff9b::{low}",
        f"64:ff9b:1::{low}",
        f"2002:{low}::1",
        f"2001:0:808:808:0:0:{turned >> 16:x}:{turned & 0xFFFF:x}",
        f"2001:0:{low}:0:0:f7f7:f7f7",
        f"2a00::200:5efe:{low}",
        f"::{low}",
    ]


@given(st.integers(2, 2**32 - 1))
def test_an_address_inside_an_ipv6_address_is_always_seen(number: int):
    """S-13: mapped, translated, NAT64, 6to4, Teredo, ISATAP, compatible."""
    inner = IPv4Address(number)
    for form in embedded_forms(number):
        assert inner in meanings(IPv6Address(form)), form


def spellings(number: int) -> list[str]:
    a, b, c, d = number.to_bytes(4, "big")
    return [
        f"{a}.{b}.{c}.{d}",
        f"{a}.{b}.{c}.{d}.",
        str(number),
        hex(number),
        f"0{number:o}",
        f"0x{a:02X}.{b}.0{c:o}.{d}",
        f"{a}.{b}.{c << 8 | d}",
        f"{a}.{number & 0xFF_FFFF:#x}",
        f"0X{number:08x}",
    ]


@given(numbers)
def test_every_spelling_means_the_same_address(number: int):
    """S-13: decimal, octal, hexadecimal and short forms."""
    for text in spellings(number):
        assert address_of(text) == IPv4Address(number), text


@given(st.ip_addresses())
def test_only_the_globally_reachable_is_public(address: IPv4Address | IPv6Address):
    """S-13: the table is at least as strict as the standard library's registry, apart from forms that embed."""
    if class_of(address) is AddressClass.PUBLIC and meanings(address) == (address,):
        assert address.is_global


@given(st.ip_addresses(v=4))
def test_what_is_global_and_no_metadata_is_public(address: IPv4Address):
    if address.is_global and not address.is_multicast and address not in METADATA_ADDRESSES:
        allowed = {AddressClass.PUBLIC, AddressClass.RESERVED}  # deprecated 6to4 relays, protocol assignments
        assert class_of(address) in allowed
        if address not in ip_network("192.0.0.0/24") and address not in ip_network("192.88.99.0/24"):
            assert class_of(address) is AddressClass.PUBLIC


@pytest.mark.parametrize(
    "text", ["256.1.1.1", "1.2.3.4.5", "4294967296", "0x1ffffffff", "09.1.1.1", "1..2", "a.1", "::g"]
)
def test_what_ends_like_a_number_and_is_no_address_is_refused(text: str):
    with pytest.raises(Problem) as caught:
        address_of(text)
    assert caught.value.code is Code.BAD_INPUT


@pytest.mark.parametrize("text", ["example.com", "10.0.0.1.example.com", "x0", "0x7f.com", "localhost"])
def test_a_name_is_no_address(text: str):
    assert address_of(text) is None
