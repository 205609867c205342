"""Python code: registries, marked functions, objects and modules become tools."""

from periplus.sources.python.adapter import PythonSource

ADAPTER = PythonSource

__all__ = ["ADAPTER", "PythonSource"]
