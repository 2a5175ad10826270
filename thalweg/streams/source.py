"""Whatever rows can come from, as a stream."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from thalweg._frames import frame_names
from thalweg.errors import ParameterError, short_repr
from thalweg.streams.arrays import from_arrays
from thalweg.streams.base import Stream, stream_name
from thalweg.streams.foreign import ForeignStream, is_stream
from thalweg.streams.named import is_file, open_stream
from thalweg.streams.rows import from_rows

Source: TypeAlias = Any
"""What `as_stream` makes a stream of."""

EXPECTED = (
    "a stream, a path or a name, (X, y), a data frame, an iterable of pairs (x, y), or an object with "
    "n_features, classes and blocks(size)"
)


def as_stream(source: Source, target: str | int | None = None, *, who: str = "as_stream") -> Stream:
    """Return whatever rows can come from as a stream: a file, arrays, a frame, an iterable, a name.

    `prequential`, `compare` and the other functions of `thalweg.evaluation` call it for you.

    Parameters
    ----------
    source
        A stream, as it is. The path of a file, or the name of a generator or a public dataset. A tuple (X, y)
        of what `from_arrays` takes; X may also be a list of dicts. A data frame of pandas, polars or Arrow
        with a column of labels. An iterable of pairs (x, y), as `from_rows` takes it. Any object with
        `n_features`, `classes` and `blocks(size)`, which yields rows and their labels.
    target : str or int, optional
        The column of labels of a file or a frame, by default the last; the name of the label in rows that are
        dicts.
    who : str
        The function that calls, for messages.

    Examples
    --------
    >>> from thalweg.streams import as_stream
    >>> as_stream("sea").n_rows, as_stream(([[1.0], [2.0]], ["no", "yes"])).classes.tolist()
    (50000, ['no', 'yes'])
    >>> rows = [{"wind": 3.0, "sky": "calm"}, {"wind": 22.0, "sky": "storm"}]
    >>> as_stream(rows, target="sky").names
    ('wind',)
    """
    _check_kind(source, who)
    if isinstance(source, str | PathLike):
        return _opened(str(source), target, who)
    if frame_names(source) is not None:
        return _from_frame(source, target, who)
    if is_stream(source):
        stream = source if isinstance(source, Stream) and _codes_blocks(source) else ForeignStream(source)
        _check_no_target(stream_name(stream), target, who)
        return stream
    if isinstance(source, tuple) and target is None:
        return _from_tuple(source, who)
    return from_rows(source, target)


def _check_kind(source: Any, who: str) -> None:
    """Raise ParameterError for what cannot be a source of rows."""
    if isinstance(source, type):
        name = source.__name__
        raise ParameterError(f"{who}: got the class {name}; pass an instance: {name}(…)")
    if is_stream(source):
        return
    if is_learner(source):
        raise ParameterError(f"{who}: got the learner {short_repr(source)} where the stream belongs")
    if isinstance(source, np.ndarray) or hasattr(source, "tocsr"):
        raise ParameterError(f"{who}: got an array without labels; pass (X, y)")
    if isinstance(source, Mapping):
        kind = type(source).__name__
        raise ParameterError(f"{who}: got a {kind}; pass (X, y), or an iterable of pairs (x, y)")
    if not isinstance(source, str | PathLike | Iterable) and frame_names(source) is None:
        raise ParameterError(f"{who}: expected {EXPECTED}; got {short_repr(source)}")


def is_learner(thing: Any) -> bool:
    """Return whether `thing` looks like a learner of this or another library, or the class of one."""
    return any(hasattr(thing, name) for name in ("test_then_train_coded", "learn_one", "predict"))


def _opened(source: str, target: str | int | None, who: str) -> Stream:
    if not is_file(source):
        _check_no_target(source, target, who)
    return open_stream(source) if target is None else open_stream(source, target=target)


def _check_no_target(name: str, target: str | int | None, who: str) -> None:
    if target is not None:
        raise ParameterError(f"{who}: {name} has labels already; target={target!r} does not apply to it")


def _from_frame(frame: Any, target: str | int | None, who: str) -> Stream:
    names = frame_names(frame) or []
    place = -1 if target is None else target
    name = names[place] if isinstance(place, int) and -len(names) <= place < len(names) else place
    if name not in names:
        known = ", ".join(map(repr, names[:20]))
        raise ParameterError(f"{who}: the frame has no column {name!r}; it has {known}")
    return _from_table(frame, str(name))


def _from_table(frame: Any, target: str | None, labels: Any = None) -> Stream:
    """Return the rows of a frame as those of a file; all its labels are known from the start."""
    from thalweg.streams.files.open import ReadingOptions, open_source
    from thalweg.streams.files.tables import table_source

    source = table_source(frame, labels, target)
    target = source.columns[-1].name if target is None else target
    return open_source(source, target, ReadingOptions(scan_labels=True).checked(target))


def _from_tuple(source: Any, who: str) -> Stream:
    if len(source) != 2:
        raise ParameterError(f"{who}: a tuple must be (X, y), got {len(source)} parts; pass rows as a list")
    X, y = source
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], Mapping):
        return from_rows(list(zip(X, y, strict=True)))
    if frame_names(X) is not None:
        return _from_table(X, None, y)
    if not hasattr(X, "tocsr") and np.ndim(X) < 2:
        raise ParameterError(f"{who}: a tuple must be (X, y), with X of rows × inputs, got X={short_repr(X)}")
    return from_arrays(X, y)


def _codes_blocks(stream: Stream) -> bool:
    """Return whether a subclass of Stream writes `coded_blocks`, not only `blocks`."""
    kind = type(stream)
    return kind.coded_blocks is not Stream.coded_blocks or kind.blocks is Stream.blocks
