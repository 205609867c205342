"""The policy in its file: read anew when it changes, never worse than what it last said."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from periplus.app.policies import policies
from periplus.core.gateway import Gateway
from periplus.model import Code, Principal, Problem, SourceSpec, Verdict
from periplus.settings import load_settings
from periplus.testing.clock import SettableClock

AGENT = Principal(id="agent")
OPEN = '[policy.defaults]\ndestroy = "allow"\n'
SHUT = '[[policy.rules]]\nverdict = "deny"\nprincipal = "agent"\ntools = ["*"]\nreason = "closed today"\n'


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_changed_file_is_in_force_within_a_second_and_a_broken_one_is_not(
    tmp_path: Path, clock: SettableClock, caplog: pytest.LogCaptureFixture
) -> None:
    """T-30"""
    file = written(tmp_path / "periplus.toml", OPEN)
    found = policies(load_settings(file, {}), file, clock)
    assert found.current().defaults.destroy is Verdict.ALLOW
    first = found.current()
    written(file, OPEN + SHUT)
    assert found.current() is first
    clock.advance(1.5)
    assert [rule.reason for rule in found.current().rules] == ["closed today"]
    assert found.fault() is None
    good = found.current()
    for broken, words in (
        (OPEN + '[[policy.rules]]\nverdict = "no"\n', "Invalid enum value 'no'"),
        (OPEN + '[[policy.rules]]\nverdikt = "deny"\n', "unknown setting"),
        (OPEN + '[[policy.rules]]\nverdict = "deny"\nwhen = "["\n', "rule 1: not JMESPath"),
        ("[policy", "not valid TOML"),
    ):
        written(file, broken)
        clock.advance(1.5)
        with caplog.at_level(logging.ERROR):
            assert found.current() is good
        fault = found.fault()
        assert fault is not None
        assert words in fault.message
        assert "goes on" in caplog.text
    written(file, OPEN)
    clock.advance(1.5)
    assert found.current().rules == ()
    assert found.fault() is None


def test_a_policy_file_of_its_own_lies_beside_the_settings(tmp_path: Path, clock: SettableClock) -> None:
    written(tmp_path / "rules.toml", SHUT.replace("policy.", ""))
    file = written(tmp_path / "periplus.toml", '[policy]\nfile = "rules.toml"\n')
    found = policies(load_settings(file, {}), file, clock)
    assert len(found.current().rules) == 1


def test_what_the_environment_sets_holds_whatever_the_file_says_later(tmp_path: Path, clock: SettableClock) -> None:
    file = written(tmp_path / "periplus.toml", OPEN)
    settings = load_settings(file, {"PERIPLUS_POLICY__DEFAULTS__WRITE": "deny"})
    found = policies(settings, file, clock)
    written(file, SHUT)
    clock.advance(1.5)
    assert (found.current().defaults.write, found.current().defaults.destroy) == (Verdict.DENY, Verdict.ASK)


def test_a_gateway_does_not_start_under_a_broken_policy(tmp_path: Path, clock: SettableClock) -> None:
    file = written(tmp_path / "periplus.toml", '[[policy.rules]]\nverdict = "deny"\nwhen = "["\n')
    with pytest.raises(Problem) as caught:
        policies(load_settings(file, {}), file, clock)
    assert caught.value.code is Code.BAD_SETTING


async def test_what_a_rule_hides_is_gone_from_every_view(
    opened: Callable[..., AbstractAsyncContextManager[Gateway]], tmp_path: Path
) -> None:
    """E-37: in lists, in counts, and for whoever asks for it by name."""
    file = written(tmp_path / "periplus.toml", SHUT)
    async with opened(file) as gateway:
        await gateway.connect(SourceSpec(id="charts", url="periplus.demo.charts", kind="python"))
        seen = await gateway.browse("charts")
        assert seen.node.tools > 0
        assert (await gateway.browse("", principal=AGENT)).node.tools == 0
        for verb in (gateway.describe, gateway.call):
            with pytest.raises(Problem) as caught:
                await verb(str(seen.tools[0].ref), principal=AGENT)
            assert caught.value.code is Code.TOOL_NOT_FOUND
            assert caught.value.hints == ("browse or search to see what there is",)
