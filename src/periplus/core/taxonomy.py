"""Areas of work as a tree beside the sources."""

from __future__ import annotations

from periplus.model import OWN_TREE

CAPABILITIES = f"{OWN_TREE}capability"
"""Where the tree of areas of work begins."""
