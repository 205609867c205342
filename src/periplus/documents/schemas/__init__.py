"""JSON Schema as others write it, in the one form that the rest of Periplus reads."""

from periplus.documents.schemas.definitions import Definitions
from periplus.documents.schemas.findings import Findings, shown
from periplus.documents.schemas.normaliser import Normaliser

__all__ = ["Definitions", "Findings", "Normaliser", "shown"]
