"""What an endpoint is asked to learn its schema: the whole at first, then less, until it answers (S-80)."""

from __future__ import annotations

from collections.abc import Sequence

from graphql import get_introspection_query

SERVICE_SDL = "{ _service { sdl } }"
NAMES = "{ __schema { queryType { name } mutationType { name } subscriptionType { name } types { kind name } } }"
_PART_DEPTH = 4


def whole_questions() -> tuple[str, ...]:
    """Introspections that ask for everything, each knowing less of the newer specifications than the one before."""
    newest = get_introspection_query(
        specified_by_url=True,
        directive_is_repeatable=True,
        schema_description=True,
        input_value_deprecation=True,
        one_of=True,
    )
    without_one_of = get_introspection_query(
        specified_by_url=True,
        directive_is_repeatable=True,
        schema_description=True,
        input_value_deprecation=True,
    )
    return (
        newest,
        without_one_of,
        get_introspection_query(),
        get_introspection_query(descriptions=False, type_depth=5),
    )


def part_question(names: Sequence[str]) -> str:
    """A few types by name, for servers that refuse to tell all at once."""
    asked = " ".join(f't{number}: __type(name: "{name}") {{ ...Whole }}' for number, name in enumerate(names))
    return f"query Types {{ {asked} }} {_WHOLE_TYPE}"


def _use(depth: int) -> str:
    return f"kind name ofType {{ {_use(depth - 1)} }}" if depth else "kind name"


_INPUT = f"name description defaultValue type {{ {_use(_PART_DEPTH)} }}"
_WHOLE_TYPE = (
    "fragment Whole on __Type { kind name description"
    f" fields(includeDeprecated: true) {{ name description args {{ {_INPUT} }} type {{ {_use(_PART_DEPTH)} }}"
    " isDeprecated deprecationReason }"
    f" inputFields {{ {_INPUT} }} interfaces {{ kind name }}"
    " enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }"
    " possibleTypes { kind name } }"
)
