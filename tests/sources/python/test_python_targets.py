"""What a name publishes: a registry, marked functions, a function, an object, a module (S-102); and what fails."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from periplus.model import Code, Effect, Problem, SourceSpec, SourceState
from workshop import Workshop

REGISTRY = """
    harbour = Registry("harbour", version="2.1", description="Berths and pilots.")
    harbour.category("berths", "Berths", description="Where ships lie.")

    @harbour.tool(category="berths", effect="read", tags=["safe"], timeout_seconds=5, requires_approval=True,
                  examples=[Example("a day", {"day": "2031-05-02"}, ["A1"])])
    async def find_berths(day: dt.date) -> list[str]:
        "List free berths on a day."

    @harbour.tool(name="book", idempotent=True, deprecated="use reserve", version="3.0.0")
    def _reserve(berth: str) -> None: ...

    @harbour.tool(internal=True)
    def status(run: str) -> str: ...

    def beside(x: int) -> int: ...
"""


async def test_a_registry_publishes_what_was_put_into_it(workshop: Workshop) -> None:
    tools = await workshop.read(REGISTRY, "harbour")
    assert sorted(tools) == ["book", "find_berths"]
    found, booked = tools["find_berths"], tools["book"]
    assert str(found.ref) == "shop/berths/find_berths"
    assert (found.effect, found.tags, found.requires_approval) == (Effect.READ, ("safe",), True)
    assert found.summary == "List free berths on a day."
    assert found.examples[0].input == {"day": "2031-05-02"}
    assert found.metadata["timeout"] == 5
    assert (booked.effect, booked.idempotent, booked.deprecated) == (Effect.WRITE, True, "use reserve")
    assert booked.version == "3.0.0"
    record = await workshop.gateway.source("shop")
    assert record.document
    assert (record.document.title, record.document.api_version) == ("harbour", "2.1")
    assert record.instructions == "Berths and pilots."
    (area,) = (await workshop.gateway.browse("shop")).nodes
    assert (area.name, area.summary) == ("berths", "Where ships lie.")


async def test_a_module_with_a_registry_publishes_that_and_nothing_beside(workshop: Workshop) -> None:
    assert sorted(await workshop.read(REGISTRY)) == ["book", "find_berths"]


async def test_where_anything_is_marked_only_what_is_marked_is_published(workshop: Workshop) -> None:
    tools = await workshop.read(
        """
        @tool
        def marked(x: int) -> int: ...
        @tool(effect="destroy", name="wipe", title="Wipe it")
        def other(x): ...
        def plain(x: int) -> int: ...
        """
    )
    assert sorted(tools) == ["marked", "wipe"]
    assert (tools["wipe"].effect, tools["wipe"].title) == (Effect.DESTROY, "Wipe it")


async def test_a_modules_public_functions_with_annotations_are_tools(workshop: Workshop) -> None:
    tools = await workshop.read(
        """
        def public(x: int) -> int:
            "Public."
        def bare(x): ...
        def _private(x: int) -> int: ...
        class Ship: ...
        alias = public
        """
    )
    assert sorted(tools) == ["public"]
    assert ("bad_operation", "bare", "has no annotations") in workshop.said()
    (skipped,) = [each for each in workshop.report.problems if each.skipped]
    assert skipped.fix == "annotate it, or mark it with @tool"


async def test_all_is_the_modules_own_list(workshop: Workshop) -> None:
    tools = await workshop.read(
        """
        __all__ = ["one", "gone"]
        def one(x: int) -> int: ...
        def two(x: int) -> int: ...
        """
    )
    assert sorted(tools) == ["one"]
    assert ("missing_member", "gone", "__all__ names 'gone', which the module has not") in workshop.said()


OBJECT = """
    class Crane:
        "Lifts."
        def __init__(self, reach: int = 5): self.reach = reach
        def lift(self, tonnes: float) -> str: "Lift it."
        @classmethod
        def made_by(cls) -> str: ...
        @staticmethod
        def weigh(load: list[float]) -> float: ...
        def _grease(self) -> None: ...
        @property
        def bent(self) -> bool: raise RuntimeError("never looked at")
    crane = Crane(9)
