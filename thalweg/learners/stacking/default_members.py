"""The members of `AdaptiveStacking` where none are named."""

from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.baselines.label_chain import LabelChain
from thalweg.learners.baselines.last_labels import LastLabels
from thalweg.learners.baselines.trivial import MajorityClass
from thalweg.learners.bayes.multinomial_naive_bayes import MultinomialNaiveBayes
from thalweg.learners.bayes.naive_bayes import NaiveBayes
from thalweg.learners.ensembles.adaptive_random_forest import AdaptiveRandomForest
from thalweg.learners.ensembles.bole import BOLE
from thalweg.learners.ensembles.leveraging_bagging import LeveragingBagging
from thalweg.learners.ensembles.streaming_random_patches import StreamingRandomPatches
from thalweg.learners.logistic.adaptive_logistic import AdaptiveLogistic
from thalweg.learners.logistic.linear_logistic import LinearLogistic
from thalweg.learners.logistic.logistic_mixture import LogisticMixture
from thalweg.learners.neighbours.neighbour_mixture import NeighbourMixture
from thalweg.learners.trees.hoeffding_adaptive_tree import HoeffdingAdaptiveTree

WIDE = 100  # inputs from which on logistic regression with full matrices is too slow
MOST_BYTES = 40_000_000  # of the window of the neighbours
# so small that they always stay
SMALL = (LabelChain, LinearLogistic, MajorityClass, MultinomialNaiveBayes, NaiveBayes)


def default_members(n_features: int, max_bytes: int | None = None) -> list[StreamClassifier]:
    """Return the learners for rows of so many inputs, categories counted as one each.

    Of `max_bytes`, if they are limited, the window of the neighbours has a quarter at most.
    """
    most_bytes = MOST_BYTES if max_bytes is None else min(MOST_BYTES, max_bytes // 4)
    longest = max(min(5000, most_bytes // 8 // max(n_features, 1)), 100)
    return [
        LastLabels(AdaptiveRandomForest()),
        LastLabels(BOLE()),
        StreamingRandomPatches(),
        LastLabels(LeveragingBagging()),
        NaiveBayes(),
        LabelChain(order=3),
        NeighbourMixture(windows=[min(each, longest) for each in (200, 1000, 5000)]),
        HoeffdingAdaptiveTree(),
        LinearLogistic(),
        *([LogisticMixture(), AdaptiveLogistic()] if n_features <= WIDE else []),
    ]


def members_of_many_inputs() -> list[StreamClassifier]:
    """Return the learners besides, where there are so many inputs that others see folded rows."""
    return [MultinomialNaiveBayes(), MultinomialNaiveBayes(decay=0.99)]
