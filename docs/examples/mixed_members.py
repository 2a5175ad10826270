"""An ensemble of different learners beside each of them alone; one value in ten is missing."""

import numpy as np

from thalweg.learners import DynamicWeightedMajority, HoeffdingTree, MajorityClass, NaiveBayes, ParticleFilter
from thalweg.streams import SEA

X, y = next(SEA(seed=1).blocks(10_000))
y[5000:] = 1 - y[5000:]
X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan

alone = [NaiveBayes(), HoeffdingTree(), ParticleFilter()]
for learner in [MajorityClass(), *alone, DynamicWeightedMajority(alone)]:
    p = learner.begin(3, [0, 1]).test_then_train(X, y)
    print(f"{type(learner).__name__:24}{(p.argmax(axis=1) == y).mean():.1%}")
