"""Every exported learner keeps the stream contract; broken ones are caught."""

import numpy as np
import pytest
from support import every_learner
from support.counting import Counting, NearestMean
from support.excuses import passes_unless_excused

from thalweg import learners, trust
from thalweg.checks.learner import CHECKS, check_learner
from thalweg.checks.shapes import Refused, many_inputs_carry_on
from thalweg.errors import StateError

NO_INPUTS = "looks at no input"
NEVER_FORGETS = "never forgets"
TWO_LEAVES = "two leaves cannot tell three classes apart"
BY_ROWS = "weights count in the information, forgetting and windows go by rows: the row twice fades twice"
BY_BLOCKS = "blocks count rows, and folds are drawn for each row"
DRAWS_WEIGHTS = "each row is learned a random number of times, drawn once whatever its weight"
DRAWN = "draws a random number for each row: the row twice gets two"
STILL_GROWING = "its trees grow beyond 3000 rows; ensembles/test_memory shows the bound"

UNSEEN_MEAN = "the mean of a class without rows is at 0, where others have rows"

NOTHING_LEARNED = {
    "learns_an_easy_stream": NO_INPUTS,
    "recovers_after_a_drift": NO_INPUTS,
    "fit_does_not_look_at_the_order": NO_INPUTS,
    "frozen_answers_need_no_labels": NO_INPUTS,
}

