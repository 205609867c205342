"""Reads one native site: all its actions, by its search, by walking its areas, at last by its text (H-76 to H-79)."""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar

import anyio.to_thread
import msgspec

from periplus.documents.schemas import Definitions, Findings
from periplus.model import (
    Code,
    Document,
    DocumentPart,
    FindingCode,
    Problem,
    Reading,
    SourceSpec,
    Unchanged,
    Validators,
)
from periplus.ports import Fetched, FetchRequest, Wires
from periplus.sources.native.account import account
from periplus.sources.native.address import EXECUTE, MANIFEST, Address, address_of, is_http, origin
from periplus.sources.native.harvest import Harvest
from periplus.sources.native.listing import Listing
from periplus.sources.native.pages import Page, read_page
from periplus.sources.native.requests import BrokenPage, Requests
from periplus.sources.native.rules import own_words
from periplus.sources.native.tools import area_nodes, tool_drafts
from periplus.sources.native.walking import Walk


class _Root(msgspec.Struct, frozen=True, kw_only=True):
    """The first page, and what tells whether the site is the one that was read before."""

    address: Address
    page: Page
    validators: Validators
    digest: str


class NativeSource:
    """Reads sites that describe themselves by landmarks, and files that hold such a description."""

    kind: ClassVar[str] = "native"

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        if not is_http(spec.url):
            return await _read_file(spec, wires, known)
        requests = Requests(address_of(spec.url), wires)
        root = await _root(requests, known)
        if known is not None and (root is None or root.digest == known.parts[0].sha256):
            return Unchanged(document=known)
        if root is None:
            raise Problem(Code.UPSTREAM_ERROR, f"{spec.url} answered 304 to a request that was not conditional")
        requests.address = root.address
        findings = Findings(root.address.manifest)
        harvest = Harvest(root.address.base, wires.limits, findings)
        is_whole = await _gather(requests, harvest, root.page, findings)
        return await anyio.to_thread.run_sync(_reading, spec, root, harvest, findings, is_whole)


async def _root(requests: Requests, known: Document | None) -> _Root | None:
    """The first page with the number of actions behind it; None where the site says that it is what it was."""
    before = known.parts[0] if known is not None and known.parts else None
    fetched = await requests.root(before.validators if before and before.sha256 else None)
    if fetched.not_modified:
        return None
    try:
        page = await requests.read(fetched)
    except BrokenPage as broken:  # the search may know what the manifest cannot write
        page = Page(entries=(), size=0, head={"broken": broken.problem.message})
    state = hashlib.sha256(fetched.body)
    state.update(str(await _count(requests)).encode())
    return _Root(
        address=_answered(requests.address, fetched),
        page=page,
        validators=fetched.validators if fetched.status == 200 else Validators(),
        digest=state.hexdigest(),
    )


async def _count(requests: Requests) -> int | None:
    """How many actions there are: what changes deep in the tree rarely shows in its root."""
    try:
        return (await requests.search("action", 0, 1)).total
    except BrokenPage:
        return None
    except Problem as problem:
        if problem.code not in {Code.NOT_FOUND, Code.PARSE_ERROR, Code.UPSTREAM_ERROR}:
            raise
        return None


def _answered(asked: Address, fetched: Fetched) -> Address:
    """The site's base where it answered: a redirect within the host may have moved it."""
    path, _, _ = fetched.url.partition("?")
    if path.endswith(MANIFEST) and origin(path) == origin(asked.base):
        return Address(path.removesuffix(MANIFEST), asked.query)
    return asked


async def _gather(requests: Requests, harvest: Harvest, first: Page, findings: Findings) -> bool:
    """Everything the site has, and whether that is all it says it has."""
    walk = Walk(requests, harvest)
    await walk.on(first)
    if broken := first.head.get("broken"):
        walk.broken[""] = str(broken)
    actions = await _listed(requests, harvest, "action")
    if actions is not None:
        await _listed(requests, harvest, "navigation")
    await walk.down(everywhere=actions is None)
    if actions is not None and actions.missing > len(actions.lost):
        await walk.down(everywhere=True)
    return account(harvest, actions, walk, findings)


async def _listed(requests: Requests, harvest: Harvest, type_: str) -> Listing | None:
    """All of a type by search; None where the site has no search that can be read."""
    listing = Listing(requests, harvest, type_)
    try:
        await listing.read()
    except Problem as problem:
        if problem.code not in {Code.NOT_FOUND, Code.PARSE_ERROR, Code.UPSTREAM_ERROR}:
            raise
        return None
    return listing


def _reading(spec: SourceSpec, root: _Root, harvest: Harvest, findings: Findings, is_whole: bool) -> Reading:  # noqa: FBT001 - a value, not a switch
    definitions = Definitions()
    head = root.page.head
    content = hashlib.sha256(root.digest.encode())
    size = 0
    for raw in (*sorted(harvest.actions.values()), *sorted(area.raw for area in harvest.areas.values())):
        content.update(raw)
        size += len(raw)
    # What did not arrive whole is read again next time, whatever its root says.
    part = DocumentPart(
        url=root.address.manifest,
        sha256=root.digest if is_whole else "",
        bytes=size,
        validators=root.validators if is_whole else Validators(),
    )
    return Reading(
        document=Document(
            url=root.address.manifest,
            kind="native",
            version=_word(head, "version"),
            title=_word(head, "welcome_message"),
            sha256=content.hexdigest(),
            bytes=size,
            parts=(part,),
        ),
        drafts=tool_drafts(harvest.actions, definitions, findings, trusted=spec.trust_annotations),
        definitions=definitions.schemas,
        nodes=area_nodes(harvest.areas.values()),
        findings=findings.found,
        site={"base": spec.base_url.rstrip("/") or root.address.base, "execute": EXECUTE, "query": root.address.query},
        instructions=own_words(_word(head, "instructions")),
    )


async def _read_file(spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
    """A description in a file: one page, and no site behind it unless the operator names one."""
    fetched = await wires.fetch.send(FetchRequest(url=spec.url))
    page = await anyio.to_thread.run_sync(read_page, fetched, wires.limits)
    digest = hashlib.sha256(fetched.body).hexdigest()
    if known is not None and known.parts[0].sha256 == digest:
        return Unchanged(document=known)
    findings = Findings(spec.url)
    harvest = Harvest(spec.url, wires.limits, findings)
    harvest.take(page)
    if not spec.base_url:
        fix = 'base_url = "https://..." in the source\'s table'
        findings.lost(FindingCode.NO_SERVER, "", "", "a description in a file does not say where calls go", fix=fix)
    root = _Root(address=Address(""), page=page, validators=Validators(), digest=digest)
    reading = await anyio.to_thread.run_sync(_reading, spec, root, harvest, findings, True)
    part = DocumentPart(url=spec.url, sha256=digest, bytes=len(fetched.body))
    reading.document = msgspec.structs.replace(reading.document, url=spec.url, parts=(part,))
    return reading


def _word(head: dict[str, Any], name: str) -> str:
    value = head.get(name)
    return value if isinstance(value, str) else ""
