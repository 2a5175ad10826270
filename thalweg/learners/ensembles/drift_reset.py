"""Any learner made to follow drift: a detector watches its errors, a fresh one takes its place."""

from collections.abc import Collection
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
from thalweg.learners.base.member_state import check_inputs, check_parameters, restored_member
from thalweg.learners.base.memory_limit import Needs, bytes_in
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.seeded import checked_seed
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.bayes.naive_bayes import NaiveBayes
from thalweg.learners.ensembles._native.drift_reset import DriftResetKernel


class DriftReset(HasImportance, NativeClassifier):
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
    _share: int | None = None  # bytes for each of the two members, if they are limited

    def __init__(self, member: StreamClassifier | None = None, detector: Any = None) -> None:
        self.member = member
        self.detector = detector

    @property
    def takes_missing(self) -> bool:
        """Whether the member copes with missing values; if not, it gets the running mean instead."""
        return as_member(self, self._template()).takes_missing

    @property
    def uses_weights(self) -> bool:
        """Whether weights of rows make a difference to the member."""
        return as_member(self, self._template()).uses_weights

    @property
    def observes(self) -> bool:
        """Whether rows without a label mean anything to the member."""
        return as_member(self, self._template()).observes

    @property
    def can_be_filed(self) -> bool:
        """Whether `thalweg.save` can write both the member and the detector."""
        return as_member(self, self._template()).can_be_filed and self._detector_template().can_be_filed

    @property
    def member_(self) -> StreamClassifier:
        """The member as it is now."""
        self._check_begun()
        with self._lock.read:
            return self._kernel.members[0]

    @property
    def drifts_(self) -> Ints:
        """Numbers of the learned rows that gave an alarm; the latest 1000."""
        self._check_begun()
        with self._lock.read:
            return self._kernel.drifts()

    @property
    def n_drifts_(self) -> int:
        """Alarms so far."""
        self._check_begun()
        with self._lock.read:
            return int(self._kernel.arrays["counts"][1])

    def _importance(self) -> Floats | None:
        return importance_of(self._kernel.members[0])

    def _template(self) -> StreamClassifier:
        return NaiveBayes() if self.member is None else self.member

    def _detector_template(self) -> Detector:
        detector = DDM() if self.detector is None else self.detector
        return as_detector(self, "detector", detector)

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        if seeds is None:
            seeds = seeds_of(as_member(self, self._template()))
            self._detector_seeds = seeds_of(self._detector_template())
        self._seeds, self._share = seeds, None
        super()._begin(n_features, n_classes)
        self._own_bytes = bytes_in(self._kernel.arrays) + bytes_in(self._pristine)
        self._member_needs = self._kernel.members[0]._needs()

    def _make_kernel(self, n_features: int, n_classes: int) -> DriftResetKernel:
        self._pristine = None
        detector = clone(self._detector_template()).set_params(**self._detector_seeds)
        (member, first), (other, second) = self._build(None), self._build(None)
        self._pristine = self._beginning_of(member)
        kernel = DriftResetKernel(self._who, n_features, n_classes, self._build)
        kernel.set_parts([member, other], [first, second], detector, detector._handle())
        return kernel

    def _needs(self) -> Needs:
        return Needs(self._own_bytes + 2 * self._member_needs.least, 2 * self._member_needs.n_growing)

    def _limit_bytes(self, most: int) -> None:
        self._most_bytes = most
        self._share = max(most - self._own_bytes, 0) // 2
        for member in self._kernel.members:
            member._limit_bytes(self._share)

    def _begin_again(self) -> None:
        self._begin(self.n_features_in_, self._n_columns, self._seeds)

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        members = [grown_member(self, member) for member in old.members]
        self._begin_again()
        self._kernel.inherit(old)
        self._set_parts(members, old.detector)

    def _set_parts(self, members: list[StreamClassifier], detector: Detector) -> None:
        kernels = [member._handle() for member in members]
        self._kernel.set_parts(members, kernels, detector, detector._handle())

    def _beginning_of(self, member: StreamClassifier) -> State | None:
        """Return the state to which members like this fresh one can go back, or None if they cannot."""
        if isinstance(member, NativeClassifier) and member._starts_again(self._seeds):
            return member._kernel.beginning()
        return None

    def _build(self, spare: Any) -> tuple[StreamClassifier, Any]:
        """Return a fresh member and its kernel; changes nothing but `spare`, a member not in use, or None."""
        if spare is not None and self._pristine is not None:
            spare._kernel.reset(self._pristine)
            return spare, spare._handle()
        member = clone(self._template()).set_params(**self._seeds)
        member._lock = self._lock
        member._begin_unlocked(self.n_features_in_, self._labels, n_categories=self.n_categories_)
        if self._share is not None:
            member._limit_bytes(self._share)
        return member, member._handle()

    def _starts_again(self, seeds: Collection[str]) -> bool:
        return False

    def _observe(self, X: Floats) -> None:
        self._kernel.observe(X)

    def _state(self) -> State:
        member, other = self._kernel.members
        return super()._state() | {
            "member": member._state_unlocked(),
            "other": other._state_unlocked(),
            "detector": self._kernel.detector.state(),
            "seeds": dict(self._seeds),
        }

    def _restore(self, memory: dict[str, Any]) -> None:
        parts = {name: memory[name] for name in ("member", "other", "detector", "seeds")}
        seeds = {name: checked_seed(parts["seeds"][name], self._who) for name in self._seeds}
        if seeds != self._seeds:
            self._seeds = seeds
            self._begin_again()
        super()._restore({name: value for name, value in memory.items() if name not in parts})
        members = [restored_member(self, self._template(), parts[name]) for name in ("member", "other")]
        for member in members:
            check_inputs(self, member, self.n_categories_)
        detector = clone(self._detector_template()).restore(parts["detector"])
        if detector.can_be_filed:  # otherwise its one parameter is the object that changes
            check_parameters(self, detector, self._detector_template())
        self._set_parts(members, detector)
