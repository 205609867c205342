"""Areas of the catalog by the tools found in them."""

from collections.abc import Iterable

from periplus.model import ToolRef
from periplus.search.hits import NodeHit
from periplus.search.lexical import View

_BEST = 3


def areas_of(view: View, places: Iterable[int], scores: Iterable[float]) -> tuple[NodeHit, ...]:
    """The areas of these tools, likeliest first: the chance that at least one tool there is right."""
    missed: dict[str, float] = {}
    found: dict[str, list[str]] = {}
    for place, score in zip(places, scores, strict=True):
        ref = view.ref(int(place))
        area = ref.rpartition("/")[0]
        missed[area] = missed.get(area, 1.0) * (1 - min(float(score), 0.999))
        found.setdefault(area, []).append(ref)
    ranked = sorted(found, key=lambda area: (missed[area], area))
    return tuple(
        NodeHit(
            path=area,
            score=round(1 - missed[area], 4),
            tools=len(found[area]),
            best=tuple(ToolRef(*ref.split("/", 1)) for ref in found[area][:_BEST]),
        )
        for area in ranked
    )
