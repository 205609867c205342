"""`periplus audit`, as somebody at a terminal uses it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from periplus.cli.main import run

Periplus = Callable[..., tuple[int, str, str]]
API = {
    "openapi": "3.1.0",
    "info": {"title": "Zoo", "version": "1"},
    "paths": {
        "/ox": {"post": {"operationId": "feedOx", "summary": "Feed the ox", "responses": {}}},
        "/owl": {"get": {"operationId": "findOwl", "summary": "Find the owl", "responses": {}}},
    },
}


@pytest.fixture
def periplus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Periplus:
    """Runs a command on this test's data: its exit status, output and errors."""
    monkeypatch.setenv("PERIPLUS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["periplus", *words])
        status = 0
        try:
            run()
        except SystemExit as end:
            status = int(end.code or 0)
        captured = capsysbinary.readouterr()
        return status, captured.out.decode(), captured.err.decode()

    return command


@pytest.fixture
def zoo(periplus: Periplus, tmp_path: Path) -> Periplus:
    (tmp_path / "zoo.json").write_text(json.dumps(API))
    for words in (["add", "zoo.json"], ["search", "feed the ox"], ["inspect", "feedOx"]):
        assert periplus(*words)[0] == 0
    assert periplus("inspect", "feed nobody")[0] == 66
    return periplus


def tamper(tmp_path: Path, *statements: str) -> None:
    connection = sqlite3.connect(tmp_path / "data" / "ledger.db")
    for trigger in ("audit_stays", "audit_is_final"):
        connection.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_the_trail_is_read_oldest_first(zoo: Periplus) -> None:
    """T-40."""
    status, out, _ = zoo("audit")
    lines = out.splitlines()
    assert (status, [line.split()[3] for line in lines]) == (0, ["connect", "search", "describe", "describe"])
    assert "feed the ox" in lines[1]
    assert "tool_not_found" in lines[3]
    _, newest, _ = zoo("audit", "--limit", "2")
    assert newest.splitlines() == lines[2:]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--verb", "search"], [2]),
        (["--tool", "zoo/*"], [3]),
        (["--outcome", "tool_not_found"], [4]),
        (["--outcome", "ok"], [1, 2, 3]),
        (["--principal", "local", "--limit", "1"], [4]),
        (["--principal", "nobody"], []),
        (["--session", "none"], []),
    ],
)
def test_rows_are_found_by_what_they_say(zoo: Periplus, words: list[str], wanted: list[int]) -> None:
    """T-40."""
    _, out, _ = zoo("audit", *words, "--json")
    assert [row["seq"] for row in json.loads(out)] == wanted


def test_one_trace_is_found_by_its_id(zoo: Periplus) -> None:
    _, out, _ = zoo("audit", "--json")
    trace = json.loads(out)[1]["event"]["trace"]
    _, out, _ = zoo("audit", "--trace", trace, "--json")
    (row,) = json.loads(out)
    assert (row["seq"], row["event"]["subject"]) == (2, "feed the ox")


def test_a_verb_that_is_none_is_refused_with_those_there_are(zoo: Periplus) -> None:
    status, _, err = zoo("audit", "--verb", "frobnicate")
    assert status == 2
    assert "frobnicate" in err
    assert "describe" in err


def test_a_whole_trail_verifies_and_says_what_to_note(zoo: Periplus) -> None:
    """T-40."""
    status, out, _ = zoo("audit", "verify")
    assert status == 0
    assert out.startswith("4 rows from 1, whole; the last is 4:")
    anchor = out.split()[-1]
    assert zoo("browse")[0] == 0
    assert zoo("audit", "verify", "--anchor", anchor)[0] == 0
    status, _, err = zoo("audit", "verify", "--anchor", f"4:{'0' * 64}")
    assert (status, "row 4 is not the one that was noted" in err) == (65, True)


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        (
            """UPDATE audit SET event = replace(event, 'feed the ox', 'find the owl') WHERE seq = 2""",
            "row 2 was changed",
        ),
        ("""UPDATE audit SET event = '{"verb": 7}' WHERE seq = 2""", "row 2 was changed"),
        ("""UPDATE audit SET event = replace(event, '{', '{ ') WHERE seq = 2""", "row 2 was changed"),
        ("DELETE FROM audit WHERE seq = 3", "row 3 is missing"),
        ("DELETE FROM audit WHERE seq > 2", "rows 3 to 4 are missing"),
        ("DELETE FROM audit", "rows 1 to 4 are missing"),
    ],
)
def test_a_row_that_was_edited_or_removed_is_found(zoo: Periplus, tmp_path: Path, statement: str, wanted: str) -> None:
    """T-40: in the file itself, by somebody who can write it."""
    tamper(tmp_path, statement)
    status, _, err = zoo("audit", "verify")
    assert status == 65
    assert wanted in err
    assert zoo("audit")[0] == 0  # what is left can still be read


def test_an_export_is_verified_without_the_ledger(zoo: Periplus, tmp_path: Path) -> None:
    """T-40."""
    status, out, _ = zoo("audit", "export", "trail.jsonl")
    assert (status, out) == (0, "4 rows to trail.jsonl\n")
    lines = (tmp_path / "trail.jsonl").read_bytes().splitlines(keepends=True)
    assert [json.loads(line).get("seq") for line in lines] == [1, 2, 3, 4, None]
    (tmp_path / "data" / "ledger.db").unlink()
    assert zoo("audit", "verify", "trail.jsonl")[0] == 0
    (tmp_path / "trail.jsonl").write_bytes(lines[0] + b"".join(lines[2:]))
    status, _, err = zoo("audit", "verify", "trail.jsonl")
    assert (status, "row 2 is missing" in err) == (65, True)


def test_an_export_takes_the_place_of_no_file_and_goes_to_stdout(zoo: Periplus, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("precious")
    status, _, err = zoo("audit", "export", "kept.txt")
    assert (status, "is there already" in err) == (65, True)
    assert (tmp_path / "kept.txt").read_text() == "precious"
    status, out, _ = zoo("audit", "export", "-", "--after", "2")
    assert [json.loads(line).get("seq") for line in out.splitlines()] == [3, 4, None]
    status, _, err = zoo("audit", "export", "no/such/place")
    assert (status, "cannot be written" in err) == (64, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "kept.txt", "zoo.json"]


def test_following_prints_what_happens_as_it_happens(zoo: Periplus, tmp_path: Path) -> None:
    """T-40."""
    command = [sys.executable, "-c", "from periplus.cli.main import run; run()", "audit", "--follow", "--json"]
    environment = os.environ | {"PERIPLUS_DATA": str(tmp_path / "data")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        before = [json.loads(process.stdout.readline())["seq"] for _ in range(4)]
        zoo("browse", "zoo")
        row = json.loads(process.stdout.readline())
        process.terminate()
    assert (before, row["seq"], row["event"]["subject"]) == ([1, 2, 3, 4], 5, "zoo")
