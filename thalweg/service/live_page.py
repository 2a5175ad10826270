"""The live page of a service: `/` and a page for each model, renewed by server-sent events."""

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from thalweg.live.pages.page import model_page, model_parts, overview_page, overview_parts
from thalweg.live.watch.sources import snapshot_of
from thalweg.service.request_error import RequestError

PERIOD = 2.0  # seconds between two looks; also how long what is shown may be old
KEEP_ALIVE = 15.0  # seconds after which a comment is sent, so that proxies keep the connection
MOST_VIEWERS = 100
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "Referrer-Policy": "no-referrer",
}


def routes(live_models: Mapping[str, Any], period: float = PERIOD) -> list[Route]:
    """Return the routes of the page.

    `/` shows the only model, or all of them; `/models/NAME/page` shows one. The addresses `/events` and
    `/models/NAME/events` send the parts of the page that changed, as long as someone looks.

    Parameters
    ----------
    live_models : mapping of str
        The LiveModels by name; it may change meanwhile.
    period : float
        Seconds between two looks at the models.
    """
    page = LivePage(live_models, period)
    return [
        Route("/", page.first, name="page"),
        Route("/events", page.all_events, name="events"),
        Route("/models/{name}/page", page.model, name="model_page"),
        Route("/models/{name}/events", page.model_events, name="model_events"),
    ]


class _Stream(StreamingResponse):
    """Events that end when the viewer leaves; `left` is called then."""

    def __init__(self, events: AsyncIterator[str], left: Callable[[], None]) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._left()


class LivePage:
    """What the routes of the live page answer.

    Parts are made at most once in a period, in a thread, for all viewers together.
    """

    def __init__(self, live_models: Mapping[str, Any], period: float) -> None:
        self._models, self._period = live_models, period
        self._made: dict[str, tuple[float, dict[str, str]]] = {}
        self._lock = anyio.Lock()
        self._n_viewers = 0

    async def first(self, request: Request) -> Response:
        """Return the page of the only model, or that of all models."""
        if len(self._models) == 1:
            [(name, live)] = self._models.items()
            return await self._html(lambda: model_page(name, snapshot_of(live), state=_state(live)))
        return await self._html(lambda: overview_page(self._snapshots()))

    async def model(self, request: Request) -> Response:
        """Return the page of one model."""
        name, live = self._named(request)
        return await self._html(lambda: model_page(name, snapshot_of(live), state=_state(live), alone=False))

    async def all_events(self, request: Request) -> Response:
        """Return the events of the page of all models."""
        return self._stream(request, "", lambda: overview_parts(self._snapshots()))

    async def model_events(self, request: Request) -> Response:
        """Return the events of the page of one model."""
        name, live = self._named(request)
        return self._stream(request, name, lambda: model_parts(snapshot_of(live), _state(live)))

    def _named(self, request: Request) -> tuple[str, Any]:
        name = request.path_params["name"]
        if name not in self._models:
            known = ", ".join(self._models)
            raise RequestError("no_such_model", f"there is no model {name[:80]!r}; there are {known}")
        return name, self._models[name]

    def _snapshots(self) -> dict[str, dict[str, Any] | None]:
        return {name: snapshot_of(live) for name, live in list(self._models.items())}

    async def _html(self, make: Callable[[], str]) -> Response:
        return HTMLResponse(await run_in_threadpool(make), headers=HEADERS)

    def _stream(self, request: Request, key: str, make: Callable[[], dict[str, str]]) -> Response:
        if self._n_viewers >= MOST_VIEWERS:
            said = f"{MOST_VIEWERS} pages are open already: close some of them, or reload this one"
            raise RequestError("too_many_viewers", said, retry_after=30)
        self._n_viewers += 1  # here, not at the first event: requests that come together must be counted
        return _Stream(self._events(key, make), self._left)

    def _left(self) -> None:
        self._n_viewers -= 1

    async def _events(self, key: str, make: Callable[[], dict[str, str]]) -> AsyncIterator[str]:
        """Yield the parts that changed since the last ones; the first time all of them."""
        before: dict[str, str] = {}
        last = time.monotonic()
        while True:
            now = await self._parts(key, make)
            changed = {name: html for name, html in now.items() if before.get(name) != html}
            if changed:
                yield f"event: parts\ndata: {json.dumps(changed)}\n\n"
            elif time.monotonic() - last > KEEP_ALIVE:
                yield ": still here\n\n"
            if changed or time.monotonic() - last > KEEP_ALIVE:
                last = time.monotonic()
            before = now
            await anyio.sleep(self._period)

    async def _parts(self, key: str, make: Callable[[], dict[str, str]]) -> dict[str, str]:
        async with self._lock:
            made = self._made.get(key)
            if made is None or time.monotonic() - made[0] > 0.5 * self._period:
                parts = await run_in_threadpool(make)
                self._made[key] = made = (time.monotonic(), parts)
            return made[1]


def _state(live: Any) -> str:
    return "recovering" if getattr(live, "is_recovering", False) else "not ready"
