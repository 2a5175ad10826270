"""Any learner with the latest known labels as further inputs."""

from typing import Any

import numpy as np

from thalweg._parameters import whole_number
from thalweg._types import Floats, Ints
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of
from thalweg.learners.base.member_list import as_member
from thalweg.learners.base.member_state import check_inputs
from thalweg.learners.base.memory_limit import bytes_in
from thalweg.learners.base.one_member import OneMember
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines._native.last_labels import LastLabelsKernel
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree

MOST_LABELS, MOST_WAITING = 100, 1_000_000


class LastLabels(HasImportance, OneMember):
    """LastLabels: a learner that sees the latest known labels as further inputs.

    Helps wherever labels come in runs or follow each other by a rule, and the inputs alone do not tell. Each
    label is as many inputs as there are classes, one of them 1; a single input as long as there are two.
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
    importance_ : ndarray
        How much each input counts, if the member is made of trees; the rest of 1 is the labels'.
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

    _kernel: LastLabelsKernel
    observes = True
    _n_values_of_two: int

    def __init__(
        self, member: StreamClassifier | None = None, n: int = 1, *, max_waiting: int = 10_000
    ) -> None:
        self.member = member
        self.n = n
        self.max_waiting = max_waiting

    @property
    def member_(self) -> StreamClassifier:
        """The member as it is now."""
        return self._current_member()

    def _importance(self) -> Floats | None:
        # The rest of 1 is what the latest labels count.
        found = importance_of(self._kernel.member)
        return None if found is None else found[self._kernel.arrays["input_place"]]

    def member_input_names(self) -> list[Any]:
        """Return the names of the inputs of `member_`; those made of labels are all "latest labels"."""
        places = self._kernel.arrays["input_place"]
        names: list[Any] = ["latest labels"] * (len(places) + self._kernel.arrays["label_place"].size)
        for place, name in zip(places.tolist(), self.given_names(), strict=True):
            names[place] = name
        return names

    def _template(self) -> StreamClassifier:
        return self._one_default(HoeffdingTree) if self.member is None else as_member(self, self.member)

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        if seeds is None:
            self._n_values_of_two = 1
        super()._begin(n_features, n_classes, seeds)

    def _make_kernel(self, n_features: int, n_classes: int) -> LastLabelsKernel:
        kernel = self._kernel_alone(n_features, n_classes)
        n_categories = self._member_categories(kernel)
        self._set_member(kernel, self._begun_member(self._template(), self._seeds, n_categories))
        return kernel

    def _kernel_alone(self, n_features: int, n_classes: int) -> LastLabelsKernel:
        n = whole_number(self, "n", self.n, 1, MOST_LABELS)
        most_kept = whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING)
        n_values = min(n_classes, self._n_values_of_two) if n_classes <= 2 else n_classes
        return LastLabelsKernel(self._who, n_features, n_classes, n, n_values, most_kept)

    def _member_categories(self, kernel: Any) -> Ints:
        places = kernel.arrays["input_place"]
        if self._names.n_features:  # inputs that come later are behind the labels
            self._check_named_inputs(self._template(), places)
        categories = np.zeros(len(places) + kernel.arrays["label_place"].size, dtype=np.intp)
        categories[places] = self.n_categories_
        return categories

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        if self._n_columns == 2 and getattr(memory.get("label_place"), "shape", ())[1:] == (2,):
            # Earlier releases gave two classes an input each if others could follow.
            self._n_values_of_two = 2
            self._begin_again()
        super()._restore_kernel(memory)

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        if n_features == self.n_features_in_ and n_classes > 2 and self._extend_around(old):
            return
        self._begin_to_grow()
        self._kernel.inherit(old)
        places = self._kernel.arrays["label_place"]
        if n_classes == 2 and self._n_values_of_two == 1 and places.shape[1] > 1:
            places[:, :2] = places[:, 1::-1]  # the one input so far was 1 for the second class
        member = grown_member(self, old.member, self._member_categories(self._kernel))
        self._set_member(self._kernel, member)

    def _extend_around(self, old: LastLabelsKernel) -> bool:
        """Grow by a class without a fresh member; return whether it is known what that would need."""
        kernel = self._kernel_alone(self.n_features_in_, self._n_columns)
        kernel.inherit(old)
        member = grown_member(self, old.member, self._member_categories(kernel))
        needs = member._needs_as_begun()
        if needs is None:
            return False
        kernel.lock, self._kernel, self._member_bytes = old.lock, kernel, None
        self._own_bytes, self._member_needs = bytes_in(kernel.arrays), needs
        self._set_member(kernel, member)
        return True

    def _check_member(self, member: StreamClassifier) -> None:
        check_inputs(self, member, self._member_categories(self._kernel))
