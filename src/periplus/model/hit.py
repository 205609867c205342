"""What a search gives back: tools with their probability and the reasons for it."""

import msgspec

from periplus.model.ref import ToolRef
from periplus.model.tool import Effect


class Why(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a tool is where it is."""

    words: dict[str, tuple[str, ...]] = {}  # field -> words of the goal found in it
    spelled: dict[str, str] = {}  # word of the goal -> the spelling that was searched instead
    meaning: float = 0.0  # cosine of the goal's and the tool's vector
    exact: bool = False  # the goal is a name of the tool
    used: float = 0.0  # how strongly earlier calls after similar goals speak for it
    clause: str = ""  # the part of the goal it answers, when the goal has several


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A tool found."""

    ref: ToolRef
    summary: str
    signature: str
    effect: Effect
    score: float  # probability that this tool serves the goal
    why: Why


class NodeHit(msgspec.Struct, frozen=True, kw_only=True):
    """An area found: how likely it holds what the goal wants, and its best tools."""

    path: str
    score: float
    tools: int  # hits below it
    best: tuple[ToolRef, ...]


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A page of hits. Nothing above the floor: no hits, and the area that is nearest to the goal."""

    hits: tuple[Hit, ...]
    more: bool = False  # hits follow after this page
    nearest: str = ""
    clauses: tuple[str, ...] = ()
    revision: int = 0
    ready: float = 1.0  # the share of the visible tools that could be found: the words of the others are being read


class Matches(msgspec.Struct, frozen=True, kw_only=True):
    """Tools whose ref a pattern matches, in order of ref."""

    hits: tuple[Hit, ...]
    more: bool = False


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """What a name may mean: tools that have it, else tools whose name is near."""

    exact: tuple[ToolRef, ...]
    near: tuple[ToolRef, ...] = ()


class Lines(msgspec.Struct, frozen=True):
    """Texts of things, one after the other, for a pattern to be looked for in: each ends with a line break."""

    blob: bytes = b""
    ends: tuple[int, ...] = ()


class Grepped(msgspec.Struct, frozen=True, kw_only=True):
    """What a regular expression finds: a page of tools, then of areas, and how many there are of each."""

    refs: tuple[ToolRef, ...]
    ranks: tuple[int, ...] = ()  # of each: 0 its whole id, 1 in its id, 2 a parameter or tag, 3 its texts
    tools: int = 0
    areas: tuple[int, ...] = ()  # places in the lines that were given
    area_total: int = 0
    by_area: dict[str, int] = {}  # matches in each area right below the one searched; only where there are more
    first: ToolRef | None = None
    revision: int = 0
    literal: bool = False  # the pattern could not be used as one: its words were looked for


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """After this goal this tool was called, and it went well or not."""

    goal: str
    ref: str
    tenant: str
    at: float
    well: bool = True
