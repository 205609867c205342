"""Who may do what. One policy answers as a scope for queries, and as a decision on one tool or call."""

from periplus.core.policy.compiled import Compiled, compile_policy
from periplus.core.policy.judge import Considered, Explanation, Judge
from periplus.core.policy.principals import is_meant

__all__ = ["Compiled", "Considered", "Explanation", "Judge", "compile_policy", "is_meant"]
