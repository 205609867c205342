"""Secrets on their way into a request: chosen late, looked up at the last moment, and kept out of messages."""

from periplus.net.credentials.fixed import resolve, wary
from periplus.net.credentials.given import Credentials, check_header
from periplus.net.credentials.references import ReadSecret, read_reference

__all__ = ["Credentials", "ReadSecret", "check_header", "read_reference", "resolve", "wary"]
