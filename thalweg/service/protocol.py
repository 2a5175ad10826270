"""uvicorn's HTTP protocol with a shorter way for requests of rows.

uvicorn makes a task, an event and several dicts for each request, which takes most of the time of a request
of one row, and wakes a task for each part of a body. Here a request of rows is answered by a callback.
Parsing, TLS, pipelining, shutting down and all other requests stay uvicorn's.

uvicorn bounds neither the headers of a request nor what is sent after an answer; both are bounded here.
"""

import http
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from thalweg.service import media
from thalweg.service.access import headers_of
from thalweg.service.application import Application
from thalweg.service.encoding import to_json
from thalweg.service.endpoint import Endpoint
from thalweg.service.failures import as_request_error
from thalweg.service.media import NOSNIFF
from thalweg.service.request_error import STATUSES, RequestError

MOST_HEAD = 64 << 10  # bytes of the first line and the headers of a request
MOST_LINES = 100  # headers
SHORT = 16 << 10  # what comes at once is not measured if it has no more bytes
_START = {
    status: f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n".encode() + b"content-type: %b\r\n"
    b"content-length: %d\r\n" + b"%b: %b\r\n" % NOSNIFF for status in {200, *STATUSES.values()}
}  # fmt: skip


class RowsCycle:
    """A request of rows and its answer; has what uvicorn looks at in its own `RequestResponseCycle`."""

    __slots__ = (
        "disconnected", "endpoint", "form", "is_reading", "keep_alive", "n_rows", "parts", "protocol",
        "response_complete", "scope", "started",
    )  # fmt: skip

    def __init__(self, protocol: "RowsProtocol", endpoint: Endpoint, keep_alive: bool) -> None:
        self.protocol, self.endpoint, self.keep_alive = protocol, endpoint, keep_alive
        self.scope: Any = protocol.scope
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
        endpoint = self.endpoint
        try:
            body = self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)
            self.parts = []
            asked = endpoint.decode(self.form, body, b"")
            self.n_rows = asked.n
            endpoint.ask(asked, self.form, self.scope["client"], self.answer)
        except Exception as error:
            self.refuse(error)

    def refuse(self, error: Exception) -> None:
        """Answer with what is wrong; a body that has not come yet is dropped."""
        self.is_reading = False
        refused = as_request_error(error)
        self.answer(refused.status, to_json(refused.plain()), refused.headers())

    def answer(self, status: int, content: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        """Write the answer, if the client is still there."""
        self.response_complete = True
        protocol, endpoint = self.protocol, self.endpoint
        endpoint.count(self.scope, status, perf_counter() - self.started, self.n_rows)
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
    max_bytes = 0
    reading: RowsCycle | None = None
    complete: Any = None  # the scope of the latest request that has come to its end
    refusal: RequestError | None = None  # why the connection is closed
    n_new = n_unread = n_dropped = 0

    def data_received(self, data: bytes) -> None:
        """Read requests; close the connection if one of them grows without anybody reading it.

        This replaces the method of uvicorn, and does not call it: two calls less for each request.
        """
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        scope = self.scope
        self.n_new = len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            what = "the request is not HTTP"
            self.logger.warning(what if self.refusal is None else self.refusal.message)
            self.send_400_response(what)
        except httptools.HttpParserUpgrade:
            pass  # to a web socket, which there is not: the request has been answered as if it asked for none
        if self.scope is not self.complete:
            self._bound(self.scope is scope)

    def _bound(self, is_continued: bool) -> None:
        """Count what has come of an unfinished request besides its body, and the body that is dropped.

        The parser keeps a header until its end, also one after a body. What came together with the beginning
        of the request is not counted, since it may belong to the request before.
        """
        if self.reading is not None:  # a body of known length, which is not too large
            return
        self.n_unread = self.n_unread + self.n_new if is_continued else 1
        self.n_dropped = self.n_dropped if is_continued else 0
        if (self.n_unread > MOST_HEAD or self.n_dropped > self.max_bytes) and not self.transport.is_closing():
            if "method" in self.scope:
                self.transport.close()
            else:
                self.refusal = too_large_head()
                self.send_400_response("")

    def on_headers_complete(self) -> None:
        """Take the short way if the request is one of rows, and no other is being answered."""
        lines = self.headers
        if len(lines) > MOST_LINES or (
            (self.n_new > SHORT or self.n_unread)
            and sum([len(name) + len(value) + 4 for name, value in lines], len(self.url)) > MOST_HEAD
        ):
            self.refusal = too_large_head()
            raise self.refusal  # it ends the parser
        before, endpoint = self.cycle, self.endpoints.get(self.url)
        if before is not None:
            if not before.response_complete:
                endpoint = None  # uvicorn lets it wait for the answer before
            elif not before.keep_alive:
                self.scope["method"] = ""  # the connection is being closed: what follows is not answered
                return
        headers = headers_of(lines) if endpoint is not None and self._is_plain() else {}
        if endpoint is None or b"content-length" not in headers:
            super().on_headers_complete()
            return
        self.scope["method"] = "POST"
        self.cycle = cycle = RowsCycle(self, endpoint, self.parser.should_keep_alive())  # type: ignore[assignment]
        try:
            cycle.form = endpoint.check(cycle.scope, headers)
        except Exception as error:
            cycle.started = perf_counter()
            cycle.refuse(error)
        else:
            self.reading = cycle

    def _is_plain(self) -> bool:
        """Return whether a request of rows has nothing about it that uvicorn should see to."""
        parser = self.parser
        if self.expect_100_continue or self.limit_concurrency is not None:
            return False
        return (
            parser.get_method() == b"POST"
            and parser.get_http_version() == "1.1"
            and not parser.should_upgrade()
        )

    def on_body(self, body: bytes) -> None:
        """Add a part of a body; drop it if the request has been answered."""
        if self.reading is not None:
            self.reading.parts.append(body)
            return
        self.n_unread = -self.n_new
        if self.cycle.response_complete:
            self.n_dropped += len(body)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Answer a request that is complete."""
        self.complete = self.scope
        cycle = self.reading
        if cycle is None:
            self.n_unread = 0
            super().on_message_complete()
        else:
            self.reading = None
            cycle.ask()

    def on_response_complete(self) -> None:
        """Keep nothing of a body that was not read."""
        if self.cycle is not None and self.cycle.response_complete and not isinstance(self.cycle, RowsCycle):
            self.cycle.body = bytearray()
        super().on_response_complete()

    def after_answer(self) -> None:
        """Go on with a request that was sent before the answer to the one before."""
        if self.pipeline:
            self.on_response_complete()
        else:
            self.server_state.total_requests += 1

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or has too many headers, and close the connection."""
        if not self.transport.is_closing():
            refused = self.refusal or RequestError("not_http", msg, closes=True)
            content = to_json(refused.plain())
            start = _START[refused.status] % (media.CONTENT_TYPES[media.JSON], len(content))
            self.transport.write(start + b"connection: close\r\n\r\n" + content)
            self.transport.close()


def too_large_head() -> RequestError:
    """Return the refusal of a request whose headers are too large."""
    what = f"the headers of a request may have {MOST_HEAD >> 10} kB and {MOST_LINES} lines"
    return RequestError("headers_too_large", what, closes=True)


def protocol_for(application: Application) -> type[RowsProtocol]:
    """Return the class of a protocol for the endpoints of an application."""
    table = {path.encode(): endpoint for path, endpoint in application.endpoints.items()}
    settings = {"endpoints": table, "max_bytes": application.settings.limits.max_bytes}
    return type("RowsProtocol", (RowsProtocol,), settings)
