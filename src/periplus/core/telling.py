"""What the trail says of the verbs that look: which names they showed, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable

from periplus.core.audit import Note
from periplus.core.browse import Listing
from periplus.core.searching import Query, Results
from periplus.core.survey import Page, View
from periplus.model import Hit, LoadReport, NodeHit, SourceSpec, Tool, ToolRef


def place_of(spec: SourceSpec | str) -> str:
    """A source by its name; else by its address without a query, or its command without arguments."""
    if isinstance(spec, str):
        return (spec.partition(" ")[0] if spec.lower().startswith("mcp:") else spec).partition("?")[0]
    return spec.id or spec.url.partition("?")[0] or spec.command


def connected(note: Note, report: LoadReport) -> None:
    """What a read changed."""
    counts = report.counts
    note.about(report.source)
    note.add(kind=report.kind, tools=counts.tools, added=counts.added, changed=counts.changed, removed=counts.removed)


def browsed(note: Note, listing: Listing) -> None:
    """Nodes end with a slash, so that nobody takes one for a tool."""
    note.about(listing.node.path)
    note.shown(f"{node.path}/" for node in listing.nodes)
    note.shown(line.ref for line in listing.tools)
    note.weigh((listing.nodes, listing.tools))


def narrowed(note: Note, query: Query) -> None:
    """What a search was narrowed to, and that it asked for a further page."""
    said = {"path": query.path, "tag": query.tag, "source": query.source, "effect": query.effect}
    note.add(**{name: value for name, value in said.items() if value})
    if query.cursor:
        note.add(further=True)


def found(note: Note, results: Results) -> None:
    """The hits in their order; where there are none, the area that is nearest."""
    _hits(note, results.hits)
    if results.nearest:
        note.add(nearest=results.nearest)


def surveyed(note: Note, view: View, page: Page) -> None:
    """Nodes end with a slash, as where a node is browsed."""
    if view.goal and view.place:
        note.add(path=view.place)
    if view.tags:
        note.add(tags=list(view.tags))
    note.shown(entry.id if entry.line else f"{entry.place}/" for entry in page.entries)
    note.weigh([(entry.place, entry.node, entry.line, entry.tags) for entry in page.entries])


def found_nodes(note: Note, hits: Iterable[NodeHit]) -> None:
    """Areas, and the best tools that are named with each."""
    hits = tuple(hits)
    note.shown(f"{hit.path}/" for hit in hits)
    note.shown(dict.fromkeys(ref for hit in hits for ref in hit.best))
    note.weigh(hits)


def resolved(note: Note, refs: Iterable[ToolRef]) -> None:
    """What a name may mean."""
    refs = tuple(refs)
    note.shown(refs)
    note.weigh(refs)


def described(note: Note, tool: Tool) -> None:
    """One tool whole."""
    note.about(tool.ref)
    note.shown((tool.ref,))
    note.weigh((tool.ref, tool.summary, tool.description, tool.args_schema, tool.result_schema))


def _hits(note: Note, hits: Iterable[Hit]) -> None:
    hits = tuple(hits)
    note.shown(hit.ref for hit in hits)
    note.weigh(hits)
