"""What the conformance suite wants a server to have, as a real MCP server over stdio that the gateway connects to."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Answer = types.CallToolResult | types.InputRequiredResult
_STATE = "stateful:"


def _png() -> str:
    """One red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, pixel = struct.pack(">2I5B", 1, 1, 8, 2, 0, 0, 0), zlib.compress(b"\0\xff\0\0")
    raw = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")
    return base64.b64encode(raw).decode()


def _wav() -> str:
    """A moment of silence."""
    data = b"\x80" * 8
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8,
                       b"data", len(data))  # fmt: skip
    return base64.b64encode(head + data).decode()


_TEXT = types.TextContent(text="This is a simple text response for testing.")
_IMAGE = types.ImageContent(data=_png(), mime_type="image/png")
_AUDIO = types.AudioContent(data=_wav(), mime_type="audio/wav")


def _embedded(uri: str, kind: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=kind, text=text))


_PLAIN: dict[str, list[Any]] = {
    "test_simple_text": [_TEXT],
    "test_image_content": [_IMAGE],
    "test_audio_content": [_AUDIO],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        types.TextContent(text="Multiple content types test:"),
        _IMAGE,
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "test_logging_tool": [types.TextContent(text="nothing is logged that nobody asked for")],
}

_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


def _texts(*names: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "description": f"The {name}."} for name in names},
        "required": list(names),
    }


def _form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _elicit(message: str, form: dict[str, Any]) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": form}}


def _sample(text: str, tokens: int = 100) -> dict[str, Any]:
    said = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [said], "maxTokens": tokens}}


_NAME = _elicit("What is your name?", _form(name={"type": "string"}))
_ROOTS = {"method": "roots/list", "params": {}}
_DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_TITLED = [
    {"const": f"value{number}", "title": title} for number, title in enumerate(("First Option", "Second Option"), 1)
]
_ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
}
_RICH = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_HEADERS = {
    "type": "object",
    "properties": {"region": {"type": "string", "description": "Where.", "x-mcp-header": "Region"}},
    "required": ["region"],
}

# Tools that ask before they answer: what they ask for at once, in the order of their rounds.
_ROUNDS: dict[str, list[dict[str, dict[str, Any]]]] = {
    "test_elicitation": [{"user": _elicit("", _form(username={"type": "string", "description": "User's response"},
                                                    email={"type": "string", "description": "User's email address"}))}],
    "test_elicitation_sep1034_defaults": [{"form": _elicit("Please check these values", _DEFAULTS)}],
    "test_elicitation_sep1330_enums": [{"form": _elicit("Please choose", _ENUMS)}],
    "test_sampling": [{"said": _sample("")}],
    "test_streaming_elicitation": [{"user_name": _NAME}],
    "test_input_required_result_elicitation": [{"user_name": _NAME}],
    "test_input_required_result_sampling": [{"capital_question": _sample("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": _ROOTS}],
    "test_input_required_result_request_state": [
        {"confirm": _elicit("Please confirm", _form(ok={"type": "boolean"}))}
    ],
    "test_input_required_result_multiple_inputs": [
        {"user_name": _NAME, "greeting": _sample("Generate a greeting", 50), "client_roots": _ROOTS}
    ],
    "test_input_required_result_multi_round": [
        {"step1": _elicit("Step 1: What is your name?", _form(name={"type": "string"}))},
        {"step2": _elicit("Step 2: What is your favorite color?", _form(color={"type": "string"}))},
    ],
    "test_input_required_result_tampered_state": [
        {"confirm": _elicit("Please confirm", _form(ok={"type": "boolean"}))}
    ],
}  # fmt: skip
_STATELESS = frozenset(
    {
        "test_input_required_result_elicitation",
        "test_input_required_result_sampling",
        "test_input_required_result_list_roots",
    }
)
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "test_sampling": _texts("prompt"),
    "test_elicitation": _texts("message"),
    "json_schema_2020_12_tool": _RICH,
    "test_custom_headers": _HEADERS,
}
_OTHERS = (
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_input_required_result_capabilities",
    "test_missing_capability",
    "json_schema_2020_12_tool",
    "test_custom_headers",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
)


