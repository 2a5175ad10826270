"""The Open Inference Protocol, version 2, by HTTP, with labels as an extension."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from thalweg.errors import short_repr
from thalweg.live.requests import Predictions
from thalweg.service import bodies, media
from thalweg.service.access import headers_of
from thalweg.service.asked import LABEL, PREDICT, Asked
from thalweg.service.decoding import decode_json
from thalweg.service.described import about_model, is_begun, plain
from thalweg.service.encoding import encode_many
from thalweg.service.reading import check_length, read_body
from thalweg.service.request_error import RequestError
from thalweg.service.served import Served, ServedModels
from thalweg.service.settings import Settings
from thalweg.service.tensors import InferBody, outputs_of, rows_of

EXTENSIONS = ["thalweg_label"]
_decoder = msgspec.json.Decoder(InferBody)
DATATYPES = {"number": "FP64", "category": "BYTES", "flag": "BOOL", "date": "BYTES", "text": "BYTES"}


class Inference:
    """The functions behind the routes below `/v2`."""

    def __init__(self, models: ServedModels, settings: Settings) -> None:
        self.models, self.settings = models, settings

    def routes(self) -> list[Route]:
        """Return the routes."""
        of_model = "/v2/models/{name}"
        return [
            Route("/v2", self.server, name="v2"),
            Route("/v2/health/live", self.live, name="v2_live"),
            Route("/v2/health/ready", self.ready, name="v2_ready"),
            Route(of_model, self.model, name="v2_model"),
            Route(f"{of_model}/ready", self.model_ready, name="v2_model_ready"),
            Route(f"{of_model}/infer", self.infer, methods=["POST"], name="v2_infer"),
            Route(f"{of_model}/label", self.label, methods=["POST"], name="v2_label"),
        ]

    async def server(self, request: Request) -> Response:
        """Answer with what this server is."""
        import thalweg

        return JSONResponse({"name": "thalweg", "version": thalweg.__version__, "extensions": EXTENSIONS})

    async def live(self, request: Request) -> Response:
        """Answer that the server runs."""
        return JSONResponse({"live": True})

    async def ready(self, request: Request) -> Response:
        """Answer 200 if every model is ready, else 503."""
        is_ready = all(served.state == "ready" for served in self.models)
        return JSONResponse({"ready": is_ready}, 200 if is_ready else 503)

    async def model_ready(self, request: Request) -> Response:
        """Answer 200 if a model is ready, else 503."""
        served = self.models.find(request.path_params["name"])
        is_ready = served.state == "ready"
        return JSONResponse({"name": served.name, "ready": is_ready}, 200 if is_ready else 503)

    async def model(self, request: Request) -> Response:
        """Answer with the inputs and outputs of a model."""
        served = self.models.find(request.path_params["name"])
        served.check_ready()
        return JSONResponse(metadata(served))

    async def infer(self, request: Request) -> Response:
        """Answer with predictions as tensors."""
        served, body = await self._post(request)
        try:
            found = _decoder.decode(body)
        except (ValueError, RecursionError) as error:
            bodies.refuse(error)
        parameters = found.parameters or {}
        unknown = next((name for name in parameters if name not in ("ids", "durable", "sets")), None)
        if unknown is not None:
            raise RequestError(
                "wrong_field", f"the parameter {unknown[:80]!r} is unknown", field="parameters"
            )
        rows, n = rows_of(found.inputs, self.settings.limits.max_rows, served.columns())
        asked = Asked(PREDICT, n, rows, _ids(parameters.get("ids"), n))
        asked.durable = _one_of(parameters, "durable", (True, False, "soon")) is True
        asked.sets = _one_of(parameters, "sets", (False, True))
        self._spend(request, n)
        result: Predictions = await served.groups.result(asked)
        answer: dict[str, Any] = {"model_name": served.name}
        if found.id is not None:
            answer["id"] = found.id
        answer["outputs"] = outputs_of(result, found.outputs)
        return JSONResponse(answer)

    async def label(self, request: Request) -> Response:
        """Learn labels: the same as `POST /models/NAME/label`."""
        served, body = await self._post(request)
        asked = decode_json(LABEL, body, self.settings.limits.max_rows)
        self._spend(request, asked.n)
        result = await served.groups.result(asked)
        content = encode_many(result, served.groups.labels, media.JSON)
        return Response(content, media_type="application/json")

    async def _post(self, request: Request) -> tuple[Served, bytes]:
        served = self.models.find(request.path_params["name"])
        served.check_ready()
        headers, limits = headers_of(request.scope["headers"]), self.settings.limits
        check_length(headers, limits.max_bytes)
        if media.form_of(headers) != media.JSON:
            raise RequestError("unsupported_type", "the content type must be application/json")
        return served, await read_body(request.receive, limits.max_bytes, limits.body_seconds)

    def _spend(self, request: Request, n_rows: int) -> None:
        if self.settings.rates is not None:
            self.settings.rates.spend(request.client.host if request.client else "", n_rows)


def metadata(served: Served) -> dict[str, Any]:
    """Return the inputs and outputs of a model as the protocol describes them."""
    inputs: list[dict[str, Any]] = []
    outputs = [{"name": "label", "datatype": "BYTES", "shape": [-1]}]
    model = served.live.model
    if model is not None and is_begun(model):
        about = about_model(model)
        inputs = [
            {"name": name, "datatype": DATATYPES.get(kind, "BYTES"), "shape": [-1]}
            for name, kind in about["columns"].items()
        ]
        outputs.append({"name": "probabilities", "datatype": "FP64", "shape": [-1, len(about["classes"])]})
        parameters = {"classes": plain(about["classes"])}
    else:
        parameters = {}
    return {"name": served.name, "versions": [], "platform": "thalweg", "inputs": inputs, "outputs": outputs,
            "parameters": parameters}  # fmt: skip


def _one_of(parameters: dict[str, Any], name: str, allowed: tuple[bool | str, ...]) -> Any:
    """Return a parameter, the first of the values allowed if it is not given."""
    found = parameters.get(name, allowed[0])
    if not any(found is each or (isinstance(each, str) and found == each) for each in allowed):
        words = " or ".join(msgspec.json.encode(each).decode() for each in allowed)
        problem = f"{name} must be {words}, got {short_repr(found)}"
        raise RequestError("wrong_field", problem, field=f"parameters.{name}")
    return found


def _ids(given: Any, n: int) -> list[int | str] | None:
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != n or any(type(each) not in (int, str) for each in given):
        what = f"ids must be a list of {n:,} texts or whole numbers"
        raise RequestError("wrong_field", what, field="parameters.ids")
    return [bodies.check_id(each, i) for i, each in enumerate(given)]
