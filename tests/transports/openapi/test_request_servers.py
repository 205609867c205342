"""Where requests go, and what they carry for those who check credentials."""

from __future__ import annotations

from typing import Any

import pytest

from periplus.model import Code, Problem


@pytest.mark.parametrize(
    ("servers", "spec", "url"),
    [
        ([{"url": "https://h.example/v1/"}], {}, "https://h.example/v1/a"),
        ([{"url": "/v 2"}], {}, "https://api.example.com/v%202/a"),
        ([{"url": "http://[::1]:80/x"}], {}, "http://[::1]:80/x/a"),
        ([{"url": "https://{t}.example", "variables": {"t": {"default": "eu"}}}], {}, "https://eu.example/a"),
        ([{"url": "https://h.example/v1"}], {"base_url": "http://localhost:9/b/"}, "http://localhost:9/b/a"),
    ],
)
def test_calls_go_to_the_chosen_server(call: Any, document: Any, servers: Any, spec: Any, url: str):
    """S-51."""
    prepared = call(document() | {"servers": servers}, {}, **spec).prepared
    assert prepared.origin + prepared.path == url
    assert prepared.wire.origin + prepared.wire.target == url


def test_an_operations_own_server_stands_before_the_sources(call: Any, document: Any):
    """S-51."""
    asked = document(servers=[{"url": "https://files.example/x"}]) | {"servers": [{"url": "https://h.example"}]}
    assert call(asked, {}).prepared.origin == "https://files.example"


def test_without_a_server_the_setting_that_is_missing_is_named(unchecked: Any, document: Any):
    """S-51."""
    with pytest.raises(Problem) as refused:
        unchecked(document() | {"servers": [{"url": "https://{tenant}.example"}]}, {})
    assert refused.value.code is Code.NOT_CALLABLE
    assert refused.value.hints == ("set [sources.s.server_variables] tenant",)


@pytest.mark.parametrize(("security", "carried"), [(None, None), ([], ()), ([{"a": ["x"]}, {}], ({"a": ["x"]}, {}))])
def test_an_operations_own_security_goes_with_its_request(call: Any, document: Any, security: Any, carried: Any):
    """S-65."""
    schemes = {"a": {"type": "http", "scheme": "bearer"}}
    told = {} if security is None else {"security": security}
    asked = document(**told) | {"components": {"securitySchemes": schemes}, "security": [{"a": []}]}
    assert call(asked, {}).prepared.wire.security == carried
