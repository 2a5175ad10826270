"""The description of all routes, as OpenAPI 3.1."""

from typing import Any

import msgspec

from thalweg.live.requests import ERRORS
from thalweg.service import media
from thalweg.service.admin import ClassBody, EraseBody
from thalweg.service.bodies import LabelBody, LabelLine, LearnBody, LearnLine, PredictBody, PredictLine
from thalweg.service.request_error import STATUSES
from thalweg.service.settings import Settings
from thalweg.service.tensors import InferBody

TYPES = [
    PredictBody, LabelBody, LearnBody, PredictLine, LabelLine, LearnLine, InferBody, EraseBody, ClassBody,
]  # fmt: skip
REF = "#/components/schemas/{name}"
SUMMARIES = {
    "predict": "Predict one row or several. With an id, a row waits for its label.",
    "label": "Learn the labels of rows that were predicted with ids.",
    "learn": "Learn rows with their labels.",
}
ANSWERS: dict[str, dict[str, Any]] = {
    "Prediction": {
        "type": "object",
        "required": ["label", "probabilities"],
        "properties": {
            "id": {"type": ["string", "integer"]},
            "label": {"description": "The answer."},
            "probabilities": {"type": "object", "additionalProperties": {"type": "number"}},
            "set": {"type": "array", "description": "The prediction set, if asked for."},
            "event": {"type": "integer", "description": "The number of the event, if the row has an id."},
            "status": {"enum": ["predicted", "already"]},
            "wants_label": {"type": "boolean", "description": "Whether a label would help."},
        },
    },
    "Outcome": {
        "type": "object",
        "required": ["status"],
        "properties": {
            "id": {"type": ["string", "integer"]},
            "status": {"enum": ["learned", "already", *sorted(ERRORS)]},
            "event": {"type": "integer"},
            "message": {"type": "string"},
        },
    },
    "Error": {
        "type": "object",
        "required": ["error", "message"],
        "properties": {
            "error": {"enum": sorted(STATUSES)},
            "message": {"type": "string"},
            "field": {"type": "string", "description": "What part of the request is wrong."},
            "row": {"type": "integer", "description": "Which of several rows, from 0 on."},
        },
    },
}
REFUSALS = ("400", "401", "403", "404", "408", "413", "415", "421", "422", "429", "431", "503")


def openapi(names: list[str], settings: Settings) -> dict[str, Any]:
    """Return the description of a service with models of these names."""
    import thalweg

    _, schemas = msgspec.json.schema_components(TYPES, ref_template=REF)
    schemas |= ANSWERS | {
        "Predictions": _listed("predictions", "Prediction"),
        "Outcomes": _listed("outcomes", "Outcome"),
    }
    paths: dict[str, Any] = {}
    for kind, summary in SUMMARIES.items():
        paths[f"/models/{{name}}/{kind}"] = {"parameters": [_name(names)], "post": _rows(kind, summary)}
    for path, summary in _reads(settings.admin).items():
        given = [_name(names)] if "{name}" in path else []
        method = (
            "put"
            if path == "/admin/models/{name}"
            else "post"
            if path.count("/") > 3 and (path.endswith(("infer", "label", "classes", "erase", "compact")))
            else "get"
        )
        paths[path] = {"parameters": given, method: {"summary": summary, "responses": _responses(None)}}
    paths["/v2/models/{name}/infer"]["post"]["requestBody"] = _body({"application/json": "InferBody"})
    paths["/v2/models/{name}/label"]["post"]["requestBody"] = _body({"application/json": "LabelBody"})
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "thalweg", "version": thalweg.__version__},
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if settings.tokens is not None:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
    return found


def _reads(admin: bool) -> dict[str, str]:
    found = {
        "/health": "Whether every model is ready; with a token, the state of each.",
        "/models": "The models and their states.",
        "/models/{name}": "What a model is and what it has seen.",
        "/metrics": "Metrics as Prometheus reads them.",
        "/openapi.json": "This description.",
        "/v2": "What this server is (Open Inference Protocol 2).",
        "/v2/health/live": "Whether the server runs.",
        "/v2/health/ready": "Whether every model is ready.",
        "/v2/models/{name}": "The inputs and outputs of a model.",
        "/v2/models/{name}/ready": "Whether a model is ready.",
        "/v2/models/{name}/infer": "Predict rows given as tensors.",
        "/v2/models/{name}/label": "Learn labels; an extension of the protocol.",
    }
    return found | ({
        "/admin/models/{name}": "Replace a model by the model file in the body; `?drop_waiting=true`.",
        "/admin/models/{name}/classes": "Make a label a class, whose labels are then learned.",
        "/admin/models/{name}/erase": "Remove an id from the log and the checkpoints.",
        "/admin/models/{name}/compact": "Remove what no checkpoint needs from the log.",
    } if admin else {})  # fmt: skip


def _rows(kind: str, summary: str) -> dict[str, Any]:
    title = kind.capitalize()
    types = {
        "application/json": f"{title}Body",
        "application/x-ndjson": f"{title}Line",
        media.CONTENT_TYPES[media.ARROW].decode(): None,
    }
    one, many = ("Prediction", "Predictions") if kind == "predict" else ("Outcome", "Outcomes")
    options = [("durable", ["true", "soon"]), ("sets", ["true", "false"])] if kind == "predict" else []
    query = [{"name": name, "in": "query", "schema": {"enum": values}} for name, values in options]
    query += [
        {"name": name, "in": "query", "schema": {"type": "string"}} for name in ("id_column", "label_column")
    ]
    responses = _responses({"anyOf": [_ref(one), _ref(many)]})
    if kind != "predict":
        responses["409"] = _refusal("The row was learned with another label.")
    return {"summary": summary, "operationId": kind, "parameters": query, "requestBody": _body(types),
            "responses": responses}  # fmt: skip


def _ref(name: str) -> dict[str, str]:
    return {"$ref": REF.format(name=name)}


def _body(types: dict[str, str | None]) -> dict[str, Any]:
    content = {each: {"schema": _ref(name)} if name else {} for each, name in types.items()}
    return {"required": True, "content": content}


def _responses(answer: dict[str, Any] | None) -> dict[str, Any]:
    content = {"application/json": {"schema": answer}} if answer else {}
    found: dict[str, Any] = {"200": {"description": "Done.", **({"content": content} if content else {})}}
    return found | {status: _refusal("Refused; the message says why.") for status in REFUSALS}


def _refusal(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": _ref("Error")}}}


def _listed(field: str, name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {field: {"type": "array", "items": _ref(name)}}}


def _name(names: list[str]) -> dict[str, Any]:
    return {"name": "name", "in": "path", "required": True, "schema": {"enum": names}}
