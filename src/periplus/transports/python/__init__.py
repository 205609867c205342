"""Calls of Python functions: in this process, or each in a process of its own."""

from periplus.transports.python.transport import PythonTransport

ADAPTER = PythonTransport

__all__ = ["ADAPTER", "PythonTransport"]
