"""One line a method: ours, MOA's command line for it, River's expression, Vowpal Wabbit's options."""

from dataclasses import dataclass

from thalweg import drift, learners


@dataclass
class Method:
    """A learner of ours and the same method elsewhere, as expressions; None where a peer does not have it."""

    ours: str
    moa: str | None
    river: str | None
    recorded: str | None = None  # its name among the recorded accuracies, if not ours
    vw: str | None = None


def made(expression):
    """Return the learner of ours that an expression names."""
    known = {name: getattr(module, name) for module in (learners, drift) for name in module.__all__}
    return eval(expression, {}, known)


RIVERS_LOGISTIC = "preprocessing.StandardScaler() | linear_model.LogisticRegression()"
VWS_LOGISTIC = "--loss_function logistic"
RIVERS_TREE = "tree.HoeffdingTreeClassifier()"
RIVERS_RESET = f"drift.DriftRetrainingClassifier(model={RIVERS_TREE}, drift_detector=drift.binary.DDM())"
RIVERS_WINDOW = "neighbors.LazySearch(window_size=1000)"

METHODS = {
    "MajorityClass": Method("MajorityClass()", "functions.MajorityClass", "dummy.PriorClassifier()"),
    "NoChange": Method("NoChange()", "functions.NoChange", "dummy.NoChangeClassifier()"),
    "NaiveBayes": Method("NaiveBayes()", "bayes.NaiveBayes", "naive_bayes.GaussianNB()"),
    "AdaptiveLogistic": Method("AdaptiveLogistic()", "functions.SGD -o 1", RIVERS_LOGISTIC, vw=VWS_LOGISTIC),
    "LogisticMixture": Method("LogisticMixture()", "functions.SGD -o 1", RIVERS_LOGISTIC, vw=VWS_LOGISTIC),
    "LinearLogistic": Method("LinearLogistic()", "functions.SGD -o 1", RIVERS_LOGISTIC, vw=VWS_LOGISTIC),
    "HoeffdingTree": Method("HoeffdingTree()", "trees.HoeffdingTree", RIVERS_TREE),
    "HoeffdingAdaptiveTree": Method("HoeffdingAdaptiveTree()", "trees.HoeffdingAdaptiveTree",
                                    "tree.HoeffdingAdaptiveTreeClassifier(seed=1)"),
    "HoeffdingOptionTree": Method("HoeffdingOptionTree(delta=1e-7)", "trees.HoeffdingOptionTree", None),
    "AdaptiveHoeffdingOptionTree": Method(
        "AdaptiveHoeffdingOptionTree(delta=1e-7)", "trees.AdaHoeffdingOptionTree", None
    ),
    "OnlineBagging": Method("OnlineBagging(HoeffdingTree())", "meta.OzaBag -s 10",
                            f"ensemble.BaggingClassifier({RIVERS_TREE}, seed=1)"),
    "AdwinBagging": Method("AdwinBagging(HoeffdingTree())", "meta.OzaBagAdwin -s 10",
                           f"ensemble.ADWINBaggingClassifier({RIVERS_TREE}, seed=1)"),
    "LeveragingBagging": Method("LeveragingBagging(HoeffdingTree())", "meta.LeveragingBag -s 10",
                                f"ensemble.LeveragingBaggingClassifier({RIVERS_TREE}, seed=1)",
                                recorded="LeveragingBag(10)"),
    "OnlineBoost": Method("OnlineBoost()", "meta.OzaBoost -s 10",
                          f"ensemble.AdaBoostClassifier({RIVERS_TREE}, seed=1)", recorded="OzaBoost(10)"),
    "BOLE": Method("BOLE()", "meta.BOLE -s 10", None, recorded="BOLE(10)"),
    "BOLE(DDM)": Method("BOLE(DriftReset(HoeffdingTree(), DDM()))",
                        "meta.BOLE -l (drift.DriftDetectionMethodClassifier -l trees.HoeffdingTree) -s 10",
                        f"ensemble.BOLEClassifier({RIVERS_RESET}, seed=1)", recorded="BOLE(10)"),
    "DynamicWeightedMajority": Method('DynamicWeightedMajority(period=50, beta=0.5, reduce="period")',
                                      "meta.DynamicWeightedMajority", None,
                                      recorded="DWM(NB)"),
    "AccuracyWeightedEnsemble": Method("AccuracyWeightedEnsemble(NaiveBayes(), 10, chunk_size=500, folds=10)",
                                       "meta.AccuracyWeightedEnsemble -l bayes.NaiveBayes -n 10", None),
    "AccuracyWeightedEnsemble(tree)": Method(
        "AccuracyWeightedEnsemble(HoeffdingTree(grace_period=100, delta=0.01), 10, chunk_size=500, folds=10)",
        "meta.AccuracyWeightedEnsemble -l (trees.HoeffdingTree -g 100 -c 0.01) -n 10", None
    ),
    "LearnPPNSE": Method("LearnPPNSE(NaiveBayes(), 15, chunk_size=500)",
                         "meta.LearnNSE -l bayes.NaiveBayes -p 500 -e 15 -s AGE", None),
    "AdaptiveRandomForest": Method("AdaptiveRandomForest()", "meta.AdaptiveRandomForest -s 10",
                                   "forest.ARFClassifier(n_models=10, seed=1)", recorded="ARF(10)"),
    "StreamingRandomPatches": Method("StreamingRandomPatches()", "meta.StreamingRandomPatches -s 10",
                                     "ensemble.SRPClassifier(n_models=10, seed=1)", recorded="SRP(10)"),
    # Not the same method, but the most accurate of MOA's.
    "AdaptiveStacking": Method("AdaptiveStacking()", "meta.StreamingRandomPatches -s 10", None,
                               recorded="SRP(10)"),
    "NearestNeighbours": Method("NearestNeighbours()", "lazy.kNN -k 10 -w 1000",
                                "neighbors.KNNClassifier(10)", recorded="kNN(10,1000)"),
    "NearestNeighbours(5)": Method("NearestNeighbours(5)", "lazy.kNN -k 5 -w 1000",
                                   f"neighbors.KNNClassifier(5, engine={RIVERS_WINDOW})"),
}
