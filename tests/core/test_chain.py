from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.chain import Anchor, Chain, Checked
from periplus.core.trail import check_lines, found_by
from periplus.model import START, Recorded, chained, event_text
from periplus.testing.ledgers import make_event

encode = msgspec.json.Encoder(order="deterministic").encode


def trail(size: int) -> list[Recorded]:
    rows: list[Recorded] = []
    previous = START
    for seq in range(1, size + 1):
        event = make_event(subject=f"goal {seq}")
        hash_ = chained(seq, event_text(event), previous)
        rows.append(Recorded(seq=seq, event=event, previous=previous, hash=hash_))
        previous = hash_
    return rows


def follow(rows: list[Recorded], tip: tuple[int, str] | None, anchor: Anchor | None = None) -> Checked:
    chain = Chain(anchor)
    for row in rows:
        chain.take(row)
    return chain.end(tip)


def tip_of(rows: list[Recorded]) -> tuple[int, str]:
    return (rows[-1].seq, rows[-1].hash) if rows else (0, START)


def exported(rows: list[Recorded]) -> list[bytes]:
    seq, hash_ = tip_of(rows)
    return [*(encode(row) + b"\n" for row in rows), encode({"tip": {"seq": seq, "hash": hash_}}) + b"\n"]


@given(st.integers(0, 9))
def test_a_trail_as_it_was_written_is_whole(size):
    """T-40."""
    rows = trail(size)
    assert follow(rows, tip_of(rows)).faults == ()
    checked = check_lines(exported(rows))
    assert (checked.faults, checked.rows, checked.last) == ((), size, size)


@given(st.data())
def test_any_row_that_was_edited_removed_moved_or_rehashed_is_found(data):
    """T-40: always, and the first fault names a row at or next to it."""
    rows = trail(data.draw(st.integers(2, 9)))
    tip, index = tip_of(rows), data.draw(st.integers(0, len(rows) - 1))
    row = rows[index]
    match data.draw(st.sampled_from(["edit", "rehash", "remove", "swap", "cut", "double"])):
        case "edit":
            rows[index] = msgspec.structs.replace(row, event=make_event(subject="another"))
        case "rehash":
            event = make_event(subject="another")
            hash_ = chained(row.seq, event_text(event), row.previous)
            rows[index] = msgspec.structs.replace(row, event=event, hash=hash_)
        case "remove":
            del rows[index]
        case "swap":
            other = (index + 1) % len(rows)
            rows[index], rows[other] = rows[other], rows[index]
        case "cut":
            rows = rows[:index]
        case "double":
            rows.insert(index, row)
    faults = follow(rows, tip).faults
    assert faults
    if faults[0].what.endswith("was changed"):
        assert faults[0].seq == row.seq


@given(st.data())
def test_any_byte_that_was_changed_in_an_export_is_found(data):
    """T-40: the file alone proves it."""
    content = b"".join(exported(trail(3)))
    place = data.draw(st.integers(0, len(content) - 2))  # the last line break says nothing
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    changed = content[:place] + bytes([byte]) + content[place + 1 :]
    whole = check_lines(changed.splitlines(keepends=True))
    assert whole.faults or changed.split() == content.split()


def test_a_cut_export_and_an_empty_file_are_not_whole():
    lines = exported(trail(3))
    assert check_lines(lines[:-1]).faults[0].what == "the end is missing"
    assert check_lines([*lines[:2], lines[-1]]).faults[0].what == "row 3 is missing"
    assert check_lines([]).faults[0].what == "the end is missing"


def test_an_export_of_the_newer_rows_stands_alone():
    checked = check_lines(exported(trail(6))[3:])
    assert (checked.faults, checked.rows, checked.first, checked.last) == ((), 3, 4, 6)


def test_a_history_that_was_rewritten_whole_differs_from_what_was_noted():
    """T-40: hashes alone cannot show it; what was noted elsewhere does."""
    noted = tip_of(trail(3))
    forged: list[Recorded] = []
    previous = START
    for seq in range(1, 6):
        event = make_event(subject=f"forged {seq}")
        hash_ = chained(seq, event_text(event), previous)
        forged.append(Recorded(seq=seq, event=event, previous=previous, hash=hash_))
        previous = hash_
    assert follow(forged, tip_of(forged)).faults == ()
    anchor = Anchor(seq=noted[0], hash=noted[1])
    assert follow(forged, tip_of(forged), anchor).faults[0].what == "row 3 is not the one that was noted"
    assert "not there" in follow(forged[:2], tip_of(forged[:2]), anchor).faults[0].what
    assert follow(trail(5), tip_of(trail(5)), anchor).faults == ()


def test_many_faults_are_counted_and_the_first_ones_told():
    rows = [msgspec.structs.replace(row, event=make_event(subject="x")) for row in trail(30)]
    checked = follow(rows, tip_of(rows))
    assert (len(checked.faults), checked.more) == (20, 10)


def test_a_call_leads_back_to_the_latest_search_that_showed_its_tool():
    """T-40: search, choose, expand, call."""
    events = [
        make_event("search", session="s", trace="t1", shown=("zoo/a", "zoo/b")),
        make_event("search", session="other", trace="t2", shown=("zoo/c", "zoo/b")),
        make_event("describe", session="s", trace="t3", subject="zoo/b", shown=("zoo/b",)),
        make_event("browse", session="s", trace="t4", shown=("zoo/x/", "zoo/a")),
        make_event("call", session="s", trace="t5", subject="zoo/a"),
        make_event("call", session="", trace="t2", subject="zoo/c"),
        make_event("call", session="s", trace="t6", subject="zoo/c"),
    ]
    rows = [Recorded(seq=seq, event=event, previous="", hash="") for seq, event in enumerate(events, 1)]
    links = {seq: (link.seq, link.rank) for seq, link in found_by(rows).items()}
    assert links == {3: (1, 2), 5: (4, 2), 6: (2, 1)}
