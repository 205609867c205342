"""Names of sources that nobody named."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from periplus.model import SourceSpec, fold

_SILENT = frozenset(
    {
        "api", "apis", "rest", "openapi", "swagger", "docs", "doc", "spec", "specs", "schema", "graphql", "mcp",
        "sse", "latest", "public", "index", "api-docs", "json", "yaml", "yml", "tools",
    }
)  # fmt: skip
_ID_MAX = 40
_EXTENSION = re.compile(
    r"(?:\.(?:json|ya?ml|graphqls?|gql|md|toml|openapi|swagger|introspection|py|[cm]?[jt]s|exe|sh|jar))+$",
    re.IGNORECASE,
)
_LAUNCHER = re.compile(
    r"npx|npm|pnpm|yarn|bunx?|deno|node|tsx|uvx?|pipx|python[\d.]*|pypy[\d.]*|java|dotnet|docker|podman|env|[bz]?a?sh",
    re.IGNORECASE,
)
_WITH_VALUE = frozenset(
    {
        "--with",
        "--from",
        "--package",
        "--env",
        "--name",
        "--volume",
        "--network",
        "--directory",
        "--project",
        "--python",
    }
    | {"-p", "-e", "-v", "-w", "-C"}
)
_BETWEEN = frozenset({"run", "exec", "x", "dlx", "tool", "container"})


def source_id(spec: SourceSpec, taken: Collection[str]) -> str:
    """A name for a source nobody named (S-15): its host and the last telling piece of its path, or what it runs.

    Arguments of a command are not in it: they may be secrets, and names stand in the trail.
    """
    name = _place(spec.url) if spec.url else _program((spec.command, *spec.args))
    return free_id(_identifier(name), taken)


def _place(location: str) -> str:
    try:
        parts = urlsplit(location)
    except ValueError:  # no URL, which whoever fetches it says better
        parts = urlsplit("")
    if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname:
        host = parts.hostname.removeprefix("www.")
        return "-".join([host.replace(".", "-").replace(":", "-"), *_telling(parts.path)[-1:]])
    return _EXTENSION.sub("", PurePath(location.rstrip("/\\")).name)


def _program(words: Sequence[str]) -> str:
    """What a command runs: its program, or the first telling word behind one that runs others."""
    behind = zip(("", *words), words, strict=False)
    said = [
        word for before, word in behind if word[:1] not in {"", "-"} and "=" not in word and before not in _WITH_VALUE
    ]
    names = [_EXTENSION.sub("", PurePath(word.rstrip("/\\")).name) for word in said]
    if names and _LAUNCHER.fullmatch(names[0]):
        names = [name for name in names[1:] if not _LAUNCHER.fullmatch(name) and name not in _BETWEEN] or names
    return names[0].partition("@")[0].partition(":")[0] if names else ""


def free_id(name: str, taken: Collection[str]) -> str:
    """The name, or the first numbered form of it that differs from all others by more than hyphens."""
    folded = {fold(one) for one in taken}
    return next(
        candidate
        for number in range(1, len(taken) + 2)
        if fold(candidate := name if number == 1 else f"{name[: _ID_MAX - 4]}-{number}") not in folded
    )


def _telling(path: str) -> list[str]:
    pieces = [piece.rsplit(".", 1)[0] for piece in path.lower().split("/") if piece]
    return [piece for piece in pieces if piece not in _SILENT and not _is_version(piece)]


def _is_version(piece: str) -> bool:
    return piece[:1] in {"v", ""} and piece[1:].replace(".", "").isdigit()


def _identifier(text: str) -> str:
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in text.lower())
    return "-".join(piece for piece in plain.split("-") if piece)[:_ID_MAX].strip("-") or "source"
