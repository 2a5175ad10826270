"""Calibrated probabilities, and answers with the least expected cost."""

from thalweg.evaluation import metrics, prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import SEA
from thalweg.trust import Calibrated

stream = SEA(10_000, seed=1)
for learner in (NaiveBayes(), Calibrated(NaiveBayes())):
    run = prequential(stream, learner, delay=100)
    sure = run.probabilities.max(axis=1).mean()
    print(f"{type(learner).__name__:10}  sure {sure:.3f}  right {metrics.accuracy(run):.3f}")

learner = Calibrated(NaiveBayes(), costs={1: 5}).begin(3, [0, 1])  # missing a 1 costs five times as much
X, y = next(stream.blocks(10_000))
learner.test_then_train(X, y)
row = X[11]
print(learner.predict_proba_one(row).round(2), "so the answer is", learner.predict_one(row))
