"""Reading tools: the expansion, the proof of it, and what the proof is worth later (E-27 to E-34)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from periplus.core.gateway import Gateway
from periplus.faces.expansion.showing import Shown
from periplus.model import Principal, Problem, Verdict
from periplus.settings import ExpansionSettings

_PURPOSE = "expansion token"


class Expansions:
    """Makes expansions; the session's record of them is the core's."""

    def __init__(self, gateway: Gateway, rules: ExpansionSettings, shown: Shown) -> None:
        self._gateway = gateway
        self._rules = rules
        self._shown = shown

    async def read(self, name: str, principal: Principal, session: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The expansion of a tool, and what is to be said of it."""
        tool = await self._gateway.describe(name, principal=principal, session=session)
        judged = await self._gateway.policy_check(str(tool.ref), principal=principal)
        body = self._shown.expansion(tool, asks=judged.decision.verdict is Verdict.ASK)
        ttl = self._rules.ledger_ttl_seconds
        said = (str(tool.ref), tool.schema_hash, principal.id, principal.tenant)
        ends = datetime.fromtimestamp(self._gateway.clock.now() + ttl, UTC)
        body["expansion_token"] = self._gateway.seal.seal(_PURPOSE, said, ttl)
        body["expires_at"] = ends.isoformat(timespec="seconds").replace("+00:00", "Z")
        size, most = body["estimated_tokens"], self._rules.max_schema_tokens
        large = (f"this schema takes about {size:,} tokens, more than {most:,}; it is complete",) if size > most else ()
        return body, large

    def proved(self, token: str, principal: Principal) -> tuple[str, str]:
        """Whose schema a token proves the reading of, and its hash; nothing for what is no token of this caller."""
        if not token:
            return ("", "")
        try:
            ref, schema_hash, id_, tenant = self._gateway.seal.open(_PURPOSE, token)
        except Problem:
            return ("", "")
        return (str(ref), str(schema_hash)) if (id_, tenant) == (principal.id, principal.tenant) else ("", "")
