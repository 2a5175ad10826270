"""Nested dicts, lists and scalars as JSON and back, with arrays kept apart."""

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import ModelFileError

DTYPE = re.compile(r"[<>|][biufcSUmM]\d+(\[\d*\w+\])?")
KINDS = "biufcSUmM"
FEW_LINES = 1 << 16  # of an array without values
FEW_KEYS, MOST_KEYS = 1000, 10_000  # of a dict, that are not text: of any hash, and of different ones
DATES: dict[str, Any] = {"date": datetime.date, "datetime": datetime.datetime, "time": datetime.time}


def to_json(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return `value` as JSON can hold it; append its arrays to `arrays`.

    Numbers, strings, None and lists stay what they are. All else becomes a dict with one key, its kind.
    """
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, bool | str | int) and not isinstance(value, np.generic):
        return value
    if isinstance(value, float) and not isinstance(value, np.generic):
        return value if np.isfinite(value) else {"float": str(value)}
    if isinstance(value, list):
        return [to_json(part, arrays) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [to_json(part, arrays) for part in value]}
    if isinstance(value, dict):
        _check_number(value)
        return {"dict": [[to_json(key, arrays), to_json(part, arrays)] for key, part in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return {"objects": [list(value.shape), [to_json(part, arrays) for part in value.ravel().tolist()]]}
    if isinstance(value, np.generic) and value.dtype.kind in KINDS:
        return {"scalar": to_json(np.array([value]), arrays)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    for kind, date in DATES.items():
        if type(value) is date:
            return {kind: value.isoformat()}
    raise TypeError(f"cannot save a value of type {type(value).__name__}: {value!r}")


def from_json(value: Any, arrays: list[Any]) -> Any:
    """Return what `to_json` was given; the arrays it uses, each of them once, are None in `arrays` then."""
    if isinstance(value, list):
        return [from_json(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise ModelFileError(f"a value must have one kind, got {sorted(value)}")
    [(kind, content)] = value.items()
    if kind == "float":
        return float(content)
    if kind == "tuple":
        return tuple(from_json(part, arrays) for part in content)
    if kind == "dict":
        return _dict(content, arrays)
    if kind == "objects":
        shape, parts = content
        return _objects(shape, parts, arrays)
    if kind == "array":
        return _chosen(arrays, content)
    if kind == "scalar":
        return from_json(content, arrays)[0]
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind in DATES:
        return DATES[kind].fromisoformat(content)
    raise ModelFileError(f"there is no kind of value called {kind!r}")


def _dict(content: list[Any], arrays: list[Any]) -> dict[Any, Any]:
    n = _check_number(key for key, _ in content)
    keys = [from_json(key, arrays) for key, _ in content]
    if n > FEW_KEYS and len(set(map(hash, keys))) < len(keys) - FEW_KEYS:
        raise ModelFileError("a dict has many keys that share their hashes")
    return {key: from_json(part, arrays) for key, (_, part) in zip(keys, content, strict=True)}


def _check_number(keys: Iterable[Any]) -> int:
    """Return how many keys of a dict are not text; raise ModelFileError if they are more than a model has.

    Hashes of text begin with a random number of the process, those of numbers do not: whoever chooses them
    can let all collide, and a dict of n keys then takes n² steps to make.
    """
    n = sum(not isinstance(key, str) for key in keys)
    if n > MOST_KEYS:
        raise ModelFileError(
            f"a dict has {n:,} keys that are not text; at most {MOST_KEYS:,} can be saved: use an array"
        )
    return n


def _objects(shape: list[int], parts: list[Any], arrays: list[Any]) -> NDArray[Any]:
    flat = np.empty(len(parts), dtype=object)
    for i, part in enumerate(parts):
        flat[i] = from_json(part, arrays)
    check_lines(shape)
    return flat.reshape(shape)


def check_lines(shape: Sequence[int], n_bytes: int = 0) -> None:
    """Raise ModelFileError if an array without values is a long list of empty lists.

    It takes no byte of the file, however many lines it has, but each of them takes memory as a list.
    """
    if 0 in shape and math.prod(shape[: list(shape).index(0)]) > max(n_bytes, FEW_LINES):
        raise ModelFileError(f"an array of shape {list(shape)} has no values, but very many lines")


def _chosen(arrays: list[Any], i: Any) -> NDArray[Any]:
    if not isinstance(i, int) or not 0 <= i < len(arrays):
        raise ModelFileError(f"there is no array {i!r}")
    array, arrays[i] = arrays[i], None
    if array is None:
        raise ModelFileError(f"array {i} is there twice")
    return array


def dtype_named(name: Any) -> np.dtype[Any]:
    """Return the dtype of numbers, text or dates with this name."""
    if not isinstance(name, str):
        raise ModelFileError(f"{name!r} is no type of an array")
    return _dtype(name)


@lru_cache(maxsize=100)
def _dtype(name: str) -> np.dtype[Any]:
    if not DTYPE.fullmatch(name):
        raise ModelFileError(f"{name!r} is no type of an array")
    return np.dtype(name)
