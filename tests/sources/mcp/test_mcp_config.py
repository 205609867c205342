"""The `mcpServers` files of desktop clients are accepted as they are (T-7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Finding, FindingCode, Problem, SourceSpec, check_source_id
from periplus.sources.mcp import servers


def read(entries: Any, group: str = "mcpServers", **environ: str) -> tuple[list[SourceSpec], list[Finding]]:
    findings: list[Finding] = []
    return servers(json.dumps({group: entries}), environ, findings=findings), findings


def test_a_command_a_url_and_an_event_stream() -> None:
    """T-7: `command/args/env`, `url`, `type`."""
    specs, findings = read(
        {
            "My Files": {
                "command": "npx",
                "args": ["-y", "server", 8],
                "env": {"A": "1", "B": True, "C": None},
                "cwd": "/x",
            },
            "new": {"type": "streamable-http", "url": "https://example.com/mcp", "headers": {"X": "y"}},
            "old": {"type": "sse", "url": "https://example.com/sse"},
            "either": {"url": "https://example.com/either"},
            "off": {"command": "x", "disabled": True, "alwaysAllow": ["a"]},
            "windsurf": {"serverUrl": "https://example.com/w"},
            "gemini": {"httpUrl": "https://example.com/g"},
        }
    )
    assert findings == []
    assert specs == [
        SourceSpec(
            id="my-files", name="My Files", kind="mcp", command="npx", args=("-y", "server", "8"),
            env={"A": "1", "B": "true"}, cwd="/x",
        ),
        SourceSpec(id="new", kind="mcp", url="https://example.com/mcp", transport="http", headers={"X": "y"}),
        SourceSpec(id="old", kind="mcp", url="https://example.com/sse", transport="sse"),
        SourceSpec(id="either", kind="mcp", url="https://example.com/either"),
        SourceSpec(id="off", kind="mcp", command="x", enabled=False),
        SourceSpec(id="windsurf", kind="mcp", url="https://example.com/w"),
        SourceSpec(id="gemini", kind="mcp", url="https://example.com/g", transport="http"),
    ]  # fmt: skip


@pytest.mark.parametrize("group", ["mcpServers", "servers", "context_servers"])
def test_other_clients_call_the_table_otherwise(group: str) -> None:
    assert [spec.id for spec in read({"a": {"command": "x"}}, group)[0]] == ["a"]
    assert servers(json.dumps({"mcp": {group: {"a": {"command": "x"}}}}))[0].id == "a"


def test_variables_stay_as_they_are_written_and_unset_ones_are_named() -> None:
    """S-62: no secret gets into what is stored."""
    entry = {"command": "${BIN}/run", "env": {"TOKEN": "${TOKEN}", "KEY": "${env:KEY}", "OR": "${OR:-x}"}}
    (spec,), findings = read({"a": entry}, TOKEN="s3cr3t", BIN="/bin")
    assert spec.env == entry["env"]
    assert spec.command == "${BIN}/run"
    assert [finding.message.split()[0] for finding in findings] == ["${KEY}"]
    assert [finding.code for finding in findings] == [FindingCode.CREDENTIALS_MISSING]


def test_a_secret_that_is_written_out_is_taken_with_a_warning() -> None:
    """S-62"""
    (spec,), findings = read({"a": {"command": "x", "env": {"API_TOKEN": "hunter2", "MODE": "fast", "KEY": "env:K"}}})
    assert spec.env["API_TOKEN"] == "hunter2"
    assert [finding.code for finding in findings] == [FindingCode.TEXT_FLAGGED]
    assert "API_TOKEN" in findings[0].message
    assert "hunter2" not in str(findings)


def test_a_bad_entry_costs_no_other() -> None:
    """S-3"""
    specs, findings = read(
        {
            "list": [],
            "empty": {},
            "pigeon": {"url": "https://example.com", "type": "pigeon"},
            "half": {"command": "x", "args": "one", "env": ["A"], "what": 1, "headers": None},
            "vscode": {"command": "x", "args": ["${input:key}", "${workspaceFolder}"]},
            "ok": {"command": "x"},
        },
        workspaceFolder="/w",
    )
    assert [spec.id for spec in specs] == ["half", "vscode", "ok"]
    assert sum(finding.skipped for finding in findings) == 3
    assert sum("is not understood" in finding.message for finding in findings) == 1
    assert sum("${input:key}" in finding.message for finding in findings) == 1


def test_names_that_fold_to_one_id_stay_apart() -> None:
    """S-15"""
    specs, _ = read(
        {"A b": {"command": "x"}, "a-b": {"command": "y"}, "船": {"command": "z"}, "x" * 99: {"command": "w"}}
    )
    assert [spec.id for spec in specs] == ["a-b", "a-b-2", "server", "x" * 40]


@pytest.mark.parametrize("text", ["{}", '{"mcpServers": []}', "[]", '{"openapi": "3.1.0"}', "", "{"])
def test_what_is_no_such_file_is_refused(text: str) -> None:
    with pytest.raises(Problem) as caught:
        servers(text)
    assert caught.value.code is Code.PARSE_ERROR


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["${A}", "sse", "http"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    [
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "type",
        "headers",
        "disabled",
        "enabled",
        "transport",
        "httpUrl",
        "timeout",
        "x",
    ]
)


@given(st.dictionaries(st.text(max_size=8), st.dictionaries(MEMBERS, VALUES, max_size=5) | VALUES, max_size=4))
def test_no_table_raises_and_every_entry_is_a_server_or_a_finding(entries: dict[str, Any]) -> None:
    """S-3, S-4"""
    specs, findings = read(entries)
    assert len(specs) + sum(finding.skipped for finding in findings) == len(entries)
    for spec in specs:
        check_source_id(spec.id)
    assert len({spec.id for spec in specs}) == len(specs)
