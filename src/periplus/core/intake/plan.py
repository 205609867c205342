"""Second half of the intake: names settled, hashes closed, compared with what is stored (S-20 to S-22, S-107)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from periplus.core.intake.areas import tree
from periplus.core.intake.drafts import Entry, flagged
from periplus.core.intake.hashes import digest, shapes_of
from periplus.core.intake.levels import told_apart
from periplus.core.intake.names import Named, settle_names
from periplus.core.intake.placing import Held, Placing
from periplus.core.intake.texts import commands
from periplus.core.schema.closure import SCHEMA_MAX
from periplus.model import OWN_TREE, Finding, FindingCode, Node, Reading, Severity, fold
from periplus.ports import Known, Row, Shape, stamp_tool

_AS_TOLD = Placing()


class Item(msgspec.Struct, frozen=True, gc=False):
    """One tool of the new set beside what the store knows of it."""

    entry: Entry
    named: Named
    schema_hash: str
    fingerprint: str
    known: Known | None
    places: tuple[str, ...]

    @property
    def is_new(self) -> bool:
        return self.known is None

    @property
    def is_changed(self) -> bool:
        return self.known is not None and (
            self.known.fingerprint != self.fingerprint or self.known.path != self.named.path
        )

    @property
    def is_moved(self) -> bool:
        """Whether it stands elsewhere and is otherwise as it was."""
        return self.known is not None and not self.is_changed and self.known.places != tuple(sorted(self.places))

    def stamped(self, version: str, former: tuple[str, ...] = ()) -> bytes:
        """Its body for a row, or for a comparison."""
        return stamp_tool(
            self.entry.encoded,
            schema_hash=self.schema_hash,
            fingerprint=self.fingerprint,
            version=version,
            former=former,
            paths=None if self.places == self.entry.paths else self.places,
        )


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a source would do to the store, before anything is written."""

    source: str
    items: tuple[Item, ...]
    removed: tuple[str, ...]
    nodes: tuple[Node, ...]
    shapes: dict[str, Shape]

    @property
    def added(self) -> list[Item]:
        return [item for item in self.items if item.is_new]

    @property
    def changed(self) -> list[Item]:
        return [item for item in self.items if item.is_changed]

    @property
    def areas(self) -> list[Node]:
        """The nodes of the source itself."""
        return [node for node in self.nodes if not node.path.startswith(OWN_TREE)]

    @property
    def is_empty(self) -> bool:
        return not self.removed and not any(item.is_new or item.is_changed or item.is_moved for item in self.items)


def make_plan(
    source: str,
    entries: Sequence[Entry],
    reading: Reading,
    known: Mapping[str, Known],
    retired: Mapping[str, str],
    placing: Placing = _AS_TOLD,
) -> Plan:
    """Compare by fingerprint; the result depends on the set of operations, not on their order."""
    entries = _unique_keys(entries, reading)
    held = {place for old in known.values() for place in old.places}
    told = {path for paths in {entry.paths for entry in entries} for path in paths}
    areas = told_apart(source, told, held=held)
    _report_areas(areas, reading)
    entries = [_standing(entry, areas) for entry in entries] if areas else entries
    stored = {key: old.path for key, old in known.items()}
    named = settle_names(source, [entry.want for entry in entries], stored, retired)
    _report_collisions(entries, named, reading)
    shapes = _reachable(shapes_of(reading.definitions), entries)
    about = (reading.document.title, reading.instructions)
    places = placing.places(source, entries, named, about, Held(areas=areas, places=held))
    items = tuple(
        _item(entry, name, shapes, known.get(entry.want.key), stand)
        for entry, name, stand in zip(entries, named, places, strict=True)
    )
    _report_large(items, shapes, reading)
    _report_texts(shapes, reading)
    visible = ((item.places, item.entry.want.leaf) for item in items if not item.entry.hidden)
    keys = {entry.want.key for entry in entries}
    return Plan(
        source=source,
        items=items,
        removed=tuple(key for key in known if key not in keys),
        nodes=tuple(tree(visible, reading.nodes, placing.nodes(), areas)),
        shapes=shapes,
    )


def rows(plan: Plan, versions: Mapping[str, str]) -> Iterator[Row]:
    """The new and the changed, ready to be written; `versions` holds those that a comparison settled."""
    for item in plan.items:
        if item.is_new or item.is_changed or item.is_moved:
            yield _row(plan.source, item, versions.get(item.entry.want.key, ""))


def _unique_keys(entries: Sequence[Entry], reading: Reading) -> Sequence[Entry]:
    count = Counter(entry.want.key for entry in entries)
    if len(count) == len(entries):
        return entries
    for key, times in count.items():
        if times > 1:
            origins = ", ".join(entry.want.origin for entry in entries if entry.want.key == key)
            reading.findings.append(
                Finding(
                    severity=Severity.WARNING,
                    code=FindingCode.DUPLICATE_OPERATION_ID,
                    where=reading.document.url,
                    operation=key,
                    message=f"{times} operations are called {key!r}: {origins}"[:600],
                    fix="all are kept, told apart by method and path",
                )
            )
    again: Counter[str] = Counter()
    result: list[Entry] = []
    for entry in entries:
        if count[entry.want.key] > 1:
            again[entry.want.origin] += 1
            number = again[entry.want.origin]
            key = entry.want.origin if number == 1 else f"{entry.want.origin} #{number}"
            result.append(msgspec.structs.replace(entry, want=msgspec.structs.replace(entry.want, key=key)))
        else:
            result.append(entry)
    return result


