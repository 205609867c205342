"""The addresses of the native sites that a gateway is: of its whole catalog, and of each source (H-72)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from periplus.core.gateway import Gateway
from periplus.faces.handshake.errors import error_object, refusal
from periplus.faces.handshake.native.asking import EVERYTHING, asked
from periplus.faces.handshake.native.execute import execute
from periplus.faces.handshake.native.manifest import answered, manifest, search
from periplus.faces.handshake.session import Talk
from periplus.faces.handshake.sites import CATALOG, Site
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Problem
from periplus.ports import HttpAnswer, HttpAsk, Request, Route
from periplus.settings import HandshakeSettings

_GET, _POST = ("GET",), ("POST",)
_HERE = "/.well-known/elemm"
_PAGES = (f"{_HERE}-manifest.md", f"{_HERE}-inspect.md")
_PLACES = ("", "/sites/{source}")
_DUMPS = ("/elemm/manifest", "/elemm/landmarks")  # everything at once, as clients of long ago ask for it
_LINK = "/s/{token}"  # the host asks nobody for a name there: the word in the address says who it is
Answer = Callable[[HttpAsk], Awaitable[HttpAnswer]]


def native_routes(gateway: Gateway, settings: HandshakeSettings) -> tuple[Route, ...]:
    """None where the operator does not want the gateway to be a site."""
    if not settings.native:
        return ()
    sites = NativeSites(gateway, settings)
    dumps = [Route(methods=_GET, path=path, handler=sites.dump) for path in _DUMPS if settings.native_dumps]
    places = (*_PLACES, *(_LINK + place for place in _PLACES)) if settings.site_links else _PLACES
    return (*dumps, *(route for place in places for route in _at(place, sites)))


def _at(place: str, sites: NativeSites) -> tuple[Route, ...]:
    return (
        *(Route(methods=_GET, path=f"{place}{page}", handler=sites.manifest) for page in _PAGES),
        Route(methods=_GET, path=f"{place}{_HERE}/search", handler=sites.search),
        Route(methods=_POST, path=f"{place}{_HERE}/execute", handler=sites.execute),
    )


class NativeSites:
    """Answers for whichever site an address is of, as its asker may see it. No session: each request stands alone."""

    def __init__(self, gateway: Gateway, settings: HandshakeSettings) -> None:
        self._gateway = gateway
        self._settings = settings

    async def manifest(self, ask: HttpAsk) -> HttpAnswer:
        """Landmarks, from the root or below some."""
        turn, site = await self._begin(ask)
        return answered(ask, _base(ask), await manifest(turn, site, asked(ask)))

    async def dump(self, ask: HttpAsk) -> HttpAnswer:
        """Everything there is, on one page."""
        turn, site = await self._begin(ask)
        return answered(ask, _base(ask), await manifest(turn, site, EVERYTHING))

    async def search(self, ask: HttpAsk) -> HttpAnswer:
        """Landmarks that a pattern finds."""
        turn, site = await self._begin(ask)
        return answered(ask, _base(ask), await search(turn, site, asked(ask)))

    async def execute(self, ask: HttpAsk) -> HttpAnswer:
        """What an action gives. Clients show what comes with another status raw, so all that was understood is 200."""
        turn, _ = await self._begin(ask)
        try:
            body = msgspec.json.decode(ask.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = refusal(Code.BAD_INPUT, f"the body is no JSON: {error}", "Send one JSON object.")
            return _json(error_object(problem), 400)
        done = await execute(turn, body)
        return _json(done.body, done.status if ("status", "http") in ask.query else 200)

    async def _begin(self, ask: HttpAsk) -> tuple[Turn, Site]:
        request = await self._request(ask)
        talk = Talk(self._gateway, request, "")
        talk.name = ""
        name = ask.params.get("source", CATALOG)
        site = await Turn(self._gateway, self._settings, request, talk, {}).open(name)
        if site is None and name != CATALOG:
            raise Problem(Code.SOURCE_NOT_FOUND, f"there is no site {name[:60]!r} here", hints=("ask at the root",))
        site = site or Site(CATALOG, ())
        return _Here(self._gateway, self._settings, request, talk, site), site

    async def _request(self, ask: HttpAsk) -> Request:
        """The request of whoever asks; an address that is somebody's own says who that is (H-75)."""
        token = ask.params.get("token")
        if token is None:
            return ask.request
        holder = await self._gateway.holder_of_link(token)
        return msgspec.structs.replace(ask.request, principal=holder, anonymous=False)


class _Here(Turn):
    """A request to one site, to which there are no others."""

    def __init__(self, gateway: Gateway, settings: HandshakeSettings, request: Request, talk: Talk, site: Site) -> None:
        super().__init__(gateway, settings, request, talk, {})
        self._site = site

    async def site(self) -> Site:
        return self._site

    async def sites(self) -> Sequence[Site]:
        return (self._site,)

    async def open(self, name: str) -> Site | None:
        return self._site if name == self._site.id else None


def _base(ask: HttpAsk) -> str:
    """The site's own address, as it was reached."""
    return ask.request.base_url + ("" if ask.path in _DUMPS else ask.path.partition(_HERE)[0])


def _json(value: object, status: int) -> HttpAnswer:
    return HttpAnswer(status=status, body=msgspec.json.encode(value))
