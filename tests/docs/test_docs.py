"""What the pages show works: every snippet is run, every link leads somewhere, no reference lags behind the code."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pages
import pytest
import yaml
from reader import WIDTH, Reader
from tools import reference, site

import periplus
from periplus import model, ports
from periplus.app import parts
from periplus.core.gateway import Gateway
from periplus.demo.services import Harbour, running
from periplus.model import Code, FindingCode

# Commands that are shown and not run, each with the reason. One that no page shows any more fails the test.
NOT_RUN = {
    'pip install "periplus[telemetry]"': "installs; the environment for development has it",
    "pip install .": "installs; continuous integration does it in its own way",
    "uv tool install .": "installs for the whole account",
    "periplus demo": "prints the tour, which tests of the demo follow",
    'periplus add "mcp:npx': "needs npx and a package from the network",
    "periplus add https://mcp.example.com": "a server that does not exist",
    "cat token.txt | periplus login": "a pipe; tests of the command follow it",
    "periplus add ~/.config": "a file of the reader's own",
}

# Links to pages that are written elsewhere and not here yet.
COMING: set[str] = set()


@pytest.fixture(scope="module")
def harbour() -> Iterator[Harbour]:
    with running() as open_for_business:
        yield open_for_business


@pytest.fixture
def reader(tmp_path: Path, harbour: Harbour, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """A reader in an empty clone: the sources of the package lie there, nothing has been connected."""
    (tmp_path / "src").symlink_to(pages.ROOT / "src")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PERIPLUS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", WIDTH)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    yield Reader(tmp_path, harbour, NOT_RUN)
    parts.kinds.cache_clear()
    parts.source.cache_clear()


@pytest.mark.parametrize("page", pages.pages())
def test_every_snippet_of_a_page_does_what_the_page_shows(page: str, reader: Reader) -> None:
    for block in pages.blocks(page):
        reader.do(block)


def test_no_command_is_excused_from_running_that_no_page_shows() -> None:
    shown = [
        command
        for page in pages.pages()
        for block in pages.blocks(page)
        if block.language == "console"
        for command, _ in pages.commands(block)
    ]
    assert [start for start in NOT_RUN if not any(command.startswith(start) for command in shown)] == []


@pytest.mark.parametrize("page", pages.pages())
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    lost: list[str] = []
    for target in re.findall(r"\]\(([^)\s]+)\)", pages.prose(page)):
        if re.match(r"https?://|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (pages.ROOT / page).parent / path if path else pages.ROOT / page
        name = str(there.resolve().relative_to(pages.ROOT))
        is_lost = not there.exists() and name not in COMING
        if is_lost or (anchor and there.suffix == ".md" and there.exists() and anchor not in pages.anchors(name)):
            lost.append(target)
    assert lost == []


def test_the_site_lists_every_page() -> None:
    navigation = yaml.safe_load((pages.ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    listed = {f"docs/{path}" for path in re.findall(r"[\w/-]+\.md", str(navigation))}
    there = {page for page in pages.pages() if page.startswith("docs/")}
    there |= {f"docs/{page}" for page in site.BESIDE.values()}
    assert there - listed == set()
    assert listed - there <= COMING


def test_the_architecture_page_names_every_room_and_no_other() -> None:
    page = pages.text_of("docs/architecture.md")
    told = re.findall(r"(?m)^  (\w+)(?:/|\.py) ", page.partition("src/periplus/\n")[2].partition("```")[0])
    there = {module.name for module in pkgutil.iter_modules(periplus.__path__)}
    assert sorted(told) == sorted(there)


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    names = {re.match(r"[\w.-]+", requirement)[0] for requirement in wanted}  # type: ignore[index]
    rows = re.findall(r"(?m)^\| ([^|]+) \|", pages.text_of("docs/dependencies.md"))
    told = {name.strip() for row in rows for name in row.split(",")}
    assert names - told == set()


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_says_what_the_code_says(name: str) -> None:
    written = (reference.DIRECTORY / name).read_text("utf-8")
    assert written == reference.PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("codes", [Code, FindingCode])
def test_every_code_says_what_it_means(codes: type[Code | FindingCode]) -> None:
    assert {code.name for code in codes} - reference.comments(codes).keys() == set()


def test_every_setting_says_what_it_means() -> None:
    lines = reference.settings_page().splitlines()
    assert [line for line in lines if line.startswith("|") and re.search(r"\|\s*\|$", line)] == []


def test_public_names_have_docstrings() -> None:
    modules = (periplus, model, ports)
    named = [(f"{module.__name__}.{name}", getattr(module, name)) for module in modules for name in module.__all__]
    named += [(f"Gateway.{name}", verb) for name, verb in inspect.getmembers(Gateway) if not name.startswith("_")]
    ours = [
        (name, thing)
        for name, thing in named
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and thing.__module__.startswith("periplus")
    ]
    assert len(ours) > 60
    assert [name for name, thing in ours if not (thing.__doc__ or "").strip()] == []
