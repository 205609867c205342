"""Settings from `periplus.toml`, then `PERIPLUS_...`, then flags. An unknown key is an error."""

from __future__ import annotations

import difflib
import re
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from periplus.model import CallRules, Code, Policy, Problem, SourceSpec, check_source_id
from periplus.settings.tables import Settings, WorkflowSettings

PREFIX = "PERIPLUS_"
FILE_NAME = "periplus.toml"


def load_settings(file: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings of one run. `flags` uses dotted keys: `{"fetch.proxy": "..."}`."""
    tree = read_toml(file) if file else {}
    if file:
        _anchor(tree, file.parent)
    for dotted, value, origin in (*_environment(environ), *_flags(flags or {})):
        _place(tree, dotted, value, origin)
    origin = str(file) if file else "the settings"
    _check_keys(tree, Settings, origin, ())
    sources = tree.get("sources", {})
    if not isinstance(sources, dict):
        raise Problem(
            Code.BAD_SETTING, f"{origin}: sources is {sources!r}", hints=('write [sources.NAME] with url = "..."',)
        )
    tree["sources"] = {name: _source(name, table, origin) for name, table in sources.items()}
    for name, kind in (("policy", Policy), ("calls", CallRules), ("workflow", WorkflowSettings)):
        if name in tree:
            tree[name] = _listed(tree[name], kind)
    try:
        settings = msgspec.convert(tree, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(Code.BAD_SETTING, f"{origin}: {error}", hints=("periplus config shows every key",)) from error
    _check_credentials(settings, origin)
    return settings


def _check_credentials(settings: Settings, origin: str) -> None:
    for number, credential in enumerate(settings.credentials, 1):
        faults = credential.faults(allow_literals=settings.secrets.allow_literals)
        if faults:
            title = f"credentials[{number}] ({credential.title})"
            raise Problem(Code.BAD_SETTING, f"{origin}: {title}: {faults[0]}", hints=tuple(faults[1:]))


def find_file(flag: str | None, environ: Mapping[str, str], directory: Path) -> Path | None:
    """The settings file: as named, else `periplus.toml` in the current directory, else none."""
    named = flag or environ.get(f"{PREFIX}CONFIG")
    if named:
        path = Path(named)
        if not path.is_file():
            raise Problem(Code.BAD_SETTING, f"there is no settings file {named!r}", hints=("check --config",))
        return path
    here = directory / FILE_NAME
    return here if here.is_file() else None


def read_policy(tree: Mapping[str, Any], origin: str) -> Policy:
    """A `[policy]` table, or a policy file of its own; a text counts where a list of texts is wanted."""
    tree = dict(tree)
    _check_keys(tree, Policy, origin, ("policy",))
    try:
        return msgspec.convert(_listed(tree, Policy), Policy, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(
            Code.BAD_SETTING, f"{origin}: policy: {error}", hints=("docs/guides/policy.md shows every key",)
        ) from error


def _listed(value: Any, kind: Any) -> Any:
    """The same with a text put into a list where its type wants one: `principal = "ops"`."""
    if _is_table(kind) and isinstance(value, dict):
        hints = typing.get_type_hints(kind)
        return {name: _listed(item, hints.get(name)) for name, item in value.items()}
    if typing.get_origin(kind) is not tuple:
        return value
    if isinstance(value, list):
        return [_listed(item, typing.get_args(kind)[0]) for item in value]
    return [value] if isinstance(value, str) else value


def read_toml(file: Path) -> dict[str, Any]:
    """A TOML file, or what is wrong with it."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Problem(
            Code.BAD_SETTING, f"{file}: not valid TOML: {error}", hints=("mend the file there",), where=str(file)
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(Code.BAD_SETTING, f"{file} cannot be read: {error}", where=str(file)) from error


_NOT_SETTINGS = frozenset({f"{PREFIX}CONFIG"})


_OTHER_NAMES = {"WORKFLOW_DIR": "PERIPLUS_WORKFLOW__DIR"}  # what clients of another server set


def _environment(environ: Mapping[str, str]) -> list[tuple[str, Any, str]]:
    """`PERIPLUS_FETCH__ALLOW=a,b` as ("fetch.allow", "a,b", its name)."""
    said = {own: environ[name] for name, own in _OTHER_NAMES.items() if environ.get(name)}
    environ = said | dict(environ)
    return [
        (name.removeprefix(PREFIX).lower().replace("__", "."), value, name)
        for name, value in sorted(environ.items())
        if name.startswith(PREFIX) and name not in _NOT_SETTINGS
    ]


_PATHS = (("workflow", "dir"), ("workflow", "interop_key"))


def _anchor(tree: dict[str, Any], directory: Path) -> None:
    """Relative paths in a file mean what lies beside it, wherever the command runs."""

    def placed(path: Any) -> Any:
        return str(directory / Path(path).expanduser()) if isinstance(path, str) and path else path

    for table, key in _PATHS:
        values = tree.get(table)
        if isinstance(values, dict) and key in values:
            value = values[key]
            values[key] = [placed(one) for one in value] if isinstance(value, list) else placed(value)


def _flags(flags: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    return [(dotted, value, f"--{dotted.replace('.', '-')}") for dotted, value in flags.items() if value is not None]


def _place(tree: dict[str, Any], dotted: str, value: Any, origin: str) -> None:
    *tables, key = dotted.split(".")
    kind: Any = Settings
    here = tree
    for name in tables:
        kind = _field(kind, name, origin)
        here = here.setdefault(name, {})
        if not isinstance(here, dict):
            raise Problem(Code.BAD_SETTING, f"{origin}: {name!r} is not a table")
    wanted = _field(kind, key, origin)
    if isinstance(value, str) and typing.get_origin(wanted) is tuple:
        value = [item.strip() for item in value.split(",") if item.strip()]
    here[key] = value


def _field(kind: Any, name: str, origin: str) -> Any:
    """The type of a member, or the refusal that names the nearest one."""
    if typing.get_origin(kind) is dict:
        return typing.get_args(kind)[1]
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        raise Problem(Code.BAD_SETTING, f"{origin}: no setting lies below this one")
    hints = typing.get_type_hints(kind)
    if name not in hints:
        raise unknown_key(name, tuple(hints), origin)
    return hints[name]


def _check_keys(tree: Mapping[str, Any], kind: Any, origin: str, path: tuple[str, ...]) -> None:
    hints = typing.get_type_hints(kind)
    for name, value in tree.items():
        if name not in hints:
            raise unknown_key(".".join((*path, name)), tuple(".".join((*path, key)) for key in hints), origin)
        wanted = hints[name]
        if isinstance(value, dict) and _is_table(wanted):
            _check_keys(value, wanted, origin, (*path, name))
        elif isinstance(value, list) and (rows := typing.get_args(wanted)) and _is_table(rows[0]):
            for number, row in enumerate(value, 1):
                if isinstance(row, dict):
                    _check_keys(row, rows[0], origin, (*path, f"{name}[{number}]"))


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def unknown_key(name: str, known: tuple[str, ...], origin: str) -> Problem:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
    return Problem(Code.BAD_SETTING, f"{origin}: unknown setting {name!r}", hints=(hint,))


_WITH_USER = re.compile(r"\w+://[^/?#]*@")
_REDIRECTS = ("", "any", "none")


def _source(name: str, table: Any, origin: str) -> dict[str, Any]:
    """One `[sources.<id>]` table with its name in it."""
    check_source_id(name)
    if isinstance(table, str):
        table = {"url": table}
    if not isinstance(table, dict):
        raise Problem(Code.BAD_SETTING, f"{origin}: sources.{name} is neither a table nor an address")
    if isinstance(table.get("expose"), str):
        table = table | {"expose": [table["expose"]]}
    for key in ("url", "endpoint", "base_url"):
        if _WITH_USER.match(str(table.get(key, ""))):
            said = f"{origin}: sources.{name}.{key} holds a user name or password"
            raise Problem(Code.BAD_SETTING, said, hints=("give them as a header, or under [[credentials]]",))
    _check_keys(table, SourceSpec, origin, ("sources", name))
    if not table.get("url") and not table.get("command"):
        raise Problem(
            Code.BAD_SETTING, f"{origin}: sources.{name} says neither url nor command", hints=('add url = "..."',)
        )
    if table.get("redirects", "") not in _REDIRECTS:
        said = f"{origin}: sources.{name}.redirects is {table['redirects']!r}"
        raise Problem(Code.BAD_SETTING, said, hints=('it is "any", "none" or left out',))
    made: dict[str, Any] = {"id": name, "trusted": True} | table
    return made
