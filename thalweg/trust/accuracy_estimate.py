"""How good a model is now, from what it said and the labels that have come so far."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._native.argmax import likeliest
from thalweg._parameters import count, real_number, wrong, yes_or_no
from thalweg._sklearn import BaseEstimator
from thalweg._stateful import Stateful
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError, WaitingError
from thalweg.trust._native.accuracy_estimate import AccuracyKernel
from thalweg.trust.estimate_inputs import checked_costs, checked_probabilities, codes_of
from thalweg.trust.row_numbers import RowNumbers
from thalweg.trust.window_estimates import (
    ACCURACY,
    Estimate,
    WindowEstimates,
    estimate_rows,
    estimate_windows,
)
from thalweg.waiting import Ids, plain_ids

ROWS_AT_A_TIME = 16_384
MOST_WINDOWS = 10_000
MOST_SUMS = 2**21  # of windows × classes
NOTHING_DUE = np.empty((0, 3), dtype=np.intp)


class AccuracyEstimate(Stateful, BaseEstimator):
    """Estimates the accuracy of any classifier, window by window, before all labels are there.

    It is told what the model says of each row, and each label when it comes: in any order, late, or never.
    Tell it so in the order of time: it learns from what it could not know yet when a row was predicted.
    Labels that are there count as they are. For the other rows, seven experts turn the probability that the
    model gave its answer into the chance that the answer is right: they follow how often that was so lately,
    in short and long memory, some of them also by how often the same answer came lately, and are weighed by
    how well they did. The interval follows from how wrong earlier estimates turned out to be.

    A change that leaves the inputs, and so the probabilities, as they were cannot be seen before labels from
    after it come. Until the labels of a first window have come, the interval is wide.

    Memory is bounded: it keeps what was said of at most `max_waiting` rows, and at most 10,000 windows.
    Threads may share it. Cutting the rows into other blocks changes nothing.

    Parameters
    ----------
    window : int, default=1000
        Number of rows of a window.
    classes : sequence or None, default=None
        The labels in the order of the columns of the probabilities; by default 0, 1, 2, …
    level : float, default=0.95
        Share of intervals that are to contain the accuracy that is known later.
    learns : bool, default=True
        Whether the model learns from the labels. If so, old answers say less of the model now.
    costs : array of classes × classes or None, default=None
        Cost of each answer (second axis) for each true class, for the metric "cost".
    max_waiting : int, default=100000
        Most rows that are kept until their labels come; then the one that has waited longest is forgotten,
        and counts for ever with what was said of it.

    Attributes
    ----------
    n_rows_, n_labels_, n_waiting_ : int
        Rows so far, labels that came for them, and rows that wait.
    weights_ : ndarray of float
        The weight of each expert: three levels, three lines (short to long memory), the confidence itself.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.trust import AccuracyEstimate
    >>> rng = np.random.default_rng(7)
    >>> p = rng.beta(2, 2, size=20_000)
    >>> paid = rng.random(20_000) < 0.25 + 0.5 * p    # the model is too sure
    >>> estimate = AccuracyEstimate(learns=False)
    >>> for now in range(0, 20_000, 1000):            # labels come 4,000 rows late
    ...     rows = estimate.predict(p[now : now + 1000])
    ...     late = range(max(0, now - 4000), max(0, now - 3000))
    ...     n_known = estimate.label(late, paid[late])
    >>> said, right = np.maximum(p, 1 - p)[-1000:].mean(), np.mean(((p > 0.5) == paid)[-1000:])
    >>> print(f"estimated {estimate.now().estimate:.3f}, known later {right:.3f}, the model says {said:.3f}")
    estimated 0.602, known later 0.593, the model says 0.686
    """

    def __init__(
        self,
        window: int = 1000,
        *,
        classes: Iterable[Any] | None = None,
        level: float = 0.95,
        learns: bool = True,
        costs: ArrayLike | None = None,
        max_waiting: int = 100_000,
    ) -> None:
        self.window = window
        self.classes = classes
        self.level = level
        self.learns = learns
        self.costs = costs
        self.max_waiting = max_waiting

    def predict(self, p: ArrayLike, ids: Ids | None = None, *, answers: ArrayLike | None = None) -> Ids:
        """Take what the model said of rows; return their ids.

        Parameters
        ----------
        p : array of rows × classes, or of rows
            The probabilities of the classes; of two classes that of the second alone will do.
        ids : sequence of int or str, or None
            Ids that no waiting row has; by default the numbers of the rows, 0, 1, 2, …
        answers : sequence of labels or None
            What the model answered, if that is not always the most probable class.
        """
        with self._own_lock().write:
            p = self._checked(p)
            chosen = likeliest(p) if answers is None else self._codes(answers)
            if len(chosen) != len(p):
                raise ValueError(f"{self._who}: got {len(p)} rows and {len(chosen)} answers")
            kernel = self._begun(max(p.shape[1], 1 + int(chosen.max(initial=0))))
            first, known = kernel.n_rows, self._rows.checked(ids, len(p))
            p = self._wide(p)
            for start in range(0, len(p), ROWS_AT_A_TIME):
                part = slice(start, start + ROWS_AT_A_TIME)
                kernel.follow(p[part], chosen[part], NOTHING_DUE)
                if known is not None:
                    self._rows.of.update(zip(known[part], range(first + start, kernel.n_rows), strict=True))
            self._rows.drop_before(kernel.oldest)
            return range(first, kernel.n_rows) if known is None else known

    def label(self, ids: Ids, labels: Iterable[Any], *, ignore_unknown: bool = False) -> int:
        """Take labels that have come, for rows in any order; return how many.

        Raise WaitingError, and change nothing, if a row does not wait: its id is unknown, has had its label,
        or was forgotten to make room. With `ignore_unknown` such labels are left out.
        """
        with self._own_lock().write:
            codes, kernel = self._codes(labels), self._begun()
            known = [ids] if isinstance(ids, int | str) else list(ids)
            if len(known) != len(codes):
                raise ValueError(f"{self._who}: got {len(known)} ids and {len(codes)} labels")
            numbers = np.array([self._rows.find(each) for each in plain_ids(known, self._who)], dtype=np.intp)
            _, first = np.unique(numbers, return_index=True)
            waits = np.zeros(len(numbers), dtype=bool)
            waits[first] = [kernel.waits(int(numbers[i])) for i in first]
            if not ignore_unknown and not waits.all():
                unknown = known[int(np.argmin(waits))]
                why = "it was never predicted, or has had its label, or was forgotten"
                raise WaitingError(f"no row is waiting with the id {unknown!r}: {why}")
            self._begun(1 + int(codes[waits].max(initial=0)))
            for start in range(0, len(numbers), ROWS_AT_A_TIME):
                part = slice(start, start + ROWS_AT_A_TIME)
                kernel.take_labels(numbers[part][waits[part]], codes[part][waits[part]])
            for each, used in zip(known, waits.tolist(), strict=True):
                if used:
                    self._rows.of.pop(each, None)
            return int(waits.sum())

    def learned(self, n: int) -> None:
        """Take note that the model has learned `n` labels of rows that were not predicted here."""
        with self._own_lock().write:
            self._begun().add_knowledge(count(self, "n", n, 0))

    def estimates(self, metric: str = ACCURACY, label: Any = None) -> WindowEstimates:
        """Return the windows so far, the last of which may not be full.

        Parameters
        ----------
        metric : "accuracy", "precision", "recall", "f1" or "cost"
            What is estimated. All but accuracy are estimated with what is known now alone, and their
            intervals follow from that of the accuracy; "cost" needs the parameter `costs`.
        label : label
            The class whose precision, recall or F1 is meant.
        """
        with self._own_lock().read:
            code, costs = self._code_of(label), self._costs()
            return estimate_windows(self._kernel_now(), self.level, metric, code, costs)

    def now(self, metric: str = ACCURACY, label: Any = None) -> Estimate:
        """Return the estimate for the latest rows, as many as a window has; parameters as in `estimates`."""
        with self._own_lock().read:
            code, costs = self._code_of(label), self._costs()
            return estimate_rows(self._kernel_now(), self.level, metric, code, costs)

    @classmethod
    def from_table(
        cls, table: Any, *, probability: str | Sequence[str], target: str, **settings: Any
    ) -> Self:
        """Return the estimate for a table of predictions of any model, in the order they were made.

        Parameters
        ----------
        table : frame, dict of columns, or path of a file
            A frame of pandas, polars or Arrow; a file as `thalweg.streams.from_file` reads it.
        probability : str or sequence of str
            The column of the probability of a label: `p_yes` is of yes, and a column of another name of the
            second of two labels; or a column for each label.
        target : str
            The column of labels; those that have not come are missing.
        **settings
            `classes`, the labels in the order of the columns; `prediction`, the column of answers that are
            not always the most probable label; `time` and `label_time`, the columns of the times of the
            prediction and of the arrival of its label: numbers or dates; without them `delay`, the rows by
            which labels are late, by default as many as wait behind the latest label; `reading`, a dict of
            settings of `from_file`; and all parameters of this class, of which `learns` is False here.
        """
        from thalweg.trust.prediction_tables import from_table

        return from_table(cls, table, probability, target, **settings)

    @property
    def n_rows_(self) -> int:
        """Number of rows so far."""
        return self._kernel.n_rows if self._has_begun else 0

    @property
    def n_labels_(self) -> int:
        """Number of labels that came for them."""
        return self._kernel.n_labels if self._has_begun else 0

    @property
    def n_waiting_(self) -> int:
        """Number of rows that wait for their labels."""
        return self._kernel.n_waiting if self._has_begun else 0

    @property
    def weights_(self) -> Floats:
        """The weight of each expert: three levels, three lines, and the confidence itself."""
        with self._own_lock().write:
            return np.asarray(self._begun().weights())

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels in the order of their codes."""
        if self.classes is not None:
            return np.asarray(list(self.classes))
        return np.arange(self._n_classes if self._has_begun else 0)

    @property
    def _has_begun(self) -> bool:
        return "_kernel" in vars(self)

    def _kernel_now(self) -> AccuracyKernel:
        if not self._has_begun or not self._kernel.n_rows:
            raise ValueError(f"{self._who}: there is no row yet: call predict first")
        return self._kernel

    def _begun(self, n_classes: int = 2) -> AccuracyKernel:
        """Return the kernel, made by the first call, with room for so many classes."""
        if not self._has_begun:
            self._check_parameters()
            n_classes = max(n_classes, 2, len(self.classes_))
            self._kernel = self._new_kernel(n_classes)
            self._rows = RowNumbers(self._who)
            self._n_classes = n_classes
        elif n_classes > self._n_classes:
            if self.costs is not None:
                known = self._n_classes
                raise ValueError(f"{self._who}: there are costs for {known} classes, not {n_classes}")
            self._kernel.set_classes(n_classes)
            self._n_classes = n_classes
        return self._kernel

    def _add_rows(self, p: Floats, ids: list[Any], answers: Ints) -> None:
        """Do what `predict` does, without checks; an id that waits means the new row."""
        with self._own_lock().write:
            kernel = self._begun(p.shape[1])
            first, self._rows.has_ids = kernel.n_rows, True
            kernel.follow(np.ascontiguousarray(self._wide(p)), answers.astype(np.intp), NOTHING_DUE)
            for number, each in enumerate(ids, start=first):
                self._rows.of.pop(each, None)
                self._rows.of[each] = number
            self._rows.drop_before(kernel.oldest)

    def _add_labels(self, ids: list[Any], codes: Ints) -> int:
        """Take the labels of rows that wait, and leave out others; return how many there were."""
        with self._own_lock().write:
            kernel = self._begun(1 + int(codes.max(initial=0)))
            pairs = zip((self._rows.of.get(each, -1) for each in ids), codes.tolist(), strict=True)
            known = [(number, code) for number, code in pairs if number >= 0 and code >= 0]
            for each, code in zip(ids, codes.tolist(), strict=True):
                if code >= 0:
                    self._rows.of.pop(each, None)
            given = np.array(known, dtype=np.intp).reshape(-1, 2).T.copy()
            return int(kernel.take_labels(given[0], given[1]))

    def _follow(self, p: Floats, answers: Ints | None, due: Ints) -> None:
        """Take rows without ids, and labels that come before, between or after them.

        See `AccuracyKernel.follow`.
        """
        kernel = self._begun(p.shape[1])
        self._rows.checked(None, len(p))
        answers, p = likeliest(p) if answers is None else answers, self._wide(p)
        first = kernel.n_rows
        done = 0
        for start in range(0, max(len(p), 1), ROWS_AT_A_TIME):
            part, last = slice(start, start + ROWS_AT_A_TIME), first + min(start + ROWS_AT_A_TIME, len(p))
            stop = int(np.searchsorted(due[:, 0], last))
            kernel.follow(p[part], answers[part], np.ascontiguousarray(due[done:stop]))
            done = stop

    def _new_kernel(self, n_classes: int) -> AccuracyKernel:
        most_windows = max(min(MOST_WINDOWS, MOST_SUMS // n_classes), self.max_waiting // self.window + 2)
        costs = self._costs()
        if costs is not None and costs.shape != (n_classes, n_classes):
            wanted = (n_classes, n_classes)
            raise ValueError(f"{self._who}: costs have the shape {costs.shape}, not {wanted}")
        return AccuracyKernel(
            self._who, n_classes, self.window, self.learns, self.max_waiting, most_windows, costs
        )

    def _check_parameters(self) -> None:
        count(self, "window", self.window, 10)
        count(self, "max_waiting", self.max_waiting, 1)
        real_number(self, "level", self.level, above=0, below=1)
        yes_or_no(self, "learns", self.learns)
        if self.classes is not None:
            if isinstance(self.classes, str) or not isinstance(self.classes, Iterable):
                raise wrong(self, "classes", "a sequence of labels", self.classes)
            self.classes = list(self.classes)
            if len(self.classes) < 2 or len(set(self.classes)) < len(self.classes):
                raise wrong(self, "classes", "at least two different labels", self.classes)
        self._costs()

    def _costs(self) -> Floats | None:
        return None if self.costs is None else checked_costs(self, self.costs)

    def _checked(self, p: ArrayLike) -> Floats:
        """Return probabilities as rows × classes; raise ValueError, with the row, if they are none."""
        return checked_probabilities(p, None if self.classes is None else len(self.classes_), self._who)

    def _wide(self, p: Floats) -> Floats:
        """Return probabilities with a column for each class known so far."""
        more = self._n_classes - p.shape[1]
        return np.pad(p, ((0, 0), (0, more))) if more > 0 else p

    def _codes(self, labels: Any) -> Ints:
        return codes_of(labels, None if self.classes is None else self.classes_, self._who)

    def _code_of(self, label: Any) -> int | None:
        return None if label is None else int(self._codes([label])[0])

    def _header(self) -> State:
        return {"format": self._format, "estimate": type(self).__name__}

    def _content(self) -> State:
        parameters = self.get_params(deep=False)
        for name, given in parameters.items():
            parameters[name] = given.tolist() if isinstance(given, np.ndarray) else given
        if not self._has_begun:
            return {"parameters": parameters}
        rows = self._rows
        named: State = {"ids": [[*rows.of], [*rows.of.values()]], "is_named": rows.has_ids}
        named |= {"parameters": parameters, "kernel": self._kernel.state()}
        return named | {"n_classes": self._n_classes}

    def _set_content(self, state: State) -> None:
        self.set_params(**state["parameters"])
        for name in ("_kernel", "_rows", "_n_classes"):
            vars(self).pop(name, None)
        self._check_parameters()
        if "kernel" not in state:
            return
        kernel = self._new_kernel(count(self, "n_classes", state["n_classes"], 2))
        kernel.restore(state["kernel"])
        names, numbers = state["ids"]
        good = len(names) == len(numbers) and all(kernel.waits(int(each)) for each in numbers)
        if not good or state["is_named"] not in (True, False, None):
            raise StateError(f"{self._who}: the ids of the state do not belong to rows that wait")
        rows = RowNumbers(self._who)
        rows.of = OrderedDict(zip(plain_ids(list(names), self._who), map(int, numbers), strict=True))
        rows.has_ids = state["is_named"]
        self._rows, self._n_classes, self._kernel = rows, state["n_classes"], kernel
