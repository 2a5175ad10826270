"""The ASGI application: routes of rows by a table, everything else by Starlette."""

import logging
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send

from thalweg.service import page
from thalweg.service.access import OPEN, Access, headers_of
from thalweg.service.asked import LABEL, LEARN, PREDICT
from thalweg.service.encoding import to_json
from thalweg.service.endpoint import Endpoint, log_request
from thalweg.service.media import NOSNIFF
from thalweg.service.metrics import RequestMetrics
from thalweg.service.request_error import RequestError
from thalweg.service.routes import HANDLERS, Routes
from thalweg.service.served import ServedModels
from thalweg.service.settings import Settings

log = logging.getLogger("thalweg.service")


class Application:
    """An ASGI application that serves live models.

    Parameters
    ----------
    models : dict of LiveModel
        By the names under which they are served.
    settings : Settings or None, default=None
    on_stop : callable or None, default=None
        Awaited when the server stops, after the last answer.
    """

    def __init__(
        self,
        models: dict[str, Any],
        settings: Settings | None = None,
        on_stop: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.models = ServedModels(models, self.settings.limits)
        self.metrics = RequestMetrics()
        self.access = Access(self.settings)
        self._on_stop = on_stop
        self.endpoints: dict[str, Endpoint] = {
            f"/models/{served.name}/{kind}": Endpoint(
                served, kind, self.settings, self.access, self.metrics
            )
            for served in self.models
            for kind in (PREDICT, LABEL, LEARN)
        }
        routes = Routes(self.models, self.settings, self.access, self.metrics).all()
        pages = page.routes({served.name: served.live for served in self.models})
        self._rest = Starlette(routes=[*pages, *routes], exception_handlers=HANDLERS)
        self._rest.router.redirect_slashes = False  # it would redirect to the Host that a client has sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        kind = scope["type"]
        if kind == "http":
            scope, path = {**scope}, _path(scope)  # Access changes its client
            endpoint = self.endpoints.get(path)
            if endpoint is not None:
                await endpoint(scope, receive, _with_nosniff(send))
            else:
                await self._others(scope, path, receive, _with_nosniff(send))
        elif kind == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003})

    async def _others(self, scope: Scope, path: str, receive: Receive, send: Send) -> None:
        """Answer by Starlette, if the request is admitted; count it."""
        started, status = perf_counter(), 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self.access.admit(scope, headers_of(scope["headers"]), path in OPEN)
            await self._rest(scope, receive, counted)
        except RequestError as error:
            await _refuse(error, counted)
        except Exception:  # it is logged, and answered unless the answer had begun
            if not status:
                await _refuse(
                    RequestError("internal", "a mistake in the service; its log says more"), counted
                )
        route = getattr(scope.get("route"), "name", None) or "other"
        model = scope.get("path_params", {}).get("name", "")
        known = model if any(served.name == model for served in self.models) else ""
        seconds = perf_counter() - started
        self.metrics.count(known, route, status, seconds)
        if self.settings.access_log:
            log_request(scope, known, route, status, seconds, 0)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                if self._on_stop is not None:
                    await self._on_stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def _path(scope: Scope) -> str:
    """Return the path of a request, within an application that this one is mounted in."""
    path, root = str(scope["path"]), str(scope.get("root_path") or "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def _with_nosniff(send: Send) -> Send:
    """Return a `send` that tells browsers to take the content type of an answer as it is."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ())]
            message = {**message, "headers": headers if NOSNIFF in headers else [*headers, NOSNIFF]}
        await send(message)

    return sent


async def _refuse(error: RequestError, send: Send) -> None:
    content = to_json(error.plain())
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": error.status, "headers": headers + error.headers()})
    await send({"type": "http.response.body", "body": content})
