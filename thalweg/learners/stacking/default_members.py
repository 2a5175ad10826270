"""The members of `AdaptiveStacking` where none are named, in three sizes."""

from typing import Literal, get_args

import numpy as np

from thalweg._types import Ints
from thalweg.learners.base.one_hot import n_widened
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines.category_effects import CategoryEffects
from thalweg.learners.baselines.label_chain import LabelChain
from thalweg.learners.baselines.last_labels import LastLabels
from thalweg.learners.baselines.trivial import MajorityClass, NoChange
from thalweg.learners.bayes.multinomial_naive_bayes import MultinomialNaiveBayes
from thalweg.learners.bayes.naive_bayes import NaiveBayes
from thalweg.learners.ensembles.adaptive_random_forest import AdaptiveRandomForest
from thalweg.learners.ensembles.bole import BOLE
from thalweg.learners.ensembles.streaming_random_patches import StreamingRandomPatches
from thalweg.learners.logistic.adaptive_logistic import AdaptiveLogistic
from thalweg.learners.logistic.linear_logistic import LinearLogistic
from thalweg.learners.logistic.logistic_mixture import LogisticMixture
from thalweg.learners.neighbours.neighbour_mixture import NeighbourMixture
from thalweg.learners.trees.hoeffding_adaptive_tree import HoeffdingAdaptiveTree

Size = Literal["small", "medium", "large"]
SIZES: tuple[Size, ...] = get_args(Size)
WIDE = {"small": 30, "medium": 30, "large": 100}  # inputs from which on full matrices are too slow
WINDOWS = {"medium": (200, 1000), "large": (200, 1000, 5000)}
MOST_BYTES = 40_000_000  # of the window of the neighbours
MANY = 17  # categories of an input from which on most members see their effects instead
# So small that they always stay.
SMALL = (LabelChain, LinearLogistic, MajorityClass, MultinomialNaiveBayes, NaiveBayes, NoChange)
# Neither slow nor wide with categories.
AS_GIVEN = (LabelChain, MajorityClass, NaiveBayes, NeighbourMixture, NoChange)


def default_members(
    n_features: int, size: Size = "large", max_bytes: int | None = None
) -> list[StreamClassifier]:
    """Return the learners for rows of so many inputs, categories counted as one each.

    Of `max_bytes`, if they are limited, the window of the neighbours has a quarter at most.
    """
    members: list[StreamClassifier] = [
        NaiveBayes(),
        LabelChain(order=3),
        HoeffdingAdaptiveTree(),
        LinearLogistic(),
    ]
    if n_features <= WIDE[size]:
        members += [LogisticMixture(), AdaptiveLogistic()]
    if size != "small":
        most_bytes = MOST_BYTES if max_bytes is None else min(MOST_BYTES, max_bytes // 4)
        longest = max(min(max(WINDOWS[size]), most_bytes // 8 // max(n_features, 1)), 100)
        n_members = 5 if size == "medium" else 10
        members += [
            LastLabels(AdaptiveRandomForest(n_members=n_members)),
            StreamingRandomPatches(n_members=n_members),
            NeighbourMixture(windows=[min(each, longest) for each in WINDOWS[size]]),
        ]
    if size == "large":
        members += [BOLE()]
    return [*members, NoChange(), LabelChain(), MajorityClass()]


def is_trivial(member: StreamClassifier) -> bool:
    """Return whether a member is one of the three that every evaluation has beside a learner."""
    is_chain = isinstance(member, LabelChain) and member.order == 1
    return is_chain or isinstance(member, NoChange | MajorityClass)


def uses_labels(member: StreamClassifier) -> bool:
    """Return whether a member, or one inside it, uses past labels as inputs."""
    inside = list(member.get_params(deep=False).values())
    inside += [part for each in inside if isinstance(each, list | tuple) for part in each]
    is_one = isinstance(member, LabelChain | LastLabels | NoChange)
    return is_one or any(uses_labels(each) for each in inside if isinstance(each, StreamClassifier))


def chosen_width(n_categories: Ints, n_classes: int) -> tuple[int, int]:
    """Return how many inputs members see if each category is one, and how many inputs have many categories.

    Those with many are as many inputs as `CategoryEffects` makes of them.
    """
    n_large = int((n_categories >= MANY).sum())
    width = n_widened(np.where(n_categories >= MANY, 0, n_categories))
    return width + n_large * max(n_classes - 2, 0), n_large


def with_effects(members: list[StreamClassifier], is_sparse: bool) -> list[StreamClassifier]:
    """Return the members with `CategoryEffects` around those that many categories make slow or large.

    Where rows are sparse, categories cost members that take such rows nothing.
    """
    as_given = (*AS_GIVEN, LinearLogistic, MultinomialNaiveBayes) if is_sparse else AS_GIVEN
    return [each if isinstance(each, as_given) else CategoryEffects(each, MANY) for each in members]


def is_small(member: StreamClassifier) -> bool:
    """Return whether a member, or what it is inside `CategoryEffects`, is so small that it always stays."""
    inner = member.member if isinstance(member, CategoryEffects) else member
    return isinstance(inner, SMALL)


def members_of_many_inputs() -> list[StreamClassifier]:
    """Return the learners besides, where there are so many inputs that others see folded rows."""
    return [MultinomialNaiveBayes(), MultinomialNaiveBayes(decay=0.99)]