_CHANGES = {"tools": 0, "prompts": 0}
_BUS = InMemorySubscriptionBus()


async def list_tools(_context: Context, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, description=_described(name, "tools"), input_schema=_ARGUMENTS.get(name, _NOTHING))
            for name in (*_PLAIN, *_ROUNDS, *_OTHERS)
        ]
    )


async def call_tool(context: Context, params: types.CallToolRequestParams) -> Answer:
    if params.name in _PLAIN:
        return types.CallToolResult(content=_PLAIN[params.name])
    if params.name in _ROUNDS:
        return _asking(params)
    return await _SPECIAL.get(params.name, _unknown)(context, params)


def _asking(params: types.CallToolRequestParams) -> Answer:
    """The next question that has not been answered; the answers once all have."""
    rounds = _ROUNDS[params.name]
    at, known = _opened(params.request_state, len(rounds))
    answers = {name: answer.model_dump(by_alias=True, mode="json", exclude_none=True)
               for name, answer in (params.input_responses or {}).items()}  # fmt: skip
    if set(rounds[at]) <= set(answers):
        known |= {name: answers[name] for name in rounds[at]}
        at += 1
    if at < len(rounds):
        state = None if params.name in _STATELESS else _STATE + json.dumps([at, known])
        asked = {name: _filled(question, params.arguments or {}) for name, question in rounds[at].items()}
        return types.InputRequiredResult.model_validate({"inputRequests": asked, "requestState": state})
    return _said(_told(params.name, known))


def _opened(state: str | None, rounds: int) -> tuple[int, dict[str, Any]]:
    if state is None:
        return 0, {}
    if not state.startswith(_STATE):
        raise MCPError(types.INVALID_PARAMS, "this is not a state of ours")
    at, known = json.loads(state.removeprefix(_STATE))
    return min(at, rounds - 1), known


def _filled(question: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The question in the caller's own words, where the tool takes them."""
    if "message" in arguments:
        return _elicit(arguments["message"], question["params"]["requestedSchema"])
    return _sample(arguments["prompt"]) if "prompt" in arguments else question


def _told(name: str, known: dict[str, Any]) -> str:
    if name == "test_sampling":
        return f"LLM response: {known['said']['content']['text']}"
    if name == "test_elicitation":
        return f"User response: {json.dumps(known['user'])}"
    if name.startswith("test_elicitation_sep"):
        form = known["form"]
        return f"Elicitation completed: action={form['action']}, content={json.dumps(form.get('content', {}))}"
    if name in {"test_input_required_result_elicitation", "test_streaming_elicitation"}:
        return f"Hello, {known['user_name'].get('content', {}).get('name', 'stranger')}!"
    return f"state-ok {json.dumps(known)}"


async def _fail(_context: Context, _params: types.CallToolRequestParams) -> Answer:
    text = types.TextContent(text="This tool intentionally returns an error for testing")
    return types.CallToolResult(content=[text], is_error=True)


async def _progress(context: Context, _params: types.CallToolRequestParams) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return _said("done")


async def _log(context: Context, _params: types.CallToolRequestParams) -> Answer:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", words, related_request_id=context.request_id)
        await anyio.sleep(0.05)
    return _said("logged")


async def _able(context: Context, _params: types.CallToolRequestParams) -> Answer:
    able = context.session.client_capabilities or types.ClientCapabilities()
    asked: dict[str, Any] = {}
    if able.elicitation is not None:
        asked["user_name"] = _NAME
    if able.sampling is not None:
        asked["said"] = _sample("Say something")
    if not asked or (_params.input_responses or {}):
        return _said("nothing to ask")
    return types.InputRequiredResult.model_validate({"inputRequests": asked})


async def _need(context: Context, _params: types.CallToolRequestParams) -> Answer:
    able = context.session.client_capabilities or types.ClientCapabilities()
    if able.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(-32021, "this tool needs a client that can be asked for sampling", needed)
    return _said("able")


def _described(name: str, kind: str) -> str:
    return f"The fixture {name}, state {_CHANGES[kind]} of the {kind}."


async def _change_tools(_context: Context, _params: types.CallToolRequestParams) -> Answer:
    _CHANGES["tools"] += 1
    await _BUS.publish(ToolsListChanged())
    return _said("the tools are others")


async def _change_prompts(_context: Context, _params: types.CallToolRequestParams) -> Answer:
    _CHANGES["prompts"] += 1
    await _BUS.publish(PromptsListChanged())
    return _said("the prompts are others")


async def _echo(_context: Context, params: types.CallToolRequestParams) -> Answer:
    return _said(json.dumps(params.arguments or {}))


async def _unknown(_context: Context, params: types.CallToolRequestParams) -> Answer:
    raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!r}")


