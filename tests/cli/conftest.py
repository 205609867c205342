"""The command line as somebody runs it: arguments in, what is printed and the exit code out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from outcome import Outcome, Run

import sites
from periplus.cli.main import run


@pytest.fixture
def site() -> Iterator[sites.Site]:
    with sites.site() as made:
        yield made


@pytest.fixture
def periplus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `periplus ...` through its outermost frame, in an empty directory with data of its own."""
    for name in [name for name in os.environ if name.startswith("PERIPLUS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PERIPLUS_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["periplus", *arguments])
        capsys.readouterr()
        code: int | str | None = 0
        try:
            run()
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        assert isinstance(code, int)
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture
def quay(periplus: Run, tmp_path: Path) -> Run:
    """The command line over a catalog with one source of three tools in two areas."""
    document = sites.api("ships/listShips", "ships/getShip", "berths/reserveBerth")
    document["paths"]["/reserveBerth"]["post"] = document["paths"]["/reserveBerth"].pop("get")
    (tmp_path / "quay.json").write_text(sites.text(document))
    assert periplus("add", "quay.json").code == 0
    return periplus
