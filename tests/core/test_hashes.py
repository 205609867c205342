from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from periplus.core.intake.hashes import components, refers_to, shapes_of

_names = st.sampled_from("abcdefgh")
_graphs = st.dictionaries(_names, st.lists(_names, max_size=4).map(tuple), max_size=8).map(
    lambda graph: {name: tuple(other for other in others if other in graph) for name, others in graph.items()}
)


def _definitions(graph, marks=()) -> dict[str, dict]:
    return {
        name: {
            "title": f"{name}{'!' if name in marks else ''}",
            "anyOf": [{"$ref": f"#/$defs/{other}"} for other in others],
        }
        for name, others in graph.items()
    }


def _reach(graph, name) -> set[str]:
    seen, todo = set(), [name]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += graph[here]
    return seen


@given(_graphs)
def test_components_come_after_what_they_refer_to(graph):
    done: set[str] = set()
    for component in components(graph):
        for name in component:
            assert _reach(graph, name) <= done | set(component)
        done |= set(component)
    assert done == set(graph)


@given(_graphs, _names)
def test_a_hash_changes_exactly_when_something_it_reaches_changes(graph, changed):
    """S-22"""
    before, after = shapes_of(_definitions(graph)), shapes_of(_definitions(graph, {changed}))
    for name in graph:
        assert (before[name].hash != after[name].hash) == (changed in _reach(graph, name) and changed in graph)


@given(_graphs)
def test_a_hash_does_not_depend_on_the_order_of_definitions(graph):
    """S-22"""
    backwards = dict(reversed(list(_definitions(graph).items())))
    assert shapes_of(backwards) == dict(shapes_of(_definitions(graph)))


def test_deep_chains_do_not_exhaust_the_stack():
    """S-115"""
    graph = {f"n{number}": (f"n{number + 1}",) for number in range(5000)} | {"n5000": ()}
    assert len(shapes_of(_definitions(graph))) == 5001


def test_what_a_schema_names_is_found_in_its_text():
    text = b'{"anyOf":[{"$ref":"#/$defs/Ship"},{"$ref":"#/$defs/Berth.v1"}],"x":"#/$defs/No"}'
    assert refers_to(text) == ("Berth.v1", "Ship")
