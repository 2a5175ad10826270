"""Connections that are idle, or whose client does not read: closed after a while."""

import asyncio
import time
from typing import Any

from thalweg.service.limits import Limits

PERIOD = 1.0


class Connections:
    """Closes connections of a uvicorn server that have been idle or stuck for too long.

    uvicorn itself closes those that stay idle after an answer. It waits for ever for the first request, for
    the rest of a request's headers, and for a client that does not read its answer.
    """

    def __init__(self, server: Any, limits: Limits) -> None:
        self._server, self._limits = server, limits
        self._since: dict[Any, tuple[str, float, int]] = {}

    async def watch(self) -> None:
        """Look at all connections every second, for ever."""
        while True:
            await asyncio.sleep(PERIOD)
            self.look(time.monotonic())

    def look(self, now: float) -> int:
        """Close what has been idle or stuck for too long; return how many."""
        found: dict[Any, tuple[str, float, int]] = {}
        n_closed = 0
        limits = {"idle": self._limits.idle_seconds, "reading": self._limits.body_seconds,
                  "stuck": self._limits.send_seconds}  # fmt: skip
        for connection in [*self._server.server_state.connections]:
            state = _state(connection)
            if state is None:
                continue
            before = self._since.get(connection)
            mark = id(getattr(connection, "cycle", None))  # another one after each request
            since = before[1] if before is not None and (before[0], before[2]) == (state, mark) else now
            most = limits[state]
            if now - since > most:
                connection.transport.abort()
                n_closed += 1
            else:
                found[connection] = state, since, mark
        self._since = found
        return n_closed


def _state(connection: Any) -> str | None:
    """Return what a connection waits for: None if it is being answered.

    "stuck" if the client does not read, "reading" if it sends a body, "idle" if it does not ask.
    """
    transport, flow = connection.transport, getattr(connection, "flow", None)
    if transport is None:
        return None
    if flow is not None and flow.write_paused:
        return "stuck"
    cycle = getattr(connection, "cycle", None)
    if getattr(cycle, "is_reading", False):
        return "reading"
    return "idle" if cycle is None or cycle.response_complete else None
