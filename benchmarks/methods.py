"""One line a method: ours, MOA's command line for it, River's expression for it."""

from dataclasses import dataclass, field


@dataclass
class Method:
    """A learner of ours and the same method elsewhere; None where a peer does not have it."""

    learner: str
    moa: str | None
    river: str | None
    parameters: dict = field(default_factory=dict)
    recorded: str | None = None  # its name among the recorded accuracies, if not ours


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
    "OnlineBagging": Method("OnlineBagging", "meta.OzaBag -s 10",
                            "ensemble.BaggingClassifier(tree.HoeffdingTreeClassifier())"),
    "AdwinBagging": Method("AdwinBagging", "meta.OzaBagAdwin -s 10",
                           "ensemble.ADWINBaggingClassifier(tree.HoeffdingTreeClassifier())"),
    "LeveragingBagging": Method("LeveragingBagging", "meta.LeveragingBag -s 10",
                                "ensemble.LeveragingBaggingClassifier(tree.HoeffdingTreeClassifier())",
                                recorded="LeveragingBag(10)"),
    "OnlineBoost": Method("OnlineBoost", "meta.OzaBoost -s 10",
                          "ensemble.AdaBoostClassifier(tree.HoeffdingTreeClassifier())",
                          recorded="OzaBoost(10)"),
    "BOLE": Method("BOLE", "meta.BOLE -s 10", None, recorded="BOLE(10)"),
    "DynamicWeightedMajority": Method("DynamicWeightedMajority", "meta.DynamicWeightedMajority", None,
                                      recorded="DWM(NB)"),
    "AdaptiveRandomForest": Method("AdaptiveRandomForest", "meta.AdaptiveRandomForest -s 10",
                                   "forest.ARFClassifier(n_models=10, seed=1)", recorded="ARF(10)"),
    "StreamingRandomPatches": Method("StreamingRandomPatches", "meta.StreamingRandomPatches -s 10",
                                     "ensemble.SRPClassifier(n_models=10, seed=1)", recorded="SRP(10)"),
    "NearestNeighbours": Method("NearestNeighbours", "lazy.kNN -k 10 -w 1000", "neighbors.KNNClassifier(10)",
                                recorded="kNN(10,1000)"),
}
