from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_net_addresses import PRIVATE, embedded_forms, spellings

from periplus.model import Code, Problem, SourceSpec
from periplus.net.addresses import Address, AddressClass, class_of, meanings
from periplus.net.fetcher import grant_of
from periplus.net.guard import (
    NO_GRANT,
    FetchPolicy,
    Grant,
    judge_address,
    judge_reference,
    judge_target,
    parse_entry,
)
from periplus.net.urls import bracketed, parse_target

NOTHING = FetchPolicy()


def refusal(url: str, policy: FetchPolicy = NOTHING, grant: Grant = NO_GRANT, *, unresolved: bool = False) -> Problem:
    with pytest.raises(Problem) as caught:
        judge_target(policy, grant, parse_target(url), unresolved=unresolved)
    assert caught.value.code is Code.REFUSED_ADDRESS
    return caught.value


def passes(url: str, policy: FetchPolicy = NOTHING, grant: Grant = NO_GRANT, *, unresolved: bool = False) -> None:
    judge_target(policy, grant, parse_target(url), unresolved=unresolved)


def resolved_refusal(url: str, address: str, policy: FetchPolicy = NOTHING, grant: Grant = NO_GRANT) -> Problem:
    with pytest.raises(Problem) as caught:
        judge_address(policy, grant, parse_target(url), ip_address(address))
    return caught.value


private_numbers = st.sampled_from(PRIVATE).flatmap(
    lambda network: st.integers(int(network.network_address), int(network.broadcast_address))
)


@given(private_numbers)
def test_every_spelling_of_a_private_address_is_refused(number: int):
    """S-13."""
    for text in spellings(number):
        refusal(f"http://{text}/")
    for text in embedded_forms(number):
        refusal(f"http://[{text}]/")


