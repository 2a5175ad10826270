"""Declarations of a kernel's arrays: to make, check, trim and measure them follows from these.

An axis has a name, and its length is known when the learner begins, or None if the axis grows with what is
learned; then a saved state tells the length, which must be the same for all arrays of that axis. Where an
array is a struct of C, its axis is a dict of the struct's fields, declared by name as arrays without axes.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from thalweg._types import AnyArray, Arrays, Floats, Ints, Lengths, State
from thalweg.errors import ParameterError, StateError

FLOAT, INT, INDEX = np.dtype(np.float64), np.dtype(np.int32), np.dtype(np.intp)
WORD, FLAG = np.dtype(np.uint64), np.dtype(np.int8)

# Axes that are longer when classes or inputs come later.
GROWING = ("class", "input", "numeric", "categorical", "width", "bin")

MOST_VALUE = 1e151  # a bound of the values that reach kernels, rounding included
MOST_WEIGHT = 1e120  # a bound of sums of weights
OVERHEAD = 1024  # bytes, roughly: an array and its share of the objects around it
MOST_COUNTED = 1 << 53  # rows or losses; further ones would not change a count that is a double


class Array:
    """One array of a kernel: its type, the names (or lengths) of its axes, and the values it may hold.

    Values lie between `low` and `high`, or are one of `others`; a name as `high` means positions on that
    axis, below its length. Numbers are finite, unless `missing` allows NaN, or `finite=False` infinity as
    well: the kernel notices and mends them. `whole` numbers are kept as doubles. `fill` is the value to begin
    with; a `setting` follows from the parameters and never changes.
    """

    __slots__ = (
        "axes", "dtype", "fields", "fill", "finite", "high", "low", "missing", "others", "setting", "whole",
    )

    def __init__(
        self, dtype: np.dtype[Any], *axes: "str | int | Layout", low: float | None = None,
        high: float | str | None = None, fill: float = 0, missing: bool = False, finite: bool = True,
        whole: bool = False, others: tuple[float, ...] = (), setting: bool = False,
    ) -> None:
        self.fields = axes[-1] if axes and isinstance(axes[-1], dict) else None
        self.axes = tuple(len(axis) if isinstance(axis, dict) else axis for axis in axes)
        self.dtype, self.fill, self.low, self.high = dtype, fill, low, high
        self.missing, self.finite, self.whole = missing, finite, whole
        self.others, self.setting = others, setting

    def shape(self, lengths: Lengths) -> tuple[int, ...]:
        """Return the shape for these lengths of the axes."""
        return tuple(lengths[axis] if isinstance(axis, str) else axis for axis in self.axes)


Layout: TypeAlias = dict[str, Array]
"""The declarations of a kernel's arrays, by name."""
SETTING = Array(FLOAT, setting=True)


def counter(high: float = MOST_COUNTED) -> Array:
    """Return the declaration of a whole number from 0 to `high`, kept as a double."""
    return Array(FLOAT, low=0, high=high, whole=True)


class _Allowance(threading.local):
    most = 0
    left: int | None = None  # None: no bound


_allowance = _Allowance()


@contextmanager
def at_most(n_bytes: int) -> Iterator[None]:
    """Bound the bytes of all arrays that this thread makes here; StateError is raised before one too many.

    A state from a stranger may hold a parameter that asks for any amount of memory.
    """
    before = _allowance.most, _allowance.left
    _allowance.most = _allowance.left = n_bytes
    try:
        yield
    finally:
        _allowance.most, _allowance.left = before


def charge(n_bytes: int) -> None:
    """Count memory that is about to be allocated; raise StateError if it is beyond the bound of `at_most`."""
    if _allowance.left is not None:
        _allowance.left = left = _allowance.left - n_bytes - OVERHEAD
        if left < 0:
            raise StateError(f"its sizes ask for more memory than the {_allowance.most:,} bytes allowed here")


def new_array(shape: int | Sequence[int], dtype: DTypeLike, fill: float = 0) -> AnyArray:
    """Return a new array; all memory of kernels that grows is allocated here."""
    if _allowance.left is not None:
        n_bytes = np.dtype(dtype).itemsize
        for length in shape if type(shape) is tuple else np.atleast_1d(shape).tolist():
            n_bytes *= int(length)
        charge(n_bytes)
    if not fill:
        return np.zeros(shape, dtype)
    array = np.empty(shape, dtype)
    array.fill(fill)
    return array


