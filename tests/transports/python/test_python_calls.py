"""Calls of Python functions: what they are given, what becomes of what they give, raise, or never finish."""

from __future__ import annotations

import logging
import time
from typing import Any

import anyio
import pytest

from periplus.model import Code, EventFilter, Problem, Result
from workshop import Workshop


async def call(workshop: Workshop, text: str, arguments: dict[str, Any] | None = None, **more: Any) -> Result:
    """One call of the function `f` of a module of this text."""
    spec = {name: more.pop(name) for name in ("isolate",) if name in more}
    await workshop.read(text, **spec)
    return await workshop.gateway.call("f", arguments or {}, **more)


async def refused(workshop: Workshop, text: str, arguments: dict[str, Any] | None = None, **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await call(workshop, text, arguments, **more)
    return caught.value


@pytest.mark.parametrize(
    ("hint", "value", "seen"),
    [
        ("int", 3, "3"),
        ("int", 3.0, "3"),
        ("float", 3, "3.0"),
        ("bool", True, "True"),
        ("str", "Argo", "'Argo'"),
        ("Any", {"a": [1]}, "{'a': [1]}"),
        ("int | None", None, "None"),
        ("str | int", 5, "5"),
        ("dt.date | str", "2031-05-02", "datetime.date(2031, 5, 2)"),
        ("dt.date | str", "soon", "'soon'"),
        ("dt.datetime", "2031-05-02T10:00:00Z", "datetime.datetime(2031, 5, 2, 10, 0, tzinfo=datetime.timezone.utc)"),
        ("dt.time", "10:30", "datetime.time(10, 30)"),
        ("dt.timedelta", "PT1H", "datetime.timedelta(seconds=3600)"),
        ("decimal.Decimal", "1.50", "Decimal('1.50')"),
        ("uuid.UUID", "6f1f0b0e-0f0a-4b3a-9d1d-0a1b2c3d4e5f", "UUID('6f1f0b0e-0f0a-4b3a-9d1d-0a1b2c3d4e5f')"),
        ("pathlib.PurePosixPath", "a/b", "PurePosixPath('a/b')"),
        ("bytes", "text", "b'text'"),
        ("bytes", {"base64": "aGk="}, "b'hi'"),
        ("Literal['a', 1]", 1, "1"),
        ("Colour", "red", "<Colour.RED: 'red'>"),
        ("Odd", "FIRST", "<Odd.FIRST: (1, 2)>"),
        ("list[Colour]", ["red"], "[<Colour.RED: 'red'>]"),
        ("Sequence[int]", [1, 2], "[1, 2]"),
        ("set[int]", [1], "{1}"),
        ("frozenset[str]", ["a"], "frozenset({'a'})"),
        ("tuple[int, str]", [1, "a"], "(1, 'a')"),
        ("tuple[int, ...]", [1, 2], "(1, 2)"),
        ("dict[str, dt.date]", {"a": "2031-05-02"}, "{'a': datetime.date(2031, 5, 2)}"),
        ("dict[int, str]", {"7": "a"}, "{7: 'a'}"),
        ("Ship", {"name": "Argo", "built": "2001-01-01"}, "Ship(name='Argo', built=datetime.date(2001, 1, 1), crew=[])"),
        ("Box[Ship]", {"inside": {"name": "A"}}, "Box(inside=Ship(name='A', built=None, crew=[]))"),
        ("Point", [1.0, 2.0], "Point(x=1.0, y=2.0)"),
        ("Card", {"name": "x"}, "{'name': 'x'}"),
        ("Struct", {"shipName": "x"}, "Struct(ship_name='x', tons=0)"),
        ("Model", {"name": "x", "day": "2031-05-02"}, "Model(name='x', day=datetime.date(2031, 5, 2))"),
        ("list[Ship | Model]", [{"name": "a", "crew": []}], "[Ship(name='a', built=None, crew=[])]"),
        ("Knots", 7, "7"),
        ("Annotated[int, 'how many']", 7, "7"),
    ],
)  # fmt: skip
async def test_a_function_gets_the_values_its_hints_ask_for(
    workshop: Workshop, hint: str, value: Any, seen: str
) -> None:
    """M-46, S-102"""
    text = f"""
    class Colour(enum.Enum):
        RED = "red"
    class Odd(enum.Enum):
        FIRST = (1, 2)
    @dataclass
    class Ship:
        name: str
        built: dt.date | None = None
        crew: list[str] = field(default_factory=list)
    T = TypeVar("T")
    @dataclass
    class Box(Generic[T]):
        inside: T
    class Point(NamedTuple):
        x: float
        y: float
    class Card(TypedDict):
        name: str
        note: NotRequired[str]
    class Struct(msgspec.Struct, rename="camel"):
        ship_name: str
        tons: int = 0
    class Model(pydantic.BaseModel):
        model_config = {{"extra": "forbid"}}
        name: str
        day: dt.date
        def __repr__(self) -> str:
            return f"Model(name={{self.name!r}}, day={{self.day!r}})"
    Knots = NewType("Knots", int)
    def f(it: {hint}) -> str:
        return repr(it)
    """
    assert (await call(workshop, text, {"it": value})).value == seen


async def test_arguments_go_by_place_by_name_and_into_the_rest(workshop: Workshop) -> None:
    """S-102: what is not given keeps the default of the code."""
    text = """
    def f(a: int, /, b: int = 2, *, c: dt.date | None = None, **rest: dt.date) -> str:
        return f"{a} {b} {c} {sorted(rest.items())}"
    """
    result = await call(workshop, text, {"a": 1, "x": "2031-05-02"})
    assert result.value == "1 2 None [('x', datetime.date(2031, 5, 2))]"


async def test_parameters_that_an_author_described_himself_arrive_as_they_are(workshop: Workshop) -> None:
    text = """
    registry = Registry("r")
    @registry.tool(parameters={"type": "object", "properties": {"day": {"type": "string"}}})
    def f(day: dt.date) -> str:
        return repr(day)
    """
    assert (await call(workshop, text, {"day": "2031-05-02"})).value == "'2031-05-02'"


async def test_a_value_that_its_class_refuses_is_the_callers_mistake(workshop: Workshop) -> None:
    """S-59: schemas do not say everything."""
    text = """
    @dataclass
    class Ship:
        name: str
        def __post_init__(self) -> None:
            if self.name != self.name.title():
                raise ValueError("names are written in capitals")
    def f(ships: list[Ship]) -> int:
        return len(ships)
    """
    problem = await refused(workshop, text, {"ships": [{"name": "Argo"}, {"name": "argo"}]})
    assert (problem.code, problem.where) == (Code.INVALID_ARGS, "/ships/1")
    assert problem.message == "/ships/1: ValueError: names are written in capitals"


@pytest.mark.parametrize(
    ("gives", "value"),
    [
        ("None", None),
        ("10**30", 10**30),
        ("(1, {2}, [dt.date(2031, 5, 2)])", [1, [2], ["2031-05-02"]]),
        ("decimal.Decimal('1.50')", "1.50"),
        ("dt.timedelta(hours=1)", "PT3600S"),
        ("Ship('Argo', Colour.RED)", {"name": "Argo", "colour": "red"}),
        ("Struct(ship_name='x')", {"shipName": "x"}),
        ("Model(name='x')", {"name": "x"}),
        ("{'a': Ship('b', Colour.RED), 1: 2}", {"a": {"name": "b", "colour": "red"}, "1": 2}),
        ("(n * n for n in range(4))", [0, 1, 4, 9]),
        ("{'squares': map(lambda n: n * n, [2, 3])}", {"squares": [4, 9]}),
        ("pathlib.Path('a') / 'b'", "a/b"),
        ("coming()", {"came": True}),
        ("streaming()", ["a", "b"]),
    ],
)
@pytest.mark.parametrize("word", ["def", "async def"])
async def test_whatever_a_function_gives_is_told_as_json(workshop: Workshop, word: str, gives: str, value: Any) -> None:
    """S-103"""
    text = f"""
    class Colour(enum.Enum):
        RED = "red"
    @dataclass
    class Ship:
        name: str
        colour: Colour
    class Struct(msgspec.Struct, rename="camel"):
        ship_name: str
    class Model(pydantic.BaseModel):
        name: str
    async def coming():
        return {{"came": True}}
    async def streaming():
        yield "a"
        yield "b"
    {word} f() -> Any:
        print("this must not disturb anything")
        return {gives}
    """
    result = await call(workshop, text)
    assert (result.value, result.notes) == (value, ())


@pytest.mark.parametrize(
    ("word", "gives", "value"),
    [("def", "10**30", 10**30), ("async def", "{dt.date(2031, 5, 2): n}", {"2031-05-02": 7})],
)
async def test_an_isolated_function_is_given_and_gives_the_same(
    workshop: Workshop, word: str, gives: str, value: Any
) -> None:
    """S-103"""
    text = f"""
    {word} f(n: int) -> Any:
        print("this must not disturb anything")
        return {gives}
    """
    assert (await call(workshop, text, {"n": 7}, isolate=True)).value == value


async def test_what_has_no_json_form_is_told_with_a_note(workshop: Workshop) -> None:
    result = await call(workshop, "def f() -> Any:\n        return [float('nan'), 3j]")
    assert result.value == [None, "3j"]
    assert result.notes == (
        "NaN and Infinity, which JSON does not have, are null",
        "complex has no JSON form and is given as text",
    )


async def test_an_endless_iterator_is_a_limited_list(workshop: Workshop) -> None:
    """S-103"""
    text = """
    import itertools
    def f() -> Iterator[int]:
        return itertools.count()
    """
    result = await call(workshop, text, keep=True, limit=2)
    assert (result.value, result.truncated) == ([0, 1], True)
    assert "the first 10,000 items; there are more" in result.notes


async def test_bytes_are_a_file_that_can_be_fetched_and_passed_on(workshop: Workshop) -> None:
    """S-46, S-103"""
    text = """
    def f(chart: bytes = b"") -> bytes:
        return b"%PDF-" + chart
    """
    result = await call(workshop, text)
    said = result.value["$file"]
    assert (said["media_type"], said["bytes"]) == ("application/pdf", 5)
    again = await workshop.gateway.call("f", {"chart": {"cache_ref": said["cache_ref"]}})
    assert (await workshop.gateway.file(again.handle))[0] == b"%PDF-%PDF-"


async def test_a_result_that_is_too_large_is_refused_with_the_limit(workshop: Workshop) -> None:
    """S-74"""
    problem = await refused(workshop, "def f() -> str:\n        return 'x' * (33 << 20)")
    assert problem.code is Code.TOO_LARGE
    assert "[limits] response_bytes" in problem.message


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("word", ["def", "async def"])
async def test_an_exception_is_a_refusal_with_its_type_and_first_line(
    workshop: Workshop, word: str, *, isolate: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """S-103: the traceback is for the log alone."""
    text = f"""
    {word} f() -> None:
        raise KeyError("no berth\\nand a second line")
    """
    with caplog.at_level(logging.ERROR, "periplus.python"):
        problem = await refused(workshop, text, isolate=isolate)
    assert (problem.code, problem.message) == (
        Code.UPSTREAM_ERROR,
        "f failed: KeyError: 'no berth\\nand a second line'",
    )
    assert problem.details["exception"] == "KeyError"
    assert "Traceback" not in str(problem.to_json())
    if not isolate:
        assert "shop.py" in caplog.text


@pytest.mark.parametrize(
    ("raised", "code", "says"),
    [
        ("ToolError('conflict', 'there is a ship in it')", Code.CONFLICT, "f failed: there is a ship in it"),
        ("ToolError('RATE_LIMITED', 'later')", Code.RATE_LIMITED, "f failed: later"),
        ("ToolError('tide_out', 'too shallow')", Code.UPSTREAM_ERROR, "f failed: too shallow"),
        ("SystemExit(3)", Code.UPSTREAM_ERROR, "f failed: SystemExit: 3"),
        ("TimeoutError('mine')", Code.UPSTREAM_ERROR, "f failed: TimeoutError: mine"),
    ],
)
async def test_a_function_says_how_it_failed(workshop: Workshop, raised: str, code: Code, says: str) -> None:
    """S-103: `ToolError` keeps its code and its words."""
    problem = await refused(workshop, f"def f() -> None:\n        raise {raised}")
    assert (problem.code, problem.message) == (code, says)


async def test_an_asynchronous_function_is_cancelled_at_its_deadline(workshop: Workshop) -> None:
    """S-103"""
    text = """
    import asyncio
    SEEN = []
    async def f() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            SEEN.append("cancelled")
    async def seen() -> list[str]:
        return SEEN
    """
    problem = await refused(workshop, text, timeout_s=0.3)
    assert problem.code is Code.TIMEOUT
    assert problem.message.startswith("f did not finish within 0.")
    assert (await workshop.gateway.call("seen")).value == ["cancelled"]


async def test_a_synchronous_function_is_left_behind_and_others_go_on(workshop: Workshop) -> None:
    """S-103: its thread cannot be stopped; that is said, and so is the remedy."""
    text = """
    import threading
    DONE = threading.Event()
    def f() -> None:
        DONE.wait(30)
    def let_go() -> str:
        DONE.set()
        return "let go"
    """
    problem = await refused(workshop, text, timeout_s=0.05)
    assert problem.code is Code.TIMEOUT
    assert "it runs on" in problem.hints[0]
    assert "isolate = true in [sources.shop]" in problem.hints[1]
    assert (await workshop.gateway.call("let_go")).value == "let go"


async def test_functions_left_behind_take_up_no_more_than_the_bench(workshop: Workshop) -> None:
    """S-103: the pool of threads is bounded, also by calls that nobody waits for."""
    text = """
    import threading
    DONE, RUNNING = threading.Event(), []
    def f() -> None:
        RUNNING.append(1)
        DONE.wait(30)
    async def running() -> int:
        return len(RUNNING)
    async def let_go() -> None:
        DONE.set()
    def free() -> str:
        return "free"
    """
    await workshop.read(text)

    async def hang() -> None:
        with pytest.raises(Problem):
            await workshop.gateway.call("f", timeout_s=0.3)

    async with anyio.create_task_group() as tasks:
        for _ in range(60):
            tasks.start_soon(hang)
    assert (await workshop.gateway.call("running")).value == 40
    with pytest.raises(Problem):
        await workshop.gateway.call("free", timeout_s=0.05)
    await workshop.gateway.call("let_go")
    assert (await workshop.gateway.call("free")).value == "free"


async def test_an_isolated_function_ends_with_its_deadline(workshop: Workshop) -> None:
    """S-103: `isolate` runs it in a process, with all that it started."""
    text = f"""
    import pathlib, subprocess, time
    FILE = pathlib.Path({str(workshop.directory)!r})
    def f() -> None:
        child = subprocess.Popen(["sleep", "60"])
        (FILE / "pid").write_text(str(child.pid))
        time.sleep(60)
    """
    began = time.monotonic()
    problem = await refused(workshop, text, isolate=True, timeout_s=3)
    assert (problem.code, problem.hints[0]) == (Code.TIMEOUT, "its process was ended")
    assert time.monotonic() - began < 20
    child = int((workshop.directory / "pid").read_text())
    with anyio.fail_after(10):
        while _runs(child):
            await anyio.lowlevel.checkpoint()


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123 - no file on a disk
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_a_process_that_dies_is_a_refusal(workshop: Workshop) -> None:
    text = """
    import os
    def f() -> None:
        os._exit(9)
    """
    problem = await refused(workshop, text, isolate=True)
    assert (problem.code, problem.message) == (Code.UPSTREAM_ERROR, "f failed: its process ended without a result")


async def test_a_context_tells_who_calls_until_when_and_hears_how_far_it_is(workshop: Workshop) -> None:
    """M-47, T-4"""
    text = """
    def f(context: CallContext) -> dict[str, Any]:
        context.progress(50, "half")
        context.progress(100)
        return {"who": context.principal.id, "key": context.idempotency_key, "cancelled": context.cancelled}
    async def g(context: CallContext, n: int = 1) -> float:
        context.progress(n)
        return context.deadline
    """
    heard: list[tuple[float, float | None, str]] = []

    async def progress(done: float, total: float | None, message: str) -> None:
        heard.append((done, total, message))

    result = await call(workshop, text, progress=progress, idempotency_key="k1")
    assert result.value == {"who": "local", "key": "k1", "cancelled": False}
    assert heard == [(50, 100.0, "half"), (100, 100.0, "")]
    deadline = (await workshop.gateway.call("g", {"n": 7}, progress=progress, timeout_s=20)).value
    assert 0 < deadline - time.time() <= 20
    assert heard[-1] == (7, 100.0, "")


@pytest.mark.parametrize("by", ["deadline", "caller"])
async def test_a_function_left_behind_can_see_that_nobody_waits(workshop: Workshop, by: str) -> None:
    """M-47"""
    text = """
    import threading
    SEEN, STARTED = threading.Event(), threading.Event()
    def f(context: CallContext) -> None:
        STARTED.set()
        while not context.cancelled:
            SEEN.wait(0.01)
        SEEN.set()
    def started() -> bool:
        return STARTED.wait(10)
    def seen() -> bool:
        return SEEN.wait(10)
    """
    if by == "deadline":
        assert (await refused(workshop, text, timeout_s=0.2)).code is Code.TIMEOUT
    else:
        await workshop.read(text)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(workshop.gateway.call, "f")
            await workshop.gateway.call("started")
            tasks.cancel_scope.cancel()
    assert (await workshop.gateway.call("seen")).value is True


async def test_an_object_keeps_what_it_knows_between_calls(workshop: Workshop) -> None:
    """S-102: of a class an object is made, once."""
    text = """
    class Counter:
        def __init__(self) -> None:
            self.count = 0
        def more(self, by: int = 1) -> int:
            self.count += by
            return self.count
    """
    await workshop.read(text, "Counter")
    assert [(await workshop.gateway.call("more")).value for _ in range(3)] == [1, 2, 3]


async def test_the_trail_names_module_and_function(workshop: Workshop) -> None:
    """T-40"""
    await call(workshop, "def f() -> int:\n        return 1")
    event = (await workshop.gateway.trail.latest(EventFilter(verb="call"), limit=1))[0].event
    assert (event.outcome, event.detail["request"].endswith("shop.py:f")) == ("ok", True)
