"""Adaptive stacking: learners of different kinds, weighed by logistic regressions that forget."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from thalweg._parameters import n_threads, one_of, real_number, whole_number, wrong
from thalweg._types import Floats, Ints, RandomState, State
from thalweg.learners.base.default_templates import template_of
from thalweg.learners.base.first_rows import N_COUNTED
from thalweg.learners.base.member_list import Members, as_members
from thalweg.learners.base.memory_limit import MOST_BYTES
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines.category_effects import CategoryEffects
from thalweg.learners.baselines.label_chain import LabelChain
from thalweg.learners.baselines.last_labels import LastLabels
from thalweg.learners.baselines.trivial import MajorityClass, NoChange
from thalweg.learners.stacking._native.adaptive_stacking import StackingKernel
from thalweg.learners.stacking.chosen_members import Chosen, largest
from thalweg.learners.stacking.default_members import (
    SIZES,
    Size,
    chosen_width,
    default_members,
    is_small,
    is_trivial,
    members_of_many_inputs,
    uses_labels,
    with_effects,
)
from thalweg.learners.stacking.wide_ensemble import WideEnsemble

MOST_STACKERS, MOST_WAITING = 100, 1_000_000
DECAY_OF_NOISE = 0.999


MOSTLY = 0.75  # share of members that see past labels alone from which others answer, if it is frozen


class AdaptiveStacking(WideEnsemble):
    """Stacks learners of different kinds by logistic regressions that forget, on their log-probabilities.

    The learner to reach for first. No family of learners is best on every stream: forests, boosting, logistic
    regression, neighbours, or the last labels alone. Logistic regressions on the members' probabilities find
    out what to trust, each with a forgetting of its own, and a mixture of them finds out how fast to forget;
    the members are in the mixture by themselves too, for the first rows after an abrupt change.
    Its probabilities are calibrated even where the members' are not. It costs as much as its members
    together: where `"large"` is too slow, choose another `size`.

    Trivial members (`NoChange`, `MajorityClass`, `LabelChain()`) are in the mixture, but not in the
    regressions. Where one of them and the mixture name different classes, the one that was right more often
    in such rows is followed: what is best by log-loss is not always right most often. The probabilities
    change as little as that takes. Longer chains of labels (`LabelChain(order=3)`) are weighed in the
    regressions, and followed in the same way before the trivial members are.

    Where labels come late, call `observe` for each row when it is predicted: the weights then follow what the
    members said at that time. The evaluation does so by itself.

    Takes SciPy's sparse rows too. With more than 256 inputs, `LinearLogistic` and `MultinomialNaiveBayes`, of
    which two are among the default members then, see all of them, and the others a dense row: declared
    categories, numbers beside the words of a text, and 256 places in which the other inputs are added up,
    input j in place j % 256. The same rows in full give the same answers.

    Memory: `max_bytes`, shared out among the members. Each gets what it needs to begin with; the rest goes to
    trees, in equal parts, which keep within them as `HoeffdingTree` does. Default members for which there is
    no room are left out from the start; where classes or inputs come later, the largest give way to
    `MajorityClass`. Not bounded are windows, matrices and whatever else members of your own keep: it is
    counted as they begin. On top come rows that wait for their labels, with S logistic regressions, M members
    and K classes 8 ((M + S + 2) K + 6) bytes each for up to twice as many rows as wait, and what the members
    keep of these.

    Parameters
    ----------
    members : list of learners, default=None
        What is weighed, of any kinds. None is for those of `size`; see docs/stacking.md.
    decays : sequence of float, default=(0.99, 0.999, 0.9999, 1.0)
        Factors by which the logistic regressions fade what they know with every row; one for each of them.
    size : {"small", "medium", "large"}, default="large"
        Which members there are if none are given. The small set is for fast streams and for many models at
        once; the medium one is nearly as accurate as the large one.
    noise : sequence of float, default=(0.2, 0.4)
        For each, one logistic regression more, with the decay 0.999, that takes such a share of the
        labels for pure chance: where labels are wrong, members are not judged by these.
    switching : float, default=0.001
        Chance, row by row, that another of them, or a member by itself, becomes the best.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.
    max_bytes : int or None, default=67108864
        Bound on the memory of all members together; None leaves each to its own.
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
        Weights of the members' log-probabilities, averaged over the logistic regressions, and their trust by
        themselves, which is all that trivial members have.
    shares_ : ndarray
        What part of the recent answers is due to each member; sums to 1.
    trust_ : ndarray
        Shares in the answer: of each member by itself, in their order, then of each logistic regression, in
        the order of `decays` and `noise`; sums to 1.
    n_bytes_ : int
        Bytes of memory, including rows of arrays held in reserve.
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

    _list_name = _member_parameter = "members"
    _extends = True
    observes = True
    _n_spares = 0
    _chosen = Chosen()
    _was_chosen: Chosen | None = None  # what a state says, until `_begin`

    def __init__(
        self,
        members: Members = None,
        decays: Sequence[float] = (0.99, 0.999, 0.9999, 1.0),
        *,
        size: Size = "large",
        noise: Sequence[float] = (0.2, 0.4),
        switching: float = 0.001,
        max_waiting: int = 10_000,
        max_bytes: int | None = 67108864,
        n_jobs: int | None = 1,
        random_state: RandomState = 1,
    ) -> None:
        self.members = members
        self.decays = decays
        self.size = size
        self.noise = noise
        self.switching = switching
        self.max_waiting = max_waiting
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def weights_(self) -> Floats:
        """The members' weights, averaged over the logistic regressions by their trust."""
        with self._reading:
            return self._kernel.numbers()

    @property
    def shares_(self) -> Floats:
        """Share of each member in recent predictions, by how far it moved them."""
        with self._reading:
            return self._shares()

    def _shares(self) -> Floats:
        part = np.maximum(self._kernel.arrays["part"], 0.0)
        return part / part.sum() if part.sum() > 0 else np.full(len(part), 1.0 / len(part))

    def _votes(self) -> Floats:
        return self._shares()

    @property
    def trust_(self) -> Floats:
        """Shares in the prediction: of each member by itself, then of each logistic regression."""
        with self._reading:
            return self._kernel.arrays["rate_trust"] @ self._kernel.arrays["trust"]

    @property
    def n_bytes_(self) -> int:
        """Bytes of memory, including rows of arrays held in reserve."""
        with self._reading:
            return self._kernel.bytes + (0 if self._waiting is None else self._waiting.bytes)

    @property
    def member_names_(self) -> list[str]:
        """The members' names in plain words, such as "BOLE + last label"."""
        return [_name(member) for member in self.members_]

    def describe(self, most: int = 4) -> str:
        """Return text that names the members behind recent predictions, the largest shares first."""
        shares, names = self.shares_, self.member_names_
        order = np.argsort(-shares, kind="stable")[:most]
        return ", ".join(f"{names[m]} {100 * shares[m]:.0f} %" for m in order)

    def _templates(self) -> list[StreamClassifier]:
        members = self._given_members()
        return [MajorityClass() if m in self._chosen.retired else each for m, each in enumerate(members)]

    def _given_members(self) -> list[StreamClassifier]:
        """Return the members, those that became too large included."""
        if self.members is None:
            return self._default(self._present_defaults)
        return as_members(self, self.members, "members")

    def _present_defaults(self) -> list[StreamClassifier]:
        size = one_of(self, "size", self.size, SIZES)
        members = default_members(self._chosen.width, cast(Size, size), self._checked_bytes())
        members += members_of_many_inputs() if self._folds else []
        members = with_effects(members, self._folds) if self._chosen.n_large else members
        return [each for i, each in enumerate(members) if i not in self._chosen.dropped]

    def _default_templates(self) -> list[StreamClassifier]:
        # Before the inputs are known, members are not chosen.
        return self._given_members() if self.members is None and self._begun and self._chosen.is_made else []

    def _templates_in(self, memory: State) -> list[StreamClassifier] | None:
        return [template_of(each) for each in memory["members"]] if memory["width"] else None

    def _begin(self, n_features: int, n_classes: int, seed: int | None = None) -> None:
        # Members are chosen once, for the inputs of `begin` or of the first row: those that come later can
        # only make some of them too large.
        is_first = seed is None or (not self._chosen.is_made and self._names.n_features > 0)
        restored, self._was_chosen = self._was_chosen, None
        if seed is None:
            self._set_folding()
        if restored is not None:
            self._chosen = restored
        elif is_first:
            width = chosen_width(self._categories(None), n_classes) if self._names.n_features else (0, 0)
            self._chosen = Chosen(*width)
        if seed is None:
            self._most_bytes = self._checked_bytes()
        super()._begin(n_features, n_classes, seed)
        while restored is None and self._choose_fewer(is_first):
            super()._begin(n_features, n_classes, self._seed)

    def _extend(self, firsts: list[Any], members: list[Any], kernels: list[Any]) -> bool:
        if not self._chosen.is_made or not super()._extend(firsts, members, kernels):
            return False
        most = self._checked_bytes()
        return most is None or self._needs().least <= most

    def _can_reset(self, member: StreamClassifier, seeded: list[str]) -> bool:
        return False  # no member is ever replaced, so none keeps how it began

    def _checked_bytes(self) -> int | None:
        if self.max_bytes is None:
            return None
        return whole_number(self, "max_bytes", self.max_bytes, 1, MOST_BYTES)

    def _choose_fewer(self, is_first: bool) -> bool:
        """Leave out the largest members if all of them need more memory than `max_bytes`; return whether.

        What an owner allows is for the sizes before: it is divided again when all members have grown.
        """
        least, most = self._needs().least, self._checked_bytes()
        if most is None or least <= most:
            return False
        needs = [each.least for each in self._member_needs]
        may_go = [not is_small(each) for each in self._made_from]
        too_large = largest(needs, least - most, may_go)
        if is_first and self.members is None:
            least -= sum(needs[m] for m in too_large)
        if is_first and least > most:
            shape = f"{self.n_features_in_:,} inputs and {self._n_columns:,} classes"
            wanted = f"None or a whole number of at least {least} (for these members, {shape})"
            raise wrong(self, "max_bytes", wanted, self.max_bytes)
        if too_large:
            self._chosen = self._chosen.without(too_large, is_first)
        return bool(too_large)

    def _grown(self, slot: int, member: StreamClassifier, n_categories: Ints) -> StreamClassifier:
        if type(member) is not type(self._made_from[slot]):
            return self._kernel.members[slot]
        return super()._grown(slot, member, n_categories)

    def _state(self) -> State:
        return super()._state() | self._chosen.state()

    def _check_size(self, memory: dict[str, Any]) -> None:
        # Which members there are depends on the inputs, which this learner does not know before `_begin`:
        # the state says which were chosen.
        self._was_chosen = self._chosen = Chosen.from_state(memory, self._who)
        super()._check_size(memory)

    def _restore(self, memory: dict[str, Any]) -> None:
        known = {name: value for name, value in memory.items() if name not in Chosen._fields}
        # Earlier releases did not follow longer chains of labels, nor count labels.
        earlier = {"chain_right": np.zeros_like(self._kernel.arrays["chain_right"])}
        earlier["heard"] = np.full_like(self._kernel.arrays["heard"], N_COUNTED)
        for name in ("free_weights", "free_inverse", "frozen"):
            earlier[name] = self._kernel.arrays[name]
        super()._restore(earlier | known)

    def _n_members(self) -> int:
        return len(self._templates())

    def _make_kernel(self, n_features: int, n_classes: int) -> StackingKernel:
        decays = self._numbers("decays", self.decays, 1, above=0, most=1)
        noises = self._numbers("noise", self.noise, 0, least=0, below=1)
        kernel = StackingKernel(
            self._who,
            n_features,
            n_classes,
            self._trivial_members(),
            [isinstance(each, LabelChain) and each.order not in (0, 1) for each in self._given_members()],
            [not is_trivial(each) and not uses_labels(each) for each in self._given_members()],
            [*decays, *[DECAY_OF_NOISE] * len(noises)],
            [*[0.0] * len(decays), *noises],
            real_number(self, "switching", self.switching, least=0, below=1),
            whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING),
            n_threads(self, self.n_jobs),
            self._build,
        )
        kernel.build_members(len(self._made_from))
        return kernel

    def _trivial_members(self) -> list[bool]:
        """Return which members are compared with the answer, not weighed in it; not all of them can be."""
        retired = self._chosen.retired  # a state may have MajorityClass() instead of these
        found = [is_trivial(each) and m not in retired for m, each in enumerate(self._given_members())]
        return [False] * len(found) if all(found) else found

    def _freeze(self) -> None:
        super()._freeze()
        of_labels = [isinstance(each, LabelChain | NoChange) for each in self._given_members()]
        self._kernel.arrays["frozen"][:] = self._shares()[of_labels].sum() > MOSTLY

    def _numbers(self, name: str, value: Sequence[float], n_least: int, **bounds: float) -> list[float]:
        try:
            numbers = list(value)
        except TypeError:
            raise wrong(self, name, "a sequence of numbers", value) from None
        if not n_least <= len(numbers) <= MOST_STACKERS:
            raise wrong(self, name, f"a sequence of {n_least} to {MOST_STACKERS} numbers", value)
        return [real_number(self, f"each number of {name}", each, **bounds) for each in numbers]


def _name(member: object) -> str:
    # "BOLE + last label" for LastLabels(BOLE()), "DriftReset(BOLE)" for a learner inside another.
    if isinstance(member, CategoryEffects):
        return _name(member.member_)
    inner, own = getattr(member, "member", None), type(member).__name__
    if isinstance(member, LastLabels):
        n = "last label" if member.n == 1 else f"last {member.n} labels"
        return f"{_name(member.member_)} + {n}"
    if isinstance(member, LabelChain) and member.order != 1:
        return f"{own}(order={member.order})"
    return f"{own}({type(inner).__name__})" if hasattr(inner, "get_params") else own
