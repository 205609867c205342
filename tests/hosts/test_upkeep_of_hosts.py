"""T-10, T-11: what a serving gateway says of itself, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from harbours import Caller, keys_for, settings_of
from openapi_spec_validator import OpenAPIV31SpecValidator

from listening import listening
from periplus.app.serving import open_application
from periplus.model import Principal, SourceSpec
from periplus.settings import ServeSettings, Settings
from sites import Site

_LINE = re.compile(r'[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? -?[0-9.]+(e[+-]?\d+)?')


@pytest.fixture
def whole(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[str]:
    """The application over two sources that everybody may see."""
    settings = settings_of(tmp_path, upstream)
    keys_for(settings)
    with listening(lambda: open_application(settings)) as base:
        yield base


def figure(base: str, name: str) -> float:
    """One figure of those that Prometheus would read."""
    lines = httpx2.get(f"{base}/metrics").text.splitlines()
    (found,) = [line for line in lines if line.startswith(f"{name} ")]
    return float(found.rpartition(" ")[2])


def test_figures_are_what_happened(tmp_path: Path, upstream: Site, verbs: None) -> None:
    """T-10."""
    settings = settings_of(tmp_path, upstream, auth="keys")
    (key,) = keys_for(settings, Principal(id="ann", tenant="red", scopes=frozenset({"metrics"})))
    with listening(lambda: open_application(settings)) as base:
        ann = Caller(base, key)
        for _ in range(3):
            assert ann("call", tool="berths").status_code == 200
        assert ann("call", tool="sink").status_code == 409
        assert Caller(base)("browse").status_code == 401
        answer = httpx2.get(f"{base}/metrics", headers={"x-api-key": key})
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = answer.text
    for line in text.splitlines():
        assert line.startswith("# ") or _LINE.fullmatch(line), line
    assert 'periplus_calls_total{outcome="ok",source="red"} 3\n' in text
    assert 'periplus_calls_total{outcome="approval_required",source="red"} 1\n' in text
    assert 'periplus_operation_duration_seconds_count{outcome="ok",verb="call"} 3\n' in text
    assert 'periplus_http_request_duration_seconds_count{method="POST",status="401"} 1\n' in text
    assert 'periplus_source_tools{source="blue"} 4\n' in text
    assert "periplus_approvals_pending 1\n" in text
    assert "periplus_http_requests_in_flight 1\n" in text


def test_readiness_looks_at_store_index_and_sources(whole: str) -> None:
    """T-10."""
    assert httpx2.post(f"{whole}/v1/verbs/search", json={"goal": "berths"}).status_code == 200
    answer = httpx2.get(f"{whole}/readyz")
    checks = answer.json()["checks"]
    assert answer.status_code == 200
    assert {"store", "index", "source red", "source blue"} <= checks.keys()
    assert all(check["ok"] for check in checks.values())
    assert checks["index"]["message"] == checks["store"]["message"].partition(",")[0]


def test_a_source_that_cannot_be_read_is_told_and_does_not_stop_the_rest(tmp_path: Path, verbs: None) -> None:
    """T-10: one bad source takes no gateway out of the balancer."""
    sources = {"gone": SourceSpec(id="gone", url=str(tmp_path / "gone.json"))}
    settings = Settings(data=str(tmp_path), sources=sources, serve=ServeSettings(face="verbs"))
    keys_for(settings)
    with listening(lambda: open_application(settings)) as base:
        answer = httpx2.get(f"{base}/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"]["source gone"]["message"] == "unavailable"


def test_the_description_is_valid_and_callers_learn_no_more_than_they_may(
    tmp_path: Path, upstream: Site, verbs: None
) -> None:
    """T-10, T-22: figures and sources of other tenants are not told."""
    settings = settings_of(tmp_path, upstream, auth="keys")
    (key,) = keys_for(settings, Principal(id="ann", tenant="red"))
    with listening(lambda: open_application(settings)) as base:
        document = httpx2.get(f"{base}/openapi.json", headers={"x-api-key": key}).json()
        figures = httpx2.get(f"{base}/metrics", headers={"x-api-key": key})
        ready = httpx2.get(f"{base}/readyz").json()["checks"]
    assert figures.status_code == 403
    assert ready.keys() == {"store", "index", "sources"}
    OpenAPIV31SpecValidator(document).validate()
    assert set(document["components"]["securitySchemes"]) == {"bearer", "key"}
    assert document["security"] == [{"bearer": []}, {"key": []}]
    assert {"/readyz", "/metrics", "/rpc", "/openapi.json", "/v1/verbs/call"} <= document["paths"].keys()


def test_an_answer_is_compressed_for_those_who_take_it(whole: str) -> None:
    """T-11."""
    answer = httpx2.get(f"{whole}/openapi.json", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    plain = httpx2.get(f"{whole}/openapi.json", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == answer.json()
