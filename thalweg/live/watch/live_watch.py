"""What is known about how a live model does, in bounded memory."""

import threading
import time as clock
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from thalweg._native.layout import at_most
from thalweg._parameters import count, wrong
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.evaluation.state_size import bytes_of
from thalweg.live.watch.events import PendingEvents, labels_of
from thalweg.live.watch.input_drift import WINDOW
from thalweg.live.watch.members import coverage_of, members_of
from thalweg.live.watch.sums import Sums
from thalweg.live.watch.watched_inputs import WatchedInputs
from thalweg.rows.sparse_rows import SparseRows
from thalweg.saving.files import allowed_bytes

COUNTED = ("already", "unknown", "other_label", "unknown_label", "dropped", "expired", "refused")
LATER = ("unknown_label",)  # which states of earlier releases do not have
LATELY = 600.0  # seconds: since when something was counted "lately"
FORMAT = 1


class LiveWatch:
    """Follows a live model: how often it is right, how late labels are, whether inputs change, and more.

    It is told every row that is predicted with an id and every label that is learned, in the order of the
    events. Cutting them into other blocks changes nothing, so a replay of the events leads to the same
    `snapshot`. Memory is bounded: see `max_waiting`. Threads may share it.

    Parameters
    ----------
    n_features : int
        Number of inputs of a row.
    names : sequence of str or None, default=None
        Their names.
    categorical : sequence of int
        Positions of inputs that hold categories.
    watched : WatchedInputs or None, default=None
        Which inputs are watched for drift, instead of `names` and `categorical`.
    max_waiting : int, default=10000
        The number of rows that can wait for their labels in the live model: what was said of them is kept.
        Labels of rows after which more were predicted are not scored.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.live import LiveWatch
    >>> rng = np.random.default_rng(0)
    >>> X, p = rng.normal(size=(3000, 2)), rng.random(3000)
    >>> labels = (rng.random(3000) < p).astype(int)
    >>> watch = LiveWatch(2)
    >>> for now in range(0, 3000, 100):                    # labels come 500 rows late
    ...     part = slice(now, now + 100)
    ...     both = np.column_stack([1 - p[part], p[part]])
    ...     watch.predicted(float(now), X[part], both, both.argmax(axis=1))
    ...     late = slice(max(0, now - 500), max(0, now - 400))
    ...     said = (p[late] > 0.5).astype(int)
    ...     watch.learned(float(now), said, labels[late], np.arange(599, 499, -1)[: len(said)], 500.0)
    >>> found = watch.snapshot()
    >>> found["rows"], found["labels"], round(found["accuracy"]["now"]["learner"], 2)
    (3000, 2500, 0.74)
    """

    def __init__(
        self,
        n_features: int,
        *,
        names: Sequence[str] | None = None,
        categorical: Sequence[int] = (),
        watched: WatchedInputs | None = None,
        max_waiting: int = 10_000,
    ) -> None:
        self.n_features = count(self, "n_features", n_features, 1)
        self.max_waiting = count(self, "max_waiting", max_waiting, 1)
        if watched is None:
            names = [f"x{j}" for j in range(n_features)] if names is None else names
            watched = WatchedInputs(range(n_features), names, categorical)
        self.watched = watched
        self._sums = Sums(watched, self.max_waiting)
        self._pending = PendingEvents(0, 0)
        self._n_classes = 2
        self._no_rows = np.empty((0, len(watched)))
        self._counts = dict.fromkeys(COUNTED, 0)
        self._counted_at = dict.fromkeys(COUNTED, -1.0)
        self._lock = threading.Lock()

    @classmethod
    def for_model(cls, model: Any, max_waiting: int = 10_000) -> Self:
        """Return a watch for a `thalweg.Model` whose columns are known."""
        watched = WatchedInputs.of_schema(model.schema())
        return cls(model.learner_.n_features_in_, watched=watched, max_waiting=max_waiting)

    def predicted(
        self, time: ArrayLike, X: Floats | SparseRows, probabilities: Floats, answers: Ints
    ) -> None:
        """Take rows that were predicted with ids.

        Parameters
        ----------
        time : float or array
            When they came, in Unix seconds: one time for all rows, or one for each.
        X : ndarray of rows × inputs, or SparseRows
            The rows as the learner sees them.
        probabilities : ndarray of rows × classes
            What was said of them.
        answers : ndarray of int
            The codes of the answers.
        """
        with self._lock:
            self._make_room(max(np.shape(probabilities)[-1] - 1, np.max(answers, initial=0)))
            self._pending.add_rows(time, self.watched.rows(X), probabilities, answers)
            self._work_off()

    def learned(
        self,
        times: ArrayLike,
        said_answers: ArrayLike,
        label_codes: ArrayLike,
        delays_rows: ArrayLike,
        delays_seconds: ArrayLike,
        X: Floats | SparseRows | None = None,
    ) -> None:
        """Take labels that were learned.

        Parameters
        ----------
        times : float or array
            When they came, in Unix seconds.
        said_answers : array of int
            The codes of the answers that these rows got; -1 for rows that were never predicted.
        label_codes : array of int
            The codes of the labels.
        delays_rows : array of int
            How many rows were predicted with ids after each row, until its label came. The row is found by
            this number; one that was predicted before the watch began is not scored.
        delays_seconds : array of float
            How long that took.
        X : ndarray of rows × inputs, SparseRows or None
            The rows; only those that were never predicted are looked at.
        """
        with self._lock:
            said = np.array(said_answers, dtype=np.intp, ndmin=1)
            if not len(said):
                return
            new = said < 0
            rows = self._no_rows
            if new.any():
                if X is None:
                    raise wrong(self, "X", "rows, since some of them were never predicted", None)
                rows = self.watched.rows(X[new])
            labels = labels_of(times, said, label_codes, delays_rows, delays_seconds, rows)
            self._make_room(labels.codes.max())
            self._pending.add_labels(labels)
            self._work_off()

    def counted(self, time: float, **counts: int) -> None:
        """Add to the numbers of what happened at this time; which there are is in `COUNTED`."""
        with self._lock:
            for name, n in counts.items():
                if name not in self._counts:
                    raise wrong(self, "counts", f"names out of {', '.join(COUNTED)}", name)
                if n:
                    self._counts[name] += int(n)
                    self._counted_at[name] = max(self._counted_at[name], float(time))

    def snapshot(
        self, learner: Any = None, *, now: float | None = None, waiting: int | None = None,
        classes: Iterable[Any] | None = None,
    ) -> dict[str, Any]:
        """Return what is known, as plain data: dicts, lists, numbers and text; None where it is not known.

        Parameters
        ----------
        learner : learner or None
            Whose members' shares and whose coverage are to be part of it.
        now : float or None
            The time in Unix seconds, for throughput and for how long no label has come; by default the clock.
        waiting : int or None
            How many rows wait for their labels; by default those that were predicted here and wait.
        classes : sequence or None
            The labels in the order of their codes, to be passed on.
        """
        with self._lock:
            self._work_off(everything=True)
            found = self._sums.snapshot(clock.time() if now is None else now)
            found["counts"] = dict(self._counts)
            found["counted_at"] = {name: at if at >= 0 else None for name, at in self._counted_at.items()}
        if waiting is not None:
            found["waiting"] = int(waiting)
        found["left_out"] = dict(self.watched.left_out)
        found["classes"] = None if classes is None else [_plain(each) for each in classes]
        found["members"] = None if learner is None else members_of(learner)
        found["coverage"] = None if learner is None else coverage_of(learner)
        return found

    def state(self) -> State:
        """Return all of it as plain data: arrays, numbers, text, and lists and dicts of them."""
        with self._lock:
            self._work_off(everything=True)
            return {
                "format": FORMAT, "n_features": self.n_features, "max_waiting": self.max_waiting,
                "watched": self.watched.to_plain(), "counts": dict(self._counts),
                "counted_at": dict(self._counted_at), "sums": self._sums.state(),
            }  # fmt: skip

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """Return a watch with the state that `state()` returned; raise StateError if it does not fit."""
        try:
            if state["format"] != FORMAT:
                raise StateError(f"{cls.__name__}: cannot read a state of format {state['format']}")
            with at_most(allowed_bytes(bytes_of(state))):
                cls._read(state)._try_out()
                return cls._read(state)
        except StateError:
            raise
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            raise StateError(f"{cls.__name__}: the state is damaged: {why}") from error

    @classmethod
    def _read(cls, state: Any) -> Self:
        watched = WatchedInputs(**state["watched"])
        made = cls(state["n_features"], watched=watched, max_waiting=state["max_waiting"])
        made._sums.restore(state["sums"])
        counts = dict.fromkeys(LATER, 0) | state["counts"]
        counted_at = dict.fromkeys(LATER, -1.0) | state["counted_at"]
        made._counts = {name: int(counts[name]) for name in COUNTED}
        made._counted_at = {name: float(counted_at[name]) for name in COUNTED}
        made._pending, made._n_classes = made._sums.next_events(), made._sums.n_classes
        return made

    def _try_out(self) -> None:
        """Take rows and labels of a window: parts of a state that contradict each other show in use."""
        n, time, k = WINDOW, self._sums.traffic.time + 1.0, self._n_classes
        width = max(self.n_features, 1 + max(self.watched.positions, default=0))
        X = np.broadcast_to(0.0, (n, width))  # takes no memory, however wide rows are
        codes = np.zeros(n, dtype=np.intp)
        self.predicted(time, X, np.full((n, k), 1.0 / k), codes)
        self.learned(np.full(n, time), codes, codes, np.arange(n)[::-1], 0.0)
        self.snapshot()
        self.state()

    def _make_room(self, code: Any) -> None:
        """Add all that came before rows or labels with this code, or a higher one, to the sums."""
        if code >= self._n_classes:
            # What is estimated for rows depends on how many classes were known then; labels may wait.
            self._work_off(everything=self._pending.has_rows)
            self._n_classes = int(code) + 1

    def _work_off(self, everything: bool = False) -> None:
        """Add what was kept back to the sums, if it is enough to be worth the calls."""
        if self._pending.is_enough or (everything and not self._pending.is_empty):
            pending, self._pending = self._pending, self._pending.next_events()
            self._sums.add(pending)


def _plain(label: Any) -> Any:
    """Return a label as JSON can hold it."""
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, bool | int | float | str) else str(value)
