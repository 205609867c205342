"""Tools by name: every spelling is the tool, near names are offered, patterns cost no more than their text."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Code, Problem, Scope, Tool, ToolRef
from periplus.ports import SearchEngine
from periplus.testing.search_catalogs import asked, fill, made, tools

_ALL = list(tools())
_SOME = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_STYLES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper": str.upper,
    "snake": lambda name: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(),
    "kebab": lambda name: re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower(),
    "words": lambda name: re.sub(r"(?<=[a-z])(?=[A-Z])|/", " ", name),
    "dots": lambda name: name.replace("/", "."),
}


class SearchNames:
    """R-1, R-3: names and patterns."""

    @_SOME
    @given(tool=st.sampled_from(_ALL), style=st.sampled_from(sorted(_STYLES)))
    def test_a_name_in_any_spelling_is_the_first_hit(self, engine: SearchEngine, tool: Tool, style: str) -> None:
        """R-3: ref, path, leaf and origin, in any case or separator style."""
        for name in (str(tool.ref), tool.path, tool.path.rpartition("/")[2], tool.origin):
            spelled = _STYLES[style](name)
            first, score = asked(engine, spelled)[0]
            assert first == tool.ref, spelled
            assert score > 0.9, spelled

    def test_an_alias_and_an_operation_id_are_names_too(self, engine: SearchEngine) -> None:
        """R-3: also where other tools say all of its words louder."""
        loud = [made("town", f"loud/quux{n}", "ship it now ship it now ship it") for n in range(20)]
        plain = made("town", "quiet/q", "Nothing of the kind", aliases=("shipItNow",), key="opShipItNow2")
        fill(engine, [*loud, plain], 2)
        for name in ("shipItNow", "ship-it-now", "SHIP_IT_NOW", "opShipItNow2"):
            assert str(asked(engine, name)[0][0]) == "town/quiet/q", name

    def test_resolving_gives_the_tool_or_those_spelled_nearly_so(self, engine: SearchEngine) -> None:
        """R-1: `resolve`."""
        assert engine.resolve("LIST_SHIP", Scope()).exact == (ToolRef("town", "harbour/listShip"),)
        near = engine.resolve("listShp", Scope())
        assert near.exact == ()
        assert near.near[0] == ToolRef("town", "harbour/listShip")
        nothing = engine.resolve("??", Scope())
        assert (nothing.exact, nothing.near) == ((), ())

    def test_similar_tools_are_those_that_could_stand_in(self, engine: SearchEngine) -> None:
        """R-1: `similar`; the tool itself is none of them."""
        ref = ToolRef("town", "music/createPlaylist")
        shown = [hit.ref for hit in engine.similar(ref, Scope(), limit=5).hits]
        assert ref not in shown
        assert any("playlist" in str(one).lower() or "create" in one.leaf for one in shown)
        with pytest.raises(Problem) as refused:
            engine.similar(ToolRef("town", "music/none"), Scope(), limit=5)
        assert refused.value.code is Code.TOOL_NOT_FOUND

    @_SOME
    @given(
        pattern=st.sampled_from(
            ("ship$", "^town/music", "(list|get)S", "e.+e.+e", "[^a-z]", "x*", "delete(?:Ship|Song)")
        ),
        limit=st.integers(1, 30),
    )
    def test_a_pattern_finds_what_it_finds_elsewhere(self, engine: SearchEngine, pattern: str, limit: int) -> None:
        """R-1: `match`, page after page, in order of ref."""
        wanted = sorted(str(tool.ref) for tool in _ALL if re.search(pattern, str(tool.ref), re.IGNORECASE))
        shown: list[str] = []
        more = True
        while more:
            page = engine.match(pattern, Scope(), limit=limit, after=shown[-1] if shown else "")
            shown += [str(hit.ref) for hit in page.hits]
            more = page.more
        assert shown == wanted

    @pytest.mark.parametrize("pattern", ["(", "a{2000}{2000}", "(?<=a)b", r"(a)\1", "", "x" * 2000])
    def test_a_pattern_that_cannot_be_used_is_refused(self, engine: SearchEngine, pattern: str) -> None:
        with pytest.raises(Problem) as refused:
            engine.match(pattern, Scope(), limit=5, after="")
        assert refused.value.code in {Code.BAD_INPUT, Code.OVER_LIMIT}
        assert refused.value.hints

    @pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"])
    def test_a_pattern_made_to_stall_does_not(self, engine: SearchEngine, pattern: str) -> None:
        """A backtracking engine would not come back from these; the test would not end."""
        fill(engine, [made("town", "a" * 200 + str(n), "Many letters") for n in range(200)], 2)
        engine.match(pattern, Scope(), limit=5, after="")
