"""`periplus.open`: the same in Python, in a few typed lines, reading nothing it was not told of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import periplus
from periplus.model import Code, Effect
from periplus.settings import Settings
from sites import Site, api, text


async def test_connect_browse_and_describe_in_a_few_lines(tmp_path: Path, site: Site) -> None:
    site.write("/openapi.json", text(api("ships/listShips", "berths/reserveBerth")))
    async with periplus.open(f"sqlite:///{tmp_path / 'harbour'}") as gateway:
        report = await gateway.connect(site.url("/openapi.json"))
        assert (report.counts.tools, report.counts.skipped) == (2, 0)
        listing = await gateway.browse()
        assert listing.node.tools == 2
        tool = await gateway.describe("listShips")
        assert isinstance(tool, periplus.Tool)
        assert tool.effect is Effect.READ
    async with periplus.open(f"sqlite:///{tmp_path / 'harbour' / 'periplus.db'}") as gateway:
        assert (await gateway.describe("reserve_berth")).path == "berths/reserveBerth"


async def test_a_relative_address_lies_below_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with periplus.open("sqlite:///here/deep") as gateway:
        assert await gateway.revision() == 0
    assert (tmp_path / "here" / "deep" / "periplus.db").is_file()


@pytest.mark.parametrize(
    ("address", "code"),
    [("postgres://x", Code.UNSUPPORTED), ("sqlite:///", Code.BAD_SETTING), ("harbour.db", Code.UNSUPPORTED)],
)
async def test_an_address_that_is_none_says_which_are(address: str, code: Code) -> None:
    with pytest.raises(periplus.Problem) as refused:
        async with periplus.open(address):
            pass
    assert refused.value.code is code
    assert "sqlite:///PATH" in refused.value.hints[0]


async def test_nothing_is_read_from_the_surroundings_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library does what its caller says, whatever stands in the directory or the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERIPLUS_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PERIPLUS_FETCH__TIMEOUT_SECONDS", "no number")
    (tmp_path / "periplus.toml").write_text("[nonsense]\n")
    async with periplus.open(f"sqlite:///{tmp_path / 'mine'}") as gateway:
        assert list(await gateway.sources()) == []
    assert not (tmp_path / "elsewhere").exists()


async def test_a_settings_file_or_settings_can_be_given(tmp_path: Path, site: Site) -> None:
    site.write("/api.json", text(api("a")))
    file = tmp_path / "mine.toml"
    file.write_text(f'data = "{tmp_path / "data"}"\n[sources.quay]\nurl = "{site.url("/api.json")}"\n')
    async with periplus.open(config=file) as gateway:
        assert [record.id for record in await gateway.sources()] == ["quay"]
    async with periplus.open(settings=Settings(data=str(tmp_path / "data"))) as gateway:
        assert (await gateway.describe("a")).source == "quay"


async def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(periplus.Problem) as refused:
        async with periplus.open(f"sqlite:///{tmp_path / 'file' / 'data'}"):
            pass
    assert refused.value.code is Code.STORE_ERROR
    assert str(tmp_path / "file" / "data") in refused.value.message


async def test_two_gateways_see_one_catalog(tmp_path: Path, site: Site) -> None:
    site.write("/api.json", text(api("a")))
    store = f"sqlite:///{tmp_path / 'data'}"
    async with periplus.open(store) as one, periplus.open(store) as two:
        await one.connect(site.url("/api.json"))
        assert (await two.describe("a")).summary == "Do a."
        assert await two.revision() == await one.revision() == 1


def test_importing_periplus_imports_no_library() -> None:
    script = "import sys, periplus; print([n for n in ('anyio', 'httpx2', 'mcp', 'rich', 'numpy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = periplus.nothing_like_it
