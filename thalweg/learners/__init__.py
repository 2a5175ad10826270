"""Classifiers that learn rows as they come. A new learner is listed here: in the registry and below it."""

from typing import TYPE_CHECKING, Any

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
        "NeighbourMixture": "neighbour_mixture",
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

if TYPE_CHECKING:
    from thalweg.learners.accuracy_weighted_ensemble import (
        AccuracyWeightedEnsemble as AccuracyWeightedEnsemble,
    )
    from thalweg.learners.adaboost_window import AdaBoostWindow as AdaBoostWindow
    from thalweg.learners.adaptive_logistic import AdaptiveLogistic as AdaptiveLogistic
    from thalweg.learners.adaptive_random_forest import AdaptiveRandomForest as AdaptiveRandomForest
    from thalweg.learners.adaptive_stacking import AdaptiveStacking as AdaptiveStacking
    from thalweg.learners.adwin_bagging import AdwinBagging as AdwinBagging
    from thalweg.learners.bole import BOLE as BOLE
    from thalweg.learners.decision_tree import DecisionStump as DecisionStump
    from thalweg.learners.decision_tree import DecisionTree as DecisionTree
    from thalweg.learners.drift_reset import DriftReset as DriftReset
    from thalweg.learners.dynamic_weighted_majority import DynamicWeightedMajority as DynamicWeightedMajority
    from thalweg.learners.fast_light_boost import FastLightBoost as FastLightBoost
    from thalweg.learners.fast_light_classifier import FastLightClassifier as FastLightClassifier
    from thalweg.learners.hoeffding_adaptive_tree import HoeffdingAdaptiveTree as HoeffdingAdaptiveTree
    from thalweg.learners.hoeffding_option_tree import (
        AdaptiveHoeffdingOptionTree as AdaptiveHoeffdingOptionTree,
    )
    from thalweg.learners.hoeffding_option_tree import HoeffdingOptionTree as HoeffdingOptionTree
    from thalweg.learners.hoeffding_tree import HoeffdingTree as HoeffdingTree
    from thalweg.learners.huwrs import HUWRS as HUWRS
    from thalweg.learners.iboost import IBoost as IBoost
    from thalweg.learners.label_chain import LabelChain as LabelChain
    from thalweg.learners.last_labels import LastLabels as LastLabels
    from thalweg.learners.learn_pp_nse import LearnPPNSE as LearnPPNSE
    from thalweg.learners.leveraging_bagging import LeveragingBagging as LeveragingBagging
    from thalweg.learners.likelihood_particle_filter import (
        LikelihoodParticleFilter as LikelihoodParticleFilter,
    )
    from thalweg.learners.linear_logistic import LinearLogistic as LinearLogistic
    from thalweg.learners.logistic_mixture import LogisticMixture as LogisticMixture
    from thalweg.learners.naive_bayes import NaiveBayes as NaiveBayes
    from thalweg.learners.nearest_neighbours import NearestNeighbours as NearestNeighbours
    from thalweg.learners.neighbour_mixture import NeighbourMixture as NeighbourMixture
    from thalweg.learners.nonstationary_online_boost import (
        NonstationaryOnlineBoost as NonstationaryOnlineBoost,
    )
    from thalweg.learners.online_bagging import OnlineBagging as OnlineBagging
    from thalweg.learners.online_boost import OnlineBoost as OnlineBoost
    from thalweg.learners.online_coordinate_boost import OnlineCoordinateBoost as OnlineCoordinateBoost
    from thalweg.learners.particle_filter import ParticleFilter as ParticleFilter
    from thalweg.learners.refitting_particle_filter import RefittingParticleFilter as RefittingParticleFilter
    from thalweg.learners.regularised_particle_filter import (
        RegularisedParticleFilter as RegularisedParticleFilter,
    )
    from thalweg.learners.robust_ensemble import RobustEnsemble as RobustEnsemble
    from thalweg.learners.sea_ensemble import SEAEnsemble as SEAEnsemble
    from thalweg.learners.sliding_huwrs import SlidingHUWRS as SlidingHUWRS
    from thalweg.learners.streaming_random_patches import StreamingRandomPatches as StreamingRandomPatches
    from thalweg.learners.trivial import MajorityClass as MajorityClass
    from thalweg.learners.trivial import NoChange as NoChange
    from thalweg.learners.window_logistic import WindowLogistic as WindowLogistic
else:

    def __getattr__(name: str) -> Any:
        return registry.load(name)


def __dir__() -> list[str]:
    return __all__
