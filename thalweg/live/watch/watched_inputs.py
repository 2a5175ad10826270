"""Which inputs of a model are watched for drift, and how to take them out of its rows."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.rows.sparse_rows import SparseRows

MOST_INPUTS = 500


class WatchedInputs:
    """The inputs that are watched: numbers and categories.

    Text and dates are left out: elapsed days and months always change, and the hour and the weekday differ
    from window to window. Of many inputs the first 500 are watched.

    Attributes
    ----------
    positions : ndarray of int
        Where they are in a row.
    names : list of str
        Their names.
    categorical : list of int
        Which of them hold categories, by their place in `positions`.
    left_out : dict of str
        Columns that are not watched, and why: "date", "text" or "many".
    """

    def __init__(
        self, positions: Sequence[int], names: Sequence[str], categorical: Sequence[int] = (),
        left_out: dict[str, str] | None = None,
    ) -> None:
        kept, more = list(positions[:MOST_INPUTS]), names[MOST_INPUTS:]
        self.positions = np.array(kept, dtype=np.intp)
        self.names = [str(name) for name in names[:MOST_INPUTS]]
        self.categorical = [int(k) for k in categorical if k < MOST_INPUTS]
        self.left_out = dict(left_out or {}) | {str(name): "many" for name in more}

    @classmethod
    def of_schema(cls, schema: dict[str, Any]) -> Self:
        """Return the watched inputs of a model's columns, as its `schema()` describes them."""
        columns = InputColumns(schema)
        positions: list[int] = []
        names: list[str] = []
        categorical: list[int] = []
        left_out: dict[str, str] = {}
        for group in columns.columns:
            kind = columns.origin(group.inputs[0]).column["kind"] if group.inputs else "ignore"
            if kind in ("date", "text"):
                left_out[group.name] = kind
                continue
            for j in group.inputs:
                if kind != "number":
                    categorical.append(len(positions))
                positions.append(j)
                names.append(group.name)
        return cls(positions, names, categorical, left_out)

    def __len__(self) -> int:
        return len(self.positions)

    def rows(self, X: Floats | SparseRows) -> Floats:
        """Return the watched inputs of rows, as a new array; those that a row does not have yet are NaN."""
        wanted = self.positions
        if isinstance(X, SparseRows):
            return _dense(X, wanted)
        if len(wanted) and wanted[-1] >= X.shape[1]:
            X = np.pad(X, ((0, 0), (0, int(wanted[-1]) + 1 - X.shape[1])), constant_values=np.nan)
        if len(wanted) == X.shape[1]:
            return np.array(X, dtype=np.float64, order="C")
        return np.ascontiguousarray(X[:, wanted], dtype=np.float64)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data, which the constructor takes."""
        return {
            "positions": self.positions.tolist(), "names": self.names, "categorical": self.categorical,
            "left_out": self.left_out,
        }  # fmt: skip


def _dense(X: SparseRows, wanted: Ints) -> Floats:
    """Return some inputs of sparse rows; values that are not stored are 0."""
    place = np.full(X.n_features, -1, dtype=np.intp)
    place[wanted[wanted < X.n_features]] = np.arange(int((wanted < X.n_features).sum()))
    starts, stop = X.starts, int(X.starts[-1])
    rows = np.repeat(np.arange(len(X)), np.diff(starts))
    columns = place[X.columns[int(starts[0]) : stop]]
    found = np.zeros((len(X), len(wanted)))
    kept = columns >= 0
    found[rows[kept], columns[kept]] = X.values[int(starts[0]) : stop][kept]
    return found
