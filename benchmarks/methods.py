"""One line a method: ours, MOA's command line for it, River's expression for it."""

from dataclasses import dataclass, field


@dataclass
class Method:
    """A learner of ours and the same method elsewhere; None where a peer does not have it."""

    learner: str
    moa: str | None
    river: str | None
    parameters: dict = field(default_factory=dict)


RIVERS_LOGISTIC = "preprocessing.StandardScaler() | linear_model.LogisticRegression()"

METHODS = {
    "MajorityClass": Method("MajorityClass", "functions.MajorityClass", "dummy.PriorClassifier()"),
    "NoChange": Method("NoChange", "functions.NoChange", "dummy.NoChangeClassifier()"),
    "NaiveBayes": Method("NaiveBayes", "bayes.NaiveBayes", "naive_bayes.GaussianNB()"),
    "AdaptiveLogistic": Method("AdaptiveLogistic", "functions.SGD -o 1", RIVERS_LOGISTIC),
    "LogisticMixture": Method("LogisticMixture", "functions.SGD -o 1", RIVERS_LOGISTIC),
    "HoeffdingTree": Method("HoeffdingTree", "trees.HoeffdingTree", "tree.HoeffdingTreeClassifier()"),
    "HoeffdingAdaptiveTree": Method(
        "HoeffdingAdaptiveTree", "trees.HoeffdingAdaptiveTree", "tree.HoeffdingAdaptiveTreeClassifier(seed=1)"
    ),
    "HoeffdingOptionTree": Method("HoeffdingOptionTree", "trees.HoeffdingOptionTree", None),
    "AdaptiveHoeffdingOptionTree": Method(
        "AdaptiveHoeffdingOptionTree", "trees.AdaHoeffdingOptionTree", None
    ),
}
