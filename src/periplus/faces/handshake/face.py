"""The Discovery Protocol: five phases, nine tools, one session in which the manifest comes before every action."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import Any

import msgspec

from periplus.core.facing import Operands
from periplus.core.gateway import Gateway
from periplus.faces.handshake import connecting, landmarks
from periplus.faces.handshake.acting import Execution
from periplus.faces.handshake.arguments import given, ids_of
from periplus.faces.handshake.calls import action_text
from periplus.faces.handshake.errors import refusal, violation
from periplus.faces.handshake.inspecting import inspected
from periplus.faces.handshake.native import native_routes
from periplus.faces.handshake.pages import Listed, joined, notes_text
from periplus.faces.handshake.replies import Replies
from periplus.faces.handshake.searching import searched
from periplus.faces.handshake.session import State, Talk
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.tools import operations
from periplus.faces.handshake.topology import heading, listed_areas, manifest_head, start
from periplus.faces.handshake.turn import Turn
from periplus.faces.handshake.whole import whole_manifest
from periplus.faces.handshake.wording import INSTRUCTIONS
from periplus.model import Code, Node, Problem
from periplus.ports import Handler, Reply, Request, Resource, Route
from periplus.settings import Settings

_OPENERS = ("get_manifest", "get_landmarks")  # what makes the handshake
Answer = Callable[[Turn], Awaitable[Reply]]


class Handshake:
    """Parses a request, asks the gateway, renders the answer; keeps nothing but a slot of the core's sessions."""

    name = "handshake"
    server_name = "periplus"
    server_version = version("periplus")
    instructions = INSTRUCTIONS
    rpc_prefix = "handshake."
    routes: tuple[Route, ...]
    resources: tuple[Resource, ...] = ()

    def __init__(self, gateway: Gateway, settings: Settings) -> None:
        self._gateway = gateway
        self.routes = native_routes(gateway, settings.handshake)
        self._settings = settings.handshake
        self._listens = settings.serve.http
        self._replies = Replies(settings.handshake.structured)
        self._execution = Execution(settings.handshake, self._replies, self._inner)
        self._answers: Mapping[str, Answer] = {
            "connect_to_site": self._connect,
            "get_manifest": self._manifest,
            "get_landmarks": self._landmarks,
            "inspect_landmark": self._inspect,
            "search_landmarks": self._search,
            "call_action": self._call,
            "execute_sequence": self._execution.execute_sequence,
            "list_aliases": self._execution.list_aliases,
            "clear_session": self._clear,
        }
        self.operations = operations({name: self._handler(name) for name in self._answers})
        self._operands = Operands(self.operations)

    def _handler(self, name: str) -> Handler:
        async def answer(request: Request, arguments: dict[str, Any]) -> Reply:
            return await self._answers[name](await self._turn(name, request, arguments))

        return answer

    async def _turn(self, name: str, request: Request, arguments: Mapping[str, Any]) -> Turn:
        try:
            read = given(name, arguments, self._operands)
        except Problem:
            await self._gated(name, request, arguments)
            raise
        fresh = read.session == "new" and name == "connect_to_site"
        talk = self._talk(request, "" if fresh else read.session)
        if fresh:
            talk.mint()
        turn = Turn(self._gateway, self._settings, request, talk, read.arguments)
        turn.notes += read.notes
        return await turn.begin()

    async def _gated(self, name: str, request: Request, arguments: Mapping[str, Any]) -> None:
        """Whoever may not act yet hears that first, whatever else is wrong with what they sent (H-10, H-41)."""
        said = arguments.get("session", arguments.get("session_id"))
        talk = self._talk(request, said if isinstance(said, str) and said not in ("default", "new") else "")
        if name == "connect_to_site":  # also one that fails starts the handshake over (H-9)
            await talk.change(lambda state: msgspec.structs.replace(state, loaded=False))
        if name not in ("call_action", "execute_sequence") or landmarks.plain(str(arguments.get("action"))) in _OPENERS:
            return
        (await Turn(self._gateway, self._settings, request, talk, {}).begin()).gate()

    def _talk(self, request: Request, explicit: str) -> Talk:
        return Talk(self._gateway, request, explicit, self._settings.session_idle_hours)

    async def other(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:
        """A name that is none of the nine: with a host's prefix it may be, as an action it is refused (H-4, H-5)."""
        bare = landmarks.plain(name)
        if bare in self._answers:
            return await self._handler(bare)(request, arguments)
        turn = await Turn(self._gateway, self._settings, request, self._talk(request, ""), {}).begin()
        if (found := await self._action(turn, bare)) is None:
            return None
        if not turn.state.loaded:
            raise violation()
        if self._settings.direct_calls == "run":
            return await self._handler("call_action")(request, {"action": found.id, "parameters": arguments})
        fix = action_text(found.id, arguments)
        raise refusal(
            Code.DIRECT_CALL,
            f"{name!r} is an action of site {found.site.id}, not a tool.",
            "Call it through call_action.",
            suggested_fix=fix,
            then=("call_action", {"action": found.id, "parameters": arguments}),
        )

    async def _action(self, turn: Turn, name: str) -> landmarks.Landmark | None:
        try:
            return await landmarks.action(turn, await turn.site(), name)
        except Problem as problem:
            if problem.code in (Code.TOOL_NOT_FOUND, Code.NOT_CONNECTED, Code.NOT_CALLABLE, Code.AMBIGUOUS_NAME):
                return None
            raise

    def refused(self, problem: Problem, request: Request) -> Reply:
        """A problem in this protocol's words."""
        return self._replies.refused(problem, request)

    # --- the phases -------------------------------------------------------------------------------------------

    async def _connect(self, turn: Turn) -> Reply:
        rule = connecting.connect_rule(self._settings.connect, self._listens, turn.request.wire)
        made = await connecting.connect(turn, rule)
        wanted = turn.given.get("get_manifest") or self._settings.auto_manifest
        if made.site is None or not wanted:
            return self._replies.said(joined(made.text, notes_text(turn.notes)), made.body, session=turn.talk.minted)
        listed = await self._manifest_page(turn, made.site)
        body = made.body | _list_body(turn, made.site, listed)
        return self._replies.said(joined(made.text, listed.text), body, session=turn.talk.minted)

    async def _manifest(self, turn: Turn) -> Reply:
        await connecting.awaited(turn)
        site, node = await start(turn)
        return await self._topology(turn, "get_manifest", site, node)

    async def _manifest_page(self, turn: Turn, site: Site) -> Listed:
        turn.given.pop("url", None)
        listed = await _page(turn, "get_manifest", site, site.root)
        await turn.authorize(site)
        return listed

    async def _landmarks(self, turn: Turn) -> Reply:
        await connecting.awaited(turn)
        site, node = await start(turn)
        return await self._topology(turn, "get_landmarks", site, node)

    async def _topology(self, turn: Turn, tool: str, site: Site, node: Node) -> Reply:
        async with self._gateway.showing("browse", turn.principal, node.path, session=turn.talk.name) as note:
            await turn.paged(site)
            listed = await _page(turn, tool, site, node)
            await turn.authorize(site)
            note.shown(f"{item.row['id']}/" for item in listed.shown)
            note.weighed(len(listed.text))
        return self._listed(turn, site, listed)

    async def _inspect(self, turn: Turn) -> Reply:
        site = await turn.site()
        wanted = ids_of(turn.given)
        if "landmark_id" not in turn.given or not wanted:
            raise refusal(
                Code.BAD_INPUT,
                "landmark_id is required",
                "Give an id from get_landmarks() or search_landmarks.",
                then=("get_landmarks", {}),
            )
        if wanted == [""]:
            turn.notes.append("landmark_id is empty: these are the areas of the site")
            node = site.root
            listed = await _page(turn, "get_landmarks", site, node)
            return self._listed(turn, site, listed)
        async with self._gateway.showing("describe", turn.principal, ", ".join(wanted), session=turn.talk.name) as note:
            await turn.paged(site)
            listed = await inspected(turn, site, wanted)
            note.shown(item.row.get("ref") or f"{item.row['id']}/" for item in listed.shown)
            note.weighed(len(listed.text))
        return self._listed(turn, site, listed)

    async def _search(self, turn: Turn) -> Reply:
        found = await searched(turn)
        return self._listed(turn, found.site, found.listed, **found.more)

    async def _call(self, turn: Turn) -> Reply:
        """One of the nine may come as an action; before the handshake only what makes it (H-5)."""
        wanted = landmarks.plain(str(turn.given["action"]))
        if wanted not in self._answers:
            return await self._execution.call_action(turn)
        if not turn.state.loaded and wanted not in _OPENERS:
            raise violation()
        return await self._inner(turn, wanted, turn.given.get("parameters", {}))

    async def _inner(self, turn: Turn, name: str, parameters: dict[str, Any]) -> Reply:
        """One of the nine inside another, in the same session."""
        inner = given(name, parameters, self._operands)
        again = Turn(self._gateway, self._settings, turn.request, turn.talk, inner.arguments)
        again.notes += inner.notes
        return await self._answers[name](await again.begin())

    async def _clear(self, turn: Turn) -> Reply:
        await self._execution.forget(turn)
        everything = bool(turn.given.get("all"))
        if everything:
            await turn.talk.change(lambda _: State())
        said = "Session cleared: aliases, results" + (", sites; the handshake starts over." if everything else ".")
        return self._replies.said(said, {"status": "success", "cleared": "all" if everything else "results"})

    def _listed(self, turn: Turn, site: Site, listed: Listed, **more: Any) -> Reply:
        body = _list_body(turn, site, listed) | more
        full = [{**item.row, **item.full} for item in listed.shown if item.is_action]
        return self._replies.said(listed.text, body, full={"actions": full}, session=turn.talk.minted)


async def _page(turn: Turn, tool: str, site: Site, node: Node) -> Listed:
    """A page of the manifest or of landmarks."""
    if tool == "get_landmarks":
        return await listed_areas(turn, tool, site, node, heading(site, node))
    head = joined(manifest_head(site), heading(site, node))
    if turn.given.get("full"):
        return await whole_manifest(turn, site, node, head)
    return await listed_areas(turn, tool, site, node, head)


def _list_body(turn: Turn, site: Site, listed: Listed) -> dict[str, Any]:
    return {
        "status": "success",
        "site": site.id,
        "revision": site.revision,
        "manifest_loaded": turn.state.loaded,
        "areas": [dict(item.row) for item in listed.shown if not item.is_action],
        "actions": [dict(item.row) for item in listed.shown if item.is_action],
        "page": listed.page,
        "notes": list(turn.notes),
    }