def _standing(entry: Entry, areas: Mapping[str, str]) -> Entry:
    """The entry asking for a name in the area that its own became."""
    want = entry.want
    if want.area not in areas:
        return entry
    return msgspec.structs.replace(entry, want=msgspec.structs.replace(want, area=areas[want.area], told=want.area))


def _report_areas(areas: Mapping[str, str], reading: Reading) -> None:
    for told, became in areas.items():
        if told.rpartition("/")[2] != became.rpartition("/")[2]:
            reading.findings.append(
                Finding(
                    severity=Severity.NOTE,
                    code=FindingCode.NAME_COLLISION,
                    where=reading.document.url,
                    operation=told,
                    message=f"the area {told!r} differs from another only in case or punctuation; it became {became!r}",
                )
            )


def _report_collisions(entries: Sequence[Entry], named: Sequence[Named], reading: Reading) -> None:
    groups: dict[str, list[str]] = {}
    for entry, name in zip(entries, named, strict=True):
        if name.collided:
            groups.setdefault(f"{entry.want.area}/{entry.want.leaf}", []).append(name.path)
    for wish, paths in groups.items():
        reading.findings.append(
            Finding(
                severity=Severity.NOTE,
                code=FindingCode.NAME_COLLISION,
                where=reading.document.url,
                operation=wish.rpartition("/")[2],
                message=f"several operations want the name {wish.lstrip('/')!r}; they became {', '.join(paths)}"[:600],
            )
        )


def _reachable(shapes: dict[str, Shape], entries: Iterable[Entry]) -> dict[str, Shape]:
    seen: set[str] = set()
    todo = {name for entry in entries for name in entry.refers if name in shapes}
    while todo:
        seen |= todo
        todo = {other for name in todo for other in shapes[name].refers} - seen
    return shapes if len(seen) == len(shapes) else {name: shapes[name] for name in shapes if name in seen}


def _item(
    entry: Entry, named: Named, shapes: Mapping[str, Shape], known: Known | None, places: tuple[str, ...]
) -> Item:
    reached = (shapes[name].hash if name in shapes else name for name in entry.refers)
    schema_hash = digest(entry.schemas.encode(), *(each.encode() for each in reached))
    return Item(entry, named, schema_hash, digest(schema_hash.encode(), entry.wording.encode()), known, places)


def _report_large(items: Sequence[Item], shapes: Mapping[str, Shape], reading: Reading) -> None:
    if (
        sum(len(shape.schema) for shape in shapes.values()) + max((i.entry.size for i in items), default=0)
        <= SCHEMA_MAX
    ):
        return
    sizes: dict[tuple[str, ...], int] = {}
    for item in items:
        refers = item.entry.refers
        if refers not in sizes:
            sizes[refers] = _closure_size(refers, shapes)
        if sizes[refers] + item.entry.size > SCHEMA_MAX:
            reading.findings.append(
                Finding(
                    severity=Severity.WARNING,
                    code=FindingCode.SCHEMA_REDUCED,
                    where=reading.document.url,
                    operation=item.entry.want.leaf,
                    message=f"its schemas take {sizes[refers] + item.entry.size:,} bytes of {SCHEMA_MAX:,}; "
                    "the deepest branches become anything",
                )
            )


def _report_texts(shapes: Mapping[str, Shape], reading: Reading) -> None:
    for name, shape in shapes.items():
        if phrase := commands(shape.schema):
            reading.findings.append(flagged(name, f"addresses a model: {phrase[:100]!r}", reading))


def _closure_size(refers: tuple[str, ...], shapes: Mapping[str, Shape]) -> int:
    seen: set[str] = set()
    todo = [name for name in refers if name in shapes]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(shapes[name].refers)
    return sum(len(shapes[name].schema) for name in seen)


def _row(source: str, item: Item, version: str) -> Row:
    entry, path = item.entry, item.named.path
    version = entry.declared_version or version or (item.known.version if item.known else "1.0.0")
    former = (f"{source}/{item.named.former}",) if item.named.former else ()
    names = {*entry.spellings.split("\n"), fold(path), fold(path.rpartition("/")[2])}
    return Row(
        path=path,
        key=entry.want.key,
        fingerprint=item.fingerprint,
        version=version,
        summary=entry.summary,
        effect=entry.effect,
        hidden=entry.hidden,
        deprecated=entry.deprecated,
        requires_approval=entry.requires_approval,
        tags=entry.tags,
        paths=item.places,
        names=tuple(sorted(name for name in names if name)),
        definitions=entry.refers,
        body=item.stamped(version, former),
        former=(item.named.former,) if item.named.former else (),
    )
