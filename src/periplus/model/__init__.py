"""What things are. Frozen values; nothing here reads a clock, a file or the network."""

from periplus.model.approval import Approval, ApprovalState
from periplus.model.call import Action, Answer, Decision, Prepared, Result, Verdict
from periplus.model.credential import CredentialScheme, CredentialSpec
from periplus.model.event import START, VERBS, Event, EventFilter, Recorded, chained, event_text
from periplus.model.finding import Finding, FindingCode, LoadCounts, LoadReport, Severity
from periplus.model.hit import Found, Grepped, Hit, Lines, Matches, NodeHit, Resolved, Use, Why
from periplus.model.kept import Kept, Rate
from periplus.model.key import ApiKey
from periplus.model.node import OWN_TREE, Node, NodeDraft, area_path, check_node_path, place_of
from periplus.model.page import Page
from periplus.model.policy import CallRules, Defaults, Limit, Policy, Rule
from periplus.model.principal import LOCAL, Principal, Session
from periplus.model.problem import Code, Problem, Status
from periplus.model.ref import ToolRef, check_source_id, fold, leaf_segment, segment, short_hash
from periplus.model.scope import EVERYTHING, Scope, Selector, Visible, glob_matches, is_tagged, tag_forms
from periplus.model.sequence import Each, Outcome, Ran, Retry, Step, StepState, Together
from periplus.model.source import (
    DIRECT,
    Document,
    DocumentPart,
    Held,
    Reading,
    SourceRecord,
    SourceSpec,
    SourceState,
    Unchanged,
    Validators,
    split_kind,
)
from periplus.model.statuses import code_of_status
from periplus.model.tool import Draft, Effect, Example, Link, Placed, Schema, Tool, ToolLine, placed_mark

__all__ = [
    "DIRECT",
    "EVERYTHING",
    "LOCAL",
    "OWN_TREE",
    "START",
    "VERBS",
    "Action",
    "Answer",
    "ApiKey",
    "Approval",
    "ApprovalState",
    "CallRules",
    "Code",
    "CredentialScheme",
    "CredentialSpec",
    "Decision",
    "Defaults",
    "Document",
    "DocumentPart",
    "Draft",
    "Each",
    "Effect",
    "Event",
    "EventFilter",
    "Example",
    "Finding",
    "FindingCode",
    "Found",
    "Grepped",
    "Held",
    "Hit",
    "Kept",
    "Limit",
    "Lines",
    "Link",
    "LoadCounts",
    "LoadReport",
    "Matches",
    "Node",
    "NodeDraft",
    "NodeHit",
    "Outcome",
    "Page",
    "Placed",
    "Policy",
    "Prepared",
    "Principal",
    "Problem",
    "Ran",
    "Rate",
    "Reading",
    "Recorded",
    "Resolved",
    "Result",
    "Retry",
    "Rule",
    "Schema",
    "Scope",
    "Selector",
    "Session",
    "Severity",
    "SourceRecord",
    "SourceSpec",
    "SourceState",
    "Status",
    "Step",
    "StepState",
    "Together",
    "Tool",
    "ToolLine",
    "ToolRef",
    "Unchanged",
    "Use",
    "Validators",
    "Verdict",
    "Visible",
    "Why",
    "area_path",
    "chained",
    "check_node_path",
    "check_source_id",
    "code_of_status",
    "event_text",
    "fold",
    "glob_matches",
    "is_tagged",
    "leaf_segment",
    "place_of",
    "placed_mark",
    "segment",
    "short_hash",
    "split_kind",
    "tag_forms",
]
