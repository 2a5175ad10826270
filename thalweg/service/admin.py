"""Routes that change a service: replace a model, open a class, erase an id, compact the log."""

from functools import partial
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from thalweg import saving
from thalweg.errors import ModelFileError, StateError
from thalweg.live import LiveFollower
from thalweg.service import bodies
from thalweg.service.access import headers_of
from thalweg.service.reading import check_length, read_body
from thalweg.service.request_error import RequestError
from thalweg.service.served import Served, ServedModels
from thalweg.service.settings import Settings
from thalweg.service.threads import in_thread

MAX_MODEL = 512 << 20
MODEL_SECONDS = 600.0
MODEL_TYPE = b"application/octet-stream"
B = TypeVar("B")


class EraseBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /admin/models/NAME/erase`."""

    id: str | int




class ClassBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /admin/models/NAME/classes`."""

    label: bodies.Label


class Admin:
    """The functions behind the routes below `/admin`, which a service has if it is told so."""

    def __init__(self, models: ServedModels, settings: Settings) -> None:
        self.models, self.settings = models, settings

    def routes(self) -> list[Route]:
        """Return the routes."""
        of_model = "/admin/models/{name}"
        return [
            Route(of_model, self.replace, methods=["PUT"], name="admin_replace"),
            Route(f"{of_model}/classes", self.add_class, methods=["POST"], name="admin_classes"),
            Route(f"{of_model}/erase", self.erase, methods=["POST"], name="admin_erase"),
            Route(f"{of_model}/compact", self.compact, methods=["POST"], name="admin_compact"),
        ]

    def _served(self, request: Request) -> Served:
        """Return the model that a request is for; raise RequestError unless it can change."""
        served = self.models.find(request.path_params["name"])
        served.check_ready()
        if isinstance(served.live, LiveFollower):
            raise RequestError("read_only", "a follower only predicts: ask the owner of its folder")
        return served

    async def replace(self, request: Request) -> Response:
        """Put the model file in the body instead of the model; requests go on being answered meanwhile."""
        served = self._served(request)
        _check_type(request, MODEL_TYPE)
        drops = request.query_params.get("drop_waiting", "false")
        if drops not in ("true", "false"):
            raise RequestError("wrong_field", "drop_waiting must be true or false", field="drop_waiting")
        check_length(headers_of(request.scope["headers"]), MAX_MODEL)
        content = await read_body(request.receive, MAX_MODEL, MODEL_SECONDS)
        model = await in_thread(_model, content)
        await in_thread(partial(served.live.replace, drop_waiting=drops == "true"), model)
        return JSONResponse({"name": served.name, "event": served.live.event})

    async def add_class(self, request: Request) -> Response:
        """Make a label a class, whose labels are then learned."""
        served, found = await self._decoded(request, ClassBody)
        event = await in_thread(served.live.add_class, found.label)
        return JSONResponse({"name": served.name, "event": event})

    async def _decoded(self, request: Request, kind: type[B]) -> tuple[Served, B]:
        """Return the model that a request is for, and its body."""
        served = self._served(request)
        _check_type(request, b"application/json")
        body = await read_body(request.receive, 1 << 16, self.settings.limits.body_seconds)
        try:
            return served, msgspec.json.decode(body, type=kind)
        except (ValueError, RecursionError) as error:
            bodies.refuse(error)

    async def erase(self, request: Request) -> Response:
        """Remove an id and its row from the log and the checkpoints."""
        served, found = await self._decoded(request, EraseBody)
        await in_thread(served.live.erase, bodies.check_id(found.id))
        return JSONResponse({"id": found.id, "status": "erased"})

    async def compact(self, request: Request) -> Response:
        """Remove what no checkpoint needs from the log."""
        served = self._served(request)
        _check_type(request, b"application/json")
        await in_thread(served.live.compact)
        return JSONResponse({"name": served.name, "status": "compacted"})


def _check_type(request: Request, wanted: bytes) -> None:
    given = headers_of(request.scope["headers"]).get(b"content-type", b"").partition(b";")[0].strip().lower()
    if given != wanted:
        raise RequestError("unsupported_type", f"the content type must be {wanted.decode()}")


def _model(content: bytes) -> Any:
    from thalweg.model import Model

    try:
        model = saving.from_bytes(content)
    except (ModelFileError, StateError) as error:
        raise RequestError("wrong_field", f"the body is not a model file: {error}") from None
    if not isinstance(model, Model) or not model.__sklearn_is_fitted__():
        raise RequestError("wrong_field", "the body is not a model that has learned")
    return model
