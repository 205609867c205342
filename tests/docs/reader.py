"""A reader who does everything a page says, in a directory of their own beside a running harbour."""

from __future__ import annotations

import ast
import configparser
import contextlib
import importlib
import io
import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import anyio
import graphql
import pages
import yaml

from periplus.app import parts
from periplus.cli.main import run
from periplus.demo.services import Harbour
from periplus.settings import load_settings

HOME = "/home/you"  # how a page writes the reader's directory
WIDTH = "100"

_SHOWN = re.compile(r"(?m)^ *# ?> (.*)$")  # a line that a python block prints; the formatter puts the space

# What differs from run to run: when it was, how long it took, and how sure a model of another version is.
_MEASURED = (
    (re.compile(r"\b[\d,]+ ms\b"), "N ms"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b"), "THEN"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r"\b[\d,]+ tokens\b"), "N tokens"),
    (re.compile(r"(?m)^ *\d+%"), "N%"),
    (re.compile(r"\bmeaning \d\.\d\d\b"), "meaning N"),
)


@dataclass
class Reader:
    """One reading of one page: a directory, a Python session, and what the page's addresses stand for."""

    directory: Path
    harbour: Harbour
    not_run: Mapping[str, str]
    session: dict[str, Any] = field(default_factory=dict)
    passed_over: set[str] = field(default_factory=set)

    def do(self, block: pages.Block) -> None:
        """What a block asks for, by its language; a language nobody knows is a fault of the page."""
        if block.title:
            self._save(block)
        if block.language == "python":
            self._python(block)
        elif block.language == "console":
            for command, shown in pages.commands(block):
                self._command(block, command, shown)
        elif block.language == "toml":
            self._toml(block)
        elif block.language in _PARSERS:
            _PARSERS[block.language](block.text)
        elif block.language != "text":
            raise AssertionError(f"{block.where}: nothing is known about {block.language!r} blocks")

    def _save(self, block: pages.Block) -> None:
        path = self.directory / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._real(block.text), "utf-8")
        if block.title == "pyproject.toml":
            self._install(tomllib.loads(block.text))

    def _install(self, project: dict[str, Any]) -> None:
        """What installing does that matters here: entry points become known."""
        about = self.directory / f"{project['project']['name']}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['project']['name']}\nVersion: 1.0\n")
        points = configparser.ConfigParser(delimiters=("=",))
        points.read_dict(project["project"]["entry-points"])
        with (about / "entry_points.txt").open("w") as file:
            points.write(file)
        importlib.invalidate_caches()
        parts.kinds.cache_clear()

    def _python(self, block: pages.Block) -> None:
        importlib.invalidate_caches()
        code = compile(self._real(block.text), block.where, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with _printed() as out:
            self._execute(code)
        expected = "\n".join(_SHOWN.findall(block.text))
        if expected:
            self._compare(block.where, expected, out.getvalue())

    def _execute(self, code: CodeType) -> None:
        waits = eval(code, self.session)  # noqa: S307 - our own pages; a block that awaits gives a coroutine
        if waits is not None:

            async def wait() -> None:
                await waits

            anyio.run(wait)

    def _toml(self, block: pages.Block) -> None:
        if block.title not in ("", "periplus.toml"):
            tomllib.loads(block.text)
            return
        file = self.directory / (block.title or "shown.toml")
        file.write_text(self._real(block.text), "utf-8")
        load_settings(file, {})

    def _command(self, block: pages.Block, command: str, shown: str) -> None:
        reason = next((start for start in self.not_run if command.startswith(start)), None)
        if reason is not None:
            self.passed_over.add(reason)
            return
        words = shlex.split(self._real(command), comments=True)
        settings = dict(word.split("=", 1) for word in words if re.match(r"PERIPLUS_\w+=", word))
        program, *arguments = words[len(settings) :]
        where = f"{block.where}: $ {command}"
        if program == "make":
            makefile = (pages.ROOT / "Makefile").read_text()
            assert all(re.search(rf"(?m)^{target}:", makefile) for target in arguments), where
            return
        assert program == "periplus", f"{where}: only periplus and make are known; else name it in NOT_RUN"
        status, printed = _periplus(arguments, settings)
        assert status == 0 or shown, f"{where}: ended with {status}\n{printed}"
        if shown:
            self._compare(where, shown, printed)

    def _real(self, text: str) -> str:
        for address, page in self._addresses().items():
            text = text.replace(page, address)
        return text

    def _addresses(self) -> dict[str, str]:
        return {
            self.harbour.office: "https://harbour.example.com",
            self.harbour.crew: "https://crew.example.com",
            str(self.directory): HOME,
        }

    def _compare(self, where: str, shown: str, printed: str) -> None:
        for address, page in self._addresses().items():
            printed = printed.replace(address, page)
        wanted, got = _comparable(shown), _comparable(printed)
        pattern = _pattern(wanted)
        assert re.fullmatch(pattern, got), f"{where}\n--- shown\n{wanted}\n--- printed\n{got}"


def _pattern(shown: str) -> str:
    """What may stand where a page shows this: `...` is any text, on a line of its own also no line."""
    dots = re.escape("...")
    pattern = re.sub(rf"\\\n{re.escape(dots)}\Z", r"(?:\\n[\\s\\S]*)?", re.escape(shown))
    return pattern.replace(dots, r"[\s\S]*?")


def _comparable(text: str) -> str:
    for measured, word in _MEASURED:
        text = measured.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@contextlib.contextmanager
def _printed() -> Iterator[io.StringIO]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        yield out


def _periplus(arguments: list[str], settings: Mapping[str, str]) -> tuple[int, str]:
    """The command line in this process, as its script runs it."""
    before, outside = sys.argv, dict(os.environ)
    sys.argv = ["periplus", *arguments]
    os.environ.update(settings)
    try:
        with _printed() as out:
            try:
                run()
            except SystemExit as end:
                return int(end.code or 0), out.getvalue()
    finally:
        sys.argv = before
        os.environ.clear()
        os.environ.update(outside)
    return 0, out.getvalue()


_PARSERS: dict[str, Any] = {"json": json.loads, "yaml": yaml.safe_load, "graphql": graphql.parse}
