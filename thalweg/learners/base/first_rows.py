"""The first row of a class that appears late is learned when the class comes again, if it does."""

from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg._native.kernel import HEAVIEST
from thalweg._types import Floats, Ints, Mask, Numbers, State
from thalweg.errors import StateError
from thalweg.learners.base import state as states
from thalweg.learners.base.arguments import clipped_rows
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
    # Of classes that have learned nothing: None, or the row that is kept and its weight. Replaced as a whole.
    _first_rows: dict[int, tuple[Any, float] | None] = {}

    @property
    def _keeps_first_rows(self) -> bool:
        return self._n_counted >= N_COUNTED and self.keeps_first_rows

    def _counted_with(self, n: int, w: Floats) -> int:
        """Return how many rows count after `n`, with those of these weights."""
        return min(n + int(np.count_nonzero(w)), N_COUNTED) if self._labels.is_open and n < N_COUNTED else n

    def _is_first(self, code: int) -> bool:
        """Return whether no row of a class has come."""
        return code >= len(self._labels.list) or self._first_rows.get(code, ()) is None

    def _open_classes(self, n_before: int) -> None:
        """Take note of the classes beyond the first `n_before`, which were added just now."""
        new = range(n_before, len(self._labels.list))
        self._first_rows = self._first_rows | dict.fromkeys(new)

    def _take_first_row(self, code: int, X: Any, w: float) -> bool:
        """Take note of the first row of a class; return whether it is kept, and not learned now."""
        rest = {each: row for each, row in self._first_rows.items() if each != code}
        if is_kept := self._keeps_first_rows:
            rest[code] = self._kept_form(X), w
        self._first_rows = rest
        return is_kept

    def _kept_form(self, X: Any) -> Any:
        """Return a row as it is kept: in one form, in whichever it came."""
        if isinstance(X, np.ndarray) and (self._names.is_open or not self.takes_sparse):
            return X.copy()
        return joined([X if isinstance(X, SparseRows) else SparseRows.of_dense(X)], X.shape[1])

    def _are_apart(self, codes: Ints, w: Floats) -> Mask:
        """Return which rows are not learned like any other, for what is known of their classes."""
        found = codes >= len(self.classes_)
        if self._first_rows:
            found |= np.isin(codes, list(self._first_rows)) & (w > 0)
        return found

    def _stop_waiting(self, X: Any, ids: Numbers | None) -> None:
        """Let rows whose labels have come wait no longer."""
        if (numbers := self._new_numbers(len(X))) is not None:
            self._take_numbers(X, ids, np.ones(len(X)), numbers)

    def _learn_first_row(self, code: int) -> None:
        """Learn the row that is kept of a class, if there is one."""
        if (kept := self._first_rows.get(code)) is None:
            return
        X, w = kept
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
        found: list[list[Any]] = []
        for code, kept in self._first_rows.items():
            if kept is None:
                found.append([code])
                continue
            X, w = kept
            row = [X.columns, X.values] if isinstance(X, SparseRows) else [X[0]]
            found.append([code, w, *states.to_plain(row)])
        return found

    def _restore_first_rows(self, state: State) -> None:
        n = state.get("n_counted", N_COUNTED)
        if type(n) is not int or not 0 <= n <= N_COUNTED:
            raise StateError(f"the state's 'n_counted' must be a whole number up to {N_COUNTED}, got {n!r}")
        self._n_counted = n
        self._first_rows = dict(self._first_row_of(each) for each in state.get("first_rows", []))

    def _first_row_of(self, given: Any) -> tuple[int, tuple[Any, float] | None]:
        code, *kept = given
        good = type(code) is int and 0 <= code < len(self._labels.list) and len(kept) in (0, 2, 3)
        if good and not kept:
            return code, None
        w, *row = kept or [0.0]
        values: Any = row[-1] if row else None
        good = good and type(w) is float and 0 < w <= HEAVIEST and isinstance(values, np.ndarray)
        if not (good and values.dtype == np.float64 and values.ndim == 1):
            raise StateError("the state's 'first_rows' has a row that this learner cannot have kept")
        if len(row) == 2 and self.takes_sparse:
            starts = np.array([0, len(values)], dtype=np.intp)
            return code, (SparseRows(starts, row[0], values, self.n_features_in_), w)
        if len(row) == 2 or len(values) > self.n_features_in_:
            raise StateError("the state's 'first_rows' has a row of another width, or a sparse one")
        return code, (clipped_rows(np.ascontiguousarray(values[None]), (), self._who)[0], w)
