from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import VERBS, Event

_texts = st.text(max_size=20)


@given(st.sampled_from(VERBS), _texts, _texts, st.tuples(_texts, _texts), st.dictionaries(_texts, st.integers()))
def test_an_event_survives_being_written_down(verb, trace, principal, shown, detail):
    event = Event(verb=verb, at="2031-05-02T08:00:00Z", trace=trace, principal=principal, shown=shown, detail=detail)
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event


def test_only_the_core_verbs_can_happen():
    with pytest.raises(ValueError, match="not a verb of the core: 'frobnicate'"):
        Event(verb="frobnicate", at="", trace="", principal="")
