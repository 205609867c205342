"""From decoded documents to a reading: no input is needed any more, and drafts are made as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

from periplus.model import (
    Code,
    Document,
    Draft,
    Finding,
    FindingCode,
    NodeDraft,
    Problem,
    Reading,
    Severity,
    SourceSpec,
)
from periplus.sources.openapi.answers import Responses
from periplus.sources.openapi.areas import Areas, PathAreas
from periplus.sources.openapi.bodies import Bodies
from periplus.sources.openapi.drafts import Desk, Drafting
from periplus.sources.openapi.extensions import instructions_of
from periplus.sources.openapi.links import Links
from periplus.sources.openapi.operations import Operation, Place, Walk
from periplus.sources.openapi.outcomes import Outcomes
from periplus.sources.openapi.parameters import Parameters
from periplus.sources.openapi.references import Library, escaped
from periplus.sources.openapi.references_port import Unresolved
from periplus.sources.openapi.report import Report
from periplus.sources.openapi.schemas import Schemas
from periplus.sources.openapi.security import Security
from periplus.sources.openapi.servers import Servers
from periplus.sources.openapi.shelf import Shelf
from periplus.sources.openapi.survey import Survey
from periplus.sources.openapi.versions import version_of

MOST_OPERATIONS = 250_000


class Reader:
    """Reads one description whose files are all there."""

    def __init__(self, spec: SourceSpec, shelf: Shelf) -> None:
        self._spec = spec
        self._root: Mapping[str, Any] = shelf.root.tree
        refused = {one.url: one.code is FindingCode.REF_REFUSED for one, _ in shelf.missing}
        self._library = Library(shelf.root, shelf.others, refused)
        self.findings: list[Finding] = []
        labels = frozenset(book.label for book in (shelf.root, *shelf.others.values()))
        self._report = Report(shelf.label, self.findings, partial(_spelled, self._library, labels))
        self._tell_of_files(shelf)
        self.version = version_of(self._root, self._report)
        paths = self._root.get("paths")
        self._paths: Mapping[str, Any] = paths if isinstance(paths, Mapping) else {}

    def reading(self, document: Document) -> Reading:
        """The stream of drafts and all that stands around it."""
        self._tell_of_members()
        nodes: list[NodeDraft] = []
        swagger = self.version.major == 2
        survey = Survey(self._operations(Walk(self._library, self.version, None)))
        if survey.count > MOST_OPERATIONS:
            raise Problem(
                Code.OVER_LIMIT,
                f"the document has {survey.count} operations; the limit operations is {MOST_OPERATIONS}",
                hints=("split the document, or raise operations under [limits]",),
            )
        schemas = Schemas(self._library, self._dialect(), self._report.take)
        security = self._security()
        servers = Servers(self._spec, self._library, self._report, swagger=swagger)
        root_security = security.requirements(self._root, "/security") or []
        desk = Desk(
            report=self._report,
            survey=survey,
            areas=Areas(self._root, self._report, nodes, survey.slashed_tags),
            path_areas=cache(lambda: PathAreas(self._keys())),
            parameters=Parameters(self._library, self._report, swagger=swagger),
            outcomes=Outcomes(Responses(self._library, self._root.get("produces"), swagger=swagger), schemas),
            links=Links(self._library, survey, self._report),
            servers=servers,
            security=security,
            root_security=root_security,
            bodies=Bodies(self._library, self._root.get("consumes"), self._report, swagger=swagger),
            schemas=schemas,
        )
        server = servers.of_root(self._root)
        self._tell_of_hosts(document.url, server.base, secured=bool(security.schemes))
        site = {
            "document": document.url,
            **server.to_json(),
            "schemes": security.schemes,
            "security": root_security,
        }
        return Reading(
            document=document,
            drafts=self._drafts(Drafting(desk), survey),
            definitions=schemas.definitions,
            nodes=nodes,
            findings=self.findings,
            site=site,
            instructions=instructions_of(self._root),
        )

    def info(self, member: str) -> str:
        """A text of the document's `info`."""
        info = self._root.get("info")
        value = info.get(member) if isinstance(info, Mapping) else None
        return str(value) if isinstance(value, str | int | float) else ""

    def _drafts(self, drafting: Drafting, survey: Survey) -> Iterator[Draft]:
        for operation in self._operations(Walk(self._library, self.version, self._report)):
            draft = drafting.draft(operation)
            if draft is not None:
                yield draft
        for name, origins in survey.twins.items():
            self._report.add(
                Severity.WARNING,
                FindingCode.DUPLICATE_OPERATION_ID,
                "/paths",
                f"operationId {name!r} is used {len(origins)} times: {', '.join(origins[:10])}",
                operation=name,
                fix="give each operation an operationId of its own",
            )

    def _operations(self, walk: Walk) -> Iterator[Operation]:
        base, label = self._library.root.own, self._library.root.label
        for key, item in self._paths.items():
            if key[:2].lower() != "x-":
                place = Place(base, f"/paths/{escaped(key)}", label)
                yield from walk.of_path(key, item, place)

    def _keys(self) -> list[str]:
        return [key for key in self._paths if key[:2].lower() != "x-"]

    def _dialect(self) -> Any:
        return "2.0" if self.version.major == 2 else f"3.{self.version.minor}"

    def _security(self) -> Security:
        if self.version.major == 2:
            declared, where = self._root.get("securityDefinitions"), "/securityDefinitions"
        else:
            components = self._root.get("components")
            declared = components.get("securitySchemes") if isinstance(components, Mapping) else None
            where = "/components/securitySchemes"
        return Security(declared, self._resolved, self._report, where)

    def _resolved(self, node: Any) -> Any:
        if not isinstance(node, Mapping) or not isinstance(node.get("$ref"), str):
            return node
        try:
            return self._library.resolve(node, self._library.root.own).value
        except Unresolved:
            return None

    def _tell_of_files(self, shelf: Shelf) -> None:
        for note in shelf.notes:
            self._report.add(Severity.WARNING, note.code, f"{note.where}#", note.message)
        for missing, label in shelf.missing:
            message = f"{missing.url} was not read: {missing.reason}"
            self._report.add(Severity.ERROR, missing.code, f"{label}#", message)

    def _tell_of_hosts(self, document: str, base: str, *, secured: bool) -> None:
        """A document cannot direct credentials to another host by itself (S-64)."""
        came, goes = urlsplit(document).netloc, urlsplit(base).netloc
        if secured and base and came != goes and not self._spec.base_url:
            self._report.add(
                Severity.NOTE,
                FindingCode.CREDENTIALS_MISSING,
                "/servers",
                f"the document came from {came or 'a file'} and sends calls to {goes}: credentials for that host are "
                "used only if they name this source",
                fix=f'[[credentials]] source = "{self._spec.id}"',
            )

    def _tell_of_members(self) -> None:
        """What the document should have and has not, and what is in it that gives no tools."""
        root, note = self._root, Severity.NOTE
        if not isinstance(root.get("info"), Mapping):
            self._report.add(note, FindingCode.MISSING_MEMBER, "", "declares no info")
        if self._root.get("paths") is not None and not isinstance(root["paths"], Mapping):
            kind = type(root["paths"]).__name__
            self._report.add(Severity.ERROR, FindingCode.BAD_OPERATION, "/paths", f"paths is {kind}, not an object")
        elif not self._paths:
            what = "its paths are empty" if "paths" in root else "it declares no paths"
            self._report.add(note, FindingCode.MISSING_MEMBER, "/paths", f"{what}, so it has no tools")
        for member in ("webhooks", "x-webhooks"):
            hooks = root.get(member)
            if isinstance(hooks, Mapping | list) and hooks:
                message = f"{len(hooks)} webhooks are requests that the API sends; they are no tools"
                self._report.add(note, FindingCode.WEBHOOKS_IGNORED, f"/{member}", message)


def _spelled(library: Library, labels: frozenset[str], place: str) -> str:
    """A document as reports spell it, by its label or its base."""
    return place if place in labels else library.book(place).label
