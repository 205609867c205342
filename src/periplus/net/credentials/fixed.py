"""The fixed headers and query of a source, with what they refer to."""

from __future__ import annotations

import re

import msgspec

from periplus.model import Code, Problem, SourceSpec
from periplus.net.credentials.given import Credentials, check_header
from periplus.net.credentials.redaction import secrets_of, secrets_of_headers
from periplus.net.credentials.references import ReadSecret

# The whole value, or what follows an authentication scheme: "Bearer env:TOKEN".
_REFERENCE = re.compile(r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9_-]*) +)?(?P<reference>(?:env|file|keyring):.+)")


def resolve(spec: SourceSpec, read_secret: ReadSecret) -> Credentials:
    """Look up what `headers` and `query` of a source refer to."""
    headers = {name.lower(): _of_source(spec, text, read_secret) for name, text in spec.headers.items()}
    query = {name: _of_source(spec, text, read_secret) for name, text in spec.query.items()}
    for name, value in headers.items():
        check_header(name, value)
    hidden = [headers[name.lower()] for name, text in spec.headers.items() if refers(text)]
    members = [query[name] for name, text in spec.query.items() if refers(text)]
    return Credentials(headers=headers, query=query, secrets=secrets_of_headers(hidden) | secrets_of(members))


def wary(credentials: Credentials) -> Credentials:
    """The same, every member of the query hidden: some keys are written out, and a message can do without them."""
    return msgspec.structs.replace(credentials, secrets=credentials.secrets | secrets_of(credentials.query.values()))


def plain_part(spec: SourceSpec) -> Credentials:
    """Those headers and members that refer to no secret: they may go to any host of the source."""
    return Credentials(
        headers={name.lower(): text for name, text in spec.headers.items() if not refers(text)},
        query={name: text for name, text in spec.query.items() if not refers(text)},
    )


def refers(text: str) -> bool:
    return _REFERENCE.fullmatch(text) is not None


def looked_up(text: str, read_secret: ReadSecret) -> str:
    """A value with the reference in it replaced; a text without one is itself."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        return text
    value = read_secret(found["reference"])
    return f"{found['scheme']} {value}" if found["scheme"] else value


def _of_source(spec: SourceSpec, text: str, read_secret: ReadSecret) -> str:
    found = _REFERENCE.fullmatch(text)
    if found is not None and not spec.trusted:
        # Whoever adds a source through a face must not make the gateway read its own secrets to them.
        raise Problem(
            Code.CREDENTIALS_MISSING,
            f"{found['reference']} is not read for {spec.id or spec.location}: the operator did not write it",
            hints=("write the source into the configuration",),
        )
    return looked_up(text, read_secret)
