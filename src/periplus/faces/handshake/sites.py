"""A site: one connected source, or the catalog of all that the operator configured; its areas and its ids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from urllib.parse import urlsplit

from periplus.core.charts import Chart
from periplus.core.intake.texts import clean
from periplus.model import Node, SourceRecord, ToolRef, fold

CATALOG = "catalog"
ALL = "*"  # every site of the session at once; ids have their site in front
Member = tuple[SourceRecord, Chart]


class Site:
    """What a session walks. Ids are area paths and leaves joined by `:`; the catalog's begin with the source."""

    def __init__(self, site: str, members: Sequence[Member]) -> None:
        self.id = site
        self._charts = {record.id: chart for record, chart in members}
        self.members = tuple(members)
        self.records = tuple(record for record, _ in members)

    @property
    def is_catalog(self) -> bool:
        return self.id in (CATALOG, ALL)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources whose tools are here."""
        return tuple(self._charts)

    @property
    def kind(self) -> str:
        return "CATALOG" if self.is_catalog else self.records[0].spec.kind.upper()

    @property
    def url(self) -> str:
        return "" if self.is_catalog else self.records[0].spec.url

    @property
    def title(self) -> str:
        if self.is_catalog:
            return "Catalog"
        record = self.records[0]
        return one_line(record.spec.name or (record.document.title if record.document else "") or record.id)

    @property
    def version(self) -> str:
        document = None if self.is_catalog else self.records[0].document
        return one_line(document.api_version) if document else ""

    @property
    def revision(self) -> int:
        """Of the catalog, when something here last changed."""
        return max((record.revision for record in self.records), default=0)

    @property
    def instructions(self) -> str:
        return "" if self.is_catalog else self.records[0].instructions

    # --- areas ------------------------------------------------------------------------------------------------

    @cached_property
    def root(self) -> Node:
        """The site as a node: its areas are the top ones."""
        if not self.is_catalog:
            source = self.records[0].id
            return self._charts[source].root or Node(path=source)
        roots = self._roots
        return Node(path="", tools=sum(node.tools for node in roots), areas=len(roots))

    @property
    def _roots(self) -> list[Node]:
        return [chart.root for chart in self._charts.values() if chart.root is not None]

    @property
    def areas(self) -> int:
        """How many areas there are, at any depth."""
        below = sum(len(chart.nodes) - 1 for chart in self._charts.values() if chart.root)
        return below + len(self._roots) if self.is_catalog else below

    def children(self, node: Node) -> Sequence[Node]:
        """The areas right below one."""
        if not node.path:
            return self._roots
        return self._chart(node).children(node.path)

    def below(self, node: Node, most: int) -> Sequence[Node] | None:
        """All areas below one, each before its own; None where there are more than that."""
        if node.path:
            found = self._chart(node).below(node.path)
            return found if len(found) <= most else None
        if self.areas > most:
            return None
        return [one for chart in self._charts.values() for one in chart.nodes]

    def everything(self) -> Sequence[Node]:
        """Every area of the site."""
        if self.is_catalog:
            return [node for chart in self._charts.values() for node in chart.nodes]
        return self._charts[self.sources[0]].nodes[1:] if self.sources else ()

    def spans(self, node: Node) -> Sequence[tuple[Chart, slice]]:
        """Where all areas below one are: charts, and which of their nodes."""
        if node is not self.root:
            return [(self._chart(node), self._chart(node).span(node.path))]
        first = 0 if self.is_catalog else 1
        return [(chart, slice(first, len(chart.nodes))) for chart in self._charts.values()]

    def _chart(self, node: Node) -> Chart:
        return self._charts[node.path.partition("/")[0]]

    # --- ids --------------------------------------------------------------------------------------------------

    def id_of(self, ref: ToolRef) -> str:
        """How an action is printed."""
        return (str(ref) if self.is_catalog else ref.path).replace("/", ":")

    def area_id(self, node: Node) -> str:
        """How an area is printed; the site's own name stands for its root."""
        return self.id_of_path(node.path)

    def id_of_path(self, path: str) -> str:
        """How an area at this path of the catalog is printed."""
        return (path if self.is_catalog else path.partition("/")[2]).replace("/", ":") or self.id

    def at(self, path: str) -> Node | None:
        """The visible area at a path of the catalog."""
        chart = self._charts.get(path.partition("/")[0])
        return chart.by_path.get(path) if chart else None

    def path_of(self, text: str) -> str:
        """The path in the catalog that an id would have."""
        path = text.replace(":", "/").strip("/")
        return path if self.is_catalog or not path else f"{self.sources[0]}/{path}"

    def area(self, text: str) -> Node | None:
        """The one area that an id, a path or another spelling of them means; None when there is none or several."""
        found = self.spelled(text)
        return found[0] if len(found) == 1 else None

    def spelled(self, text: str) -> Sequence[Node]:
        """The areas an id may mean: the exact one, else all with its normal form."""
        if text in ("", self.id) or (self.is_catalog and text == "/"):
            return [self.root]
        for path in (self.path_of(text), text):
            chart = self._charts.get(path.partition("/")[0])
            if chart and (node := chart.by_path.get(path)):
                return [node]
        return self._folded(fold(text))

    def _folded(self, folded: str) -> Sequence[Node]:
        if not folded:
            return ()
        found: list[Node] = []
        for source, chart in self._charts.items():
            name = fold(source)
            if folded == name and chart.root:
                found.append(chart.root)
            if folded.startswith(name):
                found += chart.spelled(folded.removeprefix(name))
            found += chart.spelled(folded)
        return list({node.path: node for node in found}.values())

    def near_areas(self, text: str, limit: int = 5) -> list[Node]:
        """Areas that share words with a text."""
        plain = text.replace(":", " ")
        return [node for chart in self._charts.values() for node in chart.near(plain, limit)][:limit]

    def answers_to(self, name: str) -> bool:
        """Whether this is what the argument `site` means."""
        if name == self.id:
            return True
        wanted = name.rstrip("/")
        urls = [url for record in self.records for url in (record.spec.url, record.spec.asked) if url]
        return not self.is_catalog and any(wanted == url.rstrip("/") for url in urls)

    def is_at(self, host: str) -> bool:
        """Whether it lies at this host."""
        return not self.is_catalog and bool(host) and host in (_host(self.url), urlsplit(self.url).hostname)


def _host(url: str) -> str:
    return urlsplit(url).netloc


def one_line(text: str, most: int = 200) -> str:
    """A text from outside as one line of ours."""
    return " ".join(clean(text, most).split())
