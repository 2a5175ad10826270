"""The first row of a class that appears late: it is learned when the class comes again, never if it does not."""

from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg._types import Floats, Ints, Mask, Numbers, State
from thalweg.errors import StateError
from thalweg.learners.base import state as states
from thalweg.learners.base.contract import Contract
from thalweg.rows.sparse_rows import SparseRows, joined

N_COUNTED = 100  # rows after which a new class appears late


class KeepsFirstRows(Contract):
    """The part of a learner that keeps the row with a new label until that label comes a second time.

    One such row is as likely a mistyped label as a class that begins. It opens the class and changes no
    answer.
    """

    if TYPE_CHECKING:

        def _learn_block(self, X: Any, has_missing: bool, codes: Ints, w: Floats) -> Floats: ...

        def _new_numbers(self, n: int) -> Numbers | None: ...

        def _take_numbers(self, X: Any, ids: Numbers | None, w: Floats, numbers: Numbers | None) -> bool: ...

    _n_counted = 0  # rows learned with open classes, at most N_COUNTED
    _first_rows: dict[int, tuple[Any, float]] = {}  # rows and weights by their class; replaced, never changed

    @property
    def _looks_at_classes(self) -> bool:
        """Whether the next row must be learned by a path that counts rows and looks at their classes."""
        return bool(self._first_rows) or (self._n_counted < N_COUNTED and self._labels.is_open)

    @property
    def _keeps_first_rows(self) -> bool:
        return self._n_counted >= N_COUNTED and self.keeps_first_rows

    def _counted_with(self, n: int, w: Floats) -> int:
        """Return how many rows count after `n`, with those of these weights."""
        return min(n + int(np.count_nonzero(w)), N_COUNTED) if self._labels.is_open and n < N_COUNTED else n

    def _confirms(self, codes: Ints, w: Floats) -> Mask:
        """Return which rows are of a class whose first row is kept."""
        if not self._first_rows:
            return np.zeros(len(codes), dtype=bool)
        return np.isin(codes, list(self._first_rows)) & (w > 0)

    def _keep_first_row(self, code: int, X: Any, w: float) -> None:
        row = joined([X], X.n_features) if isinstance(X, SparseRows) else X.copy()
        self._first_rows = self._first_rows | {code: (row, w)}

    def _stop_waiting(self, X: Any, ids: Numbers | None) -> None:
        """Let rows whose labels have come wait no longer."""
        if (numbers := self._new_numbers(len(X))) is not None:
            self._take_numbers(X, ids, np.ones(len(X)), numbers)

    def _learn_first_row(self, code: int) -> None:
        """Learn the row that is kept of a class, if there is one."""
        if code not in self._first_rows:
            return
        X, w = self._first_rows[code]
        rest = {each: kept for each, kept in self._first_rows.items() if each != code}
        if isinstance(X, np.ndarray) and X.shape[1] < self.n_features_in_:
            X = np.pad(X, ((0, 0), (0, self.n_features_in_ - X.shape[1])), constant_values=np.nan)
        has_missing = self._means is not None and bool(np.isnan(X).any())
        n, is_learned = self._n_learned, False
        try:
            self._learn_block(X, has_missing, np.array([code]), np.array([w]))
            is_learned = True
        finally:
            if is_learned or (n is not None and self._n_learned != n):
                self._first_rows, self._n_learned = rest, n  # it was counted when it came

    def _first_rows_state(self) -> list[Any]:
        found = []
        for code, (X, w) in self._first_rows.items():
            row = [X.columns, X.values] if isinstance(X, SparseRows) else [X[0]]
            found.append([code, w, *states.to_plain(row)])
        return found

    def _restore_first_rows(self, state: State) -> None:
        n = state.get("n_counted", N_COUNTED)
        if type(n) is not int or not 0 <= n <= N_COUNTED:
            raise StateError(f"the state's 'n_counted' must be a whole number up to {N_COUNTED}, got {n!r}")
        self._n_counted = n
        self._first_rows = dict(self._first_row_of(each) for each in state.get("first_rows", []))

    def _first_row_of(self, kept: Any) -> tuple[int, tuple[Any, float]]:
        code, w, *row = kept
        values = states.array_of({"first_rows": row[-1]}, "first_rows", 1)
        good = type(code) is int and 0 <= code < len(self._labels.list) and type(w) is float and 0 < w <= 1e100
        if not good or len(row) > 2 or (len(row) == 1 and len(values) > self.n_features_in_):
            raise StateError("the state's 'first_rows' has a row that this learner cannot have kept")
        if len(row) == 1:
            return code, (np.ascontiguousarray(values[None, :], dtype=np.float64), w)
        if not self.takes_sparse:
            raise StateError("the state's 'first_rows' has a sparse row, which this learner does not take")
        starts = np.array([0, len(values)], dtype=np.intp)
        return code, (SparseRows(starts, row[0], values, self.n_features_in_), w)
