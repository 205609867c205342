"""For authors: publish your own functions as tools. Needs the base install alone, no store and no gateway.

registry = Registry("harbour", description="Berths and pilots")

@registry.tool(category="berths", effect="read")
async def find_berths(day: date, min_length_m: Annotated[float, "metres"] = 0) -> list[Berth]:
    "List free berths on a day."
"""

from periplus.provider.context import CallContext, ToolError
from periplus.provider.declared import Category, Declared, Example
from periplus.provider.registry import Published, Registry, tool

__all__ = ["CallContext", "Category", "Declared", "Example", "Published", "Registry", "ToolError", "tool"]
