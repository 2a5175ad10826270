"""Any learner made to follow drift: a detector watches its errors, a fresh one takes its place."""

from sklearn.base import clone

from thalweg._kernels.drift_reset import DriftResetKernel
from thalweg._parameters import instance_of, seeds_of
from thalweg.drift import DDM
from thalweg.drift.base import Detector
from thalweg.learners.ensemble import as_member
from thalweg.learners.naive_bayes import NaiveBayes
from thalweg.learners.native import NativeClassifier
from thalweg.learners.seeded import checked_seed
from thalweg.learners.state import from_plain


class DriftReset(NativeClassifier):
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
        the fresh member begin with the row of the alarm.

    Attributes
    ----------
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

    def __init__(self, member=None, detector=None):
        self.member = member
        self.detector = detector

    @property
    def takes_missing(self):
        """Whether the member copes with missing values; if not, it gets the running mean instead."""
        return as_member(self, self._template()).takes_missing

    @property
    def drifts_(self):
        """Numbers of the learned rows that gave an alarm; the latest 1000."""
        self._check_begun()
        return self._kernel.drifts()

    @property
    def n_drifts_(self):
        """Alarms so far."""
        self._check_begun()
        return int(self._kernel.arrays["counts"][1])

    def _template(self):
        return NaiveBayes() if self.member is None else self.member

    def _make_kernel(self, n_features, n_classes):
        detector = DDM() if self.detector is None else self.detector
        instance_of(self, "detector", detector, Detector, "a detector such as DDM()")
        self._watcher = clone(detector).set_params(**seeds_of(detector))
        self._seeds = seeds_of(as_member(self, self._template()))
        self._member = self._first()
        self._other = self._fresh()
        kernel = DriftResetKernel(n_features, n_classes, self._replaced, self._renewed)
        kernel.call(self._member._handle(), self._other._handle(), self._watcher._handle())
        return kernel

    def _first(self):
        self._pristine = None
        member = self._fresh()
        if isinstance(member, NativeClassifier):
            self._pristine = member._state()
        return member

    def _fresh(self, old=None):
        # A native member goes back to its beginning, which is quicker than a new one.
        if old is not None and self._pristine is not None:
            old._restore(self._pristine)
            return old
        member = clone(self._template()).set_params(**self._seeds)
        member._lock = self._lock
        return member._begin_unlocked(self.n_features_in_, self._labels, n_categories=self.n_categories_)

    def _replaced(self, warned):
        if warned:
            self._member, self._other = self._other, self._member
        else:
            self._member = self._fresh(self._member)
        self._other = self._fresh(self._other)
        return self._member._handle(), self._other._handle()

    def _renewed(self):
        self._other = self._fresh(self._other)
        return self._member._handle(), self._other._handle()

    def _observe(self, X):
        self._member._observe(X)

    def _state(self):
        return super()._state() | {
            "member": self._member.state(),
            "other": self._other.state(),
            "detector": self._watcher.state(),
            "seeds": dict(self._seeds),
        }

    def _restore(self, memory):
        super()._restore(memory)
        seeds = {name: checked_seed(memory["seeds"][name], self._who) for name in self._seeds}
        if seeds != self._seeds:
            self._seeds = seeds
            self._first()
        self._member, self._other = from_plain(memory["member"]), from_plain(memory["other"])
        self._watcher = from_plain(memory["detector"])
        self._kernel.call(self._member._handle(), self._other._handle(), self._watcher._handle())
