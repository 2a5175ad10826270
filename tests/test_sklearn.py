"""scikit-learn's own check suite, on every learner."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from thalweg import learners

DRAWS_WEIGHTS = "each row is learned a random number of times, drawn once whatever its weight"
EXCUSED: dict[str, dict[str, str]] = {
    "HoeffdingAdaptiveTree": {"check_sample_weight_equivalence_on_dense_data": DRAWS_WEIGHTS},
}


def excused(learner):
    return EXCUSED.get(type(learner).__name__, {})


ALL = [learners.registry.load(name)() for name in learners.registry]


@parametrize_with_checks(ALL, expected_failed_checks=excused)
def test_scikit_learn_check(estimator, check):
    check(estimator)
