"""scikit-learn's own check suite, on every learner."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from support import every_learner

BY_ROWS = "weights count in the information, forgetting and windows go by rows: the row twice fades twice"
DRAWS_WEIGHTS = "each row is learned a random number of times, drawn once whatever its weight"
EXCUSED = {
    name: {"check_sample_weight_equivalence_on_dense_data": why}
    for name, why in {
        "AdaptiveLogistic": BY_ROWS,
        "LogisticMixture": BY_ROWS,
        "WindowLogistic": BY_ROWS,
        "Calibrated": BY_ROWS,
        "ClassWeights": "classes are counted and faded row by row",
        "ParticleFilter": "batches count rows",
        "LikelihoodParticleFilter": "batches count rows",
        "HoeffdingAdaptiveTree": DRAWS_WEIGHTS,
    }.items()
}
DRAWN = "draws a random number for each row: the row twice gets two"
EXCUSED |= {
    name: {"check_sample_weight_equivalence_on_dense_data": DRAWN}
    for name in ("OnlineBagging", "AdwinBagging", "LeveragingBagging", "OnlineBoost", "BOLE",
                 "AdaptiveRandomForest", "StreamingRandomPatches", "NonstationaryOnlineBoost",
                 "FastLightClassifier")
}
EXCUSED |= {
    name: {"check_sample_weight_equivalence_on_dense_data": "the window counts rows"}
    for name in ("IBoost", "AdaBoostWindow", "SlidingHUWRS", "OnlineCoordinateBoost", "FastLightBoost")
}
EXCUSED |= {
    name: {"check_sample_weight_equivalence_on_dense_data": "the label twice follows itself"}
    for name in ("AdaptiveStacking", "LabelChain", "LastLabels")
}
EXCUSED["AdaptiveStacking"] |= {
    "check_sample_weight_equivalence_on_sparse_data": "the label twice follows itself"
}
EXCUSED["RobustEnsemble"] = {
    "check_sample_weight_equivalence_on_dense_data": "chunks count rows, and folds are drawn for each row",
}
EXCUSED |= {
    name: {"check_sample_weight_equivalence_on_dense_data": "windows and neighbours count rows"}
    for name in ("NearestNeighbours", "NeighbourMixture")
}
EXCUSED["LinearLogistic"] = {
    f"check_sample_weight_equivalence_on_{form}_data": "a long step is not two steps; scales go by rows"
    for form in ("dense", "sparse")
}

EXCUSED["MultinomialNaiveBayes"] = {
    f"check_sample_weight_equivalence_on_{form}_data": "the scales share out their trust row by row"
    for form in ("dense", "sparse")
} | {"check_classifiers_train": "its rows are no counts: values below 0 count as 0"}


EXCUSED["SlidingHUWRS"] |= {
    "check_classifiers_train": "its trees see random parts of two inputs, and learn the last of 300 rows"
}


def excused(learner):
    return EXCUSED.get(type(learner).__name__, {})


ALL = [every_learner.registry.load(name)() for name in every_learner.registry]


@parametrize_with_checks(ALL, expected_failed_checks=excused)
def test_scikit_learn_check(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else its checks of other libraries' arrays are skipped
    check(estimator)