def new_aligned(size: int) -> Floats:
    """Return zeros that begin where a cache line does, so that no vector lies across two lines."""
    memory = new_array(size + 8, FLOAT)
    first = -memory.ctypes.data % 64 // 8
    return memory[first : first + size]


def aligned(array: Floats) -> Floats:
    """Return a copy that begins where a cache line does."""
    copy = new_aligned(array.size).reshape(array.shape)
    copy[...] = array
    return copy


def new_arrays(layout: Layout, lengths: Lengths) -> Arrays:
    """Return the arrays of a layout, filled with what they begin with."""
    return {name: new_array(array.shape(lengths), array.dtype, array.fill) for name, array in layout.items()}


def resized(layout: Layout, arrays: Arrays, axis: str, length: int) -> Arrays:
    """Return new arrays for all that have `axis` as their first one, cut or lengthened to `length`."""
    new = {}
    for name, array in layout.items():
        if array.axes and array.axes[0] == axis:
            old = arrays[name]
            new[name] = new_array((length, *old.shape[1:]), array.dtype, array.fill)
            n = min(length, len(old))
            new[name][:n] = old[:n]
    return new


def grown(layout: Layout, lengths: Lengths, fresh: Arrays, old: Arrays, who: str, missing: float) -> Arrays:
    """Return arrays that go on from `old`, those of a kernel with fewer classes or inputs.

    Along the axes that grow with them the first places are those of `old`, the others as in `fresh`, or
    `missing` where a value that an old row lacks may be missing.
    """
    new = {}
    for name, array in layout.items():
        before = old[name]
        shape = tuple(
            lengths[axis] if axis in GROWING else n for axis, n in zip(array.axes, before.shape, strict=True)
        )
        if shape == before.shape:
            new[name] = before.astype(array.dtype)
            continue
        lacks = array.missing and "input" in array.axes
        new[name] = new_array(shape, array.dtype, missing if lacks else array.fill)
        if shape == fresh[name].shape and not lacks:
            new[name][...] = fresh[name]
        new[name][tuple(slice(n) for n in before.shape)] = before
    check_shapes(layout, lengths, new, who)
    return new


def with_new_categories(
    fresh: Arrays, old: Arrays, columns: Ints, fresh_columns: Ints, n_features: int, axis: int, who: str
) -> Arrays:
    """Return `old` with room for the categorical inputs that only `fresh` has, which come last.

    `columns` and `fresh_columns` are the categorical inputs of both, and `n_features` those that `old` has in
    all. The counts of categories lie along `axis` of the array "counts", those of an input from its "offset".
    """
    n = len(columns)
    if not np.array_equal(fresh_columns[:n], columns) or (fresh_columns[n:] < n_features).any():
        raise ParameterError(f"{who}: parameters were changed after it had begun; begin again")
    if len(fresh_columns) == n:
        return old
    counts, offset = old["counts"], new_array(fresh["offset"].shape, INDEX)
    offset[: n + 1] = old["offset"]
    offset[n + 1 :] = old["offset"][n] + fresh["offset"][n + 1 :] - fresh["offset"][n]
    shape = list(counts.shape)
    shape[axis] = int(offset[len(fresh_columns)])
    wider = new_array(shape, counts.dtype)
    wider[tuple(slice(length) for length in counts.shape)] = counts
    return old | {"counts": wider, "offset": offset}


def check_shapes(layout: Layout, lengths: Lengths, arrays: Arrays, who: str) -> None:
    """Raise ParameterError unless arrays taken over from another kernel are as long as this one expects."""
    for name, array in layout.items():
        known = zip(arrays[name].shape, array.shape(lengths), strict=True)
        if any(expected not in (n, None) for n, expected in known):
            raise ParameterError(f"{who}: parameters were changed after it had begun; begin again")


