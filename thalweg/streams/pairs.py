"""Pairs (x, y) of an iterable, checked one by one."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from thalweg.errors import StreamError, short_repr
from thalweg.streams.labels import plain_label

Pair: TypeAlias = tuple[Any, Any]


def pairs(rows: Iterable[Any], target: Hashable | None, name: str) -> Iterator[Pair]:
    """Yield (x, y) for each row: a pair, or a dict that has its label under the name `target`."""
    split = _pair if target is None else _without_target
    for i, row in enumerate(rows):
        x, y = split(row, i, target, name)
        if isinstance(x, Mapping):
            yield x if isinstance(x, dict) else dict(x), _label(y, i, name)
        elif isinstance(x, str) or not hasattr(x, "__len__"):
            raise StreamError(
                f"{name}: row {i} has the inputs {short_repr(x)}, no dict or sequence of numbers"
            )
        elif getattr(x, "ndim", 1) != 1:
            raise StreamError(
                f"{name}: row {i} has inputs of shape {x.shape}; "
                "yield one row at a time, or pass (X, y)"
            )
        else:
            yield x, _label(y, i, name)


def _pair(row: Any, i: int, target: Hashable | None, name: str) -> Pair:
    if isinstance(row, Mapping):
        raise StreamError(
            f"{name}: row {i} is a dict without a label; yield pairs (x, y), or name the entry that is the "
            "label: target=…"
        )
    if not isinstance(row, list | tuple) or len(row) != 2:
        is_frame = hasattr(row, "columns")
        way = "learn each frame by itself" if is_frame else "pass a frame, dicts, or the path of a file"
        raise StreamError(
            f"{name}: row {i} is {short_repr(row)}, not a pair (x, y) of inputs and a label; {way}"
        )
    return row[0], row[1]


def _without_target(row: Any, i: int, target: Hashable | None, name: str) -> Pair:
    if not isinstance(row, Mapping):
        raise StreamError(f"{name}: row {i} is {short_repr(row)}; with target={target!r} rows must be dicts")
    if target not in row:
        raise StreamError(f"{name}: row {i} has no entry {target!r}; it has {', '.join(map(repr, row))}")
    return {key: value for key, value in row.items() if key != target}, row[target]


def _label(y: Any, i: int, name: str) -> Any:
    label = plain_label(y)
    try:
        hash(label)
    except TypeError:
        raise StreamError(f"{name}: row {i} has the label {short_repr(y)}; expected one value") from None
    return label
