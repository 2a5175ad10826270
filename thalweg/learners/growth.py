"""How a learner goes on when a class or an input appears that it did not know."""

import numpy as np

from thalweg.learners.saving import OF_THE_BASE


class FixedInputsError(ValueError):
    """A learner cannot take inputs that come later; the text says why."""


class Growing:
    """The part of a learner that makes room for classes and inputs that appear later."""

    def _grow_from(self, n_features, n_classes):
        """Go on from what was learned with fewer inputs or classes, as if all had been there and never seen.

        `n_features` and `n_classes` are the numbers of before; the attributes have the new ones. Replaces
        attributes and changes none. Here, axes of arrays that are as long as there are inputs or classes are
        lengthened, and members grow by themselves.
        """
        before = vars(self).copy()
        self._begin_again()
        own = set(vars(self)) - OF_THE_BASE - set(self.get_params(deep=False))
        changes = {(n_features, self.n_features_in_), (n_classes, self._n_columns)}
        vars(self).update({name: grown(before[name], vars(self)[name], changes) for name in own})
        if self.n_features_in_ > n_features:
            self._try_new_inputs()

    def _begin_again(self):
        """Do what `_begin` does, with the seeds that were drawn before."""
        self._begin(self.n_features_in_, self._n_columns)

    def _try_new_inputs(self):
        # Arrays that depend on the number of inputs in another way do not fit now.
        try:
            self._predict(np.zeros((1, self.n_features_in_)), np.empty((1, self._n_columns)))
        except Exception as error:
            raise FixedInputsError(
                f"what it has learned cannot be made longer ({error}); its _grow_from could do it"
            ) from error

    def _add_classes(self, labels):
        # One after another, so that several at once are no other than those that come one by one.
        for n in range(len(self.classes_) + 1, len(labels.list) + 1):
            before = self.n_features_in_, self._n_columns
            self._labels = labels.first(n)
            self.classes_ = self._labels.classes
            if n > 1:
                self._grow_from(*before)

    def _add_inputs(self, names):
        before, is_first = (self.n_features_in_, self._n_columns), not self._names.n_features
        new = list(names)[len(self._names)]
        self._set_inputs(names, names.n_places)
        if self.n_features_in_ == before[0]:
            return
        if is_first:
            self._begin_again()
            return
        try:
            self._grow_from(*before)
        except FixedInputsError as error:
            raise ValueError(
                f"{self._who}: {new!r} is a new input, and this learner must know its inputs when it begins: "
                f"{error}. Name all of them: begin(n_features, names=[…])"
            ) from error

    def _set_inputs(self, names, n_features):
        # New inputs are numeric, and nothing is known of them.
        n_new = n_features - self.n_features_in_
        self._names, self.n_features_in_ = names, n_features
        self.n_categories_ = np.pad(self.n_categories_, (0, n_new))
        if self._means is not None:
            self._means = tuple(np.pad(each, (0, n_new)) for each in self._means)


def grown_member(owner, member, n_features=None):
    """Return a learner that goes on from `member` with the owner's labels and this number of inputs.

    By default it has as many inputs as the owner.
    """
    before = member.n_features_in_, member._n_columns
    n_features = owner.n_features_in_ if n_features is None else n_features
    if before == (n_features, owner._n_columns):
        return member
    new = object.__new__(type(member))
    vars(new).update(vars(member))
    new._labels, new.classes_ = owner._labels, owner.classes_
    new._set_inputs(new._names.of_width(n_features, new._who), n_features)
    new._grow_from(*before)
    return new


def grown(old, fresh, changes):
    """Return `old` with what is new taken from `fresh`, begun for more inputs or classes.

    `changes` are pairs of their numbers before and after. Axes of arrays that changed like this are
    lengthened; members grow by themselves; all else stays as it was.
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


def _lengthened(old, fresh, changes):
    shape = [after if (n, after) in changes else n for n, after in zip(old.shape, fresh.shape, strict=True)]
    if shape == list(old.shape):
        return old
    new = np.zeros(shape, dtype=old.dtype)
    if new.shape == fresh.shape:
        new[...] = fresh
    new[tuple(slice(length) for length in old.shape)] = old
    return new
