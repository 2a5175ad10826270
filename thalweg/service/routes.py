"""The routes beside those of rows: what there is, how it is, metrics; and those that change a service."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from thalweg.service import admin, inference
from thalweg.service.access import Access, headers_of
from thalweg.service.described import describe
from thalweg.service.failures import as_request_error
from thalweg.service.metrics import RequestMetrics
from thalweg.service.model_metrics import model_lines
from thalweg.service.openapi import openapi
from thalweg.service.request_error import RequestError
from thalweg.service.served import ServedModels
from thalweg.service.settings import Settings
from thalweg.service.threads import in_thread

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Routes:
    """The functions behind the routes, with the models that they are about."""

    def __init__(
        self, models: ServedModels, settings: Settings, access: Access, metrics: RequestMetrics
    ) -> None:
        self.models, self.settings, self.access, self.metrics = models, settings, access, metrics

    def all(self) -> list[Route]:
        """Return the routes."""
        found = [
            Route("/health", self.health, name="health"),
            Route("/models", self.list, name="models"),
            Route("/models/{name}", self.model, name="model"),
            Route("/metrics", self.prometheus, name="metrics"),
            Route("/openapi.json", self.openapi, name="openapi"),
            *inference.Inference(self.models, self.settings).routes(),
        ]
        return found + (admin.Admin(self.models, self.settings).routes() if self.settings.admin else [])

    async def health(self, request: Request) -> Response:
        """Answer 200 if every model is ready, else 503; name the models to those who may see names."""
        states = {served.name: served.state for served in self.models}
        is_ready = {*states.values()} == {"ready"}
        headers = {} if is_ready else {"retry-after": "1"}
        content: dict[str, Any] = {"status": "ready" if is_ready else "not ready"}
        if self.access.may_see_names(headers_of(request.scope["headers"])):
            content["models"] = states
        busy = max(served.busy_seconds for served in self.models)
        if busy:
            content["busy_s"] = round(busy, 1)
        return JSONResponse(content, 200 if is_ready else 503, headers)

    async def list(self, request: Request) -> Response:
        """Answer with the models and their states."""
        found = [
            {
                "name": served.name,
                "state": served.state,
                "event": served.live.event,
                "waiting": served.live.n_waiting,
            }
            for served in self.models
        ]
        return JSONResponse({"models": found})

    async def model(self, request: Request) -> Response:
        """Answer with what a model is and what it has seen."""
        served = self.models.find(request.path_params["name"])
        served.check_ready()
        return JSONResponse(await in_thread(describe, served))

    async def prometheus(self, request: Request) -> Response:
        """Answer with all metrics."""
        lines = [*self.metrics.lines(), *await in_thread(model_lines, self.models)]
        return PlainTextResponse("\n".join([*lines, ""]), media_type=PROMETHEUS)

    async def openapi(self, request: Request) -> Response:
        """Answer with the description of all routes."""
        return JSONResponse(openapi([served.name for served in self.models], self.settings))


async def refuse(request: Request, error: Exception) -> Response:
    """Answer with what was wrong."""
    if isinstance(error, HTTPException):
        error = _of_starlette(request, error)
    refused = as_request_error(error)
    content = {"error": refused.message} if request.url.path.startswith("/v2") else refused.plain()
    headers = {name.decode(): value.decode() for name, value in refused.headers()}
    return JSONResponse(content, refused.status, headers)


def _of_starlette(request: Request, error: HTTPException) -> RequestError:
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        what = f"{request.method} is not for this address, but {allowed}"
        return RequestError("method_not_allowed", what, allow=allowed)
    what = f"there is nothing at {request.url.path[:200]!r}; /openapi.json lists what there is"
    return RequestError("not_found", what)


Handler = Callable[[Request, Exception], Awaitable[Response]]
HANDLERS: dict[Any, Handler] = {RequestError: refuse, HTTPException: refuse, Exception: refuse}
