"""Adaptive stacking: learners of different kinds, weighed by logistic regressions that forget."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thalweg._kernels.stacking import StackingKernel
from thalweg._parameters import is_whole, n_threads, real_number, whole_number, wrong
from thalweg._types import Floats, RandomState, State
from thalweg.errors import StateError
from thalweg.learners.base import StreamClassifier
from thalweg.learners.default_members import default_members
from thalweg.learners.ensemble import Ensemble
from thalweg.learners.last_labels import LastLabels
from thalweg.learners.member_list import Members, as_members
from thalweg.learners.one_hot import n_widened

MOST_STACKERS, MOST_WAITING = 100, 1_000_000
FORGETTING_OF_NOISE = 0.999


class AdaptiveStacking(Ensemble):
    """AdaptiveStacking: learners of different kinds, weighed by how much each tells beyond the others.

    The learner to reach for first. No family of learners is best on every stream: forests, boosting, logistic
    regression, neighbours, or the last labels alone. Logistic regressions on the members' probabilities find
    out what to trust, each with a forgetting of its own, and a mixture of them finds out how fast to forget;
    the members are in the mixture by themselves too, for the first rows after an abrupt change.
    Its probabilities are calibrated even where the members' are not. It costs as much as its members
    together; where that is too slow, use `LogisticMixture`.

    Where labels come late, call `observe` for each row when it is predicted: the weights then follow what the
    members said at that time. The evaluation does so by itself.

    Memory: that of its M members, and with S logistic regressions and K classes 30 kB + 8 M (S M + S + 300)
    bytes; for each row that waits for its label 8 ((M + S + 2) K + 4) bytes, for up to twice as many rows as
    wait, and what its members keep.

    Parameters
    ----------
    members : list of learners, default=None
        What is weighed, of any kinds. None is for a set of nine or eleven, by the number of inputs; see
        docs/stacking.md.
    forgetting : sequence of float, default=(0.99, 0.999, 0.9999, 1.0)
        Factors by which the logistic regressions fade what they know with every row; one for each of them.
    noise : sequence of float, default=(0.2, 0.4)
        For each, one logistic regression more, with the forgetting 0.999, that takes such a share of the
        labels for pure chance: where labels are wrong, members are not judged by these.
    switching : float, default=0.001
        Chance, row by row, that another of them, or a member by itself, becomes the best.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.
    n_jobs : int or None, default=1
        Threads; -1 for all cores, -2 for all but one. The result is the same.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members.
    member_names_ : list of str
        Their names.
    weights_ : ndarray
        Weights of the members' log-probabilities, averaged over the logistic regressions.
    shares_ : ndarray
        What part of the recent answers is due to each member; sums to 1.
    trust_ : ndarray
        Shares in the answer: of each member by itself, in their order, then of each logistic regression, in
        the order of `forgetting` and `noise`; sums to 1.
    history_ : dict of arrays
        Weights and sizes of the members over time, bounded; drawn by `plot_history`.

    References
    ----------
    D. Wolpert. Stacked generalization. Neural Networks 5, 1992.
    M. Herbster, M. Warmuth. Tracking the best expert. Machine Learning 32, 1998.
    F. Chu, Y. Wang, C. Zaniolo. An adaptive learning approach for noisy data streams. ICDM 2004.

    Examples
    --------
    >>> from thalweg.learners import AdaptiveStacking
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> learner = AdaptiveStacking().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.89
    """

    _list_name = "members"
    observes = True
    _width = 0  # inputs for which the default members were chosen

    def __init__(
        self,
        members: Members = None,
        forgetting: Sequence[float] = (0.99, 0.999, 0.9999, 1.0),
        noise: Sequence[float] = (0.2, 0.4),
        switching: float = 0.001,
        max_waiting: int = 10_000,
        n_jobs: int | None = 1,
        random_state: RandomState = 1,
    ) -> None:
        self.members = members
        self.forgetting = forgetting
        self.noise = noise
        self.switching = switching
        self.max_waiting = max_waiting
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def weights_(self) -> Floats:
        """The members' weights, averaged over the logistic regressions by their trust."""
        self._check_begun()
        with self._lock.read:
            return self._kernel.numbers()

    @property
    def shares_(self) -> Floats:
        """What part of the recent answers is due to each member, by how far it moved the answer."""
        self._check_begun()
        with self._lock.read:
            return self._shares()

    def _shares(self) -> Floats:
        part = np.maximum(self._kernel.arrays["part"], 0.0)
        return part / part.sum() if part.sum() > 0 else np.full(len(part), 1.0 / len(part))

    def _votes(self) -> Floats:
        return self._shares()

    @property
    def trust_(self) -> Floats:
        """Shares in the answer: of each member by itself, then of each logistic regression."""
        self._check_begun()
        with self._lock.read:
            return self._kernel.arrays["rate_trust"] @ self._kernel.arrays["trust"]

    @property
    def member_names_(self) -> list[str]:
        """The members' names in plain words, such as "BOLE + last label"."""
        return [_name(member) for member in self.members_]

    def describe(self, most: int = 4) -> str:
        """Return in words which members carry the answer now, the first few of them."""
        shares, names = self.shares_, self.member_names_
        order = np.argsort(-shares, kind="stable")[:most]
        return ", ".join(f"{names[m]} {100 * shares[m]:.0f} %" for m in order)

    def _templates(self) -> list[StreamClassifier]:
        if self.members is None:
            return default_members(self._width)
        return as_members(self, self.members, "members")

    def _begin(self, n_features: int, n_classes: int, seed: int | None = None) -> None:
        # The default members are chosen once, for the inputs of `begin` or of the first row: those that
        # come later change nothing.
        if seed is None or not self._width:
            self._width = n_widened(self.n_categories_) if self._names.n_features else 0
        super()._begin(n_features, n_classes, seed)

    def _state(self) -> State:
        return super()._state() | {"width": self._width}

    def _check_size(self, memory: dict[str, Any]) -> None:
        # Which default members there are depends on the inputs, which this learner does not know before
        # `_begin`: the state says which were chosen.
        width = memory["width"]
        if not is_whole(width) or width < 0:
            raise StateError(f"{self._who}: the state's width must be a whole number, got {width!r}")
        self._width = int(width)
        super()._check_size(memory)

    def _restore(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        width = int(memory.pop("width"))
        if width != self._width:
            self._width = width
            self._begin_again()
        super()._restore(memory)

    def _n_members(self) -> int:
        return len(self._templates())

    def _make_kernel(self, n_features: int, n_classes: int) -> Any:
        decays = self._numbers("forgetting", self.forgetting, 1, above=0, most=1)
        noises = self._numbers("noise", self.noise, 0, least=0, below=1)
        kernel = StackingKernel(
            self._who,
            n_features,
            n_classes,
            len(self._made_from),
            [*decays, *[FORGETTING_OF_NOISE] * len(noises)],
            [*[0.0] * len(decays), *noises],
            real_number(self, "switching", self.switching, least=0, below=1),
            whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING),
            n_threads(self, self.n_jobs),
            self._build,
        )
        kernel.build_members(len(self._made_from))
        return kernel

    def _numbers(self, name: str, value: Sequence[float], n_least: int, **bounds: float) -> list[float]:
        try:
            numbers = list(value)
        except TypeError:
            raise wrong(self, name, "a sequence of numbers", value) from None
        if not n_least <= len(numbers) <= MOST_STACKERS:
            raise wrong(self, name, f"a sequence of {n_least} to {MOST_STACKERS} numbers", value)
        return [real_number(self, f"each number of {name}", each, **bounds) for each in numbers]

    def _observe(self, X: Floats) -> None:
        self._kernel.observe(X)


def _name(member: object) -> str:
    # "BOLE + last label" for LastLabels(BOLE()), "DriftReset(BOLE)" for a learner inside another.
    inner, own = getattr(member, "member", None), type(member).__name__
    if isinstance(member, LastLabels):
        n = "last label" if member.n == 1 else f"last {member.n} labels"
        return f"{_name(member.member_)} + {n}"
    return f"{own}({type(inner).__name__})" if hasattr(inner, "get_params") else own
