"""The three routes that rows come by, as plain ASGI functions: routing and middleware would cost more."""

import asyncio
import logging
from time import perf_counter
from typing import Any

from starlette.types import Receive, Scope, Send

from thalweg.service import media
from thalweg.service.access import Access, Headers, headers_of
from thalweg.service.arrow import decode_arrow
from thalweg.service.asked import Asked
from thalweg.service.decoding import apply_options, decode_json, decode_lines, options_of
from thalweg.service.encoding import to_json
from thalweg.service.failures import as_request_error
from thalweg.service.groups import Answer
from thalweg.service.metrics import RequestMetrics
from thalweg.service.reading import check_length, read_body
from thalweg.service.request_error import RequestError
from thalweg.service.served import Served
from thalweg.service.settings import Settings

log = logging.getLogger("thalweg.requests")
Reply = tuple[int, bytes, list[tuple[bytes, bytes]]]


class Endpoint:
    """`POST /models/NAME/KIND`: predict, label or learn rows of one model."""

    def __init__(
        self, served: Served, kind: str, settings: Settings, access: Access, metrics: RequestMetrics
    ) -> None:
        self.served, self.kind, self.settings, self.metrics = served, kind, settings, metrics
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        started = perf_counter()
        form, n_rows = media.JSON, 0
        try:
            form = self.check(scope, headers_of(scope["headers"]))
            limits = self.settings.limits
            body = await read_body(receive, limits.max_bytes, limits.body_seconds)
            asked = self.decode(form, body, scope["query_string"])
            n_rows = asked.n
            future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
            self.ask(asked, form, scope["client"], lambda *reply: _set(future, reply))
            status, content, headers = await future
        except Exception as error:
            refused = as_request_error(error)
            status, content, headers = refused.status, to_json(refused.plain()), refused.headers()
        content_type = media.CONTENT_TYPES[form if status == 200 else media.JSON]
        length = b"%d" % len(content)
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(b"content-type", content_type), (b"content-length", length), *headers],
            }
        )
        await send({"type": "http.response.body", "body": content})
        self.count(scope, status, perf_counter() - started, n_rows)

    def check(self, scope: Scope, headers: Headers) -> str:
        """Return the form of the body, before it is read; raise RequestError if it need not be read."""
        self.access.admit(scope, headers)
        if scope["method"] != "POST":
            what = f"{scope['method']} is not for this address: POST rows to it"
            raise RequestError("method_not_allowed", what, allow="POST")
        self.served.check_ready()
        check_length(headers, self.settings.limits.max_bytes)
        return media.form_of(headers)

    def decode(self, form: str, body: bytes, query: bytes) -> Asked:
        """Return what a body asks for; raise RequestError if it is wrong."""
        options = options_of(query) if query else {}
        most, columns = self.settings.limits.max_rows, self.served.columns()
        if form == media.JSON:
            asked = decode_json(self.kind, body, most)
        elif form == media.LINES:
            width = len(columns.names) if columns is not None and columns.are_numbers else None
            asked = decode_lines(self.kind, body, most, width)
        else:
            asked = decode_arrow(self.kind, body, most, columns, options)
        if options:
            apply_options(asked, options)
        return asked

    def ask(self, asked: Asked, form: str, client: Any, answer: Answer) -> None:
        """Ask the live model; `answer` is called later with a status, a body and headers."""
        if self.settings.rates is not None:
            self.settings.rates.spend(client[0] if client else "", asked.n)
        groups = self.served.groups
        if asked.is_one:
            groups.ask_one(asked, answer)
        else:
            groups.ask_many(asked, form, answer)

    def count(self, scope: Scope, status: int, seconds: float, n_rows: int) -> None:
        """Count an answered request, and log it if all are logged."""
        self.metrics.count(self.served.name, self.kind, status, seconds, n_rows)
        if self.settings.access_log:
            log_request(scope, self.served.name, self.kind, status, seconds, n_rows)


def _set(future: "asyncio.Future[Reply]", reply: Reply) -> None:
    if not future.done():  # it is cancelled when the server stops
        future.set_result(reply)


def log_request(scope: Scope, model: str, route: str, status: int, seconds: float, n_rows: int) -> None:
    """Write a line about an answered request."""
    client = scope["client"]
    log.info(
        "request",
        extra={"data": {
            "model": model, "route": route, "status": status, "ms": round(seconds * 1000, 3), "rows": n_rows,
            "client": client[0] if client else None,
        }},
    )  # fmt: skip
