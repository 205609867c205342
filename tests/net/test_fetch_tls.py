"""TLS with certificates of a private authority, HTTP/2 where it is offered, and proxies."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import pytest
import trustme
from loopback import Reader, Servers, resolving, response, server_tls

from periplus.model import Code, Problem, SourceSpec
from periplus.net import FetchPolicy
from periplus.net.transport import tls_context

HERE = {"api.example.test": ["127.0.0.1"], "other.example.test": ["127.0.0.1"]}


@pytest.fixture
def ca(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "root.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


async def failure(reading: object) -> Problem:
    with pytest.raises(Problem) as caught:
        await reading  # type: ignore[misc]
    return caught.value


async def test_name_and_certificate_are_checked_though_the_address_is_pinned(
    servers: Servers, reader: Reader, authority: trustme.CA, ca: str
):
    """S-13: Host, SNI and certificate check are kept."""
    seen: list[str | None] = []
    tls = server_tls(authority, "api.example.test")
    tls.sni_callback = lambda _socket, name, _context: seen.append(name)
    server = await servers.start(response(200, b"safe"), tls=tls)
    url = server.url(scheme="https", host="api.example.test")
    policy = FetchPolicy(ca=ca)
    assert (await reader.read(url, policy, resolve=resolving(HERE))).body == b"safe"
    assert seen == ["api.example.test"]
    assert server.requests[0].headers["host"] == f"api.example.test:{server.port}"

    wrong = server.url(scheme="https", host="other.example.test")
    problem = await failure(reader.read(wrong, policy, resolve=resolving(HERE)))
    assert problem.code is Code.UNAVAILABLE
    assert "certificate of other.example.test" in problem.message


async def test_an_unknown_authority_is_not_trusted_until_it_is_added(
    servers: Servers, reader: Reader, authority: trustme.CA, ca: str
):
    """S-14."""
    server = await servers.start(response(200, b"safe"), tls=server_tls(authority, "127.0.0.1"))
    problem = await failure(reader.read(server.url(scheme="https")))
    assert problem.code is Code.UNAVAILABLE
    assert "is not trusted" in problem.message
    assert "[fetch] ca" in problem.hints[0]
    assert server.requests == []
    for given in (ca, str(Path(ca).parent)):
        assert (await reader.read(server.url(scheme="https"), FetchPolicy(ca=given))).body == b"safe"


async def test_a_ca_that_is_no_certificate_is_a_bad_setting(reader: Reader, tmp_path: Path):
    (tmp_path / "x.pem").write_text("no")
    for path in (tmp_path / "x.pem", tmp_path / "missing.pem"):
        problem = await failure(reader.read("https://127.0.0.1:1/", FetchPolicy(ca=str(path))))
        assert problem.code is Code.BAD_SETTING


async def test_a_port_without_tls_is_told(servers: Servers, reader: Reader):
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 ready\r\n")
        await writer.drain()
        await _reader.read()

    port = await servers.listen(plain)
    problem = await failure(reader.read(f"https://127.0.0.1:{port}/"))
    assert problem.code is Code.UNAVAILABLE
    assert "TLS with" in problem.message


async def test_a_redirect_from_https_to_http_is_refused(
    servers: Servers, reader: Reader, authority: trustme.CA, ca: str
):
    """S-14."""
    plain = await servers.start(response(200, b"x"))
    server = await servers.start(response(301, location=plain.url()), tls=server_tls(authority, "127.0.0.1"))
    policy = FetchPolicy(ca=ca, allow=("127.0.0.1",))
    problem = await failure(reader.read(server.url(scheme="https"), policy))
    assert problem.code is Code.REFUSED_ADDRESS
    assert "from https to http" in problem.message
    assert plain.requests == []


async def test_http_2_is_spoken_where_it_is_offered(servers: Servers, reader: Reader, authority: trustme.CA, ca: str):
    """S-68."""
    asked: list[dict[bytes, bytes]] = []

    async def talk(incoming: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        link.initiate_connection()
        while True:
            writer.write(link.data_to_send())
            await writer.drain()
            data = await incoming.read(65536)
            if not data:
                return
            for event in link.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    asked.append(dict(event.headers))
                    link.send_headers(event.stream_id, [(":status", "200"), ("content-type", "text/plain")])
                    link.send_data(event.stream_id, b"second", end_stream=True)

    port = await servers.listen(talk, tls=server_tls(authority, "api.example.test", alpn=["h2", "http/1.1"]))
    url = f"https://api.example.test:{port}/x?y=1"
    got = await reader.read(url, FetchPolicy(ca=ca), resolve=resolving(HERE))
    assert got.body == b"second"
    assert asked[0][b":authority"] == f"api.example.test:{port}".encode()
    assert asked[0][b":path"] == b"/x?y=1"


# --- proxies ---


class Proxy:
    """A forward proxy: answers http itself, and opens tunnels to whatever stands at `inside`."""

    def __init__(self, inside: int = 0) -> None:
        self.inside = inside
        self.asked: list[tuple[str, str, dict[str, str]]] = []

    async def talk(self, incoming: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await incoming.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {name.lower(): text for name, _, text in (line.partition(": ") for line in head[1:])}
        self.asked.append((method, target, headers))
        if method != "CONNECT":
            writer.write(response(200, b"by proxy"))
            await writer.drain()
            return
        if not self.inside:
            writer.write(response(407))
            await writer.drain()
            return
        upstream, back = await asyncio.open_connection("127.0.0.1", self.inside)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pump(incoming, back), pump(upstream, writer))


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    finally:
        sink.close()


async def test_the_proxy_of_the_settings_is_used_and_no_other(
    servers: Servers, reader: Reader, monkeypatch: pytest.MonkeyPatch
):
    """S-14."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    proxy = Proxy()
    port = await servers.listen(proxy.talk)
    direct = await servers.start(response(200, b"direct"))
    assert (await reader.read(direct.url())).body == b"direct"

    policy = FetchPolicy(proxy=f"http://user:p%40ss@127.0.0.1:{port}", allow=(f"127.0.0.1:{port}",))
    spec = SourceSpec(url="https://api.example.com/")
    got = await reader.read("http://name.only.the.proxy.knows/a?b", policy, spec=spec)
    assert got.body == b"by proxy"
    method, target, headers = proxy.asked[0]
    assert (method, target) == ("GET", "http://name.only.the.proxy.knows/a?b")
    assert headers["proxy-authorization"] == "Basic dXNlcjpwQHNz"


