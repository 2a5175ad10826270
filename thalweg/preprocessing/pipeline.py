"""A learner behind steps that transform its rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from thalweg._parameters import whole_number, wrong
from thalweg._types import Floats, Ints, State
from thalweg.errors import ParameterError, StateError
from thalweg.learners import HoeffdingTree, LastLabels
from thalweg.learners.base._native.member_view import AdapterKernel
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.member_list import MemberList
from thalweg.learners.base.one_member import OneMember
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines.last_labels import MOST_WAITING
from thalweg.preprocessing._native.pipeline import PipelineKernel
from thalweg.preprocessing.base import Step


class Pipeline(MemberList, OneMember):
    """Pipeline: a learner behind steps that transform its rows.

    A row is transformed with what the steps know before it; then the steps learn it, labelled or only
    observed, and so does the learner, if it is labelled. Predicting changes nothing. A row of any weight
    above 0 counts once for the steps, one of weight 0 not at all. A row that is observed first, because its
    label comes late, is learned as it was transformed then, and counts once.

    The steps may make missing values inputs, or fill them. Those that are left get the running mean if the
    learner cannot handle them.

    Memory: that of the steps and the learner, and a transformed row for each one that waits for its label.

    Parameters
    ----------
    steps : sequence of steps, default=()
        In the order in which rows go through them. The columns of a step are those of what it gets. Steps
        are cloned, without what they have learned.
    learner : learner, default=None
        What learns; `HoeffdingTree()` if None.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Attributes
    ----------
    steps_ : list of steps
        The steps as they are now.
    learner_ : learner
        The learner as it is now. Its inputs are the outputs of the last step.

    Examples
    --------
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.preprocessing import OrdinalEncoder, Pipeline
    >>> learner = Pipeline([OrdinalEncoder(columns=[0])], NaiveBayes()).begin(1, ["no", "yes"])
    >>> for postcode, label in [(1010.0, "no"), (4001.0, "yes"), (8001.0, "no")] * 20:
    ...     learner.learn_one([postcode], label)
    >>> learner.predict_one([4001.0])
    'yes'
    """

    _kernel: PipelineKernel
    takes_missing = True
    _list_name = "steps"
    _member_parameter = "learner"

    def __init__(
        self,
        steps: Sequence[Step] = (),
        learner: StreamClassifier | None = None,
        *,
        max_waiting: int = 10_000,
    ) -> None:
        self.steps = steps
        self.learner = learner
        self.max_waiting = max_waiting

    @property
    def observes(self) -> bool:
        """Whether a step or the learner uses rows without a label."""
        return bool(self.steps) or self._template().observes

    @property
    def steps_(self) -> list[Step]:
        """The steps as they are now."""
        with self._reading:
            return list(self._steps)

    @property
    def learner_(self) -> StreamClassifier:
        """The learner as it is now."""
        return self._current_member()

    def get_feature_names_out(self) -> NDArray[Any]:
        """Return the names of the inputs of `learner_`."""
        with self._reading:
            names = np.array([str(each) for each in self.given_names()], dtype=object)
            for step in self._steps:
                names = step.get_feature_names_out(names)
            return names

    def member_input_names(self) -> list[Any]:
        """Return the names of the inputs of `learner_`."""
        return list(self.get_feature_names_out())

    def _answers(self, p: Floats) -> Ints:
        return self._kernel.member._answers(p)

    def _answer(self, p: Floats) -> int:
        return self._kernel.member._answer(p)

    def _template(self) -> StreamClassifier:
        if self.learner is None:
            return self._one_default(HoeffdingTree)
        if not isinstance(self.learner, StreamClassifier):
            raise wrong(self, "learner", "a learner such as HoeffdingTree()", self.learner)
        return self.learner

    def _begun_steps(self) -> list[Step]:
        if not isinstance(self.steps, list | tuple) or not all(isinstance(each, Step) for each in self.steps):
            raise wrong(self, "steps", "a list of steps such as StandardScaler()", self.steps)
        steps = []
        names: list[Any] = list(self._names)
        names += [None] * (self.n_features_in_ - len(names))
        n_categories = self.n_categories_
        for template in self.steps:
            step = clone(template)
            step._lock = self._own_lock()
            steps.append(step._begin(names, n_categories, self._names.is_open))
            names, n_categories = step._described()
        return steps

    def _make_kernel(self, n_features: int, n_classes: int) -> PipelineKernel:
        most_kept = whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING)
        self._steps = self._begun_steps()
        kernels = [step._kernel for step in self._steps]
        kernel = PipelineKernel(self._who, n_features, n_classes, kernels, most_kept)
        member = self._begun_member(self._template(), self._seeds, self._member_categories())
        self._set_member(kernel, member)
        return kernel

    def _set_member(self, kernel: Any, member: StreamClassifier) -> None:
        if member.takes_missing:
            kernel.set_member(member, member._handle())
            return
        means = member._means  # shared, so that the learner answers alone as it does here
        filling = AdapterKernel(self._who, member._handle(), kernel.width, None, True)
        assert means is not None
        filling.arrays["mean"][:], filling.arrays["count"][:] = means
        member._means = filling.arrays["mean"], filling.arrays["count"]
        kernel.set_member(member, filling)

    def _member_categories(self) -> Ints:
        """Return the numbers of categories of the inputs that come out of the last step."""
        return self._steps[-1]._described()[1] if self._steps else self.n_categories_

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old, steps = self._kernel, self._steps
        self._begin_to_grow()
        if _parameters(steps) != _parameters(self._steps):
            raise ParameterError(f"{self._who}: parameters were changed after it had begun; begin again")
        for step, before in zip(self._kernel.steps, old.steps, strict=True):
            step.inherit(before)
        self._kernel.inherit(old)
        known = old.member.n_categories_  # inputs that come later are numbers to the learner
        n_categories = np.pad(known, (0, self._kernel.width - len(known)))
        self._set_member(self._kernel, grown_member(self, old.member, n_categories))

    def _state(self) -> State:
        return super()._state() | {"steps": [step.state() for step in self._kernel.steps]}

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        given = memory.pop("steps")
        if not isinstance(given, list) or len(given) != len(self._steps):
            raise StateError(f"{self._who}: the state must have {len(self._steps)} steps")
        for step, arrays in zip(self._kernel.steps, given, strict=True):
            step.restore(arrays)
        super()._restore_kernel(memory)


def _parameters(steps: list[Step]) -> list[str]:
    return [f"{type(step).__name__} {step.get_params()}" for step in steps]


def make_pipeline(*steps: Step | StreamClassifier) -> StreamClassifier:
    """Return a Pipeline of the steps and the learner, which is the last argument.

    Parameters
    ----------
    *steps : step or learner
        Steps in the order in which a row passes them, then the learner. `LastLabels()` may be among the
        steps: what comes after it sees the latest labels as further inputs.

    Examples
    --------
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.preprocessing import OneHotEncoder, make_pipeline
    >>> make_pipeline(OneHotEncoder(), NaiveBayes())
    Pipeline(learner=NaiveBayes(), steps=[OneHotEncoder()])
    """
    if not steps or not isinstance(steps[-1], StreamClassifier):
        raise TypeError("make_pipeline: the last argument must be a learner such as HoeffdingTree()")
    for i, step in enumerate(steps[:-1]):
        if isinstance(step, LastLabels) and step.member is None:
            inner = make_pipeline(*steps[i + 1 :])
            return make_pipeline(*steps[:i], clone(step).set_params(member=inner))
        if not isinstance(step, Step):
            raise TypeError(f"make_pipeline: {step!r} is not a step; only the last argument is a learner")
    return Pipeline(list(steps[:-1]), steps[-1]) if len(steps) > 1 else steps[-1]  # type: ignore[arg-type]
