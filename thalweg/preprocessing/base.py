"""The base class of steps: which inputs they change, scikit-learn's methods, and saving."""

from collections.abc import Hashable, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_feature_names_in, validate_data

from thalweg._parameters import is_whole, wrong
from thalweg._sklearn import BaseEstimator, TransformerMixin
from thalweg._stateful import Stateful
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.learners.base import state as states
from thalweg.learners.base.arguments import as_category_counts, as_rows, clipped_rows
from thalweg.preprocessing._native.base import StepKernel

Columns: TypeAlias = Sequence[int] | Sequence[str] | NDArray[Any] | None
Names: TypeAlias = Sequence[Hashable | None]
Outputs: TypeAlias = Sequence[tuple[str | None, int]]


class Step(TransformerMixin, Stateful, BaseEstimator):
    """Makes outputs of some inputs of a row, the columns, and passes the others on.

    A subclass says which columns it changes by default, the outputs of a column, and makes a kernel
    (`thalweg.preprocessing._native.base.StepKernel`). Outputs are in the order of the inputs. Missing is NaN.

    In a `Pipeline` a row is transformed with what the rows before it have taught, then learned. Alone, a step
    is a transformer of scikit-learn: `fit` or `partial_fit`, then `transform`.
    """

    _kind = "step"
    columns: Columns
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_categories_: Ints
    _columns: list[int]
    _kernel: StepKernel

    def _is_default(self, n_categories: int) -> bool:
        """Return whether an input of so many categories (0: numeric) is changed if `columns` is None."""
        raise NotImplementedError

    def _outputs(self, n_categories: int) -> Outputs:
        """Return for each output of a column what is added to its name and its number of categories.

        None instead of a name means one that follows from what was learned.
        """
        raise NotImplementedError

    def _make_kernel(self, sizes: list[int], n_categories: list[int]) -> StepKernel:
        """Return a kernel for `self._columns`, which have so many outputs and categories each."""
        raise NotImplementedError

    _n_shared = 0  # outputs, the first, to which all columns add

    def begin(
        self,
        n_features: int,
        names: Sequence[Hashable] | None = None,
        *,
        n_categories: ArrayLike | None = None,
    ) -> Self:
        """Reset the step for rows of `n_features` inputs; return self.

        `names` are those of the inputs, `n_categories` their numbers of categories, 0 if numeric.
        """
        counts = as_category_counts(n_categories, n_features, self._who)
        given = [None] * n_features if names is None else list(names)
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._begin, given, counts, False)

    def _begin(self, names: Names, n_categories: Ints, is_open: bool) -> Self:
        """Do what `begin` does, for a caller that holds the lock; if open, more inputs may come."""
        self.n_features_in_, self.n_categories_, self._names = len(names), n_categories, names
        self._columns = chosen(self, names, n_categories, is_open)
        counts = [int(n_categories[j]) for j in self._columns]
        self._kernel = self._make_kernel([len(self._outputs(n)) for n in counts], counts)
        return self

    @property
    def n_features_out_(self) -> int:
        """Number of outputs."""
        self._check_begun()
        return int(self._kernel.n_outputs)

    def _described(self) -> tuple[list[Hashable | None], Ints]:
        """Return names of the outputs, None where there are none yet, and their numbers of categories."""
        described: list[tuple[Hashable | None, int]] = [(None, 0)] * self._n_shared
        changed = set(self._columns)
        for j, name in enumerate(self._names):
            n = int(self.n_categories_[j])
            if j not in changed:
                described.append((name, n))
            else:
                described += [
                    (None if name is None or ending is None else f"{name}{ending}", count)
                    for ending, count in self._outputs(n)
                ]
        return [name for name, _ in described], np.array([n for _, n in described], dtype=np.intp)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the outputs, made from those of the inputs (x0, x1, … if they have none)."""
        self._check_begun()
        known = _check_feature_names_in(self, input_features)
        given = [name if own is None else own for name, own in zip(known, self._names, strict=True)]
        column = {j: c for c, j in enumerate(self._columns)}
        names = [f"hash{place}" for place in range(self._n_shared)]
        with self._lock.read:
            for j, name in enumerate(given):
                endings = self._endings(column[j]) if j in column else [""]
                names += [f"{name}{ending}" for ending in endings]
        return np.array(names, dtype=object)

    def _endings(self, c: int) -> list[str]:
        """Return what is added to the name of the c-th column for its outputs."""
        return [ending or "" for ending, _ in self._outputs(int(self.n_categories_[self._columns[c]]))]

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Reset the step and learn rows."""
        return self._learn_validated(X, fresh=True)

    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn more rows; return self."""
        return self._learn_validated(X, fresh=not hasattr(self, "_kernel"))

    def _learn_validated(self, X: ArrayLike, fresh: bool) -> Self:
        rows = self._validated(X, reset=fresh)
        if fresh:
            self.begin(rows.shape[1], getattr(self, "feature_names_in_", None))
        with self._lock.write:
            self._kernel.update(rows)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Return rows × outputs, made with what has been learned."""
        self._check_begun()
        rows = self._validated(X, reset=False)
        with self._lock.read:
            return self._kernel.transform(rows)

    def _validated(self, X: ArrayLike, reset: bool) -> Floats:
        rows = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False)
        return clipped_rows(as_rows(rows, rows.shape[1], self._who), (), self._who)[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_kernel")

    def _content(self) -> State:
        state = {"parameters": states.to_plain(self.get_params(deep=False))}
        if not hasattr(self, "_kernel"):
            return state
        return state | {
            "n_categories": self.n_categories_.copy(),
            "names": list(self._names),
            "feature_names": list(getattr(self, "feature_names_in_", [])),
            "memory": self._kernel.state(),
        }

    def _set_content(self, state: State) -> None:
        self.set_params(**states.from_plain(state["parameters"]))
        if "memory" in state:
            counts = as_category_counts(state["n_categories"], len(state["n_categories"]), self._who)
            names = [None if each is None else str(each) for each in state["names"]]
            if len(names) != len(counts):
                raise StateError(f"{self._who}: the state has {len(names)} names of {len(counts)} inputs")
            self._begin(names, counts, False)
            given = states.names_of(state, "feature_names", len(counts))
            if given:
                self.feature_names_in_ = np.array(given, dtype=object)
            self._kernel.restore(state["memory"])

    def _check_begun(self) -> None:
        if not hasattr(self, "_kernel"):
            raise NotFittedError(f"This {self._who} instance is not fitted yet: call fit or begin first.")


def chosen(step: Step, names: Names, n_categories: Ints, is_open: bool) -> list[int]:
    """Return the positions of the inputs that a step changes, in growing order.

    If more inputs may come, those that are not there yet are left out.
    """
    if step.columns is None:
        return [j for j, n in enumerate(n_categories.tolist()) if step._is_default(n)]
    wanted = "a sequence of positions of inputs from 0, or of their names"
    given = step.columns.tolist() if isinstance(step.columns, np.ndarray) else step.columns
    if not isinstance(given, list | tuple | range):
        raise wrong(step, "columns", wanted, step.columns)
    found = set()
    for each in given:
        if is_whole(each) and each >= 0:
            j = int(each)
        elif isinstance(each, str):
            j = names.index(each) if each in names else len(names)
        else:
            raise wrong(step, "columns", wanted, step.columns)
        if j < len(names):
            found.add(j)
        elif not is_open:
            known = [name for name in names if name is not None]
            inputs = f"the {len(names)} inputs" + (f" {known}" if known else "")
            raise wrong(step, "columns", f"among {inputs} of the step", step.columns)
    return sorted(found)
