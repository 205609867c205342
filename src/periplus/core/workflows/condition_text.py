"""A definition's condition as text, and whether a client's words claim it (W-33, W-34)."""

from __future__ import annotations

from periplus.core.conditions.comparing import canonical
from periplus.core.conditions.reading import read_condition
from periplus.core.conditions.writing import condition_text
from periplus.core.workflows.conditions import Condition, meaning
from periplus.model import Problem


def text_of(condition: Condition) -> str:
    """`pipeline == "smart" AND (n > 3 OR force == true)`."""
    return condition_text(meaning(condition))


def same_meaning(claimed: str, condition: Condition) -> bool:
    """Whether a claimed text says this condition; spacing, quotes and the order of operands do not count."""
    if claimed.strip() == text_of(condition):  # a name may hold what no text can be read with
        return True
    try:
        return bool(canonical(read_condition(claimed)) == canonical(meaning(condition)))
    except Problem:
        return False
