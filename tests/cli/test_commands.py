"""Every command: what a person reads, what a program reads, and how it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from outcome import Run

from periplus.model import Code
from sites import Site, api, text

# --- add ---------------------------------------------------------------------------------------------------------


def test_adding_a_document_prints_what_was_read(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "quay.json").write_text(text(api("ships/listShips", "berths/reserveBerth")))
    added = periplus("add", "quay.json")
    assert added.code == 0
    assert added.out.startswith("quay  openapi  Quay 1\n  2 tools in 2 areas from 2 operations, 0 skipped: 2 added")
    assert added.err == "", "no progress where nobody looks"
    again = periplus("add", "quay.json")
    assert again.out.splitlines()[1] == "  unchanged: 2 tools in 2 areas"


def test_adding_as_json_is_the_load_report(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "quay.json").write_text(text(api("a") | {"paths": api("a")["paths"] | {"/x": {"get": []}}}))
    report = periplus("add", "quay.json", "--json").json
    assert (report["source"], report["kind"], report["unchanged"]) == ("quay", "openapi", False)
    assert report["counts"] == {
        "operations": 2, "tools": 1, "areas": 1, "added": 1, "changed": 0, "removed": 0, "skipped": 1,
    }  # fmt: skip
    (skipped,) = [finding for finding in report["problems"] if finding["severity"] == "error"]
    assert skipped["code"] == "bad_operation"
    assert skipped["where"] == "quay.json#/paths/~1x/get"
    assert report["document"]["title"] == "Quay"


def test_findings_are_shown_with_place_and_count(periplus: Run, tmp_path: Path) -> None:
    """S-5, S-118."""
    broken = {f"/x{number}": {"get": []} for number in range(10)}
    (tmp_path / "quay.json").write_text(text(api("a") | {"paths": api("a")["paths"] | broken}))
    added = periplus("add", "quay.json").out
    assert "error   bad_operation  GET /x0: the operation is list, not an object  (quay.json#/paths/~1x0/get)" in added
    assert "more findings: periplus sources show quay" in added
    shown = periplus("sources", "show", "quay").out
    assert shown.count("bad_operation") == 10


def test_a_name_is_taken_and_checked(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(text(api("a")))
    assert periplus("add", "api.json", "--name", "harbour").out.startswith("harbour  openapi")
    refused = periplus("add", "api.json", "--name", "Not A Name")
    assert refused.code == Code.BAD_INPUT.status.exit
    assert "not a source name: 'Not A Name'" in refused.err


def test_a_python_module_is_read_from_where_one_stands(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "tides_of_quay.py").write_text('def height(station: str) -> float:\n    "Height of the tide."\n')
    assert periplus("add", "python:tides_of_quay").code == 0
    assert periplus("inspect", "height", "--form", "line").out.startswith("tides-of-quay/height(station: string)")


MANY = {
    "mcpServers": {
        "tides": {"command": sys.executable, "args": ["-m", "periplus.demo.tides"]},
        "gone": {"command": "no-such-server"},
        "odd": {"colour": "blue"},
    }
}


def test_a_file_of_mcp_servers_adds_each_at_its_own_risk(periplus: Run, tmp_path: Path) -> None:
    """T-7: the standard file as it is; one that does not start costs the others nothing."""
    (tmp_path / "servers.json").write_text(json.dumps(MANY))
    added = periplus("add", "servers.json")
    assert added.code == 0
    assert "tides  mcp  Tide gauge 1.2.0" in added.out
    assert "there is no program 'no-such-server'" in added.err
    assert "odd: has neither a command nor a url  (servers.json#/mcpServers/odd)" in added.err
    assert [line["source"] for line in periplus("sources", "--json").json] == ["tides"]
    assert "fits one" in periplus("add", "servers.json", "--name", "x").err


def test_a_file_of_which_no_server_starts_fails(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text(
        '{"mcpServers": {"a": {"command": "no-such"}, "b": {"command": "nor-this"}}}'
    )
    added = periplus("add", "servers.json")
    assert added.code == Code.UNAVAILABLE.status.exit
    assert "no-such" in added.err
    assert "nor-this" in added.err


# --- sources and sync --------------------------------------------------------------------------------------------


def test_nothing_added_says_how_to_begin(periplus: Run) -> None:
    assert periplus("sources").out == "no sources yet: periplus add URL, or a file, or kind:...\n"
    assert periplus("sources", "--json").json == []
    assert periplus("browse").out.startswith("the catalog  0 tools")


def test_sources_are_listed_with_their_state(quay: Run, tmp_path: Path) -> None:
    header, line = quay("sources").out.splitlines()
    assert header.split() == ["source", "kind", "tools", "areas", "state", "location"]
    assert line.split() == ["quay", "openapi", "3", "2", "ok", str(tmp_path / "quay.json")]
    (record,) = quay("sources", "--json").json
    assert record == {
        "source": "quay", "kind": "openapi", "state": "ok", "tools": 3, "areas": 2,
        "location": str(tmp_path / "quay.json"), "reason": "", "revision": 1,
    }  # fmt: skip


def test_a_source_is_shown_with_its_whole_report(quay: Run) -> None:
    shown = quay("sources", "show", "quay")
    assert "3 tools in 2 areas from 3 operations" in shown.out
    whole = quay("sources", "show", "quay", "--json").json
    assert whole["report"]["counts"]["tools"] == 3
    assert whole["stderr"] == []


def test_sync_reads_all_or_one_again(quay: Run, tmp_path: Path) -> None:
    assert "unchanged: 3 tools" in quay("sync").out
    assert [report["unchanged"] for report in quay("sync", "--json").json] == [True]
    (tmp_path / "quay.json").write_text(text(api("ships/listShips", "ships/getShip", "berths/moor", "berths/leave")))
    synced = quay("sync", "quay", "--json").json
    assert (synced["counts"]["added"], synced["counts"]["removed"]) == (2, 1)


def test_sync_goes_on_after_a_source_that_cannot_be_read(quay: Run, tmp_path: Path) -> None:
    """S-108: the failure of one is its own; the exit code tells of it."""
    (tmp_path / "other.json").write_text(text(api("a")))
    quay("add", "other.json")
    (tmp_path / "other.json").unlink()
    synced = quay("sync")
    assert synced.code == Code.NOT_FOUND.status.exit
    assert "quay  openapi" in synced.out
    assert "other.json" in synced.err
    assert [line["state"] for line in quay("sources", "--json").json] == ["stale", "ok"]


def test_a_read_that_loses_most_is_held_until_accepted(quay: Run, tmp_path: Path) -> None:
    """S-109"""
    (tmp_path / "quay.json").write_text(text(api(*(f"t{number}" for number in range(30)))))
    quay("sync")
    (tmp_path / "quay.json").write_text(text(api("t1")))
    held = quay("sync", "quay")
    assert held.code == Code.HELD.status.exit
    assert "would remove 29 of 30 tools; the old set goes on serving" in held.err
    assert "periplus sources accept quay" in held.err
    assert quay("sources", "--json").json[0]["state"] == "held"
    assert quay("sources", "accept", "quay", "--json").json["counts"]["removed"] == 29
    assert quay("sources", "--json").json[0]["tools"] == 1


def test_a_removed_source_is_forgotten(quay: Run) -> None:
    assert quay("sources", "remove", "quay").out == "removed quay\n"
    assert quay("sources", "--json").json == []
    missing = quay("sources", "remove", "quay", "--json")
    assert (missing.code, missing.error["code"]) == (Code.SOURCE_NOT_FOUND.status.exit, "source_not_found")
    assert missing.error["hints"] == ["add one first"]


# --- browse and inspect ------------------------------------------------------------------------------------------


def test_browsing_goes_from_areas_to_tools(quay: Run) -> None:
    root = quay("browse").out.splitlines()
    assert root[0].startswith("the catalog  3 tools")
    assert root[1].split()[:2] == ["quay/", "3"]
    assert "ships/" in quay("browse", "quay").out
    ships = quay("browse", "quay/ships").out.splitlines()
    assert [line.split()[:2] for line in ships[1:]] == [["getShip", "read"], ["listShips", "read"]]
    deep = quay("browse", "--deep", "--json").json
    assert [tool["ref"] for tool in deep["tools"]] == [
        "quay/berths/reserveBerth", "quay/ships/getShip", "quay/ships/listShips",
    ]  # fmt: skip


def test_the_line_under_a_page_leads_to_the_next(quay: Run) -> None:
    seen: list[str] = []
    command = ["browse", "--deep", "--limit", "1"]
    for _ in range(3):
        page = quay(*command).out.splitlines()
        seen.append(page[1].split()[0])
        if not page[-1].startswith("more: periplus "):
            break
        command = [*page[-1].removeprefix("more: periplus ").split(), "--deep"]
    assert seen == ["quay/berths/reserveBerth", "quay/ships/getShip", "quay/ships/listShips"]


def _ship(document: dict[str, Any], links: int) -> dict[str, Any]:
    """`getShip` answers with the first of so many kinds of things, each of which names the next."""
    kinds: dict[str, Any] = {
        f"Thing{number}": {
            "type": ["object", "null"],
            "properties": {"id": {"type": "string"}, "next": {"$ref": f"#/components/schemas/Thing{number + 1}"}},
        }
        for number in range(links)
    }
    last = {"type": "object", "properties": {"id": {"type": "string"}}}
    document["components"] = {"schemas": kinds | {f"Thing{links}": last}}
    answer = {"schema": {"anyOf": [{"$ref": "#/components/schemas/Thing0"}, {"type": "null"}]}}
    document["paths"]["/getShip"]["get"]["responses"] = {
        "200": {"description": "", "content": {"application/json": answer}}
    }
    return document


def test_a_type_that_may_be_null_says_so_where_it_stands(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "quay.json").write_text(text(_ship(api("ships/getShip") | {"openapi": "3.1.0"}, 2)))
    periplus("add", "quay.json")
    shown = periplus("inspect", "getShip").out
    assert "}): Thing0 | null\n" in shown
    assert "  next?: Thing1 | null;" in shown
    assert "  next?: Thing2;" in shown
    assert periplus("inspect", "getShip", "--form", "line").out == "quay/ships/getShip(x?: integer) -> Thing0 | null\n"


def test_a_result_of_many_types_shows_the_nearest_and_names_the_next(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "quay.json").write_text(text(_ship(api("ships/getShip") | {"openapi": "3.1.0"}, 20)))
    periplus("add", "quay.json")
    shown = periplus("inspect", "getShip").out
    assert shown.count("interface ") == 8
    assert shown.rstrip().endswith("// and Thing8: see the JSON Schema")


def test_a_tool_is_inspected_in_four_forms(quay: Run) -> None:
    signature = quay("inspect", "reserveBerth").out
    assert "function reserveBerth(" in signature
    assert "@effect write" in signature
    assert "Do reserveBerth." in signature
    assert "x?: integer" in signature
    assert quay("inspect", "reserveBerth", "--form", "line").out.count("\n") == 1
    schema = quay("inspect", "reserveBerth", "--form", "schema").json
    assert schema["args_schema"]["properties"]["x"]["type"] == "integer"
    function = quay("inspect", "POST /reserveBerth", "--form", "function").json
    assert function["function"]["parameters"]["properties"]["x"]["type"] == "integer"
    whole = quay("inspect", "reserveBerth", "--json").json
    assert (whole["source"], whole["path"], whole["effect"]) == ("quay", "berths/reserveBerth", "write")


def test_searching_prints_tools_with_reasons(quay: Run) -> None:
    found = quay("search", "reserve a berth")
    assert found.code == 0
    assert "quay/berths/reserveBerth" in found.out
    hits = quay("search", "reserve a berth", "--json").json["hits"]
    assert hits[0]["ref"] == "quay/berths/reserveBerth"
    assert 0 < hits[0]["score"] <= 1


# --- config and doctor -------------------------------------------------------------------------------------------


def test_config_prints_what_is_in_force_as_toml(periplus: Run, tmp_path: Path) -> None:
    import tomllib  # noqa: PLC0415 - reads what only this test prints

    (tmp_path / "periplus.toml").write_text('[fetch]\nallow = ["10.0.0.0/8"]\n[sources.quay]\nurl = "quay.json"\n')
    printed = periplus("config").out.splitlines()
    assert printed[0] == f"settings file: {tmp_path / 'periplus.toml'}"
    settings = tomllib.loads("\n".join(printed[1:]))
    assert settings["fetch"]["allow"] == ["10.0.0.0/8"]
    assert settings["data"] == str(tmp_path / "data")
    shown = periplus("config", "--json").json
    assert shown["file"] == str(tmp_path / "periplus.toml")
    assert shown["settings"]["fetch"] == settings["fetch"]


def test_another_file_and_another_directory_can_be_named(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[fetch]\ntimeout_seconds = 7\n")
    shown = periplus("--config", "mine.toml", "--data", "elsewhere", "config", "--json").json
    assert shown["settings"]["fetch"]["timeout_seconds"] == 7
    assert shown["settings"]["data"] == str(tmp_path / "elsewhere")
    missing = periplus("--config", "none.toml", "sources")
    assert missing.code == Code.BAD_SETTING.status.exit
    assert "there is no settings file 'none.toml'" in missing.err


def test_a_configured_source_is_read_before_the_command(periplus: Run, tmp_path: Path, site: Site) -> None:
    """One that cannot be read is listed with its reason and delays nothing."""
    site.write("/api.json", text(api("a")))
    (tmp_path / "periplus.toml").write_text(
        f'[sources.quay]\nurl = "{site.url("/api.json")}"\n[sources.gone]\nurl = "{site.url("/gone.json")}"\n'
    )
    records = {line["source"]: line for line in periplus("sources", "--json").json}
    assert records["quay"]["state"] == "ok"
    assert records["gone"]["state"] == "unavailable"
    assert "404" in records["gone"]["reason"]


def test_doctor_finds_a_sound_house(quay: Run) -> None:
    checks = {check["name"]: check for check in quay("doctor", "--json").json}
    assert {check["state"] for check in checks.values()} == {"ok"}
    assert list(checks) == ["python", "settings", "data", "key ring", "store", "ledger", "quay"]
    assert "3 tools from 1 source" in checks["store"]["message"]
    assert "ok      key ring  1 key" in quay("doctor").out


def test_doctor_says_what_to_do_about_each_fault(quay: Run, tmp_path: Path) -> None:
    ring = tmp_path / "data" / "keys.json"
    ring.chmod(0o644)
    loose = quay("doctor")
    assert loose.code == 0
    assert "warning key ring  readable by others (644)" in loose.out
    assert f"→ chmod 600 {ring}" in loose.out
    ring.write_text("junk")
    broken = quay("doctor")
    assert broken.code == Code.STORE_ERROR.status.exit
    assert "failed  key ring" in broken.out
    assert "restore the file, or remove it" in broken.out
    ring.unlink()
    (tmp_path / "data" / "periplus.db").write_bytes(b"no database" * 999)
    damaged = quay("doctor")
    assert damaged.code == Code.STORE_ERROR.status.exit
    assert "failed  store" in damaged.out
    assert "not sound: store" in damaged.err


def test_doctor_names_a_source_that_is_stale(quay: Run, tmp_path: Path) -> None:
    (tmp_path / "quay.json").unlink()
    quay("sync")
    checked = quay("doctor")
    assert checked.code == 0
    assert "warning quay  stale: " in checked.out
    assert "→ periplus sync quay" in checked.out


def test_doctor_says_where_data_cannot_lie(periplus: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    checked = periplus("--data", "file/data", "doctor")
    assert checked.code == Code.STORE_ERROR.status.exit
    assert "failed  data" in checked.out
    assert "--data or PERIPLUS_DATA" in checked.out


@pytest.mark.parametrize("command", ["sources", "browse", "sync", "doctor", "config"])
def test_an_unknown_setting_stops_every_command_and_names_the_nearest(
    periplus: Run, tmp_path: Path, command: str
) -> None:
    (tmp_path / "periplus.toml").write_text("[fetch]\nalow = []\n")
    refused = periplus(command)
    assert refused.code == Code.BAD_SETTING.status.exit
    assert "unknown setting 'fetch.alow'" in refused.err
    assert "did you mean 'fetch.allow'?" in refused.err
