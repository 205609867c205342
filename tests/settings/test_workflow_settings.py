from __future__ import annotations

from pathlib import Path

import pytest

from periplus.app.workflows import workflow_parts
from periplus.model import Code, Problem
from periplus.settings import load_settings


def test_a_relative_directory_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    """W-11."""
    file = tmp_path / "periplus.toml"
    file.write_text('[workflow]\ndir = "definitions"\ninterop_key = "keys/shared"\n')
    workflow = load_settings(file, {}).workflow
    assert workflow.dir == (str(tmp_path / "definitions"),)
    assert workflow.interop_key == str(tmp_path / "keys" / "shared")
    file.write_text('[workflow]\ndir = ["one", "/two"]\n')
    assert load_settings(file, {}).workflow.dir == (str(tmp_path / "one"), "/two")


def test_directories_are_named_by_flag_then_environment_then_the_other_name_then_the_file(tmp_path: Path) -> None:
    """Section 2."""
    file = tmp_path / "periplus.toml"
    file.write_text('[workflow]\ndir = "/file"\n')
    both = {"WORKFLOW_DIR": "/compat", "PERIPLUS_WORKFLOW__DIR": "/own,/more"}
    assert load_settings(file, both, {"workflow.dir": ["/flag"]}).workflow.dir == ("/flag",)
    assert load_settings(file, both).workflow.dir == ("/own", "/more")
    assert load_settings(file, {"WORKFLOW_DIR": "/compat"}).workflow.dir == ("/compat",)
    assert load_settings(file, {}).workflow.dir == ("/file",)


@pytest.mark.parametrize(("said", "listed"), [("auto", True), ("true", True), ("false", False)])
def test_whether_the_example_is_listed_can_be_said(said: str, listed: bool) -> None:  # noqa: FBT001
    """Section 2, W-97."""
    settings = load_settings(None, {"PERIPLUS_WORKFLOW__EXAMPLES": said})
    assert bool(workflow_parts(settings.workflow).library.look().listed()) is listed


@pytest.mark.parametrize(
    ("name", "value"),
    [("GATE", "some"), ("MIN_RESPONSE_SECONDS", "-1"), ("SESSION_TTL_DAYS", "soon"), ("VERIFY_CONDITIONS", "maybe")],
)
def test_a_value_that_is_none_is_refused(name: str, value: str) -> None:
    with pytest.raises(Problem) as caught:
        load_settings(None, {f"PERIPLUS_WORKFLOW__{name}": value})
    assert caught.value.code is Code.BAD_SETTING


def test_fractions_of_seconds_and_days_count(tmp_path: Path) -> None:
    """Section 2."""
    environ = {"PERIPLUS_WORKFLOW__MIN_RESPONSE_SECONDS": "0.25", "PERIPLUS_WORKFLOW__SESSION_TTL_DAYS": "0"}
    rules = workflow_parts(load_settings(None, environ).workflow).rules
    assert (rules.min_response_ms, rules.ttl_s) == (250.0, 0.0)


def test_a_shared_key_is_thirty_two_bytes_in_a_file(tmp_path: Path) -> None:
    """W-42."""
    key = tmp_path / "key"
    for written in (None, b"short"):
        if written is not None:
            key.write_bytes(written)
        settings = load_settings(None, {"PERIPLUS_WORKFLOW__INTEROP_KEY": str(key)})
        with pytest.raises(Problem, match=str(key)):
            workflow_parts(settings.workflow)
