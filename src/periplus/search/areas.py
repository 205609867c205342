"""Areas of the catalog by the tools found in them."""

from collections.abc import Iterable

from periplus.model import ToolRef
from periplus.search.calibration import Calibration
from periplus.search.hits import NodeHit
from periplus.search.lexical import View

_BEST = 3


def areas_of(
    view: View, places: Iterable[int], scores: Iterable[float], calibration: Calibration
) -> tuple[NodeHit, ...]:
    """The areas of these tools, likeliest first: the chance that at least one tool there is right."""
    chances: dict[str, list[float]] = {}
    found: dict[str, list[str]] = {}
    for place, score in zip(places, scores, strict=True):
        ref = view.ref(int(place))
        area = ref.rpartition("/")[0]
        chances.setdefault(area, []).append(float(score))
        found.setdefault(area, []).append(ref)
    likely = {area: round(calibration.together(several), 4) for area, several in chances.items()}
    return tuple(
        NodeHit(
            path=area,
            score=likely[area],
            tools=len(found[area]),
            best=tuple(ToolRef(*ref.split("/", 1)) for ref in found[area][:_BEST]),
        )
        for area in sorted(found, key=lambda area: (-likely[area], area))
    )
