"""Where calls go, and who may make them."""

from __future__ import annotations

from typing import Any

import pytest

from periplus.model import Severity

OK = {"responses": {"200": {"description": "fine"}}}


def base(read: Any, api: Any, servers: Any, **spec: Any):
    document = api({"/a": {"get": OK}}, **({} if servers is None else {"servers": servers}))
    return read(document, **spec).reading.site.get("base")


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        (None, "https://api.example.com"),
        ([], "https://api.example.com"),
        ([{"url": "/v2/"}], "https://api.example.com/v2"),
        ([{"url": "v2"}], "https://api.example.com/v1/v2"),
        ([{"url": "//eu.example.com/x"}], "https://eu.example.com/x"),
        ([{"url": "https://a.example.com/b/"}, {"url": "https://c.example.com"}], "https://a.example.com/b"),
        ([{"url": "https://{r}.example.com", "variables": {"r": {"default": "eu"}}}], "https://eu.example.com"),
        ([{"url": "https://x.example.com:{p}", "variables": {"p": {"default": 8443}}}], "https://x.example.com:8443"),
        ({"url": "https://alone.example.com"}, "https://alone.example.com"),
        ("https://text.example.com", "https://text.example.com"),
        ([{}], "https://api.example.com"),
        ([None, 3, {"url": 7}], "https://api.example.com"),
    ],
)
def test_the_first_server_counts_and_is_resolved_where_the_document_is(
    read: Any, api: Any, servers: Any, expected: Any
):
    """S-51."""
    assert base(read, api, servers) == expected


def test_self_does_not_move_relative_servers(read: Any, api: Any):
    """S-51."""
    document = api({"/a": {"get": OK}}, servers=[{"url": "./x"}]) | {"$self": "https://names.example.com/z"}
    assert read(document).reading.site["base"] == "https://api.example.com/v1/x"


def test_the_operator_chooses_by_index_url_or_name(read: Any, api: Any):
    """S-51."""
    servers = [{"url": "https://a.example.com"}, {"url": "https://b.example.com/", "name": "second"}]
    assert base(read, api, servers, server=1) == "https://b.example.com"
    assert base(read, api, servers, server="second") == "https://b.example.com"
    assert base(read, api, servers, server="https://b.example.com") == "https://b.example.com"
    assert base(read, api, servers, base_url="http://localhost:8080/x/") == "http://localhost:8080/x"
    result = read(api({"/a": {"get": OK}}, servers=servers), server="third")
    assert "third" in result.finding("no_server").message


def test_variables_come_from_settings_then_defaults_and_keep_to_their_enum(read: Any, api: Any):
    """S-51: never from arguments, so no model chooses a host."""
    servers = [{"url": "https://{t}.example.com/{v}", "variables": {"t": {"enum": ["a", "b"]}, "v": {"default": "v1"}}}]
    assert base(read, api, servers, server_variables={"t": "b"}) == "https://b.example.com/v1"
    for spec in ({}, {"server_variables": {"t": "evil"}}):
        result = read(api({"/a": {"get": OK}}, servers=servers), **spec)
        assert result.reading.site["base"] == ""
        assert "[sources.s.server_variables] t" in result.reading.site["missing"]
        found = result.finding("server_variable_unset")
        assert (found.severity, len(result.drafts)) == (Severity.ERROR, 1)


def test_a_local_file_without_a_host_asks_for_one(read: Any, api: Any):
    """S-51."""
    result = read(api({"/a": {"get": OK}}, servers=[{"url": "/v1"}]), url="file:///tmp/openapi.json")
    assert result.reading.site["base"] == ""
    assert "base_url" in result.finding("no_server").fix
    fixed = read(api({"/a": {"get": OK}}), url="file:///tmp/openapi.json", base_url="https://x.example.com")
    assert fixed.reading.site["base"] == "https://x.example.com"
    assert "no_server" not in fixed.codes


@pytest.mark.parametrize(
    "url", ["ftp://x.example.com", "https://", "https://u:p@x.example.com", "https://[", "javascript:1"]
)
def test_a_server_that_cannot_be_called_is_no_server(read: Any, api: Any, url: Any):
    """S-51, S-12."""
    assert base(read, api, [{"url": url}]) == ""


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, "https://api.example.com"),
        ({"basePath": "/v3/"}, "https://api.example.com/v3"),
        ({"host": "h.example.com", "schemes": ["http", "https"]}, "https://h.example.com"),
        ({"host": "h.example.com", "schemes": ["http"], "basePath": "x"}, "http://h.example.com/x"),
        ({"host": "h.example.com:81", "schemes": ["wss"]}, "https://h.example.com:81"),
        ({"host": "http://h.example.com/y"}, "http://h.example.com/y"),
        ({"host": 3, "schemes": "http", "basePath": []}, "https://api.example.com"),
    ],
)
def test_swagger_servers_default_to_where_the_document_is(read: Any, members: Any, expected: Any):
    """S-51."""
    result = read({"swagger": "2.0", "info": {}, "paths": {"/a": {"get": OK}}, **members})
    assert result.reading.site["base"] == expected


