"""A goal as its separate intents, and a goal without the values it mentions."""

import re

from periplus.search.text import terms, words

MOST_CLAUSES = 6
_LONGEST_GOAL = 4_000
_VALUES = re.compile(
    r"""
      \b[a-z][a-z0-9+.-]*://\S+                # addresses
    | \b[\w.+-]+@[\w-]+(?:\.[\w-]+)+           # mail addresses
    | "[^"\n]{1,300}"                          # quoted values
    | (?<!\w)'[^'\n]{1,300}'(?!\w)
    | \u201c[^\u201d\n]{1,300}\u201d
    | `[^`\n]{1,300}`
    | (?<!\w)(?:/[\w.-]+){2,}                  # file paths
    | \b\d[\w:.,/-]*                           # numbers, dates, times
    | \b(?=\w*\d)(?=\w*[A-Za-z])\w{8,}\b       # long identifiers with digits
    | [#$\u20ac\u00a3]\w+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<=[.!?;\u3002\uff01\uff1f\uff1b])(?:\s+|(?<=[\u3002\uff01\uff1f\uff1b]))|[\r\n]+|\s[-*\u2022]\s"
)
_JOINT = re.compile(
    r"(?:,\s*|\s+)(?:and\s+then|then|after\s+that|afterwards|also|plus|as\s+well\s+as|finally|next)\s+"
    r"|,\s*(?:and|or|but)\s+|\s+(?:and|or|&)\s+|,\s+",
    re.IGNORECASE,
)
_SURE = re.compile(r"then|after|also|plus|as\s+well|finally|next", re.IGNORECASE)
_COURTESY = re.compile(
    r"^(?:please|kindly|can|could|would|will|you|i|we|want|need|like|to|help|me|us|let|also|then|and|'d|should|must)$"
)
VERBS = frozenset(
    """
    accept activate add alert analyze analyse append apply approve archive arrange ask assign attach
    authenticate authorize backup ban begin block book broadcast browse build buy calculate call cancel capture
    change charge check classify clean clear clone close collect combine comment compare complete compose
    compress compute configure confirm connect convert copy count crawl create crop cut debug decline decode
    decrypt delete deliver deploy describe detect determine diagnose disable disconnect discover display do
    download draft draw drop duplicate edit email mail message enable encode encrypt end enrich ensure estimate
    evaluate examine exchange execute expand explain explore export extract fetch file fill filter find finish
    fix flag follow forecast format forward generate get give grant grab group hide identify import improve
    index inform insert inspect install invite invoke issue join kill label launch learn list listen load locate
    lock log login look lookup make manage mark match measure merge modify monitor move mute name notify obtain
    open optimize order organize parse paste pause pay pick place plan play plot post predict prepare preview
    print process produce provide publish pull purchase push put query queue rank rate read rebuild receive
    recommend record recover redeem reduce refresh refund register reject release reload remind remove rename
    render renew reopen repair replace reply report request reschedule reserve reset resize resolve respond
    restart restore restrict retrieve retry return reveal review revoke revert rotate run save scan schedule
    scrape search see select sell send set share shorten show shut sign simulate skip snooze solve sort split
    start stop store stream submit subscribe suggest suspend summarize switch sync synchronize tag take tell
    terminate test text track train transcribe transfer transform translate trigger trim turn tweet unblock
    unlock unsubscribe update upgrade upload validate verify view visit vote wait warn watch withdraw write zip
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a line for each
)


def without_values(goal: str) -> str:
    """The goal without quoted values, numbers, addresses and identifiers; unchanged when nothing else is left."""
    bare = _VALUES.sub(" ", goal[:_LONGEST_GOAL])
    return bare if terms(bare) else goal[:_LONGEST_GOAL]


def split(goal: str) -> tuple[str, ...]:
    """The intents of a goal, in order; a goal with one intent is its only clause."""
    found: list[str] = []
    for sentence in _SENTENCE.split(goal[:_LONGEST_GOAL]):
        found += _clauses(sentence)
    said = [clause for clause in (piece.strip(" ,.;!?") for piece in found) if terms(clause)]
    return tuple(dict.fromkeys(said))[:MOST_CLAUSES] or (goal[:_LONGEST_GOAL].strip(),)


def _clauses(sentence: str) -> list[str]:
    """A sentence cut where something new is asked for: at "then", and at "and" before another verb."""
    pieces: list[str] = []
    start = 0
    quiet = _VALUES.sub(lambda value: "_" * len(value[0]), sentence)
    for joint in _JOINT.finditer(quiet):
        after = quiet[joint.end() :]
        if _SURE.search(joint[0]) or _asks(after):
            pieces.append(sentence[start : joint.start()])
            start = joint.end()
    pieces.append(sentence[start:])
    return pieces


def _asks(text: str) -> bool:
    """The text begins, courtesies aside, with a verb of doing."""
    said = [word for word in words(text[:60]) if not _COURTESY.match(word)]
    return bool(said) and said[0] in VERBS and not (said[0] == "pull" and said[1:2] in (["request"], ["requests"]))
