"""The two learners that look at no input, beside which every other is shown."""

from typing import Any

from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.baselines._native.trivial import LastKernel, MajorityKernel


class InputFree(NativeClassifier):
    """A learner that does not use the inputs."""

    takes_missing = True
    keeps_first_rows = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class MajorityClass(InputFree):
    """Predicts the class seen most often so far.

    What any learner must beat on a stream whose classes are unequal. Its probabilities are the shares of the
    classes among the rows seen, by weight.

    Examples
    --------
    >>> from thalweg.learners import MajorityClass
    >>> learner = MajorityClass().begin(1, ["down", "up"])
    >>> for label in ["up", "up", "down"]:
    ...     learner.learn_one([0.0], label)
    >>> learner.predict_one([0.0])
    'up'
    """

    def _make_kernel(self, n_features: int, n_classes: int) -> MajorityKernel:
        return MajorityKernel(n_features, n_classes)


class NoChange(InputFree):
    """Predicts the class of the last row again.

    What any learner must beat on a stream whose labels come in runs: on the electricity data it is right for
    85.3 % of the rows. A row of weight 0 is not remembered.

    Examples
    --------
    >>> from thalweg.learners import NoChange
    >>> learner = NoChange().begin(1, ["down", "up"])
    >>> for label in ["up", "up", "down"]:
    ...     learner.learn_one([0.0], label)
    >>> learner.predict_one([0.0])
    'down'
    """

    uses_weights = False

    def _make_kernel(self, n_features: int, n_classes: int) -> LastKernel:
        return LastKernel(n_features, n_classes)
