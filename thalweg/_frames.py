"""Frames and tables of pandas, polars and pyarrow as arrays of numbers, without importing any of them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import first_of

DATES = "has dates. Make them numbers first, or pass the frame to streams.from_arrays, which does so"


def frame_names(X: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame or Arrow table; None if `X` is something else."""
    if isinstance(X, np.ndarray | list | tuple):
        return None
    if hasattr(X, "itercolumns"):
        return list(X.schema.names)
    is_frame = hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "get_columns"))  # a Series is none
    return list(X.columns) if is_frame else None


def frame_columns(X: Any) -> Iterator[Any]:
    """Yield the columns of a data frame or Arrow table in order; none of anything else."""
    if frame_names(X) is None:
        return iter(())
    if hasattr(X, "iloc"):
        return (X.iloc[:, j] for j in range(X.shape[1]))
    return iter(X.itercolumns() if hasattr(X, "itercolumns") else X.get_columns())


def as_array(column: Any) -> NDArray[Any]:
    """Return a column as an array: of floats if it has numbers, NaN where one is missing."""
    if isinstance(column, np.ndarray):
        return column
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "kind", None) in ("i", "u", "f", "b"):  # pandas, also its types with a mask
        return np.asarray(column.to_numpy(dtype=float, na_value=np.nan))
    if getattr(dtype, "kind", None) == "M":
        return np.asarray(column.to_numpy(dtype="M8[ns]"))
    if hasattr(getattr(column, "type", None), "index_type"):  # a dictionary of Arrow
        column = column.cast(column.type.value_type)
    array = np.asarray(column)
    if array.dtype.kind == "O" and not hasattr(column, "iloc"):
        # polars and Arrow have None for missing numbers.
        values = [np.nan if value is None else value for value in array.tolist()]
        if all(isinstance(value, bool | float | int) for value in values):
            return np.array(values, dtype=float)
    return array


def frame_rows(X: Any, who: str) -> NDArray[Any]:
    """Return a frame as rows × columns: floats, or objects if a column has other values than numbers."""
    check_no_dates(X, who)
    arrays = [as_array(column) for column in frame_columns(X)]
    return np.column_stack(arrays) if arrays else np.empty((len(X), 0))


def plain_table(table: Any) -> Any:
    """Return a frame with names of its rows as {row: {column: value}}, one without as an array.

    A mapping of any type becomes a dict; anything else is returned as it is.
    """
    if isinstance(table, Mapping):
        inner = {name: plain_table(each) for name, each in table.items() if isinstance(each, Mapping)}
        return {**table, **inner}
    if not (hasattr(table, "iloc") and hasattr(table, "index")):
        return table.to_numpy() if frame_names(table) is not None and hasattr(table, "to_numpy") else table
    axes = [table.index.tolist(), *([table.columns.tolist()] if hasattr(table, "columns") else [])]
    if all(names == list(range(len(names))) for names in axes):
        return table.to_numpy()
    if any(len(set(names)) < len(names) for names in axes):
        raise ValueError(f"a row or column is there twice: {axes}")
    return table.to_dict(orient="index") if len(axes) > 1 else table.to_dict()


def check_no_dates(X: Any, who: str) -> None:
    """Raise ValueError if an array or a column of a frame has dates."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        raise ValueError(f"{who}: the array {DATES}")
    for name, column in zip(frame_names(X) or (), frame_columns(X), strict=True):
        if as_array(column[:1]).dtype.kind in "mM":
            raise ValueError(f"{who}: column {name!r} {DATES}")


def check_names(seen: list[Any], known: list[Any], who: str) -> None:
    """Raise ValueError if the columns of a frame are not the known inputs in their order."""
    if seen == known or known == [f"x{j}" for j in range(len(known))]:  # names that say nothing
        return
    if set(seen) == set(known):
        raise ValueError(
            f"{who}: the columns are in another order, {_listed(seen)}; this learner began with "
            f"{_listed(known)}: pass the columns in that order"
        )
    missing = [name for name in known if name not in seen]
    extra = [name for name in seen if name not in known]
    said = [f"without {_listed(missing)}"] if missing else []
    said += [f"with {_listed(extra)}"] if extra else []
    raise ValueError(f"{who}: the columns are not those this learner began with: {' and '.join(said)}")


def as_table(X: Any) -> Any:
    """Return a record batch of Arrow as a table, which scikit-learn knows; anything else as it is."""
    if not hasattr(X, "itercolumns") or hasattr(X, "to_batches"):
        return X
    import pyarrow as pa

    return pa.Table.from_batches([X])


def unmasked(X: Any) -> Any:
    """Return a masked array as floats, NaN where it is masked; anything else as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return np.ma.filled(X.astype(float), np.nan)


def _listed(names: list[Any]) -> str:
    return first_of([*map(repr, names)], 5)
