"""What an HTTP status of an upstream means here (S-78)."""

from __future__ import annotations

from periplus.model.problem import Code

_CODES = {
    400: Code.INVALID_ARGS,
    401: Code.UPSTREAM_UNAUTHENTICATED,
    403: Code.FORBIDDEN,
    404: Code.NOT_FOUND,
    407: Code.UPSTREAM_UNAUTHENTICATED,
    408: Code.TIMEOUT,
    409: Code.CONFLICT,
    410: Code.NOT_FOUND,
    412: Code.CONFLICT,
    413: Code.TOO_LARGE,
    422: Code.INVALID_ARGS,
    429: Code.RATE_LIMITED,
    504: Code.TIMEOUT,
}


def code_of_status(status: int) -> Code:
    """The code of a refusal that came with this status."""
    return _CODES.get(status, Code.UPSTREAM_ERROR)
