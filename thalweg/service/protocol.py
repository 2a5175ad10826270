"""uvicorn's HTTP protocol with a shorter way for requests of rows.

uvicorn makes a task, an event and several dicts for each request, which takes most of the time of a request
of one row, and wakes a task for each part of a body. Here a request of rows is answered by a callback.
Parsing, TLS, pipelining, shutting down and all other requests stay uvicorn's.
"""

import http
from collections.abc import Mapping
from time import perf_counter
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from thalweg.service import media
from thalweg.service.encoding import to_json
from thalweg.service.endpoint import Endpoint
from thalweg.service.failures import as_request_error
from thalweg.service.request_error import STATUSES

MOST_DIGITS = 9  # of a content length
_START = {
    status: f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n".encode() + b"content-type: %b\r\n"
    b"content-length: %d\r\n" for status in {200, *STATUSES.values()}
}  # fmt: skip


class RowsCycle:
    """A request of rows and its answer; has what uvicorn looks at in its own `RequestResponseCycle`."""

    __slots__ = (
        "disconnected", "endpoint", "form", "is_reading", "keep_alive", "n_rows", "parts", "protocol",
        "response_complete", "started",
    )  # fmt: skip

    def __init__(self, protocol: "RowsProtocol", endpoint: Endpoint, keep_alive: bool) -> None:
        self.protocol, self.endpoint, self.keep_alive = protocol, endpoint, keep_alive
        self.response_complete = self.disconnected = False
        self.is_reading = True
        self.parts: list[bytes] = []
        self.form, self.n_rows = media.JSON, 0
        self.started = 0.0

    @property
    def message_event(self) -> "RowsCycle":
        """What uvicorn sets when the connection is lost."""
        return self

    def set(self) -> None:
        """Do nothing: nobody waits for this."""

    def ask(self) -> None:
        """Ask the live model for what is in the body."""
        self.is_reading = False
        self.started = perf_counter()
        endpoint, protocol = self.endpoint, self.protocol
        scope: Any = protocol.scope
        try:
            self.form = endpoint.check(scope)
            body = self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)
            self.parts = []
            asked = endpoint.decode(self.form, body, b"")
            self.n_rows = asked.n
            endpoint.ask(asked, self.form, protocol.client, self.answer)
        except Exception as error:
            refused = as_request_error(error)
            self.answer(refused.status, to_json(refused.plain()), refused.headers())

    def answer(self, status: int, content: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        """Write the answer, if the client is still there."""
        self.response_complete = True
        protocol, endpoint = self.protocol, self.endpoint
        seconds, scope = perf_counter() - self.started, cast(Any, protocol.scope)
        endpoint.count(scope, status, seconds, self.n_rows)
        transport = protocol.transport
        if self.disconnected or transport.is_closing():
            return
        content_type = media.CONTENT_TYPES[self.form if status == 200 else media.JSON]
        start = _START[status] % (content_type, len(content))
        for name, value in headers:
            start += name + b": " + value + b"\r\n"
            self.keep_alive = self.keep_alive and name != b"connection"
        if not self.keep_alive and b"connection: close" not in start:
            start += b"connection: close\r\n"
        transport.write(start + b"\r\n" + content)
        if not self.keep_alive:
            transport.close()
        protocol.after_answer()


class RowsProtocol(HttpToolsProtocol):
    """uvicorn's protocol on httptools; requests to addresses in `endpoints` go the short way."""

    endpoints: Mapping[bytes, Endpoint] = {}
    reading: RowsCycle | None = None

    def on_headers_complete(self) -> None:
        """Take the short way if the request is one of rows, and no other is being answered."""
        endpoint = self.endpoints.get(self.url)
        if endpoint is not None and self._is_plain(endpoint):
            self.scope["method"] = "POST"
            self.cycle = self.reading = RowsCycle(self, endpoint, self.parser.should_keep_alive())  # type: ignore[assignment]
        else:
            super().on_headers_complete()

    def _is_plain(self, endpoint: Endpoint) -> bool:
        if self.cycle is not None and not self.cycle.response_complete:
            return False
        if self.expect_100_continue or self.limit_concurrency is not None:
            return False
        parser = self.parser
        if parser.get_method() != b"POST" or parser.get_http_version() != "1.1" or parser.should_upgrade():
            return False
        for name, value in self.headers:
            if name == b"content-length":
                return len(value) <= MOST_DIGITS and int(value) <= endpoint.settings.limits.max_bytes
        return False

    def on_body(self, body: bytes) -> None:
        """Add a part of a body."""
        if self.reading is None:
            super().on_body(body)
        else:
            self.reading.parts.append(body)

    def on_message_complete(self) -> None:
        """Answer a request that is complete."""
        cycle = self.reading
        if cycle is None:
            super().on_message_complete()
        else:
            self.reading = None
            cycle.ask()

    def after_answer(self) -> None:
        """Go on with a request that was sent before the answer to the one before."""
        self.server_state.total_requests += 1
        if self.pipeline:
            self.on_response_complete()


def protocol_for(endpoints: Mapping[str, Endpoint]) -> type[RowsProtocol]:
    """Return the class of a protocol for these endpoints, by their paths."""
    table = {path.encode(): endpoint for path, endpoint in endpoints.items()}
    return type("RowsProtocol", (RowsProtocol,), {"endpoints": table})
