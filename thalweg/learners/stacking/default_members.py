"""The members of `AdaptiveStacking` where none are named, in three sizes."""

from typing import Literal, get_args

from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines.label_chain import LabelChain
from thalweg.learners.baselines.last_labels import LastLabels
from thalweg.learners.baselines.trivial import MajorityClass, NoChange
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
SMALL = (LabelChain, LinearLogistic, MajorityClass, NaiveBayes, NoChange)  # so small that they always stay


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
