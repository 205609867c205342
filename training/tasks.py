"""Goals that no table was trained on: Ansible's modules, and the names that authors gave to tasks in their examples.

Read from the wheels `ansible` and `ansible-core` (GPL-3.0-or-later). Nothing of them is shipped: a few dozen numbers,
the weights of the fusion and the calibration, are measured on them.
"""

import ast
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from benchmarks.search.sets import Query

from periplus.search.records import Record

_MODULE = re.compile(
    r"ansible_collections/(\w+)/(\w+)/plugins/modules/(?:.*/)?([a-z]\w+)\.py|(ansible)/(modules)/([a-z]\w+)\.py"
)
_MARK = re.compile(r"[A-Z]\(([^),]*)[^)]*\)")


def _plain(text: Any, most: int) -> str:
    joined = " ".join(map(str, text)) if isinstance(text, list) else str(text or "")
    return " ".join(_MARK.sub(r"\1", joined).split())[:most]


def _constants(source: str) -> dict[str, str]:
    """The strings that a module assigns to names."""
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found |= {target.id: node.value.value for target in node.targets if isinstance(target, ast.Name)}
    return found


def _yaml(text: str) -> Any:
    try:
        return yaml.load(text, yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        return None


def _names(tasks: Any, module: str) -> Iterator[str]:
    """What the tasks that use a module are called."""
    if isinstance(tasks, list):
        for task in tasks:
            yield from _names(task, module)
    elif isinstance(tasks, dict):
        said = tasks.get("name")
        if isinstance(said, str) and 12 < len(said) < 400 and any(str(key).split(".")[-1] == module for key in tasks):
            yield _plain(said, 400)
        yield from _names(tasks.get("tasks"), module)
        yield from _names(tasks.get("block"), module)


def modules(packages: Path) -> Iterator[tuple[Record, list[str]]]:
    """Every module as a record, with the goals people wrote about it."""
    seen: set[str] = set()
    for wheel in sorted(packages.glob("ansible*.whl")):
        with zipfile.ZipFile(wheel) as files:
            for path in sorted(files.namelist()):
                found = _MODULE.fullmatch(path)
                read = _module(files.read(path).decode(), found) if found else None
                if read and read[0].path not in seen:
                    seen.add(read[0].path)
                    yield read


def _module(source: str, found: re.Match[str]) -> tuple[Record, list[str]] | None:
    first, second, name = (part for part in found.groups() if part)
    texts = _constants(source)
    said = _yaml(texts.get("DOCUMENTATION", ""))
    if not isinstance(said, dict):
        return None
    options = said.get("options") if isinstance(said.get("options"), dict) else {}
    described = [
        (str(key), _plain(one.get("description"), 200) if isinstance(one, dict) else "") for key, one in options.items()
    ]
    area = f"ansible/{first}/{second}"
    record = Record(
        source="tools",
        path=f"{area}/{name}",
        names=(name,),
        nodes=(area,),
        summary=_plain(said.get("short_description"), 400),
        description=_plain(said.get("description"), 1200),
        parameters=tuple(described[:64]),
    )
    return record, list(dict.fromkeys(_names(_yaml(texts.get("EXAMPLES", "")), name)))


def goals(read: list[tuple[Record, list[str]]], most: int, seed: int = 3) -> list[Query]:
    """At most that many goals of each collection, so that no vendor decides alone."""
    by_area: dict[str, list[Query]] = {}
    for record, asked in read:
        by_area.setdefault(record.nodes[0], []).extend(Query(text, frozenset({record.ref})) for text in asked)
    pick = random.Random(seed)
    chosen = [query for area in sorted(by_area) for query in pick.sample(by_area[area], min(most, len(by_area[area])))]
    pick.shuffle(chosen)
    return chosen


def shelf(records: list[Record], size: int, pick: random.Random) -> list[Record]:
    """A catalog of about that size, of whole collections where it is large enough for some."""
    by_area: dict[str, list[Record]] = {}
    for record in records:
        by_area.setdefault(record.nodes[0], []).append(record)
    areas = sorted(by_area)
    if size < 100:
        return pick.sample(by_area[pick.choice([area for area in areas if len(by_area[area]) >= size])], size)
    pick.shuffle(areas)
    taken: list[Record] = []
    for area in areas:
        if len(taken) + len(by_area[area]) <= 1.3 * size:
            taken += by_area[area]
        if len(taken) >= size:
            break
    return taken
