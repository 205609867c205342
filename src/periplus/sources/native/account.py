"""What a site says it has beside what came of it: nothing is missing silently (S-4)."""

from __future__ import annotations

from periplus.documents.schemas import Findings
from periplus.model import FindingCode
from periplus.sources.native.harvest import Harvest
from periplus.sources.native.listing import Listing
from periplus.sources.native.walking import Walk


def account(harvest: Harvest, actions: Listing | None, walk: Walk, findings: Findings) -> bool:
    """Tell what is still missing, and say whether nothing is."""
    missing = actions.missing if actions else 0
    lost = actions.lost[:missing] if actions else []
    for place in lost:
        findings.skipped("/search", "", f"the site fails over its action number {place + 1}; it is left out")
    if missing > len(lost):
        message = f"the site says that it has {len(harvest.actions) + missing:,} actions; {missing:,} did not come"
        findings.lost(FindingCode.MISSING_MEMBER, "/search", "", message)
    short = {id_: f"it says that it holds {said}, and {came} came" for id_, said, came in harvest.short()}
    unread = {id_: why for id_, why in walk.broken.items() if not id_ or harvest.lacks(id_)}
    for id_, what in (unread | short).items():
        why = f": {unread[id_]}" if id_ in short and id_ in unread else ""
        named = f"the area {id_!r}" if id_ else "the root"
        findings.lost(FindingCode.MISSING_MEMBER, f"/{id_}", "", f"{named} is not whole: {what}{why}")
    if actions is not None and actions.total is not None:
        return not missing and not unread
    return not short and not unread