async def test_a_tunnel_through_the_proxy_keeps_the_certificate_check(
    servers: Servers, reader: Reader, authority: trustme.CA, ca: str
):
    """S-14."""
    inner = await servers.start(response(200, b"inner"), tls=server_tls(authority, "api.example.test"))
    proxy = Proxy(inner.port)
    port = await servers.listen(proxy.talk)
    policy = FetchPolicy(proxy=f"127.0.0.1:{port}", loopback_allowed=True, ca=ca)
    spec = SourceSpec(url="https://api.example.com/")
    assert (await reader.read("https://api.example.test/x", policy, spec=spec)).body == b"inner"
    assert proxy.asked[0][:2] == ("CONNECT", "api.example.test:443")
    problem = await failure(reader.read("https://wrong.example.test/x", policy, spec=spec))
    assert "certificate of wrong.example.test" in problem.message


async def test_the_proxys_own_address_is_judged(servers: Servers, reader: Reader):
    """S-14."""
    proxy = Proxy()
    port = await servers.listen(proxy.talk)
    spec = SourceSpec(url=f"http://127.0.0.1:{port}/")  # what a source is granted is not the proxy's
    problem = await failure(
        reader.read("http://api.example.com/", FetchPolicy(proxy=f"http://127.0.0.1:{port}"), spec=spec)
    )
    assert problem.code is Code.REFUSED_ADDRESS
    assert f'"127.0.0.1:{port}"' in problem.hints[0]
    named = FetchPolicy(proxy=f"http://proxy.example:{port}")
    problem = await failure(
        reader.read("http://api.example.com/", named, spec=spec, resolve=resolving({"proxy.example": ["127.0.0.1"]}))
    )
    assert problem.code is Code.REFUSED_ADDRESS
    assert proxy.asked == []


@pytest.mark.parametrize(
    "url", ["http://localhost/", "http://10.0.0.1/", "http://169.254.169.254/", "http://metadata.google.internal/"]
)
async def test_targets_behind_a_proxy_are_judged_by_name_and_literal_address(
    servers: Servers, reader: Reader, url: str
):
    """S-14."""
    proxy = Proxy()
    port = await servers.listen(proxy.talk)
    policy = FetchPolicy(proxy=f"http://127.0.0.1:{port}", allow=(f"127.0.0.1:{port}",))
    problem = await failure(reader.read(url, policy, spec=SourceSpec(url="https://api.example.com/")))
    assert problem.code is Code.REFUSED_ADDRESS
    assert proxy.asked == []


async def test_a_proxy_that_says_no_is_named(servers: Servers, reader: Reader):
    port = await servers.listen(Proxy().talk)
    policy = FetchPolicy(proxy=f"http://127.0.0.1:{port}", loopback_allowed=True)
    problem = await failure(reader.read("https://api.example.com/", policy))
    assert problem.code is Code.UNAVAILABLE
    assert "proxy" in problem.message
    assert "407" in problem.message


@pytest.mark.parametrize("setting", ["socks5://127.0.0.1:1", "http://", "http://a b/"])
async def test_a_setting_that_is_no_proxy_is_a_bad_setting(reader: Reader, setting: str):
    problem = await failure(reader.read("https://api.example.com/", FetchPolicy(proxy=setting)))
    assert problem.code is Code.BAD_SETTING


def test_the_context_demands_certificates():
    """S-14."""
    context = tls_context(FetchPolicy())
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
