from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem
from periplus.net.urls import join, parse_target, scheme_of


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://example.com", "http://example.com/"),
        ("HTTPS://EXAMPLE.com:443/A?b=C#frag", "https://example.com/A?b=C"),
        ("https://example.com.:8443/x", "https://example.com:8443/x"),
        ("https://example.com/a b/ä?q=[1]&r='x'|", "https://example.com/a%20b/%C3%A4?q=[1]&r='x'%7C"),
        ("https://example.com/%2e%2E/%2f;v=1,2", "https://example.com/%2e%2E/%2f;v=1,2"),
        ("http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://①②⑦.0.0.1/", "http://127.0.0.1/"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1]/"),
        ("https://example.com?x=1", "https://example.com/?x=1"),
    ],
)
def test_a_url_has_one_spelling_and_its_path_stays_as_written(text: str, url: str):
    """S-13, S-61."""
    target = parse_target(text)
    assert target.url == (url if "/?" not in url else "https://example.com/?x=1")


@pytest.mark.parametrize(
    "text", ["file:///etc/passwd", "ftp://a/b", "gopher://a", "localhost:80/x", "api.json", "//a/b", ""]
)
def test_other_schemes_are_refused(text: str):
    """S-12."""
    with pytest.raises(Problem) as caught:
        parse_target(text)
    assert caught.value.code is Code.REFUSED_ADDRESS
    assert "http" in caught.value.hints[0]


def test_a_password_in_a_url_is_refused_and_not_repeated():
    """S-12."""
    with pytest.raises(Problem) as caught:
        parse_target("https://user:hunter2@example.com/x")
    assert caught.value.code is Code.REFUSED_ADDRESS
    assert "hunter2" not in str(caught.value.to_json())
    assert "example.com" in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "http:///x",
        "http://exa mple.com/",
        "http://example.com\\@evil.com/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com:8x/",
        "http://%6cocalhost/",
        "http://a..b/",
        "http://[::1/",
        "http://[]/",
        "http://a/\r\nX: y",
        "http://a/\0",
        "http:/a/b",
        "http://" + "a" * 300 + "/",
        "http://a/" + "b" * 70_000,
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(text: str):
    with pytest.raises(Problem) as caught:
        parse_target(text)
    assert caught.value.code is Code.BAD_INPUT


@given(st.text(max_size=60))
def test_any_text_is_a_target_or_a_problem(text: str):
    for candidate in (text, f"http://{text}", f"http://a/{text}"):
        try:
            target = parse_target(candidate)
        except Problem:
            continue
        assert target.url.isascii()
        assert parse_target(target.url) == target


def test_a_query_is_not_shown():
    assert parse_target("https://a.example/b?token=secret").shown == "https://a.example/b?..."


def test_a_redirect_target_is_read_like_any_url():
    base = parse_target("https://a.example/x/y?z=1")
    assert join(base, "../q").url == "https://a.example/q"
    assert join(base, "//b.example/").host == "b.example"
    assert join(base, "http://0x7f000001/").address == IPv4Address("127.0.0.1")


@pytest.mark.parametrize(("text", "scheme"), [("C:\\x", ""), ("a/b.yaml", ""), ("FILE:///x", "file"), ("/a:b", "")])
def test_a_drive_letter_is_no_scheme(text: str, scheme: str):
    assert scheme_of(text) == scheme
