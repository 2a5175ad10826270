"""How a learner continues when a new class or input appears."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thalweg._names import Names
from thalweg._types import Ints
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.contract import Contract
from thalweg.learners.base.saving import OF_THE_BASE

N_TEXTS = 16  # categories of a text input that can have a coefficient each
MOST_PLACES = 256  # of all categories that have a coefficient each, in most learners
M = TypeVar("M", bound="Growing")


class FixedInputsError(ValueError):
    """A learner does not allow new inputs; the message says why."""


class Growing(Contract):
    """The part of a learner that makes room for new classes and inputs."""

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        """Extend what was learned with fewer inputs or classes, as if the new ones had been there, unseen.

        `n_features` and `n_classes` are the old numbers; the attributes have the new ones. Replaces
        attributes and modifies none in place. Here, axes of arrays that are as long as there are inputs or
        classes are extended, and members extend themselves.
        """
        before, width = vars(self).copy(), self._row_width or n_features
        self._begin_again()
        own = set(vars(self)) - OF_THE_BASE - set(self.get_params(deep=False)) - {"_own"}
        changes = {(width, self._row_width or self.n_features_in_), (n_classes, self._n_columns)}
        changes.add((n_features, self.n_features_in_))
        vars(self).update({name: grown(before[name], vars(self)[name], changes) for name in own})
        if self.n_features_in_ > n_features:
            self._try_new_inputs()

    @property
    def _row_width(self) -> int | None:
        """Number of values the learner makes of a row, if it is not the number of inputs."""
        return None

    def _begin_again(self) -> None:
        """Do what `_begin` does, with the same seeds."""
        self._begin(self.n_features_in_, self._n_columns)

    def _try_new_inputs(self) -> None:
        # Fails if arrays depend on the number of inputs in another way.
        try:
            self._predict(np.zeros((1, self.n_features_in_)), np.empty((1, self._n_columns)))
        except Exception as error:
            raise FixedInputsError(
                f"what it has learned cannot be extended ({error}); write _grow_from to do so"
            ) from error

    def _make_room(self, names: Names, labels: Labels) -> None:
        """Continue with these inputs and classes, and with the parameters that it began with."""
        changed = self._changed_parameters()
        vars(self).update(self._begun_parameters(changed))
        if names.n_features > self._names.n_features:
            self._add_inputs(names)
        self._names = names
        if labels is not self._labels:
            self._add_classes(labels)
        vars(self).update(changed)

    def _add_classes(self, labels: Labels) -> None:
        # One after another, so that several new classes at once give the same result as one by one.
        for n in range(len(self.classes_) + 1, len(labels.list) + 1):
            before = self.n_features_in_, self._n_columns
            self._labels = labels.first(n)
            self.classes_ = self._labels.classes
            if n > 1:
                self._grow_from(*before)
                self._limit_again()

    def _add_inputs(self, names: Names) -> None:
        before, is_first = (self.n_features_in_, self._n_columns), not self._names.n_features
        new = list(names)[len(self._names)]
        self._set_inputs(names, names.n_places)
        if is_first:  # also where the room for one number is now that of a text
            self._begin_again()
            self._limit_again()
            return
        if self.n_features_in_ == before[0]:
            return
        try:
            self._grow_from(*before)
            self._limit_again()
        except FixedInputsError as error:
            raise ValueError(
                f"{self._who}: {new!r} is a new input, but this learner must know all inputs at begin(): "
                f"{error}. Pass all of them: begin(n_features, names=[…])"
            ) from error

    def _set_inputs(self, names: Names, n_features: int) -> None:
        # New inputs are numeric or text, and nothing is known about them.
        n_old = self._names.n_features
        n_new = n_features - self.n_features_in_
        self._names, self.n_features_in_ = names, n_features
        self.n_categories_ = np.pad(self.n_categories_, (0, n_new))
        for j in [names[name] for name in names.texts if names[name] >= n_old]:
            self.n_categories_[j] = N_TEXTS if not n_old else text_categories(self.n_categories_)
        if self._means is not None:
            mean, count = (np.pad(each, (0, n_new)) for each in self._means)
            self._means = mean, count


def text_categories(n_categories: Ints) -> int:
    """Return how many categories a text input that comes later gets coefficients for, if each has one.

    They are so few that no input before it, of these numbers of categories, loses some of its own.
    """
    left = MOST_PLACES - int((n_categories[n_categories > 2] + 1).sum()) - 1
    return min(left, N_TEXTS) if left > 2 else 2


def grown_member(owner: Contract, member: M, n_categories: Ints | None = None) -> M:
    """Return `member` extended to the labels of its owner, and to inputs of these numbers of categories.

    By default it has the inputs of the owner.
    """
    before = member.n_features_in_, member._n_columns
    n_categories = owner.n_categories_ if n_categories is None else n_categories
    n_features = len(n_categories)
    if before == (n_features, owner._n_columns):
        return member
    new = object.__new__(type(member))
    vars(new).update(vars(member))
    if n_features != before[0]:  # inputs first: kernels grow by inputs or by a class, not by both at once
        new._set_inputs(new._names.of_width(n_features, new._who), n_features)
        new.n_categories_ = n_categories
        new._grow_from(*before)
    elif new._means is not None:  # members change these in place
        new._means = new._means[0].copy(), new._means[1].copy()
    new._labels, new.classes_ = owner._labels, owner.classes_
    if owner._n_columns != before[1]:
        new._grow_from(n_features, before[1])
    return new


def grown(old: Any, fresh: Any, changes: set[tuple[int, int]]) -> Any:
    """Return `old` extended by parts of `fresh`, the same attribute begun with more inputs or classes.

    `changes` are pairs of their old and new numbers. Axes of arrays whose length changed so are extended;
    members extend themselves; everything else is unchanged.
    """
    if isinstance(old, np.ndarray) and isinstance(fresh, np.ndarray) and old.ndim == fresh.ndim:
        return _lengthened(old, fresh, changes)
    if isinstance(old, list | tuple) and isinstance(fresh, list | tuple) and len(old) == len(fresh):
        return type(old)(grown(*each, changes) for each in zip(old, fresh, strict=True))
    if isinstance(old, dict) and isinstance(fresh, dict) and old.keys() == fresh.keys():
        return {key: grown(old[key], fresh[key], changes) for key in old}
    if isinstance(old, Growing) and isinstance(fresh, Growing):
        return grown_member(fresh, old)
    return old


def _lengthened(old: NDArray[Any], fresh: NDArray[Any], changes: set[tuple[int, int]]) -> NDArray[Any]:
    shape = [after if (n, after) in changes else n for n, after in zip(old.shape, fresh.shape, strict=True)]
    if shape == list(old.shape):
        return old
    new = np.zeros(shape, dtype=old.dtype)
    if new.shape == fresh.shape:
        new[...] = fresh
    new[tuple(slice(length) for length in old.shape)] = old
    return new
