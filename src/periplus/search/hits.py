"""What a search gives back; the values themselves are the model's, because every face shows them."""

from periplus.model.hit import Found, Hit, Matches, NodeHit, Resolved, Why

__all__ = ["Found", "Hit", "Matches", "NodeHit", "Resolved", "Why"]