@given(private_numbers)
def test_every_spelling_of_a_private_address_passes_when_its_network_is_allowed(number: int):
    """S-13."""
    policy = FetchPolicy(allow=("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
    for text in spellings(number):
        passes(f"http://{text}/", policy)
    passes(f"http://[::ffff:{number >> 16:x}:{number & 0xFFFF:x}]/", policy)


@given(st.ip_addresses())
def test_an_address_passes_exactly_when_all_it_means_is_public(address: Address):
    """S-13."""
    url = f"https://{bracketed(str(address))}/"
    if all(class_of(meaning) is AddressClass.PUBLIC for meaning in meanings(address)):
        passes(url)
    else:
        refusal(url)


@given(st.ip_addresses())
def test_the_entry_a_refusal_names_is_the_one_that_lets_it_pass(address: Address):
    """S-13: the message says exactly what to add."""
    url = f"https://{bracketed(str(address))}:8443/x"
    assume(any(class_of(meaning) is not AddressClass.PUBLIC for meaning in meanings(address)))
    entries: tuple[str, ...] = ()
    for _ in range(2):  # a Teredo address stands for two
        try:
            passes(url, FetchPolicy(allow=entries))
            break
        except Problem as problem:
            entries += (problem.hints[0].split('"')[1],)
    passes(url, FetchPolicy(allow=entries))
    refusal(url, FetchPolicy(allow=entries, deny=entries))


@given(st.ip_addresses(), st.integers(1, 65535))
def test_deny_beats_allow_grant_and_public(address: Address, port: int):
    """S-13."""
    place = f"{bracketed(str(address))}:{port}"
    policy = FetchPolicy(allow=("0.0.0.0/0", "::/0", "*", place), deny=(str(address),), loopback_allowed=True)
    refusal(f"http://{place}/", policy, frozenset({place}))


def test_the_refusal_names_host_address_class_and_entry():
    """S-13."""
    problem = resolved_refusal("https://intranet.example/api?token=s3cret", "10.0.0.5")
    assert "intranet.example resolves to 10.0.0.5, which is a private address" in problem.message
    assert problem.hints == ('add "intranet.example:443" to [fetch] allow if it is meant',)
    assert "s3cret" not in problem.message
    mapped = resolved_refusal("https://[::ffff:10.0.0.5]/", "::ffff:10.0.0.5")
    assert "it stands for 10.0.0.5" in mapped.message


@pytest.mark.parametrize(
    "entry", ["intranet.example", "intranet.example:443", "*.example", "*", "10.0.0.0/8", "10.0.0.5", "10.0.0.5:443"]
)
def test_each_form_of_entry_allows(entry: str):
    """S-13."""
    judge_address(
        FetchPolicy(allow=(entry,)), NO_GRANT, parse_target("https://intranet.example/"), ip_address("10.0.0.5")
    )


@pytest.mark.parametrize(
    "entry", ["example", "intranet.example:80", "*.intranet.example", "10.0.0.4", "10.0.0.5:80", "11.0.0.0/8"]
)
def test_an_entry_for_something_else_allows_nothing(entry: str):
    """S-13."""
    resolved_refusal("https://intranet.example/", "10.0.0.5", FetchPolicy(allow=(entry,)))


@pytest.mark.parametrize(
    "entry",
    ["http://a.example", "10.0.0.0/33", "a b", "10.0.*", "evil*.example", "", "a.example:x", "[::1", "a:0", "a:70000"],
)
def test_a_bad_entry_is_a_bad_setting_that_names_it(entry: str):
    with pytest.raises(Problem) as caught:
        FetchPolicy(allow=(entry,))
    assert caught.value.code is Code.BAD_SETTING
    assert repr(entry) in caught.value.message


def test_entries_are_read_in_any_spelling():
    assert parse_entry("[::1]:8080").port == 8080
    assert parse_entry("2130706433").holds(ip_address("127.0.0.1"), 80)
    assert parse_entry("API.Example.com.").names("api.example.com", 1)
    assert parse_entry("fd00::1").holds(ip_address("fd00::1"), 1)


METADATA_URLS = [
    "http://169.254.169.254/latest",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://2852039166/",
]


@pytest.mark.parametrize("url", METADATA_URLS)
def test_metadata_needs_an_entry_of_its_own(url: str):
    """S-13, T-34: neither ranges, wildcards nor the operator's own source open it."""
    wide = FetchPolicy(allow=("169.254.0.0/16", "fd00::/8", "::/0", "0.0.0.0/0", "*"), loopback_allowed=True)
    spec = SourceSpec(url=url)
    refusal(url, wide, grant_of(spec))
    passes(url, FetchPolicy(allow=("169.254.169.254", "fd00:ec2::254")))


def test_metadata_names_need_an_entry_of_their_own():
    """S-13."""
    url = "http://metadata.google.internal/computeMetadata/v1/"
    wide = FetchPolicy(allow=("*", "*.internal", "169.254.0.0/16"))
    problem = refusal(url, wide, grant_of(SourceSpec(url=url)))
    own = FetchPolicy(allow=(problem.hints[0].split('"')[1],))
    passes(url, own)
    judge_address(own, NO_GRANT, parse_target(url), ip_address("169.254.169.254"))


def test_a_name_that_is_allowed_does_not_open_metadata_behind_it():
    """S-13."""
    policy = FetchPolicy(allow=("innocent.example",))
    resolved_refusal("http://innocent.example/", "169.254.169.254", policy)


def test_loopback_passes_while_the_gateway_serves_only_loopback():
    """S-13, T-34."""
    policy = FetchPolicy(loopback_allowed=True)
    for host in ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"):
        passes(f"http://{host}/", policy)
    refusal("http://0.0.0.0/", policy)
    refusal("http://10.0.0.1/", policy)


def test_what_the_operator_wrote_is_allowed_for_that_place_only():
    """S-13."""
    grant = grant_of(SourceSpec(url="http://10.0.0.5:8080/openapi.json", base_url="https://10.0.0.6"))
    passes("http://10.0.0.5:8080/other", NOTHING, grant)
    passes("https://10.0.0.6/", NOTHING, grant)
    refusal("http://10.0.0.5/other", NOTHING, grant)
    refusal("http://10.0.0.7:8080/", NOTHING, grant)


def test_a_source_added_through_a_face_grants_nothing():
    """S-13."""
    assert grant_of(SourceSpec(url="http://10.0.0.5/", trusted=False)) == NO_GRANT


def test_behind_a_proxy_names_are_judged_as_names():
    """S-14."""
    refusal("http://localhost/", unresolved=True)
    refusal("http://x.localhost/", unresolved=True)
    refusal("http://10.0.0.1/", unresolved=True)
    passes("http://api.example.com/", unresolved=True)
    passes("http://localhost/", FetchPolicy(allow=("localhost",)), unresolved=True)


def test_a_reference_stays_on_its_origin_or_in_ref_hosts():
    """S-35."""
    root = parse_target("https://api.example.com/openapi.json")
    policy = FetchPolicy(ref_hosts=("schemas.example.com", "*.shared.example:8443"))
    for url in ("https://api.example.com/x", "http://schemas.example.com/y", "https://a.shared.example:8443/"):
        judge_reference(policy, root, parse_target(url))
    for url in ("https://api.example.com:444/x", "http://api.example.com/", "https://a.shared.example/"):
        with pytest.raises(Problem) as caught:
            judge_reference(policy, root, parse_target(url))
        assert caught.value.code is Code.REFUSED_ADDRESS
        assert "[fetch] ref_hosts" in caught.value.hints[0]
    with pytest.raises(Problem):
        judge_reference(policy, None, root)
