"""Rows that wait for their labels: how they get their numbers, and are found again."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._native.waiting_index import WaitingIndex
from thalweg._types import Floats, Ints, Numbers, RowsLike, State
from thalweg.errors import StateError
from thalweg.learners.base.arguments import as_ids, as_output
from thalweg.learners.base.contract import Contract


class LateLabels(Contract):
    """The part of a learner that knows which rows wait for their labels.

    A row that is observed gets a number, with which the learner and its members keep what they knew then.
    When the label comes, the row is found by its id or its values, and is learned with that number.
    """

    if TYPE_CHECKING:

        def _checked(self, X: Any) -> tuple[Any, bool]: ...

        def _filled(self, X: Any, has_missing: bool) -> Any: ...

    @property
    def n_waiting_(self) -> int:
        """Number of rows that wait for their labels; 0 if the learner keeps nothing with them."""
        with self._reading:
            return 0 if self._waiting is None else self._waiting.n

    def observe(self, X: RowsLike, ids: ArrayLike | None = None) -> None:
        """Process rows that have no label, or none yet; many learners do not use them.

        Give rows whose labels may come later `ids`, whole numbers by which they are then found; without ids
        they are found by their values. An id that waits already means the new row from now on.
        """
        with self._writing:
            rows, has_missing = self._checked(X)
            given = as_ids(ids, len(rows), self._who)
            if len(rows):
                self._observe_rows(rows, given, self._observe, self._filled(rows, has_missing))

    def predict_then_observe(
        self, X: RowsLike, p: Floats | None = None, *, ids: ArrayLike | None = None
    ) -> Floats:
        """Predict and then observe each row; return the probabilities, written into `p` if given."""
        with self._writing:
            rows, has_missing = self._checked(X)
            given = as_ids(ids, len(rows), self._who)
            p = as_output(p, (len(rows), self._n_columns), self._who)
            if len(rows):
                self._observe_rows(rows, given, self._predict_observe, self._filled(rows, has_missing), p)
            return p[:, : len(self.classes_)]

    def _index(self) -> WaitingIndex | None:
        """Return the rows that wait, or may from now on; None if nothing is kept with them."""
        if self._waiting is None and self.observes and self.takes_ids:
            most = self._most_waiting()
            self._waiting = WaitingIndex(self._who, most) if most else None
        return self._waiting

    def _restore_waiting(self, state: State) -> None:
        waiting = self._index()
        if waiting is None:
            raise StateError(f"{self._who}: the state has rows that wait for labels; this learner keeps none")
        waiting.restore(state)

    def _observe_rows(self, X: Any, ids: Numbers | None, observe: Callable[..., None], *rest: Any) -> None:
        """Call `observe` for checked rows, which wait for their labels from now on."""
        waiting = self._index()
        if waiting is None:
            observe(*rest)
            return
        numbers = np.zeros(len(X), dtype=np.int64)
        try:
            waiting.observe(X if isinstance(X, np.ndarray) else None, ids, numbers)
            observe(*rest, ids=numbers.copy())
        except BaseException as error:
            waiting.undo(numbers[getattr(error, "rows_learned", 0) :])
            raise

    def _new_numbers(self, n: int) -> Numbers | None:
        """Return memory for the numbers of so many rows, None if no row waits."""
        return None if self._waiting is None or not self._waiting.n else np.zeros(n, dtype=np.int64)

    def _take_numbers(self, X: Any, ids: Numbers | None, w: Floats, numbers: Numbers | None) -> bool:
        """Write the numbers of those rows that wait, and do so no longer; return whether there are any."""
        if self._waiting is None or numbers is None:
            return False
        return self._waiting.take(X if isinstance(X, np.ndarray) else None, ids, w, numbers) > 0

    def _learn_late(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None, ids: Numbers
    ) -> None:
        """Do what `_learn` or `_learn_tested` does; some rows have waited for their labels."""
        learn: Any = self._learn
        learn(X, y, w, p, ids=ids.copy())  # it may keep or change what it is given
