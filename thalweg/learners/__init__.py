"""What learns: classifiers that take rows as they come. One line here is a learner's whole registration."""

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "MajorityClass": "trivial",
        "NoChange": "trivial",
        "NaiveBayes": "naive_bayes",
        "HoeffdingTree": "hoeffding_tree",
        "HoeffdingAdaptiveTree": "hoeffding_adaptive_tree",
        "HoeffdingOptionTree": "hoeffding_option_tree",
        "AdaptiveHoeffdingOptionTree": "hoeffding_option_tree",
        "DriftReset": "drift_reset",
        "AdaptiveLogistic": "adaptive_logistic",
        "LogisticMixture": "logistic_mixture",
        "WindowLogistic": "window_logistic",
        "ParticleFilter": "particle_filter",
    },
)
__all__ = [*registry]


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
