from __future__ import annotations

import httpx2
import pytest


def test_an_operation_is_asked_with_post(served: str) -> None:
    """T-10."""
    answer = httpx2.post(f"{served}/v1/echo/say", json={"words": "ahoy"})
    assert (answer.status_code, answer.json()) == (200, {"said": "ahoy"})


def test_a_problem_keeps_the_shape_of_its_face(served: str) -> None:
    answer = httpx2.post(f"{served}/v1/echo/say", json={"words": 5})
    assert answer.status_code == 400
    assert answer.json()["error"]["hints"] == ['send {"words": "..."}']


@pytest.mark.parametrize(
    ("path", "hint"), [("/v1/ecko/say", "did you mean 'echo'?"), ("/v1/echo/sya", "did you mean 'say'?")]
)
def test_what_is_not_there_names_the_nearest(served: str, path: str, hint: str) -> None:
    """T-12."""
    answer = httpx2.post(served + path, json={})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["hints"] == [hint]
    assert len(answer.json()["trace_id"]) == 32


def test_another_method_is_told_to_post(served: str) -> None:
    answer = httpx2.get(f"{served}/v1/echo/say")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("body", [b"{bad", b'{"words": "x",}', b'{"words": 1} // why'])
def test_a_body_that_is_no_json_says_where(served: str, body: bytes) -> None:
    answer = httpx2.post(f"{served}/v1/echo/say", content=body)
    assert answer.status_code == 400
    assert "line 1, column" in answer.json()["error"]["message"]


def test_an_array_is_no_arguments(served: str) -> None:
    answer = httpx2.post(f"{served}/v1/echo/say", content=b"[]")
    assert "an array, not an object" in answer.json()["error"]["message"]


def test_a_body_over_the_limit_is_refused_with_the_limit(served: str) -> None:
    """T-11."""
    whole = httpx2.post(f"{served}/v1/echo/say", content=b"x" * 20_000)
    pieces = httpx2.post(f"{served}/v1/echo/say", content=iter([b"x" * 6000, b"x" * 6000]))
    assert {whole.status_code, pieces.status_code} == {413}
    assert "10,000" in whole.json()["message"]
    assert "10,000" in pieces.json()["error"]["message"]


def test_traces_and_request_ids_come_back(served: str) -> None:
    """T-11."""
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01", "x-request-id": "mine"}
    answer = httpx2.post(f"{served}/v1/echo/who", json={}, headers=headers)
    assert answer.json()["trace"] == trace
    assert answer.headers["x-request-id"] == "mine"
    assert trace in answer.headers["traceparent"]


def test_a_page_of_another_site_cannot_reach_a_local_gateway(served: str) -> None:
    """T-20: DNS rebinding."""
    rebound = httpx2.post(f"{served}/v1/echo/who", json={}, headers={"host": "evil.example"})
    foreign = httpx2.post(f"{served}/v1/echo/who", json={}, headers={"origin": "https://evil.example"})
    local = httpx2.post(f"{served}/v1/echo/who", json={}, headers={"origin": "http://localhost:3000"})
    assert (rebound.status_code, foreign.status_code, local.status_code) == (403, 403, 200)


def test_routes_of_a_face_are_served_beside_its_operations(served: str) -> None:
    assert httpx2.get(f"{served}/echo/ahoy").json() == {"word": "ahoy"}
    assert httpx2.get(f"{served}/echo/no").status_code == 403


def test_health_and_metrics_are_told(served: str) -> None:
    """T-10."""
    assert httpx2.get(f"{served}/healthz").json()["status"] == "ok"
    assert httpx2.get(f"{served}/readyz").json()["checks"]["store"]["ok"] is True
    assert httpx2.get(f"{served}/metrics").text == "up 1\n"


def test_the_description_lists_every_operation_and_route(served: str) -> None:
    """T-10."""
    document = httpx2.get(f"{served}/openapi.json").json()
    assert {"/v1/echo/say", "/v1/echo/who", "/echo/{word}"} <= document["paths"].keys()
    assert document["paths"]["/v1/echo/say"]["post"]["requestBody"]["content"]["application/json"]["schema"]["required"]


def test_json_rpc_asks_the_same_operations(served: str) -> None:
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "echo.say", "params": {"words": "ahoy"}},
        {"jsonrpc": "2.0", "id": "b", "method": "echo.say", "params": {"words": 5}},
        {"jsonrpc": "2.0", "method": "echo.say", "params": {"words": "unheard"}},
        {"jsonrpc": "2.0", "id": 3, "method": "echo.sya"},
        {"id": 4},
    ]
    one, two, three, four = httpx2.post(f"{served}/rpc", json=asked).json()
    assert one == {"jsonrpc": "2.0", "id": 1, "result": {"said": "ahoy"}}
    assert (two["id"], two["error"]["code"], two["error"]["data"]["code"]) == ("b", -32602, "bad_input")
    assert three["error"]["code"] == -32601
    assert "echo.say" in three["error"]["message"]
    assert four["error"]["code"] == -32600
    assert httpx2.post(f"{served}/rpc", content=b"{").json()["error"]["code"] == -32700
    assert httpx2.post(f"{served}/rpc", json=asked[2]).status_code == 204
    assert httpx2.post(f"{served}/rpc", json=[]).json()["error"]["code"] == -32600
