"""Rows that wait for their labels: how they get their numbers, and are found again."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._native.missing import update_means
from thalweg._native.waiting_index import WaitingIndex
from thalweg._types import Floats, Ints, Numbers, RowsLike, State
from thalweg.errors import StateError, set_rows_learned
from thalweg.learners.base.arguments import as_ids, as_output
from thalweg.learners.base.first_rows import KeepsFirstRows


class LateLabels(KeepsFirstRows):
    """The part of a learner that knows which rows wait for their labels.

    A row that is observed gets a number, with which the learner and its members keep what they knew then.
    When the label comes, the row is found by its id or its values, and is learned with that number.
    """

    if TYPE_CHECKING:

        def _without_masked(self, p: Floats) -> Floats: ...

        def _checked(self, X: Any) -> tuple[Any, bool]: ...

        def _filled(self, X: Any, has_missing: bool, w: Floats | None = None) -> Any: ...

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
            return self._without_masked(p[:, : len(self.classes_)])

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
        waiting, first = self._index(), self._n_observed
        numbers = np.zeros(0 if waiting is None else len(X), dtype=np.int64)
        try:
            if waiting is None:
                observe(*rest)
            else:
                waiting.observe(X if isinstance(X, np.ndarray) else None, ids, numbers)
                observe(*rest, ids=numbers.copy())
        except BaseException as error:
            if first is not None and self._n_observed is not None:
                set_rows_learned(error, self._n_observed - first)
            if waiting is not None:
                waiting.undo(numbers[getattr(error, "rows_learned", 0) :])
            raise

    def _learn_block(
        self,
        X: Any,
        has_missing: bool,
        codes: Ints,
        w: Floats,
        tested: NDArray[np.uint8] | None = None,
        p: Floats | None = None,
        ids: Numbers | None = None,
        observed: NDArray[np.uint8] | None = None,
    ) -> Floats:
        """Learn checked rows, and let those that are observed wait; return their probabilities."""
        p = np.empty((len(X), self._n_columns)) if p is None else p
        if not len(X):
            return p
        first, means = self._n_learned, None if self._means is None else np.array(self._means)
        counted = self._n_counted
        numbers = self._new_numbers(len(X), observed)
        before = None if observed is None or self._waiting is None else self._waiting.state()
        try:
            has_waited = self._take_numbers(X, ids, w, numbers, observed)
            rows = self._filled(X, has_missing, w)
            if observed is not None and numbers is not None:
                self._learn_and_observe(rows, codes, w, p, tested, observed, numbers)
            elif has_waited and numbers is not None:
                self._learn_late(rows, codes, w, p, tested, numbers)
            elif tested is None:
                self._learn(rows, codes, w, p)
            else:
                self._learn_tested(rows, codes, w, p, tested)
            self._n_counted = self._counted_with(counted, w)
        except BaseException:
            n = 0 if first is None else (self._n_learned or 0) - first
            self._n_counted = self._counted_with(counted, w[:n])
            self._undo_numbers(X, ids, w, numbers, observed, before, n)
            if self._means is not None and means is not None and first is not None:
                update_means(X[:n], w[:n], *means)
                self._means[0][:], self._means[1][:] = means  # in place: an adapter may share them
            raise
        return p

    def _new_numbers(self, n: int, observed: NDArray[np.uint8] | None = None) -> Numbers | None:
        """Return memory for the numbers of so many rows, None if no row waits and none is observed."""
        if observed is not None:
            self._index()
        elif self._waiting is None or not self._waiting.n:
            return None
        return np.zeros(n, dtype=np.int64)

    def _take_numbers(
        self, X: Any, ids: Numbers | None, w: Floats, numbers: Numbers | None,
        observed: NDArray[np.uint8] | None = None,
    ) -> bool:
        """Write the numbers of those rows that wait, and do so no longer; return whether there are any.

        Those that are observed wait from now on, and have numbers too.
        """
        if self._waiting is None or numbers is None:
            return False
        rows = X if isinstance(X, np.ndarray) else None
        if observed is None:
            return self._waiting.take(rows, ids, w, numbers) > 0
        self._waiting.observe_and_take(rows, ids, w, observed, numbers)
        return True

    def _undo_numbers(
        self, X: Any, ids: Numbers | None, w: Floats, numbers: Numbers | None,
        observed: NDArray[np.uint8] | None, before: State | None, n: int,
    ) -> None:
        """Let the rows wait that do so after the first `n`; `before` is the state before all of them."""
        if self._waiting is None or numbers is None:
            return
        if observed is None or before is None:
            self._waiting.put_back(numbers[n:])
            return
        self._waiting.restore(before)
        self._take_numbers(X[:n], None if ids is None else ids[:n], w[:n], numbers[:n], observed[:n])

    def _learn_in_parts(
        self, learn: Callable[..., Floats], X: Any, y: Ints, w: Floats, tested: NDArray[np.uint8] | None,
        p: Floats, classes: ArrayLike | None, ids: Numbers | None, observed: NDArray[np.uint8],
    ) -> Floats:
        """Call `learn`, which is `test_then_train_coded`, and observe single rows in between.

        This is for learners that have no `_learn_and_observe`.
        """
        start = 0
        for place in [*np.flatnonzero(observed).tolist(), len(y) - 1]:
            part, row, is_learned = slice(start, place + 1), slice(place, place + 1), False
            first = self._n_observed
            given = {} if tested is None else {"tested": tested[part]}
            try:
                if start <= place:
                    learn(
                        X[part], y[part], sample_weight=w[part], p=p[part], classes=classes,
                        ids=None if ids is None else ids[part], **given,
                    )
                    is_learned = True
                if start <= place and observed[place]:
                    self.observe(X[row], None if ids is None else ids[row])
            except BaseException as error:
                n = getattr(error, "rows_learned", 0)
                n = place - start + (self._n_observed != first) if is_learned else min(n, place - start)
                set_rows_learned(error, start + n)
                raise
            start = place + 1
        return p

    def _learn_and_observe(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None,
        observed: NDArray[np.uint8], ids: Numbers,
    ) -> None:
        """Do what `_learn_late` does, and observe some rows, which have weight 0, after they are tested."""
        raise NotImplementedError

    def _learn_late(
        self, X: Any, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8] | None, ids: Numbers
    ) -> None:
        """Do what `_learn` or `_learn_tested` does; some rows have waited for their labels."""
        learn: Any = self._learn
        learn(X, y, w, p, ids=ids.copy())  # it may keep or change what it is given
