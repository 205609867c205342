"""M-46: parameters come from type hints, defaults and the docstring; the result type becomes the output schema."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from workshop import Workshop

INTEGER = {"type": "integer"}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        ("str", {"type": "string"}),
        ("int", INTEGER),
        ("float", {"type": "number"}),
        ("bool", {"type": "boolean"}),
        ("None", {"type": "null"}),
        ("Any", {}),
        ("object", {}),
        ("Optional[int]", {"type": ["integer", "null"]}),
        ("int | None", {"type": ["integer", "null"]}),
        ("int | str", {"type": ["integer", "string"]}),
        ('Literal["a", "b"]', {"type": "string", "enum": ["a", "b"]}),
        ('Literal["a", 1, None]', {"enum": ["a", 1, None]}),
        ("list[int]", {"type": "array", "items": INTEGER}),
        ("Sequence[int]", {"type": "array", "items": INTEGER}),
        ("set[str]", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        ("tuple[int, ...]", {"type": "array", "items": INTEGER}),
        (
            "tuple[int, str]",
            {"type": "array", "prefixItems": [INTEGER, {"type": "string"}], "items": False, "minItems": 2},
        ),
        ("dict[str, int]", {"type": "object", "additionalProperties": INTEGER}),
        ("dt.date", {"type": "string", "format": "date"}),
        ("dt.datetime", {"type": "string", "format": "date-time"}),
        ("dt.timedelta", {"type": "string", "format": "duration"}),
        ("uuid.UUID", {"type": "string", "format": "uuid"}),
        ('Annotated[int, "How many"]', {"type": "integer", "description": "How many"}),
        ("Annotated[str, pydantic.Field(max_length=3)]", {"type": "string", "maxLength": 3}),
        ("Annotated[int, msgspec.Meta(ge=1, le=5)]", {"type": "integer", "minimum": 1, "maximum": 5}),
        ('"int"', INTEGER),
    ],
)
async def test_a_plain_hint_is_the_schema_a_reader_expects(workshop: Workshop, hint: str, schema: Any) -> None:
    assert await workshop.argument(hint) == schema
    assert not [code for code, _, _ in workshop.said() if code != "missing_member"]


ENUMS = """
    class Colour(enum.Enum):
        RED = "red"
        BLUE = "blue"
    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 2
    class Odd(enum.Enum):
        HERE = object()
        THERE = object()