"""


@pytest.mark.parametrize("name", ["crane", "Crane"])
async def test_an_object_publishes_its_public_methods(workshop: Workshop, name: str) -> None:
    tools = await workshop.read(OBJECT, name)
    assert sorted(tools) == ["lift", "made_by", "weigh"]
    assert list(tools["lift"].args_schema["properties"]) == ["tonnes"]
    assert tools["lift"].binding["target"] == name


async def test_one_function_can_be_named(workshop: Workshop) -> None:
    tools = await workshop.read("def one(x: int) -> int: ...\ndef two(x: int) -> int: ...", "two")
    assert sorted(tools) == ["two"]


async def test_words_raise_the_effect_and_the_operator_has_the_last_one(workshop: Workshop) -> None:
    """S-29, S-30: a Python function writes unless somebody says otherwise."""
    text = "def list_ships(x: int) -> int: ...\ndef delete_ship(x: int) -> int: ..."
    tools = await workshop.read(text, effects={"list_*": "read"})
    assert {leaf: tool.effect for leaf, tool in tools.items()} == {
        "list_ships": Effect.READ, "delete_ship": Effect.DESTROY,
    }  # fmt: skip


async def test_every_spelling_finds_the_function(workshop: Workshop) -> None:
    await workshop.read("def plot_course(x: int) -> int: ...")
    for spelling in ("plot_course", "shop.plot_course", "plotCourse"):
        assert (await workshop.gateway.describe(spelling)).ref.leaf == "plot_course"


async def test_an_unchanged_module_writes_nothing(workshop: Workshop) -> None:
    """S-106"""
    await workshop.read("def one(x: int) -> int: ...")
    revision = await workshop.gateway.revision()
    assert (await workshop.gateway.sync("shop")).unchanged
    assert await workshop.gateway.revision() == revision


async def test_a_module_edited_after_it_was_loaded_says_so(workshop: Workshop) -> None:
    """What is described is what would be called: this process has loaded the older text."""
    await workshop.read("def one(x: int) -> int: ...")
    workshop.write("def two(x: int) -> int: ...")
    report = await workshop.gateway.sync("shop")
    assert sorted(await workshop.tools()) == ["one"]
    (finding,) = [each for each in report.problems if each.code.value == "parse_lenient"]
    assert "edited since this process loaded it" in finding.message
    assert finding.fix == "restart the gateway"


# --- failures ----------------------------------------------------------------------------------------------------


async def refused(workshop: Workshop, text: str, target: str = "") -> Problem:
    with pytest.raises(Problem) as problem:
        await workshop.read(text, target)
    return problem.value


async def test_a_module_that_is_not_there_is_named(workshop: Workshop) -> None:
    """S-104"""
    with pytest.raises(Problem) as problem:
        await workshop.connect("no_such_module_anywhere")
    assert problem.value.code is Code.NOT_FOUND
    assert problem.value.message == "there is no module 'no_such_module_anywhere'"
    assert "check the spelling" in problem.value.hints[0]


async def test_a_missing_package_is_named_with_the_line_that_wants_it(workshop: Workshop) -> None:
    """S-104: module, line and package."""
    problem = await refused(workshop, "x = 1\nimport no_such_package.inner\n")
    assert problem.code is Code.UNAVAILABLE
    line = workshop.directory.joinpath("shop.py").read_text().splitlines().index("import no_such_package.inner") + 1
    assert "needs the package 'no_such_package', which is not installed" in problem.message
    assert f"(shop.py, line {line})" in problem.message
    assert problem.where == f"{workshop.directory / 'shop.py'}:{line}"
    assert "install what provides 'no_such_package" in problem.hints[0]


async def test_text_that_is_not_python_is_told_by_line(workshop: Workshop) -> None:
    problem = await refused(workshop, "def broken(:\n    pass\n")
    assert problem.code is Code.PARSE_ERROR
    assert "is not valid Python" in problem.message
    assert problem.hints[0].endswith("reads: def broken(:")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise RuntimeError('no tide today')", "cannot be imported: RuntimeError: no tide today"),
        ("raise SystemExit(3)", "ends the program when it is imported"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
    ],
)
async def test_a_module_that_fails_while_it_is_imported_says_how(workshop: Workshop, text: str, says: str) -> None:
    problem = await refused(workshop, text)
    assert problem.code is Code.UNAVAILABLE
    assert says in problem.message
    assert "(shop.py, line " in problem.message
    assert problem.hints


async def test_a_name_that_is_not_in_the_module_is_answered_with_near_ones(workshop: Workshop) -> None:
    problem = await refused(workshop, "harbour = Registry('harbour')", "harbor")
    assert problem.code is Code.NOT_FOUND
    assert "has no 'harbor'" in problem.message
    assert problem.hints[0].endswith(":harbour")


@pytest.mark.parametrize("target", ["x", "Needy"])
async def test_what_publishes_nothing_is_refused(workshop: Workshop, target: str) -> None:
    text = "x = 7\nclass Needy:\n    def __init__(self, must: int): ...\n    def lift(self) -> int: ...\n"
    problem = await refused(workshop, text, target)
    assert problem.code is Code.BAD_INPUT
    assert problem.hints


async def test_a_source_whose_module_breaks_stays_unavailable_with_its_tools(
    tmp_path: Path, workshop: Workshop
) -> None:
    """S-104, S-108: another process finds the module broken; what it had goes on being described."""
    await workshop.read("def one(x: int) -> int: ...")
    workshop.write("import no_such_package\n")
    script = (
        "import anyio, sys, periplus\n"
        "async def main():\n"
        f"    async with periplus.open('sqlite:///{tmp_path / 'data'}') as gateway:\n"
        "        try:\n            await gateway.sync('shop')\n"
        "        except periplus.Problem as problem:\n            print(problem.code.value)\n"
        "anyio.run(main)\n"
    )
    done = await anyio.run_process([sys.executable, "-c", script])
    assert done.stdout == b"unavailable\n"
    record = await workshop.gateway.source("shop")
    assert record.state is SourceState.STALE
    assert "no_such_package" in record.reason
    assert sorted(await workshop.tools()) == ["one"]


async def test_only_the_operator_adds_python(workshop: Workshop) -> None:
    """S-12, S-102: importing a module runs it."""
    file = workshop.write("raise SystemExit('it was run')")
    with pytest.raises(Problem) as problem:
        await workshop.gateway.connect(SourceSpec(id="shop", kind="python", url=str(file), trusted=False))
    assert problem.value.code is Code.FORBIDDEN


async def test_a_module_is_found_from_the_directory_that_is_named(workshop: Workshop) -> None:
    workshop.write("def one(x: int) -> int: ...", "module_of_the_workshop.py")
    tools = await workshop.connect("module_of_the_workshop:one")
    assert tools["one"].binding["module"] == "module_of_the_workshop"


@pytest.mark.parametrize("place", ["", "a b", "a..b", "x:y z", "1abc", "a/b"])
async def test_a_place_that_is_none_is_refused_with_the_forms_there_are(workshop: Workshop, place: str) -> None:
    with pytest.raises(Problem) as problem:
        await workshop.connect(place)
    assert problem.value.code in {Code.BAD_INPUT, Code.NOT_FOUND}
    assert problem.value.hints


async def test_hostile_objects_cost_themselves(workshop: Workshop) -> None:
    """S-3: whatever an author's code does when it is looked at, its neighbours are tools."""
    tools = await workshop.read(
        """
        class Angry(type):
            def __repr__(cls): raise RuntimeError("do not look at me")
            def __hash__(cls): raise RuntimeError("nor hash me")
        class Odd(metaclass=Angry): ...
        def bad(x: Odd, y: "list[" = 1) -> Odd: ...
        def good(x: int) -> int: ...
        @tool
        def surrogate(x: Literal["\\ud800"], y: str = "\\udfff") -> str: "half \\ud800 a letter"
        """,
        "good",
    )
    assert sorted(tools) == ["good"]
    whole = await workshop.gateway.connect(
        SourceSpec(id="whole", kind="python", url=str(workshop.directory / "shop.py"))
    )
    assert whole.counts.tools >= 1
