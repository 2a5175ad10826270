"""What learners around a learner share: their first parameter, and how they make, grow and check its copy."""

from typing import Any

from thalweg._parameters import instance_of
from thalweg._types import Floats
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of
from thalweg.learners.base.member_state import check_inputs
from thalweg.learners.base.one_member import OneMember
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.bayes.naive_bayes import NaiveBayes


class AroundLearner(HasImportance, OneMember):
    """A learner with the parameter `learner`, which sees its rows as they are.

    A subclass returns a kernel without its member from `_new_kernel`.
    """

    learner: StreamClassifier | None
    _member_parameter = "learner"

    @property
    def learner_(self) -> StreamClassifier:
        """The learner as it is now."""
        return self._current_member()

    @property
    def expands_categories(self) -> bool:
        """Whether the learner makes inputs of categories."""
        return self._template().expands_categories

    def _importance(self) -> Floats | None:
        return importance_of(self._kernel.member)

    def _template(self) -> StreamClassifier:
        if self.learner is None:
            return self._one_default(NaiveBayes)
        return instance_of(self, "learner", self.learner, StreamClassifier, "a learner such as NaiveBayes()")

    def _new_kernel(self, n_features: int, n_classes: int) -> Any:
        """Return a kernel for so many inputs and classes; its member is set later."""
        raise NotImplementedError

    def _make_kernel(self, n_features: int, n_classes: int) -> Any:
        kernel = self._new_kernel(n_features, n_classes)
        self._set_member(kernel, self._begun_member(self._template(), self._seeds, self.n_categories_))
        return kernel

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        self._begin_to_grow()
        self._kernel.inherit(old)
        self._set_member(self._kernel, grown_member(self, old.member))

    def _check_member(self, member: StreamClassifier) -> None:
        check_inputs(self, member, self.n_categories_)