def test_the_nearest_servers_win(read: Any, api: Any):
    """S-51."""
    near, path = {"url": "https://op.example.com"}, {"url": "/path"}
    paths = {"/a": {"servers": [path], "get": {"servers": [near], **OK}, "put": OK}, "/b": {"get": OK}}
    result = read(api(paths, servers=[{"url": "https://root.example.com"}]))
    sites = [draft.binding.get("site") for draft in result.drafts]
    assert sites == [{"base": "https://op.example.com"}, {"base": "https://api.example.com/path"}, None]
    overridden = read(api(paths), base_url="https://mine.example.com")
    assert not any("site" in draft.binding for draft in overridden.drafts)


def test_security_is_or_over_and_and_an_empty_list_switches_it_off(read: Any, api: Any):
    """S-65."""
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "token": {"$ref": "#/components/securitySchemes/real"},
        "real": {"type": "HTTP", "scheme": "Bearer"},
        "flow": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t", "scopes": {"r": "", "a": ""}}}},
        "open": {"type": "openIdConnect", "openIdConnectUrl": "https://o"},
        "cert": {"type": "mutualTLS"},
    }  # fmt: skip
    paths = {
        "/a": {"get": OK, "put": {"security": [], **OK}, "post": {"security": [{"key": [], "flow": ["r"]}, {}], **OK}}
    }
    result = read(api(paths, components={"securitySchemes": schemes}, security=[{"token": []}]))
    site = result.reading.site
    assert site["security"] == [{"token": []}]
    assert site["schemes"]["token"] == {"type": "http", "scheme": "bearer"}
    assert site["schemes"]["flow"]["flows"] == {"clientCredentials": {"tokenUrl": "https://t", "scopes": ["a", "r"]}}
    assert [draft.binding.get("security") for draft in result.drafts] == [None, [], [{"key": [], "flow": ["r"]}, {}]]
    assert "security_unsupported" not in result.codes


def test_swagger_security_is_read_in_the_same_form(read: Any):
    """S-65."""
    schemes = {
        "basic": {"type": "basic"},
        "flow": {"type": "oauth2", "flow": "application", "tokenUrl": "https://t", "scopes": {"r": "read"}},
        "key": {"type": "apiKey", "in": "query", "name": "k"},
    }
    result = read({"swagger": "2.0", "paths": {"/a": {"get": OK}}, "securityDefinitions": schemes})
    assert result.reading.site["schemes"] == {
        "basic": {"type": "http", "scheme": "basic"},
        "flow": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t", "scopes": ["r"]}}},
        "key": {"type": "apiKey", "in": "query", "name": "k"},
    }


@pytest.mark.parametrize(
    "scheme",
    [
        {"type": "http", "scheme": "hoba"}, {"type": "magic"}, {"type": "apiKey", "in": ["x"], "name": 3}, [], None,
        {"$ref": "#/nowhere"}, {"type": {}},
    ],
)  # fmt: skip
def test_an_unsupported_scheme_is_reported_and_the_operation_stays(read: Any, api: Any, scheme: Any):
    """S-65."""
    document = api({"/a": {"get": OK}}, components={"securitySchemes": {"odd": scheme}}, security=[{"odd": []}])
    result = read(document)
    assert len(result.drafts) == 1
    assert result.codes.count("security_unsupported") == 1


def test_a_requirement_without_a_scheme_is_reported_once(read: Any, api: Any):
    """S-65."""
    operation = {"security": [{"ghost": []}], **OK}
    result = read(api({f"/p{number}": {"get": operation} for number in range(5)}))
    assert result.codes.count("security_unsupported") == 1


def test_a_document_that_sends_calls_elsewhere_gets_no_credentials_by_itself(read: Any, api: Any) -> None:
    """S-64."""
    components = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "K"}}}
    away = api({"/a": {"get": OK}}, servers=[{"url": "https://other.example.net"}], components=components)
    note = read(away).finding("credentials_missing")
    assert "other.example.net" in note.message
    assert note.severity is Severity.NOTE
    home = read(api({"/a": {"get": OK}}, components=components))
    chosen = read(away, base_url="https://other.example.net")
    assert "credentials_missing" not in home.codes + chosen.codes
