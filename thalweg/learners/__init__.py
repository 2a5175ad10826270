"""What learns: classifiers that take rows as they come. One line here is a learner's whole registration."""

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "AdaptiveStacking": "adaptive_stacking",
        "MajorityClass": "trivial",
        "NoChange": "trivial",
        "LabelChain": "label_chain",
        "LastLabels": "last_labels",
        "NaiveBayes": "naive_bayes",
        "DecisionStump": "decision_tree",
        "DecisionTree": "decision_tree",
        "DriftReset": "drift_reset",
        "HoeffdingTree": "hoeffding_tree",
        "OnlineBagging": "online_bagging",
        "AdwinBagging": "adwin_bagging",
        "LeveragingBagging": "leveraging_bagging",
        "OnlineBoost": "online_boost",
        "BOLE": "bole",
        "NonstationaryOnlineBoost": "nonstationary_online_boost",
        "FastLightClassifier": "fast_light_classifier",
        "IBoost": "iboost",
        "AdaBoostWindow": "adaboost_window",
        "FastLightBoost": "fast_light_boost",
        "OnlineCoordinateBoost": "online_coordinate_boost",
        "DynamicWeightedMajority": "dynamic_weighted_majority",
        "SEAEnsemble": "sea_ensemble",
        "AccuracyWeightedEnsemble": "accuracy_weighted_ensemble",
        "LearnPPNSE": "learn_pp_nse",
        "RobustEnsemble": "robust_ensemble",
        "AdaptiveRandomForest": "adaptive_random_forest",
        "StreamingRandomPatches": "streaming_random_patches",
        "HUWRS": "huwrs",
        "SlidingHUWRS": "sliding_huwrs",
        "NearestNeighbours": "nearest_neighbours",
        "AdaptiveLogistic": "adaptive_logistic",
        "LogisticMixture": "logistic_mixture",
        "WindowLogistic": "window_logistic",
        "LinearLogistic": "linear_logistic",
        "ParticleFilter": "particle_filter",
        "RegularisedParticleFilter": "regularised_particle_filter",
        "LikelihoodParticleFilter": "likelihood_particle_filter",
        "RefittingParticleFilter": "refitting_particle_filter",
        "HoeffdingAdaptiveTree": "hoeffding_adaptive_tree",
        "HoeffdingOptionTree": "hoeffding_option_tree",
        "AdaptiveHoeffdingOptionTree": "hoeffding_option_tree",
    },
)
__all__ = [*registry]


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