EXCUSED = {
    "MajorityClass": NOTHING_LEARNED,
    "NoChange": NOTHING_LEARNED | {
        "a_mistyped_label_changes_no_answer": "repeats the last label, whatever it is",
    },
    "LabelChain": NOTHING_LEARNED | {
        "weight_two_is_the_row_twice": "the label twice follows itself",
    },
    "LastLabels": {
        "weight_two_is_the_row_twice": "the label twice follows itself",
        "frozen_answers_need_no_labels": "its member relies on the last label",
        "recovers_after_a_drift": NEVER_FORGETS,
    },
    "CategoryEffects": {"recovers_after_a_drift": NEVER_FORGETS},
    "AdaptiveStacking": {"weight_two_is_the_row_twice": BY_ROWS},
    "Calibrated": {"weight_two_is_the_row_twice": BY_ROWS, "recovers_after_a_drift": NEVER_FORGETS},
    "ClassWeights": {
        "weight_two_is_the_row_twice": "the classes are counted and faded row by row",
        "recovers_after_a_drift": NEVER_FORGETS,
    },
    "PredictionSets": {"recovers_after_a_drift": NEVER_FORGETS},
    "DecisionStump": {
        "learns_an_easy_stream": TWO_LEAVES,
        "recovers_after_a_drift": TWO_LEAVES,
        "fit_does_not_look_at_the_order": TWO_LEAVES,
        "frozen_answers_need_no_labels": TWO_LEAVES,
    },
    "RefittingParticleFilter": {
        "a_class_that_never_comes_costs_nothing": "draws more coefficients, and so other random numbers"
    },
    "MultinomialNaiveBayes": {
        "weight_two_is_the_row_twice": "the counts are, but the scales share out their trust row by row"
    },
    "NaiveBayes": {"recovers_after_a_drift": NEVER_FORGETS},
    "HoeffdingTree": {"recovers_after_a_drift": NEVER_FORGETS},
    "OnlineBagging": {"weight_two_is_the_row_twice": DRAWN, "memory_is_bounded": STILL_GROWING},
    "AdwinBagging": {"weight_two_is_the_row_twice": DRAWN, "memory_is_bounded": STILL_GROWING},
    "LeveragingBagging": {"weight_two_is_the_row_twice": DRAWN},
    "OnlineBoost": {"weight_two_is_the_row_twice": DRAWN, "memory_is_bounded": STILL_GROWING},
    "NonstationaryOnlineBoost": {
        "weight_two_is_the_row_twice": DRAWN, "memory_is_bounded": STILL_GROWING,
    },
    "FastLightClassifier": {"weight_two_is_the_row_twice": DRAWN},
    "BOLE": {"weight_two_is_the_row_twice": DRAWN},
    "OnlineCoordinateBoost": {
        "weight_two_is_the_row_twice": "a row takes one place among the first whatever its weight",
        "recovers_after_a_drift": NEVER_FORGETS,
    },
    "IBoost": {"weight_two_is_the_row_twice": "a row takes one place and one step whatever its weight"},
    "LearnPPNSE": {
        "weight_two_is_the_row_twice": "chunks count rows",
        "memory_is_bounded": "has all of its members after 5000 rows",
    },
    "AccuracyWeightedEnsemble": {"weight_two_is_the_row_twice": BY_BLOCKS},
    "FastLightBoost": {"weight_two_is_the_row_twice": BY_BLOCKS},
    "RobustEnsemble": {"weight_two_is_the_row_twice": BY_BLOCKS},
    "AdaptiveRandomForest": {"weight_two_is_the_row_twice": DRAWN},
    "StreamingRandomPatches": {"weight_two_is_the_row_twice": DRAWN, "memory_is_bounded": STILL_GROWING},
    "SlidingHUWRS": {
        "weight_two_is_the_row_twice": "histograms, window and period count rows",
        "memory_is_bounded": "its trees grow beyond 3000 rows; test_huwrs shows the bound of the rest",
    },
    "NearestNeighbours": {"weight_two_is_the_row_twice": "the window and the neighbours count rows"},
    "NeighbourMixture": {"weight_two_is_the_row_twice": "the windows and the neighbours count rows"},
    "AdaptiveLogistic": {"weight_two_is_the_row_twice": BY_ROWS},
    "LogisticMixture": {"weight_two_is_the_row_twice": BY_ROWS},
    "WindowLogistic": {"weight_two_is_the_row_twice": BY_ROWS},
    "LinearLogistic": {"weight_two_is_the_row_twice": "a long step is not two steps; scales go by rows"},
    "HoeffdingOptionTree": {"memory_is_bounded": STILL_GROWING},
    "AdaptiveHoeffdingOptionTree": {"memory_is_bounded": STILL_GROWING},
    "HoeffdingAdaptiveTree": {
        "weight_two_is_the_row_twice": DRAWS_WEIGHTS,
        "recovers_after_a_drift": "round clusters need no split, and a leaf is unwatched without watch_root",
    },
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", list(every_learner.registry))
def test_learner_passes(name, check):
    passes_unless_excused(every_learner.registry.load(name)(), check, EXCUSED.get(name, {}))


STRUCK = "Ctrl-C strikes inside a member written in Python, which then misses the row"
MIXED = {
    "robust on halves": (
        learners.RobustEnsemble(holdout=0.5, chunk_size=200),
        {"weight_two_is_the_row_twice": "the rows that weigh the members are drawn"},
    ),
    "probit": (
        learners.AdaptiveLogistic(link="probit"),
        {"weight_two_is_the_row_twice": BY_ROWS},
    ),
    "probit mixture": (
        learners.LogisticMixture(link="probit"),
        {"weight_two_is_the_row_twice": BY_ROWS},
    ),
    "times": (
        learners.AdaptiveLogistic("adaptive", time_column=1),
        {
            "weight_two_is_the_row_twice": "one long step is not two, and the standardiser counts rows",
            "fit_does_not_look_at_the_order": "rows with times keep their order",
        },
    ),
    "stump by distance": (
        learners.DecisionStump(by_distance=True),
        EXCUSED["DecisionStump"],
    ),
    "particles": (
        learners.ParticleFilter(form=("scaled", "averages", "widening", "vote", "movement", "resizing")),
        {},
    ),
    "times of a mixture": (
        learners.LogisticMixture(time_column=1),
        {
            "weight_two_is_the_row_twice": "one long step is not two, and the standardiser counts rows",
            "fit_does_not_look_at_the_order": "rows with times keep their order",
        },
    ),
    "bagging": (
        learners.OnlineBagging([learners.NaiveBayes(), learners.ParticleFilter(n_particles=50)], n_members=3),
        {"weight_two_is_the_row_twice": DRAWN, "recovers_after_a_drift": NEVER_FORGETS},
    ),
    "with Python": (
        learners.LeveragingBagging((learners.NaiveBayes(), NearestMean()), n_members=None),
        {"weight_two_is_the_row_twice": DRAWN, "interrupts_lose_nothing": STRUCK},
    ),
    "majority": (
        learners.DynamicWeightedMajority(
            [learners.NaiveBayes(), learners.IBoost(n_members=5, window=30), learners.HoeffdingTree()],
            max_members=6,
        ),
        {"weight_two_is_the_row_twice": "IBoost's window counts rows"},
    ),
    "majority of window": (
        learners.DynamicWeightedMajority(
            [learners.NaiveBayes(), learners.HoeffdingTree()], period=10, reduce="always", window=50
        ),
        {},
    ),
    "patches": (
        learners.StreamingRandomPatches(
            [
                learners.HoeffdingTree(grace_period=50),
                learners.ParticleFilter(n_particles=50),
                learners.NearestNeighbours(window=100),
            ],
            n_members=3,
            n_jobs=2,
        ),
        {"weight_two_is_the_row_twice": DRAWN},
    ),
    "blocks": (
        learners.LearnPPNSE([learners.NaiveBayes(), learners.ParticleFilter(n_particles=50)], chunk_size=40),
        {"weight_two_is_the_row_twice": "blocks count rows"},
    ),
    "calibrated with biases": (
        trust.Calibrated(learners.HoeffdingAdaptiveTree(watch_root=True), keep_answers=False),
        {"weight_two_is_the_row_twice": DRAWS_WEIGHTS},
    ),
    "calibrated Python": (
        trust.Calibrated(NearestMean()),
        {
            "weight_two_is_the_row_twice": BY_ROWS,
            "interrupts_lose_nothing": STRUCK,
            "a_mistyped_label_changes_no_answer": UNSEEN_MEAN,
            "a_class_that_never_comes_costs_nothing": UNSEEN_MEAN,
        },
    ),
    "boosting": (
        learners.BOLE([learners.DriftReset(), learners.NearestNeighbours(window=100)], n_members=3),
        {"weight_two_is_the_row_twice": DRAWN},
    ),
}


MIXED_CHECKS = [
    pytest.param(*case, check, id=f"{name}-{check.__name__}")
    for name, case in MIXED.items()
    for check in CHECKS
    if case[1].get(check.__name__) != STRUCK  # it does not strike there every time
]


@pytest.mark.parametrize(("learner", "excused", "check"), MIXED_CHECKS)
def test_an_ensemble_of_different_learners_passes(learner, excused, check):
    passes_unless_excused(learner, check, excused)


class LearnsPerBlock(Counting):
    """Predicts a whole block before it learns any of it."""

    def _learn(self, X, y, w, p):
        self._predict(X, p)
        np.add.at(self._counts, y, w)


class KeepsItsInput(Counting):
    """Holds on to the rows it was given, and looks at them later."""

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        self._last = np.zeros((1, n_features))

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            super()._learn(X[i : i + 1], y[i : i + 1], w[i : i + 1], p[i : i + 1])
            self._last = X[i : i + 1]

    def _predict(self, X, p):
        super()._predict(X, p)
        if self._last[0, 0] < -5:
            p[:] = 1 / p.shape[1]


class PredictMutates(Counting):
    """Counts how often it was asked."""

    def _predict(self, X, p):
        super()._predict(X, p)
        self._counts[0] += 1e-3


class ForgetsItsRandomState(Counting):
    """Draws from a generator that its state does not hold."""

    def _learn(self, X, y, w, p):
        super()._learn(X, y, w, p)
        p += _GENERATOR.random(p.shape)


class GrowsWithoutEnd(Counting):
    """Remembers every row."""

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        self._seen = []

    def _learn(self, X, y, w, p):
        super()._learn(X, y, w, p)
        self._seen.extend(X[w > 0].tolist())


class ChangesItsInput(Counting):
    """Centres the rows where they lie."""

    def _learn(self, X, y, w, p):
        super()._learn(X, y, w, p)
        X -= 1.0


class ForgetsItsWidth(Counting):
    """Chooses its parts by the number of inputs, which its state does not say before it begins."""

    _n_parts = 2

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        self._n_parts = 1 if n_features > 100 else 2

    def _check_size(self, memory):
        if memory["_n_parts"] != self._n_parts:
            raise StateError("ForgetsItsWidth: the state has other parts than the parameters")


class RepeatsTheLastLabel(Counting):
    """Learns the first row of a class whenever it comes, and answers with the last label."""

    keeps_first_rows = False

    def _learn(self, X, y, w, p):
        super()._learn(X, y, w, p)
        self._counts[:] = 0.0
        self._counts[y[-1]] = 1.0


class PrefersTheUnknown(Counting):
    """Answers with a class that has not come yet."""

    def _predict(self, X, p):
        super()._predict(X, p)
        if (self._counts == 0).any() and self._counts.any():
            p[:] = (self._counts == 0) / (self._counts == 0).sum()


class AnswersMasked(Counting):
    """Answers in its own way, with classes that are masked too."""

    def predict_proba_block(self, X):
        p = np.empty((len(X), self._n_columns))
        self._predict(np.asarray(X), p)
        return p


class RefusesManyInputs(Counting):
    """Takes up to ten inputs, and says so."""

    def _begin(self, n_features, n_classes):
        if n_features > 10:
            raise ValueError(f"RefusesManyInputs: takes up to 10 inputs, got {n_features}")
        super()._begin(n_features, n_classes)


class FailsAtManyInputs(Counting):
    """Breaks down where there are more than ten inputs."""

    def _begin(self, n_features, n_classes):
        super()._begin(n_features, n_classes)
        np.zeros(10)[:n_features] += np.zeros(n_features)


_GENERATOR = np.random.default_rng(0)
POOR = (
    "learns_an_easy_stream",
    "recovers_after_a_drift",
    "fit_does_not_look_at_the_order",
    "frozen_answers_need_no_labels",
)


def test_a_right_learner_in_plain_python_passes():
    check_learner(Counting(), excused=POOR)


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (LearnsPerBlock, "blocks_change_nothing"),
        (KeepsItsInput, "inputs_are_not_kept"),
        (PredictMutates, "predict_changes_nothing"),
        (ForgetsItsRandomState, "same_seed_same_result"),
        (GrowsWithoutEnd, "memory_is_bounded"),
        (ChangesItsInput, "inputs_are_not_kept"),
        (ForgetsItsWidth, "many_inputs_carry_on"),
        (FailsAtManyInputs, "many_inputs_carry_on"),
        (Counting, "learns_an_easy_stream"),
        (Counting, "fit_does_not_look_at_the_order"),
        (Counting, "frozen_answers_need_no_labels"),
        (RepeatsTheLastLabel, "a_mistyped_label_changes_no_answer"),
        (PrefersTheUnknown, "a_class_that_never_comes_costs_nothing"),
        (AnswersMasked, "masked_classes_are_never_answered"),
    ],
)
def test_a_broken_learner_is_caught(broken, caught_by):
    others = {check.__name__ for check in CHECKS} - {caught_by}
    with pytest.raises(AssertionError, match=caught_by):
        check_learner(broken(), excused=others)


def test_a_learner_may_refuse_a_shape_and_say_so():
    assert isinstance(many_inputs_carry_on(RefusesManyInputs()), Refused)
    check_learner(RefusesManyInputs(), excused=POOR)


def test_an_unknown_excuse_is_refused():
    with pytest.raises(ValueError, match="no such check"):
        check_learner(Counting(), excused=["everything"])
