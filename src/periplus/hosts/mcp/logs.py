"""What upstreams log during a call, for the client that made it: from the level on that it asked for.

A client of the handshake revisions sets its level for the session; a later one says it with each request, and hears
nothing where it does not.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.connection import Connection
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from periplus.hosts.mcp.connections import Context, connection_of
from periplus.ports import LEVELS, Listener, Logged


class Logs:
    """The levels of the sessions that set one."""

    def __init__(self) -> None:
        self._levels: WeakKeyDictionary[Connection, str] = WeakKeyDictionary()

    async def set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """`logging/setLevel`."""
        self._levels[connection_of(context)] = params.level
        return types.EmptyResult()

    def listener(self, context: Context) -> Listener | None:
        """The client as somebody who hears what is logged during this request."""
        level = self._levels.get(connection_of(context), "")
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            level = str((context.meta or {}).get(types.LOG_LEVEL_META_KEY, ""))
            if level not in LEVELS:
                return None

        async def tell(logged: Logged) -> None:
            said: dict[str, Any] = {"level": logged.level, "data": logged.data, "logger": logged.logger or None}
            params = types.LoggingMessageNotificationParams.model_validate(said)
            message = types.LoggingMessageNotification(params=params)
            await context.session.send_notification(message, related_request_id=context.request_id)

        return Listener(tell=tell, level=level)