"""


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        ("Colour", {"type": "string", "enum": ["red", "blue"]}),
        ("Level", {"type": "integer", "enum": [1, 2]}),
        ("Odd", {"type": "string", "enum": ["HERE", "THERE"]}),
    ],
)
async def test_an_enum_goes_by_its_values_else_by_its_names(workshop: Workshop, hint: str, schema: Any) -> None:
    assert await workshop.argument(hint, ENUMS) == schema


SHAPES = {
    "dataclass": "@dataclass\nclass Cargo:\n    weight: float\n    label: str = 'none'\n",
    "struct": "class Cargo(msgspec.Struct):\n    weight: float\n    label: str = 'none'\n",
    "typed dict": "class Cargo(TypedDict):\n    weight: float\n    label: NotRequired[str]\n",
    "pydantic": "class Cargo(pydantic.BaseModel):\n    weight: float\n    label: str = 'none'\n",
}


@pytest.mark.parametrize("way", SHAPES)
async def test_a_class_of_fields_is_an_object_whatever_made_it(workshop: Workshop, way: str) -> None:
    """The same values are taken and refused, judged by a validator that is not ours."""
    schema = await workshop.argument("list[Cargo]", SHAPES[way])
    judge = jsonschema.Draft202012Validator(schema)
    assert judge.is_valid([{"weight": 1.5, "label": "tea"}, {"weight": 2}])
    assert not judge.is_valid([{"label": "tea"}])
    assert not judge.is_valid([{"weight": "heavy"}])


async def test_a_class_that_holds_itself_stays_a_reference(workshop: Workshop) -> None:
    """S-115: recursion is not expanded."""
    node = "@dataclass\nclass Node:\n    name: str\n    below: list[Node] = field(default_factory=list)\n"
    schema = await workshop.argument("Node", node)
    assert schema["$ref"] == "#/$defs/Node"
    assert schema["$defs"]["Node"]["properties"]["below"]["items"] == {"$ref": "#/$defs/Node"}
    judge = jsonschema.Draft202012Validator(schema)
    assert judge.is_valid({"name": "a", "below": [{"name": "b"}]})
    assert not judge.is_valid({"name": "a", "below": [{}]})


async def test_generic_classes_are_told_apart_by_what_is_in_them(workshop: Workshop) -> None:
    box = "T = TypeVar('T')\n@dataclass\nclass Box(Generic[T]):\n    item: T\n"
    schema = await workshop.argument("tuple[Box[int], Box[str]]", box)
    first, second = (schema["$defs"][each["$ref"].rpartition("/")[2]] for each in schema["prefixItems"])
    assert first["properties"]["item"] == INTEGER
    assert second["properties"]["item"] == {"type": "string"}


async def test_two_classes_of_one_name_do_not_share_a_definition(workshop: Workshop) -> None:
    classes = """
        def make(kind):
            @dataclass
            class Cargo:
                load: kind
            return Cargo
        One, Two = make(int), make(str)
        One.__annotations__["load"], Two.__annotations__["load"] = int, str
    """
    schema = await workshop.argument("tuple[One, Two]", classes)
    loads = [schema["$defs"][each["$ref"].rpartition("/")[2]]["properties"]["load"] for each in schema["prefixItems"]]
    assert loads == [INTEGER, {"type": "string"}]


async def test_a_new_type_is_what_it_stands_for(workshop: Workshop) -> None:
    assert await workshop.argument("Berth", "Berth = NewType('Berth', int)\n") == INTEGER


async def test_bytes_are_a_file(workshop: Workshop) -> None:
    """S-46"""
    schema = await workshop.argument("bytes")
    judge = jsonschema.Draft202012Validator(schema)
    assert all(judge.is_valid(value) for value in ("text", {"base64": "aGk="}, {"text": "hi", "filename": "a.txt"}))
    assert not judge.is_valid(7)


async def test_decimals_keep_their_digits_as_text(workshop: Workshop) -> None:
    judge = jsonschema.Draft202012Validator(await workshop.argument("decimal.Decimal"))
    assert judge.is_valid("12345678901234567890.05")
    assert judge.is_valid(1.5)
    assert not judge.is_valid("much")


DEFAULTS = """
    class Colour(enum.Enum):
        RED = "red"
    def paint(
        wall: str, colour: Colour = Colour.RED, day: dt.date = dt.date(2031, 5, 2), *, coats: int = 2,
        thinner: object = object(), where: list[str] | None = None,
    ) -> None: ...
