"""What the core needs from outside. Each is as narrow as its callers; adapters know nothing of each other.

A source describes (`Source`), a store keeps (`Store`), the wires carry (`Fetch`, `McpLinks`), an engine ranks
(`SearchEngine`). None of them is a place for policy, naming or retries: those are the core's.
"""

from periplus.model import Schema
from periplus.ports.clock import Clock
from periplus.ports.faces import (
    Face,
    Handler,
    HttpAnswer,
    HttpAsk,
    Operation,
    Presented,
    Reply,
    Request,
    Resource,
    Route,
    Wire,
)
from periplus.ports.keys import Keys
from periplus.ports.ledger import Ledger, LedgerFactory
from periplus.ports.listening import LEVELS, UNSAID, Listener, Logged, is_finer
from periplus.ports.origin import Origin, Span, Tracing, begun, here, traceparent, within
from periplus.ports.policies import Policies
from periplus.ports.rows import Row, encode_tool, pack_tool, stamp_tool, unpack_tool
from periplus.ports.search import Grep, SearchEngine
from periplus.ports.sessions import Sessions
from periplus.ports.sources import Source
from periplus.ports.stores import Change, Known, Shape, Store, StoreFactory
from periplus.ports.transports import (
    Ask,
    Calling,
    CallWires,
    Dialogue,
    HttpOut,
    HttpReply,
    HttpRequest,
    McpOut,
    McpRequest,
    Site,
    Stop,
    Told,
    Transport,
    no_progress,
)
from periplus.ports.wires import Fetch, Fetched, FetchRequest, McpLinks, McpListing, ReadLimits, Wires

__all__ = [
    "LEVELS",
    "UNSAID",
    "Ask",
    "CallWires",
    "Calling",
    "Change",
    "Clock",
    "Dialogue",
    "Face",
    "Fetch",
    "FetchRequest",
    "Fetched",
    "Grep",
    "Handler",
    "HttpAnswer",
    "HttpAsk",
    "HttpOut",
    "HttpReply",
    "HttpRequest",
    "Keys",
    "Known",
    "Ledger",
    "LedgerFactory",
    "Listener",
    "Logged",
    "McpLinks",
    "McpListing",
    "McpOut",
    "McpRequest",
    "Operation",
    "Origin",
    "Policies",
    "Presented",
    "ReadLimits",
    "Reply",
    "Request",
    "Resource",
    "Route",
    "Row",
    "Schema",
    "SearchEngine",
    "Sessions",
    "Shape",
    "Site",
    "Source",
    "Span",
    "Stop",
    "Store",
    "StoreFactory",
    "Told",
    "Tracing",
    "Transport",
    "Wire",
    "Wires",
    "begun",
    "encode_tool",
    "here",
    "is_finer",
    "no_progress",
    "pack_tool",
    "stamp_tool",
    "traceparent",
    "unpack_tool",
    "within",
]
