"""Areas of work as a tree beside the sources: every tool stands in one, whichever API it came from (E-6)."""

from periplus.core.taxonomy.areas import CAPABILITIES, Area, Taxonomy
from periplus.core.taxonomy.reading import read_taxonomy

__all__ = ["CAPABILITIES", "Area", "Taxonomy", "read_taxonomy"]
