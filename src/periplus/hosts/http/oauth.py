"""What OAuth clients ask: who gives tokens for this gateway, and tokens for the holders of its own keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request as WebRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from periplus.core.gateway import Gateway
from periplus.hosts.http.answers import json_response
from periplus.hosts.http.gate import base_url
from periplus.hosts.identity import PROTECTED, shown_in
from periplus.model import Code, Problem

SERVER = "/.well-known/oauth-authorization-server"
TOKEN = "/oauth/token"  # noqa: S105 - a path
OPEN = (PROTECTED, SERVER, TOKEN)
"""Paths where a caller has not said yet who it is."""

_GRANT = "client_credentials"
_PRIVATE = {"cache-control": "no-store", "pragma": "no-cache"}


class OAuth:
    """The documents for a gateway whose callers name themselves, and its token endpoint where it has keys."""

    def __init__(self, gateway: Gateway, *, issuers: Sequence[str], url: str, has_keys: bool) -> None:
        self._gateway = gateway
        self._issuers = issuers
        self._url = url
        self._has_keys = has_keys

    def routes(self) -> list[BaseRoute]:
        protected = [Route(PROTECTED, self._protected), Route(PROTECTED + "/{path:path}", self._protected)]
        if not self._has_keys:
            return [*protected]
        return [*protected, Route(SERVER, self._server), Route(TOKEN, self._token, methods=["POST"])]

    async def _protected(self, web: WebRequest) -> Response:
        here = base_url(web.scope, self._url)
        path = web.path_params.get("path", "")
        servers = [*self._issuers, *([here] if self._has_keys else [])]
        return json_response(
            {
                "resource": f"{here}/{path}" if path else here,
                "resource_name": "Periplus",
                "authorization_servers": servers,
                "bearer_methods_supported": ["header"],
            }
        )

    async def _server(self, web: WebRequest) -> Response:
        here = base_url(web.scope, self._url)
        return json_response(
            {
                "issuer": here,
                "token_endpoint": f"{here}{TOKEN}",
                "grant_types_supported": [_GRANT],
                "response_types_supported": [],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            }
        )

    async def _token(self, web: WebRequest) -> Response:
        """RFC 6749, 4.4: its own shapes of answers and errors."""
        form = {name: values[-1] for name, values in parse_qs((await web.body()).decode("utf-8", "replace")).items()}
        if form.get("grant_type") != _GRANT:
            return _refused("unsupported_grant_type", f"the only grant type is {_GRANT}")
        try:
            client, secret = _client(web.headers, form)
            token = await self._gateway.exchange_key(client, secret, form.get("scope", "").split())
        except Problem as problem:
            if problem.code is Code.FORBIDDEN:
                return _refused("invalid_scope", problem.message)
            return _refused("invalid_client", problem.message, 401)
        said = {
            "access_token": token.access_token,
            "token_type": "Bearer",
            "expires_in": token.expires_in,
            "scope": " ".join(token.scopes),
        }
        return _private(said)


def _client(headers: Mapping[str, str], form: Mapping[str, str]) -> tuple[str, str]:
    if "client_secret" in form:
        return form.get("client_id", ""), form["client_secret"]
    shown = shown_in(headers)
    return shown.client, shown.token


def _refused(error: str, words: str, status: int = 400) -> Response:
    response = _private({"error": error, "error_description": words}, status)
    if status == 401:
        response.headers["www-authenticate"] = 'Basic realm="periplus"'
    return response


def _private(said: dict[str, Any], status: int = 200) -> Response:
    response = json_response(said, status)
    response.headers.update(_PRIVATE)
    return response
