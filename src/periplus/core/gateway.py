"""The gateway: all verbs, over one catalog, one policy and one trail."""

from __future__ import annotations

from periplus.core.verbs.browsing import BrowseVerbs
from periplus.core.verbs.calling import CallVerbs
from periplus.core.verbs.connecting import ConnectVerbs
from periplus.core.verbs.granting import GrantVerbs
from periplus.core.verbs.keying import KeyVerbs
from periplus.core.verbs.remembering import ValueVerbs
from periplus.core.verbs.running import RunVerbs
from periplus.core.verbs.searching import SearchVerbs
from periplus.core.verbs.surveying import SurveyVerbs
from periplus.core.verbs.workflowing import WorkflowVerbs
from periplus.core.wired import Parts


class Gateway(
    WorkflowVerbs,
    ConnectVerbs,
    BrowseVerbs,
    SurveyVerbs,
    SearchVerbs,
    CallVerbs,
    RunVerbs,
    ValueVerbs,
    GrantVerbs,
    KeyVerbs,
):
    """One catalog and what may be done with it. Keeps no state of its own: all of it is in the store."""


__all__ = ["Gateway", "Parts"]
