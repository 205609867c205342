"""The wires: how bytes reach a source, judged and bounded. Nothing here knows what a description is."""

from periplus.net.calls import HttpCalls
from periplus.net.fetcher import Fetcher, FetchLimits
from periplus.net.guard import FetchPolicy

__all__ = ["FetchLimits", "FetchPolicy", "Fetcher", "HttpCalls"]
