"""Classifiers that learn rows as they come. A new learner is listed here: in the registry and below it."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.learners.baselines.category_effects import CategoryEffects as CategoryEffects
    from thalweg.learners.baselines.label_chain import LabelChain as LabelChain
    from thalweg.learners.baselines.last_labels import LastLabels as LastLabels
    from thalweg.learners.baselines.trivial import MajorityClass as MajorityClass
    from thalweg.learners.baselines.trivial import NoChange as NoChange
    from thalweg.learners.batch_trees.decision_tree import DecisionStump as DecisionStump
    from thalweg.learners.batch_trees.decision_tree import DecisionTree as DecisionTree
    from thalweg.learners.bayes.multinomial_naive_bayes import (
        MultinomialNaiveBayes as MultinomialNaiveBayes,
    )
    from thalweg.learners.bayes.naive_bayes import NaiveBayes as NaiveBayes
    from thalweg.learners.chunk_ensembles.accuracy_weighted_ensemble import (
        AccuracyWeightedEnsemble as AccuracyWeightedEnsemble,
    )
    from thalweg.learners.chunk_ensembles.fast_light_boost import FastLightBoost as FastLightBoost
    from thalweg.learners.chunk_ensembles.learn_pp_nse import LearnPPNSE as LearnPPNSE
    from thalweg.learners.chunk_ensembles.robust_ensemble import RobustEnsemble as RobustEnsemble
    from thalweg.learners.chunk_ensembles.sea_ensemble import SEAEnsemble as SEAEnsemble
    from thalweg.learners.ensembles.adaptive_random_forest import AdaptiveRandomForest as AdaptiveRandomForest
    from thalweg.learners.ensembles.adwin_bagging import AdwinBagging as AdwinBagging
    from thalweg.learners.ensembles.bole import BOLE as BOLE
    from thalweg.learners.ensembles.drift_reset import DriftReset as DriftReset
    from thalweg.learners.ensembles.dynamic_weighted_majority import (
        DynamicWeightedMajority as DynamicWeightedMajority,
    )
    from thalweg.learners.ensembles.fast_light_classifier import FastLightClassifier as FastLightClassifier
    from thalweg.learners.ensembles.leveraging_bagging import LeveragingBagging as LeveragingBagging
    from thalweg.learners.ensembles.nonstationary_online_boost import (
        NonstationaryOnlineBoost as NonstationaryOnlineBoost,
    )
    from thalweg.learners.ensembles.online_bagging import OnlineBagging as OnlineBagging
    from thalweg.learners.ensembles.online_boost import OnlineBoost as OnlineBoost
    from thalweg.learners.ensembles.streaming_random_patches import (
        StreamingRandomPatches as StreamingRandomPatches,
    )
    from thalweg.learners.logistic.adaptive_logistic import AdaptiveLogistic as AdaptiveLogistic
    from thalweg.learners.logistic.linear_logistic import LinearLogistic as LinearLogistic
    from thalweg.learners.logistic.logistic_mixture import LogisticMixture as LogisticMixture
    from thalweg.learners.logistic.window_logistic import WindowLogistic as WindowLogistic
    from thalweg.learners.neighbours.nearest_neighbours import NearestNeighbours as NearestNeighbours
    from thalweg.learners.neighbours.neighbour_mixture import NeighbourMixture as NeighbourMixture
    from thalweg.learners.particles.likelihood_particle_filter import (
        LikelihoodParticleFilter as LikelihoodParticleFilter,
    )
    from thalweg.learners.particles.particle_filter import ParticleFilter as ParticleFilter
    from thalweg.learners.particles.refitting_particle_filter import (
        RefittingParticleFilter as RefittingParticleFilter,
    )
    from thalweg.learners.particles.regularised_particle_filter import (
        RegularisedParticleFilter as RegularisedParticleFilter,
    )
    from thalweg.learners.stacking.adaptive_stacking import AdaptiveStacking as AdaptiveStacking
    from thalweg.learners.subspaces.huwrs import HUWRS as HUWRS
    from thalweg.learners.subspaces.sliding_huwrs import SlidingHUWRS as SlidingHUWRS
    from thalweg.learners.trees.hoeffding_adaptive_tree import HoeffdingAdaptiveTree as HoeffdingAdaptiveTree
    from thalweg.learners.trees.hoeffding_option_tree import (
        AdaptiveHoeffdingOptionTree as AdaptiveHoeffdingOptionTree,
    )
    from thalweg.learners.trees.hoeffding_option_tree import HoeffdingOptionTree as HoeffdingOptionTree
    from thalweg.learners.trees.hoeffding_tree import HoeffdingTree as HoeffdingTree
    from thalweg.learners.window_boosting.adaboost_window import AdaBoostWindow as AdaBoostWindow
    from thalweg.learners.window_boosting.iboost import IBoost as IBoost
    from thalweg.learners.window_boosting.online_coordinate_boost import (
        OnlineCoordinateBoost as OnlineCoordinateBoost,
    )
else:
    __getattr__ = registry.load
__dir__ = registry.public