_SPECIAL: dict[str, Callable[..., Any]] = {
    "test_error_handling": _fail,
    "test_tool_with_progress": _progress,
    "test_tool_with_logging": _log,
    "test_input_required_result_capabilities": _able,
    "test_missing_capability": _need,
    "json_schema_2020_12_tool": _echo,
    "test_custom_headers": _echo,
    "test_trigger_tool_change": _change_tools,
    "test_trigger_prompt_change": _change_prompts,
}


def _said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)])


_TEXTS = {
    "test://static-text": ("text/plain", "This is the content of the static text resource."),
    "test://watched-resource": ("text/plain", "Watched."),
}
_TEMPLATE = "test://template/{id}/data"


async def list_resources(_context: Context, _params: Any) -> types.ListResourcesResult:
    made = [
        types.Resource(uri=uri, name=uri.rpartition("/")[2], description=f"The fixture {uri}.", mime_type=kind)
        for uri, (kind, _) in {**_TEXTS, "test://static-binary": ("image/png", "")}.items()
    ]
    return types.ListResourcesResult(resources=made)


async def list_templates(_context: Context, _params: Any) -> types.ListResourceTemplatesResult:
    made = types.ResourceTemplate(
        uri_template=_TEMPLATE, name="data", description="Data by id.", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[made])


async def read_resource(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = params.uri
    if uri == "test://static-binary":
        return types.ReadResourceResult(
            contents=[types.BlobResourceContents(uri=uri, mime_type="image/png", blob=_png())]
        )
    kind, text = _TEXTS.get(uri, ("application/json", ""))
    if found := re.fullmatch(r"test://template/(.+)/data", uri):
        text = json.dumps({"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"})
    if not text:
        raise MCPError(types.INVALID_PARAMS, f"no resource {uri!r}", {"uri": uri})
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])


def _user(content: Any) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=content)


_PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
_CONTEXT = {"user_context": _elicit("What context should the prompt use?", _form(context={"type": "string"}))}


async def list_prompts(_context: Context, _params: Any) -> types.ListPromptsResult:
    made = [
        types.Prompt(
            name=name,
            description=_described(name, "prompts"),
            arguments=[types.PromptArgument(name=each, description=f"The {each}.", required=True) for each in names],
        )
        for name, names in _PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=made)


async def get_prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt" and "user_context" not in (params.input_responses or {}):
        return types.InputRequiredResult.model_validate({"inputRequests": _CONTEXT})
    messages = {
        "test_simple_prompt": [types.TextContent(text="This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            types.TextContent(text=f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing."),
            types.TextContent(text="Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [_IMAGE, types.TextContent(text="Please analyze the image above.")],
        "test_input_required_result_prompt": [types.TextContent(text=f"With {params.input_responses}")],
    }[params.name]
    return types.GetPromptResult(messages=[_user(content) for content in messages])


async def complete(_context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    found = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=found, total=len(found), has_more=False))


def server() -> Server[Any]:
    """The fixtures as a server."""
    return Server(
        "conformance-fixtures",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_subscriptions_listen=ListenHandler(_BUS),
    )


async def main() -> None:
    made = server()
    async with stdio_server() as (incoming, outgoing):
        await made.run(incoming, outgoing, made.create_initialization_options(NotificationOptions()))


if __name__ == "__main__":
    anyio.run(main)
