"""A native site is told from everything else that may stand at its address."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem
from sites import Site, api, text

WELL_KNOWN = "/.well-known/elemm-manifest.md"
LANDMARK = {"id": "berths:list", "type": "action", "description": "Lists.", "parameters": []}
JSON = text({"version": "2.0", "landmarks": [LANDMARK], "pagination": {"total": 1}})
MARKDOWN = "# SITE\n\n### LANDMARK TOPOLOGY\n\n- Action: `berths:list` (No required params | Returns: any)\n"


@pytest.mark.parametrize(
    ("body", "kind"), [(JSON, "application/json"), (MARKDOWN, "text/markdown"), (JSON, "text/plain")]
)
@pytest.mark.parametrize("path", ["", "/", WELL_KNOWN, WELL_KNOWN + "/", WELL_KNOWN + "#x"])
async def test_a_native_site_is_known_by_its_manifest(
    gateway: Gateway, site: Site, body: str, kind: str, path: str
) -> None:
    """H-16, section 3: the first probe."""
    site.write(WELL_KNOWN, body, kind=kind)
    report = await gateway.connect(site.url(path))
    assert (report.kind, report.counts.tools) == ("native", 1)
    assert site.asked()[0] == ("GET", WELL_KNOWN, 200)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"<html><body>\n# LANDMARK TOPOLOGY\n{JSON}</body>", "text/html"),
        (f"<p>{MARKDOWN}", "text/plain"),
        (MARKDOWN, "text/html; charset=utf-8"),
        ('{"landmarks": {"a": 1}}', "application/json"),
        ('{"error": "not found", "see": "### LANDMARK TOPOLOGY"}', "application/json"),
        ("Read about LANDMARK TOPOLOGY elsewhere.", "text/plain"),
        ("[]", "application/json"),
        ("", "text/plain"),
    ],
)
async def test_a_page_that_only_looks_native_does_not_hide_what_is_there(
    gateway: Gateway, site: Site, body: str, kind: str
) -> None:
    """Section 3: HTML, other JSON and soft 404 pages are not native."""
    site.write(WELL_KNOWN, body, kind=kind)
    site.write("/openapi.json", text(api("a") | {"info": {"title": "T", "version": "1", "description": MARKDOWN}}))
    assert (await gateway.connect(site.base)).kind == "openapi"


async def test_a_probe_that_leads_where_nothing_may_go_does_not_end_the_others(gateway: Gateway, site: Site) -> None:
    """H-17: an exception in one probe never ends the others."""

    async def away(request: Request) -> Response:
        return RedirectResponse("http://169.254.169.254/latest")

    site.serve(WELL_KNOWN, away)
    site.write("/openapi.json", text(api("a")))
    assert (await gateway.connect(site.base)).kind == "openapi"


async def test_a_guarded_address_is_told_apart_from_an_empty_one(gateway: Gateway) -> None:
    """H-17"""
    with pytest.raises(Problem) as caught:
        await gateway.connect("http://169.254.169.254/")
    assert caught.value.code is Code.REFUSED_ADDRESS


async def test_every_probe_is_named_with_what_came_back(gateway: Gateway, site: Site) -> None:
    """H-17"""
    site.write(WELL_KNOWN, "<html></html>", kind="text/html")
    with pytest.raises(Problem) as caught:
        await gateway.connect(site.base)
    tried = caught.value.hints[-1]
    assert f"GET {WELL_KNOWN}: 200 text/html, no native in it" in tried
    assert "POST /: 404" in tried
    assert "GET /openapi.json: 404" in tried


async def test_a_description_in_a_file_is_known_by_what_it_says(gateway: Gateway, tmp_path: Path) -> None:
    (tmp_path / "site.txt").write_text(MARKDOWN)
    assert (await gateway.connect(str(tmp_path / "site.txt"))).kind == "native"
