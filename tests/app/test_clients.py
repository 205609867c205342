from __future__ import annotations

import json
from pathlib import Path

import pytest

from periplus.app import clients
from periplus.model import Problem


@pytest.mark.parametrize("name", clients.CLIENTS)
def test_every_client_is_told_a_command_that_serves_over_stdio(name: str) -> None:
    """T-8."""
    of = clients.client(name)
    made = clients.snippet(of, "periplus", clients.Reach(face="expansion", config="/etc/p.toml"))
    entry = made[of.group]["periplus"]
    assert Path(entry["command"]).name.startswith("periplus")
    assert entry["args"] == ["--config", "/etc/p.toml", "serve", "--stdio", "--face", "expansion"]


@pytest.mark.parametrize("name", clients.CLIENTS)
def test_every_client_can_be_sent_to_a_url(name: str) -> None:
    """T-8."""
    of = clients.client(name)
    assert "http://127.0.0.1:8750/mcp" in clients.entry(of, clients.Reach(url="http://127.0.0.1:8750/mcp")).values()


def test_writing_keeps_what_was_there_and_a_copy_of_it(tmp_path: Path) -> None:
    """T-8."""
    file = tmp_path / "mcp.json"
    before = '{"mcpServers": {"other": {"command": "x"}}, "theme": "dark"}'
    file.write_text(before)
    of = clients.client("cursor")
    first = clients.write(of, "periplus", clients.Reach(), file)
    second = clients.write(of, "periplus", clients.Reach(face="mesh"), file)
    tree = json.loads(file.read_text())
    assert tree["theme"] == "dark"
    assert set(tree["mcpServers"]) == {"other", "periplus"}
    assert first is not None
    assert first.read_text() == before
    assert second is not None
    assert second != first


def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{broken")
    with pytest.raises(Problem, match="left as it is"):
        clients.write(clients.client("cursor"), "periplus", clients.Reach(), file)
    assert file.read_text() == "{broken"


def test_an_unknown_client_is_told_which_there_are() -> None:
    with pytest.raises(Problem) as caught:
        clients.client("emacs")
    assert "claude-desktop" in caught.value.hints[0]
