"""What things are. Frozen values; nothing here reads a clock, a file or the network."""

from periplus.model.event import VERBS, Event
from periplus.model.finding import Finding, FindingCode, LoadCounts, LoadReport, Severity
from periplus.model.hit import Found, Hit, Matches, NodeHit, Resolved, Why
from periplus.model.node import Node, NodeDraft, area_path, check_node_path
from periplus.model.page import Page
from periplus.model.principal import LOCAL, Principal, Session
from periplus.model.problem import Code, Problem, Status
from periplus.model.ref import ToolRef, check_source_id, fold, leaf_segment, segment, short_hash
from periplus.model.scope import EVERYTHING, Scope, Selector, Visible, glob_matches
from periplus.model.source import (
    Document,
    DocumentPart,
    Held,
    Reading,
    SourceRecord,
    SourceSpec,
    SourceState,
    Unchanged,
    Validators,
)
from periplus.model.tool import Draft, Effect, Example, Link, Schema, Tool, ToolLine

__all__ = [
    "EVERYTHING",
    "LOCAL",
    "VERBS",
    "Code",
    "Document",
    "DocumentPart",
    "Draft",
    "Effect",
    "Event",
    "Example",
    "Finding",
    "FindingCode",
    "Found",
    "Held",
    "Hit",
    "Link",
    "LoadCounts",
    "LoadReport",
    "Matches",
    "Node",
    "NodeDraft",
    "NodeHit",
    "Page",
    "Principal",
    "Problem",
    "Reading",
    "Resolved",
    "Schema",
    "Scope",
    "Selector",
    "Session",
    "Severity",
    "SourceRecord",
    "SourceSpec",
    "SourceState",
    "Status",
    "Tool",
    "ToolLine",
    "ToolRef",
    "Unchanged",
    "Validators",
    "Visible",
    "Why",
    "area_path",
    "check_node_path",
    "check_source_id",
    "fold",
    "glob_matches",
    "leaf_segment",
    "segment",
    "short_hash",
]
