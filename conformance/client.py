"""A gateway as a client of the suite's servers: connect, then call every tool that the scenario wants called."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

import anyio

import periplus
from periplus.core.gateway import Gateway
from periplus.hosts.mcp.shelf import listed_tool
from periplus.model import CredentialScheme, CredentialSpec, Problem, SourceSpec
from periplus.ports import Dialogue
from periplus.settings import FetchSettings, Settings

_ABLE: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}


async def main(url: str) -> None:
    """Connect to the server at a URL and use it."""
    with tempfile.TemporaryDirectory() as directory:
        allowed = FetchSettings(allow=("127.0.0.0/8", "::1", "localhost"))
        settings = Settings(data=directory, fetch=allowed, credentials=credentials())
        async with periplus.open(settings=settings) as gateway:
            await gateway.connect(SourceSpec(id="suite", kind="mcp", url=url, expose=("tools", "direct")))
            for name, arguments in await calls(gateway):
                try:
                    given = {key: value for key, value in arguments.items() if value is not None}
                    talk = Dialogue(capabilities=_ABLE, ask=answer)
                    result = await gateway.call(f"suite/{name}", given, dialogue=talk)
                    print(name, result.value)
                except Problem as problem:
                    print(name, problem.message, *problem.hints)


def credentials() -> tuple[CredentialSpec, ...]:
    """Those the scenario gives the client, as an operator would configure them."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    if "client_secret" not in context:
        return ()
    os.environ["SUITE_SECRET"] = context["client_secret"]
    return (
        CredentialSpec(
            scheme=CredentialScheme.OAUTH2,
            source="suite",
            client_id=context["client_id"],
            client_secret="env:SUITE_SECRET",  # noqa: S106 - a reference
        ),
    )


async def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """What a person and a model at the caller say: yes, and something of the right type."""
    if method == "elicitation/create":
        return {"action": "accept", "content": least(params.get("requestedSchema", {}))}
    if method == "sampling/createMessage":
        text = {"type": "text", "text": "Paris"}
        return {"role": "assistant", "content": text, "model": "none", "stopReason": "endTurn"}
    return None


async def calls(gateway: Gateway) -> list[tuple[str, dict[str, Any]]]:
    """What the scenario says, else each tool with the least it takes."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    if "toolCalls" in context:
        return [(call["name"], call["arguments"]) for call in context["toolCalls"]]
    if not (await gateway.source("suite")).tools:
        return []
    lines = (await gateway.browse("suite", deep=True)).tools
    made: list[tuple[str, dict[str, Any]]] = []
    for line in lines:
        tool = await gateway.describe(str(line.ref))
        made.append((tool.key, least(tool.args_schema)))
    return [(name, arguments | await shown(gateway, name)) for name, arguments in made]


async def shown(gateway: Gateway, name: str) -> dict[str, Any]:
    """For a tool that is to be told how its neighbour's schema arrives: as a client behind the gateway gets it."""
    if name != "json_schema_echo":
        return {}
    pinned = {tool.key: tool for tool in await gateway.direct()}
    schema = listed_tool("neighbour", pinned["json_schema_2020_12_tool"]).input_schema
    return {"schema": schema}


def least(schema: dict[str, Any]) -> dict[str, Any]:
    """What a schema requires, of the right types; where it says a default, that."""
    values = {"string": "test", "integer": 5, "number": 3.0, "boolean": True, "object": {}, "array": []}
    members = schema.get("properties", {})
    defaults = {name: member["default"] for name, member in members.items() if "default" in member}
    return {
        name: values.get(str(members.get(name, {}).get("type")), "test") for name in schema.get("required", ())
    } | defaults


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
