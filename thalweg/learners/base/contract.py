"""The contract of a learner: what a subclass writes, and what the parts of the base class share."""

import copy
import functools
import inspect
from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from thalweg._names import Names
from thalweg._native.kernel import Kernel
from thalweg._native.waiting_index import WaitingIndex
from thalweg._parameters import whole_number
from thalweg._sklearn import BaseEstimator, ClassifierMixin
from thalweg._stateful import Stateful
from thalweg._types import Floats, Ints, Numbers
from thalweg.errors import set_rows_learned
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.memory_limit import Needs

MAX_WAITING, MOST_WAITING = 10_000, 1_000_000  # rows that wait for their labels: by default, and at most


class Contract(ClassifierMixin, Stateful, BaseEstimator):
    """The methods that a learner writes: `_begin`, `_learn` and `_predict`, and others if it needs them.

    `X` are rows × inputs, `y` codes of labels, `w` weights, `p` rows × classes. All arrays are in C order,
    all values finite or NaN.
    """

    classes_: NDArray[Any]
    n_features_in_: int
    n_categories_: Ints
    feature_names_in_: NDArray[Any]
    _labels: Labels
    _names: Names
    _means: tuple[Floats, Floats] | None
    _waiting: WaitingIndex | None = None  # from the first row that was observed, if something is kept with it
    _most_bytes: int | None = None  # that the owner of a learner allows; see `_limit_bytes`
    _observes_in_blocks = False  # whether it has `_learn_and_observe`
    _begun_with: dict[str, Any] | None = None  # the parameters when it began
    _masked: tuple[int, ...] = ()  # codes of classes that are never answered
    _n_learned: int | None = None  # rows that `_learn` has learned, if it counts them wherever it is stopped
    _n_observed: int | None = None  # rows that `_observe` has processed, likewise

    @property
    def takes_missing(self) -> bool:
        """Whether the learner handles NaN itself; if not, it gets the running mean of the input instead."""
        return False

    @property
    def uses_weights(self) -> bool:
        """Whether weights above 0 make a difference; boosting needs such members."""
        return True

    @property
    def keeps_first_rows(self) -> bool:
        """Whether the row that brings a new class is learned only when the class comes again."""
        return True

    @property
    def takes_sparse(self) -> bool:
        """Whether `X` may be SparseRows too; only for a learner that handles missing values."""
        return False

    @property
    def can_be_saved(self) -> bool:
        """Whether `thalweg.save` can write the learner; not if it holds a model of another library."""
        return True

    @property
    def expands_categories(self) -> bool:
        """Whether categories become inputs of their own; missing ones are then not replaced by a mean."""
        return False

    @property
    def observes(self) -> bool:
        """Whether the learner uses rows without a label; if not, `observe` does nothing."""
        return type(self)._observe is not Contract._observe

    @property
    def takes_ids(self) -> bool:
        """Whether `_learn` and `_observe` get the numbers of rows that wait for labels, as `ids`."""
        kind: Any = type(self)
        return _take_ids(kind)

    def _most_waiting(self) -> int:
        """Return how many rows can wait for their labels, if `takes_ids`; 0 if nothing is kept with them."""
        return whole_number(self, "max_waiting", getattr(self, "max_waiting", MAX_WAITING), 1, MOST_WAITING)

    def _begin_unlocked(
        self,
        n_features: int | None,
        labels: Labels,
        names: Iterable[Hashable] | None = None,
        n_categories: ArrayLike | None = None,
    ) -> Self:
        """Do what `begin` does, for a caller that holds the lock."""
        raise NotImplementedError

    def _begin(self, n_features: int, n_classes: int) -> None:
        """Set all attributes that hold what is learned to their initial values."""
        raise NotImplementedError

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0."""
        raise NotImplementedError

    def _predict(self, X: Floats, p: Floats) -> None:
        """Write the probabilities of each row into `p`; change nothing."""
        raise NotImplementedError

    def _learn_tested(self, X: Floats, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        """Do what `_learn` does; rows where `tested` is 0 need no probabilities."""
        self._learn(X, y, w, p)

    def _observe(self, X: Floats) -> None:
        """Process rows without a label. Most learners do not use them."""

    def _predict_observe(self, X: Floats, p: Floats, ids: Numbers | None = None) -> None:
        """For each row: write its probabilities into `p`, then observe it."""
        observe: Any = self._observe
        for i in range(len(X)):
            row = slice(i, i + 1)
            try:
                self._predict(X[row], p[row])
                observe(X[row]) if ids is None else observe(X[row], ids=ids[row])
            except BaseException as error:
                set_rows_learned(error, i + getattr(error, "rows_learned", 0))
                raise

    def _fit_block(self, X: Floats, y: Ints, w: Floats) -> None:
        """Learn rows as one batch; called for a member of an ensemble that has learned nothing yet."""
        self._learn(X, y, w, np.empty((len(X), self._n_columns)))
        self._flush()

    def _flush(self) -> None:
        """Learn the rows that `_learn` holds back until there are more. Most learners hold back none."""

    def _freeze(self) -> None:
        """Do what `freeze` does, for a caller that holds the lock."""

    def _needs(self) -> Needs:
        """Return the memory that a learner which has just begun needs; only called there."""
        return Needs(0)

    def _needs_as_begun(self) -> Needs | None:
        """Return what `_needs` would if it had just begun with its inputs and classes; None if unknown."""
        return self._needs() if type(self)._needs is Contract._needs else None

    def _limit_bytes(self, most: int) -> None:
        """Keep within `most` bytes from now on, if `_needs` counts parts that can grow."""

    def _limit_again(self) -> None:
        # New kernels know of no limit.
        if self._most_bytes is not None:
            self._limit_bytes(self._most_bytes)

    @property
    def input_names_(self) -> list[str]:
        """Names of the inputs; x0, x1, … where there are none."""
        return [str(name) for name in self.given_names()]

    def given_names(self) -> list[Any]:
        """Return the inputs by the names that rows have for them; x0, x1, … where there are none."""
        self._check_begun()
        given = list(self._names)
        return given + [f"x{j}" for j in range(len(given), self.n_features_in_)]

    def member_input_names(self) -> list[Any]:
        """Return the names of the inputs of the one member."""
        return self.given_names()

    def text_schema(self) -> dict[str, Any] | None:
        """Return the inputs of dict rows with text, as `Stream.schema` does; None if there was no text."""
        return self._names.schema() if self._begun and self._names.texts else None

    def _handle(self) -> Kernel:
        """Return the kernel through which compiled code calls this learner."""
        raise NotImplementedError

    @property
    def _n_columns(self) -> int:
        # Of the probabilities that the learner writes: at least one, even before the first label.
        return max(len(self._labels.list), 1)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; a learner that has begun learns on with those it had until `begin`."""
        if self._begun:  # what it is made from does not change with a parameter
            for name in {each.partition("__")[0] for each in params if "__" in each}:
                if hasattr(getattr(self, name, None), "get_params"):
                    setattr(self, name, copy.deepcopy(getattr(self, name)))
        return super().set_params(**params)

    def _changed_parameters(self) -> dict[str, Any]:
        """Return the parameters that were changed after it had begun, as they are now."""
        began = self._begun_with or {}
        now = self.get_params(deep=False)
        return {name: now[name] for name in began if not _is_equal(began[name], now[name])}

    def _begun_parameters(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the parameters of these names as they were when it began."""
        began = self._begun_with or {}
        return {name: began[name] for name in names}

    def _with_parameters(self, **parameters: Any) -> Self:
        """Return a twin that shares everything with this learner but these parameters."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self), **parameters)
        if self._begun_with is not None:
            vars(twin)["_begun_with"] = self._begun_with | parameters
        return twin

    @property
    def _begun(self) -> bool:
        return hasattr(self, "classes_")

    def _check_begun(self) -> None:
        if not hasattr(self, "classes_"):
            raise NotFittedError(
                f"This {self._who} instance is not fitted yet: call fit, partial_fit(X, y, classes=…) or "
                "begin(n_features, classes) first."
            )


def _is_equal(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, bool | int | float | str) and one == other)


@functools.cache
def _take_ids(kind: Any) -> bool:
    return all("ids" in inspect.signature(each).parameters for each in (kind._learn, kind._observe))
