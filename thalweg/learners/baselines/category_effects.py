"""Any learner with the effects of categories as numbers, where an input has many categories."""

from typing import Any

import numpy as np

from thalweg._parameters import real_number, whole_number
from thalweg._types import Floats, Ints
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of
from thalweg.learners.base.member_list import as_member
from thalweg.learners.base.member_state import check_inputs
from thalweg.learners.base.one_member import OneMember
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines._native.category_effects import CategoryEffectsKernel
from thalweg.learners.baselines.last_labels import MOST_WAITING
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree

MOST_CATEGORIES = 1_000_000


class CategoryEffects(HasImportance, OneMember):
    """CategoryEffects: a learner that sees numbers instead of inputs with many categories.

    Helps where inputs have tens or hundreds of categories, such as shops, airports or teams: trees that
    branch by them, or coefficients for each, are slow and large, and learn little about each. A logistic
    regression on those inputs alone learns what each category adds to the log-odds of the classes, forgetting
    slowly, and the member sees these effects: one number for two classes, K - 1 for K. Each is learned beside
    those of the row's other categories, so that a team is judged by whom it plays against. Inputs with few
    categories stay as they are; where no input has many, the learner is its member. It fails where a category
    counts only together with other inputs, which effects cannot tell.

    Call `observe` for rows whose labels come later: they are then learned with the effects that were known
    when they were observed. The evaluation does so by itself.

    Memory: the member; for each category of the encoded inputs two numbers a class; and what stands in place
    of the categories for each row that waits for its label.

    Parameters
    ----------
    member : learner, default=None
        What learns; `HoeffdingTree()` if None.
    min_categories : int, default=17
        Inputs that began with at least so many categories are encoded; text in dict rows counts as 16.
    prior : float, default=4.0
        Information before the first row of a category: the larger, the longer its effect stays near 0.
    decay : float, default=0.995
        Factor by which the information about a category fades with each of its rows.
    max_categories : int, default=10000
        Most categories of an input that have effects of their own; later ones share those of others.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Attributes
    ----------
    encoded_ : ndarray of int
        The inputs that are encoded.
    effects_ : ndarray
        Effects of shape (categories, encoded inputs, classes): what a category adds to the class's score.
    importance_ : ndarray
        How much each input counts, if the member is made of trees.
    member_ : learner
        The member. Its inputs are those that are not encoded, then the effects of the others.

    References
    ----------
    D. Micci-Barreca. A preprocessing scheme for high-cardinality categorical attributes in classification and
    prediction problems. SIGKDD Explorations 3, 2001. L. Prokhorenkova et al. CatBoost: unbiased boosting with
    categorical features. NeurIPS, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.learners import CategoryEffects, LeveragingBagging
    >>> rng = np.random.default_rng(1)
    >>> X, strength = rng.integers(300, size=(5000, 2)), rng.normal(size=300)
    >>> y = strength[X[:, 0]] - strength[X[:, 1]] + rng.logistic(size=5000) / 2 > 0
    >>> for learner in (LeveragingBagging(), CategoryEffects(LeveragingBagging())):
    ...     p = learner.begin(2, [False, True], n_categories=[300, 300]).test_then_train(X, y)
    ...     print(round(float((p.argmax(axis=1) == y).mean()), 2))
    0.66
    0.72
    """

    _kernel: CategoryEffectsKernel
    observes = True

    def __init__(
        self,
        member: StreamClassifier | None = None,
        min_categories: int = 17,
        *,
        prior: float = 4.0,
        decay: float = 0.995,
        max_categories: int = 10_000,
        max_waiting: int = 10_000,
    ) -> None:
        self.member = member
        self.min_categories = min_categories
        self.prior = prior
        self.decay = decay
        self.max_categories = max_categories
        self.max_waiting = max_waiting

    @property
    def member_(self) -> StreamClassifier:
        """The member as it is now."""
        return self._current_member()

    @property
    def encoded_(self) -> Ints:
        """The inputs that are encoded."""
        with self._reading:
            return self._kernel.arrays["encoded"].copy()

    @property
    def effects_(self) -> Floats:
        """Effects of the categories, of shape (categories, encoded inputs, classes)."""
        with self._reading:
            return self._kernel.arrays["effects"][1:].copy()

    def _importance(self) -> Floats | None:
        found = importance_of(self._kernel.member)
        if found is None:
            return None
        arrays = self._kernel.arrays
        places, total = arrays["input_place"], np.zeros(self.n_features_in_)
        total[places >= 0] = found[places[places >= 0]]
        total[arrays["encoded"]] = found[arrays["value_place"]].sum(axis=1)
        return total

    def member_input_names(self) -> list[Any]:
        """Return the names of the inputs of `member_`; all effects of an input have its name."""
        arrays, given = self._kernel.arrays, self.given_names()
        places, effects = arrays["input_place"], arrays["value_place"]
        names: list[Any] = [None] * self._width(self._kernel)
        for j, place in enumerate(places.tolist()):
            if place >= 0:
                names[place] = given[j]
        for j, row in zip(arrays["encoded"].tolist(), effects.tolist(), strict=True):
            for place in row:
                names[place] = given[j]
        return names

    def _template(self) -> StreamClassifier:
        return self._one_default(HoeffdingTree) if self.member is None else as_member(self, self.member)

    def _make_kernel(self, n_features: int, n_classes: int) -> CategoryEffectsKernel:
        least = whole_number(self, "min_categories", self.min_categories, 1, MOST_CATEGORIES)
        encoded = np.flatnonzero(self.n_categories_ >= least)
        kernel = CategoryEffectsKernel(
            self._who,
            n_features,
            n_classes,
            encoded,
            self.n_categories_[encoded].tolist(),
            whole_number(self, "max_categories", self.max_categories, 1, MOST_CATEGORIES),
            real_number(self, "prior", self.prior, above=0, most=1e6),
            real_number(self, "decay", self.decay, above=0, most=1),
            whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING),
        )
        n_categories = self._member_categories(kernel)
        self._set_member(kernel, self._begun_member(self._template(), self._seeds, n_categories))
        return kernel

    def _width(self, kernel: Any) -> int:
        places = kernel.arrays["input_place"]
        return int((places >= 0).sum()) + kernel.arrays["value_place"].size

    def _member_categories(self, kernel: Any) -> Ints:
        places = kernel.arrays["input_place"]
        if self._names.n_features:
            self._check_named_inputs(self._template(), places)
        categories = np.zeros(self._width(kernel), dtype=np.intp)
        categories[places[places >= 0]] = self.n_categories_[places >= 0]
        return categories

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        self._begin_to_grow()
        self._kernel.inherit(old)
        member = grown_member(self, old.member, self._member_categories(self._kernel))
        self._set_member(self._kernel, member)

    def _check_member(self, member: StreamClassifier) -> None:
        check_inputs(self, member, self._member_categories(self._kernel))
