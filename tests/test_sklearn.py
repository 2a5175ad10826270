"""scikit-learn's own check suite, on every learner."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from thalweg import learners

EXCUSED: dict[str, dict[str, str]] = {}


def excused(learner):
    return EXCUSED.get(type(learner).__name__, {})


ALL = [learners.registry.load(name)() for name in learners.registry]


@parametrize_with_checks(ALL, expected_failed_checks=excused)
def test_scikit_learn_check(estimator, check):
    check(estimator)
