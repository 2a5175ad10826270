"""Tensors of the Open Inference Protocol as rows, and predictions as tensors."""

from typing import Any

from msgspec import Struct

from thalweg.live.requests import Predictions
from thalweg.service.arrays import InputColumns, by_position
from thalweg.service.decoding import check_rows
from thalweg.service.encoding import as_key, plain
from thalweg.service.request_error import RequestError

NUMBERS = {f"{kind}{size}" for kind in ("INT", "UINT") for size in (8, 16, 32, 64)} | {"FP16", "FP32", "FP64"}
MOST_INPUTS = 10_000


class InputTensor(Struct, gc=False):
    """An input of a request: one column, or all inputs as numbers."""

    name: str
    shape: list[int]
    datatype: str
    data: list[Any]
    parameters: dict[str, Any] | None = None


class OutputName(Struct, gc=False):
    """An output that a request wants."""

    name: str
    parameters: dict[str, Any] | None = None


class InferBody(Struct, gc=False):
    """The body of `POST /v2/models/NAME/infer`."""

    inputs: list[InputTensor]
    id: str | None = None
    parameters: dict[str, Any] | None = None
    outputs: list[OutputName] | None = None


def rows_of(inputs: list[InputTensor], max_rows: int, known: InputColumns | None) -> tuple[Any, int]:
    """Return the rows that tensors hold, and their number.

    One tensor of rows × inputs holds rows of numbers; otherwise each tensor is a column of that name.
    """
    if not inputs or len(inputs) > MOST_INPUTS:
        raise RequestError("wrong_field", f"give 1 to {MOST_INPUTS:,} inputs", field="inputs")
    first, width = inputs[0], None if known is None else len(known.names)
    if len(inputs) == 1 and len(first.shape) == 2 and (first.shape[1] != 1 or width == 1):
        return _matrix(first, max_rows, known)
    columns: dict[str, list[Any]] = {}
    n = first.shape[0] if first.shape else -1
    for i, tensor in enumerate(inputs):
        field = f"inputs[{i}]"
        if tensor.shape not in ([n], [n, 1]) or n < 0:
            what = f"{tensor.name[:80]!r} has the shape {tensor.shape[:4]}; columns have [rows] or [rows, 1]"
            raise RequestError("wrong_field", what, field=f"{field}.shape")
        if tensor.name in columns:
            raise RequestError(
                "wrong_field", f"two inputs are called {tensor.name[:80]!r}", field=f"{field}.name"
            )
        check_rows(n, max_rows)
        columns[tensor.name] = _values(tensor, n, field)
    names = [*columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)], n


def _matrix(tensor: InputTensor, max_rows: int, known: InputColumns | None) -> tuple[Any, int]:
    n, d = tensor.shape
    width = None if known is None else len(known.names)
    check_rows(n, max_rows)
    if n < 0 or d < 0 or tensor.datatype not in NUMBERS:
        raise RequestError("wrong_field", "a tensor of rows × inputs has numbers", field="inputs[0]")
    if width is not None and d != width:
        raise RequestError(
            "wrong_row", f"rows have {d} numbers, the model takes {width}", field="inputs[0].shape"
        )
    values = _values(tensor, n * d, "inputs[0]")
    rows = [values[i : i + d] for i in range(0, n * d, d)] if d else []
    return (by_position(rows, known) if rows else []), len(rows)


def _values(tensor: InputTensor, n: int, field: str) -> list[Any]:
    """Return the values of a tensor, flat; raise RequestError if they are not so many, or not of its type."""
    values = tensor.data
    while values and isinstance(values[0], list):
        if not all(isinstance(each, list) for each in values):
            raise RequestError("wrong_field", "lists and values are mixed", field=f"{field}.data")
        values = [each for part in values for each in part]
    if len(values) != n:
        what = f"{tensor.name[:80]!r} has {len(values):,} values, its shape says {n:,}"
        raise RequestError("wrong_field", what, field=f"{field}.data")
    kind, allowed = tensor.datatype, _types(tensor.datatype)
    if allowed is None:
        raise RequestError("wrong_field", f"the datatype {kind[:40]!r} is unknown", field=f"{field}.datatype")
    wrong = next((i for i, each in enumerate(values) if each is not None and type(each) not in allowed), None)
    if wrong is not None:
        what = f"{tensor.name[:80]!r} is {kind}, but has {type(values[wrong]).__name__}"
        raise RequestError("wrong_field", what, field=f"{field}.data", row=wrong)
    if kind in NUMBERS and any(type(each) is int and not -(2**63) <= each < 2**63 for each in values):
        raise RequestError(
            "wrong_field", f"{tensor.name[:80]!r} has a number beyond 64 bits", field=f"{field}.data"
        )
    return values


def _types(datatype: str) -> tuple[type, ...] | None:
    if datatype in NUMBERS:
        return (int, float)
    return {"BOOL": (bool,), "BYTES": (str,)}.get(datatype)


def outputs_of(found: Predictions, wanted: list[OutputName] | None) -> list[dict[str, Any]]:
    """Return predictions as tensors; only those that are wanted, if that is said."""
    n, k = found.probabilities.shape
    tensors: dict[str, dict[str, Any]] = {}

    def add(name: str, datatype: str, shape: list[int], data: list[Any], **parameters: Any) -> None:
        tensors[name] = {"name": name, "datatype": datatype, "shape": shape, "data": data}
        if parameters:
            tensors[name]["parameters"] = parameters

    add("label", "BYTES", [n], [as_key(label) for label in found.labels])
    classes = [plain(label) for label in found.classes]
    add("probabilities", "FP64", [n, k], found.probabilities.ravel().tolist(), classes=classes)
    if found.sets is not None:
        members = [int(label in each) for each in map(set, found.sets) for label in found.classes]
        add("set", "BOOL", [n, k], [*map(bool, members)], classes=classes)
    if found.ids is not None:
        add("event", "INT64", [n], [*found.events])
        add("status", "BYTES", [n], found.statuses)
    if found.asks is not None:
        add("wants_label", "BOOL", [n], [*map(bool, found.asks)])
    if wanted is None:
        return [*tensors.values()]
    unknown = next((each.name for each in wanted if each.name not in tensors), None)
    if unknown is not None:
        what = f"there is no output {unknown[:80]!r}; there are {', '.join(tensors)}"
        raise RequestError("wrong_field", what, field="outputs")
    return [tensors[each.name] for each in wanted]
