"""A graph as an SVG: boxes in layers, ways as curves, in light and dark, without a script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from periplus.core.workflows.graph import Edge, Graph, Node

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN, _HEAD = 220, 58, 44, 92, 40, 46
_ASIDE, _LANE = 300, 26
_CHARACTERS = 30
_LABEL = 40
_STYLE = """
svg { background: #fff; font: 13px system-ui, sans-serif }
.box { fill: #f4f6f8; stroke: #8895a5 } .box.end { rx: 29 } .name { fill: #16202c; font-weight: 600 }
.more, .label, .title { fill: #55636f } .label { font-size: 11px }
.way { fill: none; stroke: #8895a5 } .way.default { stroke: #2f6fab; stroke-width: 2 }
.way.back { stroke-dasharray: 4 4 }
.visited { fill: #e2f2e5; stroke: #3f8f52 } .here { fill: #fff3cf; stroke: #b07d00; stroke-width: 2.5 }
.skipped { fill: #eee; stroke: #b5b5b5; stroke-dasharray: 3 3 } .broken { fill: #fbe3e1; stroke: #b3372b }
marker path { fill: #8895a5 }
@media (prefers-color-scheme: dark) {
svg { background: #14181d } .box { fill: #222a33; stroke: #6b7a8a } .name { fill: #eef2f6 }
.more, .label, .title { fill: #a9b5c1 } .visited { fill: #1e3a26 } .here { fill: #4a3a10 } .skipped { fill: #22262b }
.broken { fill: #4a211d } }
"""
_OPEN = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
    'role="img" aria-label="{title}">'
)
_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
    'markerUnits="userSpaceOnUse" orient="auto">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs>'
)


def svg(graph: Graph) -> str:
    """The drawing; its titles say what does not fit."""
    layers = graph.layers()
    inner = max((len(layer) for layer in layers), default=1) * (_WIDTH + _GAP_X) - _GAP_X
    beside = [edge for edge in graph.edges if _goes_around(graph, edge)]
    width = inner + 2 * _MARGIN + (_ASIDE + _LANE * len(beside) if beside else 60)
    height = _HEAD + max(len(layers), 1) * (_HEIGHT + _GAP_Y) - _GAP_Y + 2 * _MARGIN
    at = {node.id: _corner(node, len(layers[node.layer]), inner) for node in graph.nodes}
    title = escape(f"{graph.title} ({graph.id} {graph.version})")
    lines = [
        _OPEN.format(width=width, height=height, title=escape(graph.title)),
        f"<style>{_STYLE}</style>",
        _TIP,
        f'<text class="title" x="{_MARGIN}" y="{_MARGIN}">{title}</text>',
        *_ways(graph, at, beside, _MARGIN + inner),
        *(line for node in graph.nodes for line in _box(node, at[node.id])),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _goes_around(graph: Graph, edge: Edge) -> bool:
    """Ways back, and ways past a layer, would run through boxes: they go around at the right."""
    layers = {node.id: node.layer for node in graph.nodes}
    return edge.is_back or layers[edge.end] - layers[edge.start] > 1


def _corner(node: Node, beside: int, inner: int) -> tuple[int, int]:
    row = beside * (_WIDTH + _GAP_X) - _GAP_X
    x = _MARGIN + (inner - row) // 2 + node.place * (_WIDTH + _GAP_X)
    return x, _MARGIN + _HEAD + node.layer * (_HEIGHT + _GAP_Y)


def _box(node: Node, at: tuple[int, int]) -> Iterator[str]:
    x, y = at
    more = node.counts()
    end = " end" if node.id == "__terminal__" else ""
    yield f"<g><title>{escape(node.id)}: {node.state.value}</title>"
    yield f'<rect class="box {node.state.value}{end}" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="9"/>'
    yield f'<text class="name" x="{x + 12}" y="{y + 24}">{escape(_cut(node.name, _CHARACTERS))}</text>'
    yield f'<text class="more" x="{x + 12}" y="{y + 44}">{escape(", ".join(more) or node.id)}</text></g>'


def _ways(graph: Graph, at: dict[str, tuple[int, int]], beside: list[Edge], edge_x: int) -> Iterator[str]:
    between: dict[tuple[str, str], int] = {}
    leaving: dict[int, int] = {}  # by height: how many go around from there
    for edge in graph.edges:
        if edge in beside:
            y = at[edge.start][1]
            row = leaving[y] = leaving.get(y, -1) + 1
            yield from _around(edge, at, (edge_x, row, beside.index(edge)))
        else:
            same = between[edge.start, edge.end] = between.get((edge.start, edge.end), -1) + 1
            yield from _down(edge, at, same)


def _down(edge: Edge, at: dict[str, tuple[int, int]], beside: int) -> Iterator[str]:
    (x1, y1), (x2, y2) = at[edge.start], at[edge.end]
    shift = 36 * beside
    x1, y1, x2 = x1 + _WIDTH // 2 + shift, y1 + _HEIGHT, x2 + _WIDTH // 2 + shift
    middle = (y1 + y2) // 2
    yield _way(edge, f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}")
    yield _label(edge, (x1 + x2) // 2 + 6, middle + 13 * beside)


def _around(edge: Edge, at: dict[str, tuple[int, int]], lane: tuple[int, int, int]) -> Iterator[str]:
    """Out at the right, past the words that say when, and back in where it leads."""
    edge_x, row, number = lane
    (x1, y1), (x2, y2) = at[edge.start], at[edge.end]
    x1, x2, y1, y2 = x1 + _WIDTH, x2 + _WIDTH, y1 + 28 + 15 * row, y2 + 10
    turn, beyond = edge_x + _ASIDE - 40, edge_x + _ASIDE + _LANE * number
    yield _way(edge, f"M{x1} {y1}L{turn} {y1}C{beyond} {y1} {beyond} {y2} {turn} {y2}L{x2} {y2}")
    yield _label(edge, edge_x + 12, y1 - 4)


def _way(edge: Edge, path: str) -> str:
    kind = f"way{' default' if edge.is_default else ''}{' back' if edge.is_back else ''}"
    title = f"{edge.start} to {edge.end}: {edge.text or ('default' if edge.is_default else 'always')}"
    return f'<path class="{kind}" d="{path}" marker-end="url(#tip)"><title>{escape(title)}</title></path>'


def _label(edge: Edge, x: int, y: int) -> str:
    return f'<text class="label" x="{x}" y="{y}">{escape(_cut(edge.text, _LABEL))}</text>' if edge.text else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