"""


async def test_defaults_are_shown_as_a_caller_would_write_them(workshop: Workshop) -> None:
    schema = (await workshop.read(DEFAULTS))["paint"].args_schema
    shown = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    assert shown == {"colour": "red", "day": "2031-05-02", "coats": 2, "where": None}
    assert schema["required"] == ["wall"]


@pytest.mark.parametrize(
    "docstring",
    [
        "Moor a ship.\n\n    Args:\n        ship (str): Her name,\n            as painted.\n        berth: Where.\n",
        "Moor a ship.\n\n    Parameters\n    ---\n    ship : str\n        Her name,\n        as painted.\n    berth\n        Where.\n",
        "Moor a ship.\n\n    :param ship: Her name,\n        as painted.\n    :param int berth: Where.\n",
    ],
    ids=["google", "numpy", "rest"],
)
async def test_a_docstring_describes_the_parameters_in_any_style(workshop: Workshop, docstring: str) -> None:
    tool = (await workshop.read(f'def moor(ship: str, berth: int) -> None:\n    """{docstring}    """\n'))["moor"]
    described = {name: each["description"] for name, each in tool.args_schema["properties"].items()}
    assert described == {"ship": "Her name, as painted.", "berth": "Where."}
    assert (tool.summary, tool.description) == ("Moor a ship.", "Moor a ship.")


@pytest.mark.parametrize(
    ("function", "call", "schema"),
    [
        ("def give() -> int: ...", "sync", INTEGER),
        ("async def give() -> int: ...", "async", INTEGER),
        ("def give() -> Iterator[int]:\n    yield 1", "iterator", {"type": "array", "items": INTEGER}),
        ("async def give() -> AsyncIterator[int]:\n    yield 1", "async_iterator", {"type": "array", "items": INTEGER}),
        ("def give() -> None: ...", "sync", {"type": "null"}),
        ("def give(x: int): ...", "sync", None),
        ("def give() -> Any: ...", "sync", None),
    ],
)
async def test_the_result_type_is_the_output_schema(workshop: Workshop, function: str, call: str, schema: Any) -> None:
    """S-103: what an iterator gives is a list."""
    tool = (await workshop.read(function))["give"]
    assert tool.result_schema == schema
    assert tool.binding["call"] == call


async def test_the_calls_context_is_filled_in_and_never_published(workshop: Workshop) -> None:
    """M-47"""
    tools = await workshop.read(
        """
        def one(ship: str, context: CallContext) -> None: ...
        async def two(told: CallContext | None, *, ship: str = "Argo") -> None: ...
        def three(ship: str, why: "CallContext") -> None: ...
        """
    )
    for leaf, name in (("one", "context"), ("two", "told"), ("three", "why")):
        assert list(tools[leaf].args_schema["properties"]) == ["ship"]
        assert tools[leaf].binding["context"] == [name]


async def test_star_arguments_are_refused_and_double_ones_take_further_members(workshop: Workshop) -> None:
    """S-102"""
    tools = await workshop.read(
        """
        def star(*ships: str) -> None: ...
        def more(ship: str, **loads: float) -> None: ...
        """
    )
    assert list(tools) == ["more"]
    assert tools["more"].args_schema["additionalProperties"] == {"type": "number"}
    assert tools["more"].binding["extra"] == "loads"
    assert ("bad_operation", "star", "takes *ships: values without names cannot be described; take a list") in (
        workshop.said()
    )
    assert (workshop.report.counts.operations, workshop.report.counts.skipped) == (2, 1)


async def test_what_stands_before_a_slash_is_passed_by_place(workshop: Workshop) -> None:
    tool = (await workshop.read("def add(a: int, b: int = 2, /, c: int = 3) -> int: ..."))["add"]
    assert tool.binding["positional"] == ["a", "b"]
    assert list(tool.args_schema["properties"]) == ["a", "b", "c"]


async def test_a_hint_that_cannot_be_read_costs_itself(workshop: Workshop) -> None:
    """S-3: any value is taken there, and the report says so with file and line."""
    tool = (await workshop.read("def moor(ship: Missing, berth: int) -> None: ..."))["moor"]
    assert tool.args_schema["properties"] == {"ship": {}, "berth": INTEGER}
    (finding,) = [each for each in workshop.report.problems if each.code.value == "schema_reduced"]
    assert "ship: Missing cannot be found" in finding.message
    assert finding.where.startswith(f"{workshop.directory / 'shop.py'}:")


async def test_parameters_written_by_the_author_stand_instead_of_hints(workshop: Workshop) -> None:
    tool = (
        await workshop.read(
            """
            @tool(parameters={"type": "object", "properties": {"ship": {"$ref": "#/$defs/S"}},
                              "$defs": {"S": {"type": "string", "minLength": 2}}})
            def moor(ship: int) -> None: ...
            """
        )
    )["moor"]
    judge = jsonschema.Draft202012Validator(tool.args_schema)
    assert judge.is_valid({"ship": "Argo"})
    assert not judge.is_valid({"ship": 7})
    assert tool.binding["raw"] is True
