"""Any learner with the latest known labels as further inputs."""

from collections.abc import Collection
from typing import Any

import numpy as np
from sklearn.base import clone

from thalweg._kernels.last_labels import LastLabelsKernel
from thalweg._parameters import seeds_of, whole_number
from thalweg._types import Floats, Ints, State
from thalweg.learners.base import StreamClassifier
from thalweg.learners.growth import grown_member
from thalweg.learners.hoeffding_tree import HoeffdingTree
from thalweg.learners.member_list import as_member
from thalweg.learners.members import check_inputs, restored_member
from thalweg.learners.native import NativeClassifier
from thalweg.learners.seeded import checked_seed

MOST_LABELS, MOST_WAITING = 100, 1_000_000


class LastLabels(NativeClassifier):
    """LastLabels: a learner that sees the latest known labels as further inputs.

    Helps wherever labels come in runs or follow each other by a rule, and the inputs alone do not tell. Each
    label is as many inputs as there are classes, one of them 1; a single input where two classes are all.
    Call `observe` for rows whose labels come later: they are then learned with the labels that were known
    when they were observed, which is what a prediction can use. The evaluation does so by itself.

    Memory: the member, and n labels for each row that waits for its own.

    Parameters
    ----------
    member : learner, default=None
        What learns; `HoeffdingTree()` if None.
    n : int, default=1
        How many of the latest labels it sees.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Attributes
    ----------
    member_ : learner
        The member. Its inputs are the row's and then the labels', the newest first.

    Examples
    --------
    >>> from thalweg.learners import LastLabels, NaiveBayes
    >>> learner = LastLabels(NaiveBayes()).begin(1, ["day", "night"])
    >>> for label in ["day", "night"] * 20:
    ...     learner.learn_one([0.0], label)
    >>> learner.predict_one([0.0])
    'day'
    """

    def __init__(self, member: StreamClassifier | None = None, n: int = 1, max_waiting: int = 10_000) -> None:
        self.member = member
        self.n = n
        self.max_waiting = max_waiting

    @property
    def takes_missing(self) -> bool:
        """Whether the member copes with missing values; if not, it gets the running mean instead."""
        return self._template().takes_missing

    @property
    def member_(self) -> StreamClassifier:
        """The member as it is now."""
        self._check_begun()
        with self._lock.read:
            return self._kernel.member

    def _template(self) -> StreamClassifier:
        return HoeffdingTree() if self.member is None else as_member(self, self.member)

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        self._seeds = seeds_of(self._template()) if seeds is None else seeds
        super()._begin(n_features, n_classes)

    def _begin_again(self) -> None:
        self._begin(self.n_features_in_, self._n_columns, self._seeds)

    def _make_kernel(self, n_features: int, n_classes: int) -> Any:
        n = whole_number(self, "n", self.n, 1, MOST_LABELS)
        most_kept = whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING)
        n_values = 1 if n_classes == 2 and not self._labels.is_open else n_classes
        kernel = LastLabelsKernel(self._who, n_features, n_classes, n, n_values, most_kept)
        member = clone(self._template()).set_params(**self._seeds)
        member._lock = self._own_lock()
        categories = self._member_categories(kernel)
        member._begin_unlocked(len(categories), self._labels, n_categories=categories)
        kernel.set_member(member, member._handle())
        return kernel

    def _member_categories(self, kernel: Any) -> Ints:
        places = kernel.arrays["input_place"]
        categories = np.zeros(len(places) + kernel.arrays["label_place"].size, dtype=np.intp)
        categories[places] = self.n_categories_
        return categories

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        self._begin_again()
        self._kernel.inherit(old)
        member = grown_member(self, old.member, self._member_categories(self._kernel))
        self._kernel.set_member(member, member._handle())

    def _starts_again(self, seeds: Collection[str]) -> bool:
        return False

    def _observe(self, X: Floats) -> None:
        self._kernel.observe(X)

    def _state(self) -> State:
        member = self._kernel.member
        return super()._state() | {"member": member._state_unlocked(), "seeds": dict(self._seeds)}

    def _restore(self, memory: dict[str, Any]) -> None:
        parts = {name: memory[name] for name in ("member", "seeds")}
        seeds = {name: checked_seed(parts["seeds"][name], self._who) for name in self._seeds}
        if seeds != self._seeds:
            self._seeds = seeds
            self._begin_again()
        super()._restore({name: value for name, value in memory.items() if name not in parts})
        member = restored_member(self, self._template(), parts["member"])
        check_inputs(self, member, self._member_categories(self._kernel))
        self._kernel.set_member(member, member._handle())