def checked_arrays(layout: Layout, lengths: Lengths, state: object, who: str) -> Arrays:
    """Return copies of the arrays of a saved state; raise StateError naming the array that does not fit."""
    if not isinstance(state, dict):
        raise StateError(f"{who}: the state of a kernel must be a dict of arrays, got {type(state).__name__}")
    strange = [name for name in state if name not in layout]
    if strange:
        raise StateError(f"{who}: the state has an array {strange[0]!r}, which this learner does not")
    lengths = dict(lengths)
    arrays = {name: _copied(name, array, lengths, state, who) for name, array in layout.items()}
    for name, array in layout.items():
        if array.fields is None:
            _check_values(name, array, arrays[name], lengths, who)
        else:
            checked_fields(array.fields, arrays[name], who)
    return arrays


def checked_fields(fields: Layout, values: Floats, who: str, fresh: Floats | None = None) -> dict[str, float]:
    """Return the numbers of a struct by name; raise StateError naming the one that does not fit.

    Its settings must be those of `fresh`, a struct with the same parameters.
    """
    found = dict(zip(fields, values.tolist(), strict=True))
    for i, (name, array) in enumerate(fields.items()):
        if array.setting and fresh is not None:
            require(found[name] == fresh[i], who, name, f"is {found[name]}, the parameters say {fresh[i]}")
        elif not _fits(array, found[name]):
            _check_values(name, array, values[i : i + 1], {}, who)
    return found


def require(good: bool, who: str, name: str, what: str) -> None:
    """Raise StateError unless `good`: the array `name` of a saved state is at fault, `what` says how."""
    if not good:
        raise StateError(f"{who}: the state's {name!r} {what}")


def _copied(name: str, array: Array, lengths: Lengths, state: State, who: str) -> AnyArray:
    if name not in state:
        raise StateError(f"{who}: the state lacks the array {name!r}")
    given = state[name]
    if not isinstance(given, np.ndarray) or given.dtype.kind != array.dtype.kind:
        kind = given.dtype if isinstance(given, np.ndarray) else type(given).__name__
        raise StateError(f"{who}: the state's {name!r} must be an array of {array.dtype}, got {kind}")
    for axis, length in zip(array.axes, given.shape, strict=False):
        if isinstance(axis, str) and lengths[axis] is None:
            lengths[axis] = length
    if given.shape != array.shape(lengths):
        raise StateError(
            f"{who}: the state's {name!r} must have the shape {array.shape(lengths)}, got {given.shape}"
        )
    copy = new_array(given.shape, array.dtype)
    copy[...] = given
    if array.dtype.kind != "f" and array.dtype != given.dtype and not np.array_equal(copy, given):
        raise StateError(f"{who}: the state's {name!r} holds numbers beyond the range of {array.dtype}")
    return copy


def _all_within(array: Array, values: AnyArray, high: float | None) -> bool:
    # A quick look at the extremes, which suffices for most arrays; False if one of them is NaN.
    if values.size == 0:
        return True
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            least, most = values.min(), values.max()
        if not (isfinite(least) and isfinite(most)):
            return False
    else:
        least, most = values.min(), values.max()
    return bool((array.low is None or least >= array.low) and (high is None or most <= high))


def _fits(array: Array, value: float) -> bool:
    # The same for one number.
    if not isfinite(value) or (array.whole and value != int(value)):
        return False
    least, most = array.low, array.high
    if value in array.others or isinstance(most, str):
        return True
    return (least is None or value >= least) and (most is None or value <= most)


def _check_values(name: str, array: Array, values: AnyArray, lengths: Lengths, who: str) -> None:
    high = lengths[array.high] - 1 if isinstance(array.high, str) else array.high
    if _all_within(array, values, high) and not array.whole:
        return
    good = np.ones(values.shape, dtype=bool)
    with np.errstate(invalid="ignore"):
        if array.dtype.kind == "f" and array.finite:
            good = np.isfinite(values)
        if array.low is not None:
            good &= values >= array.low
        if high is not None:
            good &= values <= high
    if array.whole:
        good &= values == np.floor(values)
    if array.missing:
        good |= np.isnan(values)
    if array.others:
        good |= np.isin(values, array.others)
    if not good.all():
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        allowed = "finite" if array.low is None and high is None else f"between {array.low} and {high}"
        allowed = f"whole and {allowed}" if array.whole else allowed
        where = f"holds {values[place]} at {place}" if array.axes else f"is {values[place]}"
        raise StateError(f"{who}: the state's {name!r} {where}, not {allowed}")
