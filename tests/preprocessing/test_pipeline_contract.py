"""Pipelines of many kinds keep the contract of learners, and are classifiers of scikit-learn."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from support.excuses import passes_unless_excused

from thalweg.checks.learner import CHECKS
from thalweg.learners import (
    AdaptiveLogistic,
    HoeffdingTree,
    LastLabels,
    LogisticMixture,
    NaiveBayes,
    NearestNeighbours,
    OnlineBagging,
)
from thalweg.preprocessing import (
    Dates,
    FeatureHasher,
    Imputer,
    OneHotEncoder,
    OrdinalEncoder,
    Pipeline,
    StandardScaler,
    make_pipeline,
)

BY_ROWS = "statistics and windows count rows"
NEVER_FORGETS = "never forgets"
PIPELINES = {
    "default": (Pipeline(), {"recovers_after_a_drift": NEVER_FORGETS}),
    "scaled neighbours": (
        Pipeline([StandardScaler(decay=0.999)], NearestNeighbours(window=300)),
        {"weight_two_is_the_row_twice": BY_ROWS},
    ),
    "flags and scales": (
        make_pipeline(Imputer("flag"), StandardScaler(), LogisticMixture()),
        {"weight_two_is_the_row_twice": BY_ROWS},
    ),
    "codes": (
        make_pipeline(OneHotEncoder(columns=[0], max_categories=4), OrdinalEncoder([5]), NaiveBayes()),
        {
            "recovers_after_a_drift": NEVER_FORGETS,
            "weight_two_is_the_row_twice": BY_ROWS,
            "learns_an_easy_stream": "two of the three numbers are taken for categories",
            "fit_does_not_look_at_the_order": "two of the three numbers are taken for categories",
            "frozen_answers_need_no_labels": "two of the three numbers are taken for categories",
        },
    ),
    "hashed": (
        make_pipeline(FeatureHasher(12, alternate_sign=False), HoeffdingTree()),
        {"recovers_after_a_drift": NEVER_FORGETS},
    ),
    "dates": (
        make_pipeline(Dates(columns=[0]), StandardScaler(), Imputer("last"), AdaptiveLogistic()),
        {"weight_two_is_the_row_twice": BY_ROWS},
    ),
    "labels": (
        make_pipeline(StandardScaler(), LastLabels(n=2), Imputer(), NaiveBayes()),
        {
            "recovers_after_a_drift": NEVER_FORGETS,
            "weight_two_is_the_row_twice": "labels follow each other",
            "frozen_answers_need_no_labels": "it relies on the last labels",
        },
    ),
    "in an ensemble": (
        OnlineBagging(make_pipeline(StandardScaler(), NaiveBayes()), n_members=3),
        {"recovers_after_a_drift": NEVER_FORGETS, "weight_two_is_the_row_twice": "weights are drawn"},
    ),
    "around an ensemble": (
        make_pipeline(Imputer("flag"), OnlineBagging(NaiveBayes(), n_members=3)),
        {"recovers_after_a_drift": NEVER_FORGETS, "weight_two_is_the_row_twice": "weights are drawn"},
    ),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", list(PIPELINES))
def test_a_pipeline_keeps_the_contract(name, check):
    learner, excused = PIPELINES[name]
    passes_unless_excused(learner, check, excused)


@parametrize_with_checks(
    [Pipeline(), make_pipeline(Imputer("flag"), StandardScaler(), NaiveBayes())],
    expected_failed_checks=lambda learner: (
        {"check_sample_weight_equivalence_on_dense_data": BY_ROWS} if learner.steps else {}
    ),
)
def test_scikit_learns_checks(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else its checks of other libraries' arrays are skipped
    check(estimator)
