"""Any learner made to follow drift: a detector watches its errors, a fresh one takes its place."""

from typing import Any

from sklearn.base import clone

from thalweg._parameters import seeds_of
from thalweg._types import Floats, Ints, State
from thalweg.drift import DDM
from thalweg.drift.base import Detector
from thalweg.drift.foreign import as_detector
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of
from thalweg.learners.base.member_list import as_member
from thalweg.learners.base.member_state import check_inputs, check_parameters
from thalweg.learners.base.memory_limit import Needs, bytes_in
from thalweg.learners.base.one_member import OneMember
from thalweg.learners.base.state import from_plain
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.bayes.naive_bayes import NaiveBayes
from thalweg.learners.ensembles._native.drift_reset import DriftResetKernel


class DriftReset(HasImportance, OneMember):
    """DriftReset: a detector watches a member's errors, and at an alarm a fresh member takes over.

    The fresh member learns beside the old one from the detector's warning on. Makes any learner follow abrupt
    drift. What was learned before is lost with every alarm, so false alarms cost, and a drift too slow for
    the detector goes unseen. Runs without the interpreter if member and detector are compiled ones; only the
    change of a member calls it.

    Memory: two members, the detector, and the latest 1000 drifts.

    Parameters
    ----------
    member : learner, default=None
        What learns; `NaiveBayes()` if None.
    detector : detector, default=None
        What watches the errors (losses 0 and 1); `DDM()` if None. One that never warns, such as ADWIN, makes
        the fresh member begin with the row of the alarm. Any object with `update(loss) -> bool` and `reset()`
        will do; a learner with such a detector can be copied and pickled, but not written to a model file.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts, if the member is made of trees (docs/explanations.md).
    drifts_ : ndarray of int
        Numbers of the learned rows that gave an alarm, from 0; the latest 1000.
    n_drifts_ : int
        Alarms so far.

    Notes
    -----
    Follows MOA's DriftDetectionMethodClassifier, but when a warning passes, the member begun with it is
    dropped, as in the paper; MOA keeps it until the next warning, and if an alarm comes without one, that
    outdated member takes over.

    References
    ----------
    J. Gama, P. Medas, G. Castillo, P. Rodrigues. Learning with drift detection. SBIA 2004.

    Examples
    --------
    >>> from thalweg.learners import DriftReset, NaiveBayes
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = DriftReset(NaiveBayes()).begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.drifts_
    (0.87, array([2538, 2589]))
    """

    _kernel: DriftResetKernel
    _saved_detector: Detector | None = None  # of a restored state, if the parameter is None

    def __init__(self, member: StreamClassifier | None = None, detector: Any = None) -> None:
        self.member = member
        self.detector = detector

    @property
    def can_be_saved(self) -> bool:
        """Whether `thalweg.save` can write both the member and the detector."""
        return super().can_be_saved and self._detector_template().can_be_saved

    @property
    def member_(self) -> StreamClassifier:
        """The member as it is now."""
        return self._current_member()

    @property
    def drifts_(self) -> Ints:
        """Numbers of the learned rows that gave an alarm; the latest 1000."""
        with self._reading:
            return self._kernel.drifts()

    @property
    def n_drifts_(self) -> int:
        """Alarms so far."""
        with self._reading:
            return int(self._kernel.arrays["counts"][1])

    @property
    def _rows_learned(self) -> int:
        """How many rows have been learned, as they are counted in `drifts_`."""
        with self._reading:
            return int(self._kernel.arrays["counts"][0])

    def _importance(self) -> Floats | None:
        return importance_of(self._kernel.members[0])

    def _template(self) -> StreamClassifier:
        return self._one_default(NaiveBayes) if self.member is None else as_member(self, self.member)

    def _detector_template(self) -> Detector:
        if self.detector is None:
            return DDM() if self._defaults is None or self._saved_detector is None else self._saved_detector
        return as_detector(self, "detector", self.detector)

    def _restore_defaults(self, state: State) -> None:
        super()._restore_defaults(state)
        if "memory" in state and self.detector is None:
            saved = as_detector(self, "detector", from_plain(state["memory"]["detector"]))
            self._saved_detector = clone(saved)

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        if seeds is None:
            seeds = seeds_of(self._template())
            self._detector_seeds = seeds_of(self._detector_template())
        super()._begin(n_features, n_classes, seeds)
        self._keep_beginning(self._first_members()[0], self._member_needs)

    def _keep_beginning(self, first: Any, needs: Needs) -> None:
        pristine, self._member_needs = self._pristine[0], needs
        self._own_bytes = bytes_in(self._kernel.arrays) + bytes_in(pristine)
        self._fresh: State | None = None if pristine is None else first._beginning(pristine, **self._seeds)

    def _build(self, template: int, slot: int, n_built: int, spare: Any) -> tuple[StreamClassifier, Any]:
        if spare is None or self._fresh is None:
            return super()._build(template, slot, n_built, spare)
        spare._kernel.reset(self._fresh)  # its seeds are the same as ever: this is all, and often needed
        return spare, spare._kernel

    def _make_kernel(self, n_features: int, n_classes: int) -> DriftResetKernel:
        kernel = DriftResetKernel(self._who, n_features, n_classes, self._build)
        if self._extended is not None:  # the detector is that of the kernel before
            return kernel
        detector = clone(self._detector_template()).set_params(**self._detector_seeds)
        _set_parts(kernel, [self._build(0, slot, 0, None)[0] for slot in range(2)], detector)
        return kernel

    def _first_members(self) -> list[Any]:
        return self._held()[:1]

    def _held(self) -> list[Any]:
        return list(self._kernel.members)

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        members = [grown_member(self, member) for member in old.members]
        if n_features != self.n_features_in_ or not self._extend(members[:1], members, members):
            self._begin_to_grow()
        self._kernel.inherit(old)
        _set_parts(self._kernel, members, old.detector)

    def _extend(self, firsts: list[Any], members: list[Any], kernels: list[Any]) -> bool:
        needs = firsts[0]._needs_as_begun()
        if needs is None or not super()._extend(firsts, members, kernels):
            return False
        self._keep_beginning(firsts[0], needs)
        return True

    def _set_member(self, kernel: Any, member: StreamClassifier) -> None:
        _set_parts(kernel, [member, kernel.members[1]], kernel.detector)

    def _state(self) -> State:
        other, detector = self._kernel.members[1], self._kernel.detector
        return super()._state() | {"other": other._state_unlocked(), "detector": detector.state()}

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        other, given = memory.pop("other"), memory.pop("detector")
        super()._restore_kernel(memory)
        detector = clone(self._detector_template()).restore(given)
        if detector.can_be_saved:  # otherwise its one parameter is the object that changes
            check_parameters(self, detector, self._detector_template())
        _set_parts(self._kernel, [self._kernel.members[0], self._restored_member(other)], detector)

    def _check_member(self, member: StreamClassifier) -> None:
        check_inputs(self, member, self.n_categories_)


def _set_parts(kernel: Any, members: list[StreamClassifier], detector: Detector) -> None:
    kernels = [member._handle() for member in members]
    kernel.set_parts(members, kernels, detector, detector._handle())
