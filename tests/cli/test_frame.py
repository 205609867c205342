"""The outermost frame: exit codes, problems as text and as JSON, terminals, pipes, interruption, completion."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from outcome import Run

from periplus.model import Code
from sites import api, text

PERIPLUS = (sys.executable, "-c", "from periplus.cli.main import run; run()")
COMMANDS = ("add", "sources", "sync", "browse", "search", "inspect", "config", "doctor", "demo")


def environment(directory: Path, **more: str) -> dict[str, str]:
    own = {name: text for name, text in os.environ.items() if not name.startswith("PERIPLUS_")}
    return own | {"PERIPLUS_DATA": str(directory / "data")} | more


# --- problems ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "says", "remedy"),
    [
        (("inspect", "nothing"), Code.TOOL_NOT_FOUND, "no tool is called 'nothing'", "browse or search"),
        (("browse", "no/where"), Code.UNKNOWN_PATH, "no node is called 'no/where'", "quay"),
        (("browse", "--cursor", "made-up"), Code.INVALID_CURSOR, "cursor", "start again without a cursor"),
        (("browse", "--limit", "0"), Code.BAD_INPUT, "limit 0 is outside 1 to 1000", ""),
        (("sources", "show", "x"), Code.SOURCE_NOT_FOUND, "no source is called 'x'", "quay"),
        (("sources", "accept", "x"), Code.SOURCE_NOT_FOUND, "no source is called 'x'", "quay"),
        (("sync", "x"), Code.SOURCE_NOT_FOUND, "no source is called 'x'", "quay"),
        (("add", ""), Code.BAD_INPUT, "no source is named", "give a URL, a file, or kind:..."),
        (("add", "gone.json"), Code.NOT_FOUND, "there is no file 'gone.json'", "a URL starts with http"),
        (("add", "mcp:"), Code.BAD_INPUT, "mcp: needs a URL or a command", "mcp:COMMAND ARGS"),
        (("add", "mcp:'unclosed"), Code.BAD_INPUT, "not a command line", ""),
        (("add", "python:no_such_module"), Code.NOT_FOUND, "there is no module 'no_such_module'", "check the spelling"),
        (("add", "."), Code.BAD_INPUT, "is a directory", "name the document in it"),
        (("add", "http://[::1"), Code.BAD_INPUT, "not a URL", "check its host"),
        (("add", "ftp://x.example/"), Code.REFUSED_ADDRESS, "'ftp'", "use http or https"),
    ],
)
def test_a_problem_is_a_sentence_a_remedy_and_an_exit_code(
    quay: Run, arguments: tuple[str, ...], code: Code, says: str, remedy: str
) -> None:
    refused = quay(*arguments)
    assert refused.code == code.status.exit
    assert refused.out == ""
    first, *rest = refused.err.splitlines()
    assert first.startswith(f"{code.value}: ")
    assert says in first
    assert remedy in "\n".join(rest)
    assert not remedy or "  → " in refused.err
    assert "Traceback" not in refused.err
    as_json = quay(*arguments, "--json")
    assert as_json.code == refused.code
    assert as_json.out == ""
    assert as_json.error["code"] == code.value
    assert as_json.error["message"] == first.partition(": ")[2]


def test_codes_for_scripts_tell_usage_data_access_and_outage_apart() -> None:
    by_exit = {code.status.exit for code in Code}
    assert 0 not in by_exit
    assert 1 not in by_exit, "1 is what a crash gives"
    assert Code.UNAVAILABLE.status.exit != Code.BAD_INPUT.status.exit != Code.FORBIDDEN.status.exit


@pytest.mark.parametrize("arguments", [("no-such-command",), ("add",), ("browse", "--no-such-flag"), ("sources", "x")])
def test_wrong_usage_is_two_with_a_way_to_help(periplus: Run, arguments: tuple[str, ...]) -> None:
    refused = periplus(*arguments)
    assert refused.code == 2
    assert "Usage:" in refused.err
    assert "-h" in refused.err


def test_a_form_that_is_none_names_those_there_are(quay: Run) -> None:
    refused = quay("inspect", "getShip", "--form", "xml")
    assert refused.code == 2
    assert "use signature, schema, line or function" in refused.err


# --- help, version, completion ------------------------------------------------------------------------------------


def test_help_names_every_command_and_every_command_has_help(periplus: Run) -> None:
    helped = periplus("--help")
    assert helped.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in helped.out
        own = periplus(command, "-h")
        assert own.code == 0
        assert own.out.startswith(f"Usage: periplus {command}")
        assert command == "demo" or "--json" in own.out
    for command in ("show", "accept", "remove"):
        assert "--json" in periplus("sources", command, "--help").out
    bare = periplus()
    assert (bare.code, bare.out) == (2, "")
    assert bare.err.startswith("Usage: periplus")


def test_version_is_the_one_that_is_installed(periplus: Run) -> None:
    from importlib.metadata import version  # noqa: PLC0415 - as the command reads it

    assert periplus("--version").out == f"periplus {version('periplus')}\n"


def test_a_shell_completes_commands_and_flags(periplus: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PERIPLUS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "periplus s")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert set(periplus().out.split()) == {"search", "serve", "sources", "sync"}
    monkeypatch.setenv("COMP_WORDS", "periplus browse --d")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert periplus().out.split() == ["--deep"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_each_shell(
    periplus: Run, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("_PERIPLUS_COMPLETE", f"source_{shell}")
    assert "_PERIPLUS_COMPLETE" in periplus().out


# --- terminals, pipes, interruption --------------------------------------------------------------------------------


def wide(tmp_path: Path) -> Path:
    """A document that takes long enough to be watched."""
    file = tmp_path / "wide.json"
    file.write_text(text(api(*(f"area{number % 50}/operation{number}" for number in range(1500)))))
    return file


def test_progress_is_shown_where_a_person_looks_and_nowhere_else(tmp_path: Path) -> None:
    """On a terminal stderr has the bar; stdout, which is a file here, has only the report."""
    leader, follower = pty.openpty()
    command = [*PERIPLUS, "add", str(wide(tmp_path))]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=follower, env=environment(tmp_path, TERM="xterm"), text=True
    )
    os.close(follower)
    seen = bytearray()

    def watch() -> None:
        while piece := _read(leader):
            seen.extend(piece)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, _ = process.communicate()
    watcher.join()
    os.close(leader)
    assert process.returncode == 0
    assert b"wide.json: " in seen
    assert b"tools" in seen
    assert out.startswith("wide  openapi")
    assert "\x1b" not in out


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_reader_that_goes_away_is_no_traceback(quay: Run, tmp_path: Path) -> None:
    """`periplus browse --deep | head -1`."""
    assert quay("add", str(wide(tmp_path))).code == 0
    process = subprocess.Popen(
        [*PERIPLUS, "browse", "--deep", "--limit", "1000", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path),
    )  # fmt: skip
    with process:
        assert process.stdout
        assert process.stdout.readline() == b"{\n"
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == b""


@contextmanager
def interrupts(handled: Any) -> Iterator[None]:
    """What processes that are started meanwhile inherit: the default, unless SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, handled)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_read_in_the_background_of_a_shell_is_not_interrupted(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"openapi:http://127.0.0.1:{silent.getsockname()[1]}/api.json"
        with interrupts(signal.SIG_IGN):
            process = subprocess.Popen([*PERIPLUS, "add", url], env=environment(tmp_path), stderr=subprocess.DEVNULL)
        caller, _ = silent.accept()
        with caller:
            assert caller.recv(1 << 16)
            process.send_signal(signal.SIGINT)
            caller.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
            assert process.wait() not in {0, Code.CANCELLED.status.exit}  # it has read the answer


def test_an_interrupted_read_leaves_the_catalog_as_it_was(quay: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"openapi:http://127.0.0.1:{silent.getsockname()[1]}/api.json"
        with interrupts(signal.default_int_handler):
            process = subprocess.Popen(
                [*PERIPLUS, "add", url], env=environment(tmp_path), stderr=subprocess.PIPE, text=True
            )
        caller, _ = silent.accept()
        assert caller.recv(1)  # it has asked, and waits for an answer
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        caller.close()
    assert process.returncode == Code.CANCELLED.status.exit
    assert "Traceback" not in err
    assert [line["source"] for line in quay("sources", "--json").json] == ["quay"]


def test_texts_of_a_source_are_never_read_as_markup(periplus: Run, tmp_path: Path) -> None:
    document = api("a", title="[bold red]Quay[/]")
    document["paths"]["/a"]["get"]["summary"] = "[link=file:///etc/passwd]Press[/link] \x1b[2J here"
    (tmp_path / "quay.json").write_text(json.dumps(document))
    assert "[bold red]Quay[/]" in periplus("add", "quay.json").out
    listed = periplus("browse", "quay/things").out
    assert "[link=file:///etc/passwd]Press[/link]" in listed
    assert "\x1b" not in listed
