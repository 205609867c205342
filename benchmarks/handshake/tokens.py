"""What a model reads, in tokens of four characters, until it has found a tool and called it."""

from __future__ import annotations

import json
import re

from benchmarks.handshake.calls import Site
from benchmarks.handshake.gateways import Answer, Gateway

_ACTION = re.compile(r"call_action\(action: '([^']+)'")
_FOUR = (3, 5, 7, 11)


def listed(gateway: Gateway) -> float:
    """`tools/list`, compact as it is on the wire."""
    return len(json.dumps(gateway.ask("tools/list")["tools"], separators=(",", ":"), ensure_ascii=False)) / 4


def by_search(gateway: Gateway, site: Site) -> float:
    """Connect, manifest, one search, one call."""
    name = site.name(3)
    read, found = _opened(gateway, site), gateway("search_landmarks", query=name)
    action = next(each for each in _ACTION.findall(found.text) if each.endswith(name))
    called = gateway("call_action", action=action, parameters={"id": "7"})
    return _sum(*read, found, called)


def by_inspecting(gateway: Gateway, site: Site) -> float:
    """Connect, manifest, one area inspected, one call of what it shows."""
    read, found = _opened(gateway, site), gateway("inspect_landmark", landmark_id="plant_0003")
    called = gateway("call_action", action=_ACTION.findall(found.text)[-1], parameters={"id": "7"})
    return _sum(*read, found, called)


def four_at_once(gateway: Gateway, site: Site) -> float:
    """Connect, manifest, one search for four tools, one sequence that calls them."""
    names = [site.name(turn) for turn in _FOUR]
    read, found = _opened(gateway, site), gateway("search_landmarks", query="|".join(names))
    ids = dict.fromkeys(_ACTION.findall(found.text))
    steps = [{"action": each, "parameters": {"id": "7"}} for each in ids if each.endswith(tuple(names))]
    return _sum(*read, found, gateway("execute_sequence", actions=steps))


def _opened(gateway: Gateway, site: Site) -> tuple[Answer, Answer]:
    return gateway("connect_to_site", url=site.url), gateway("get_manifest")


def _sum(*answers: Answer) -> float:
    return sum(answer.tokens for answer in answers)
