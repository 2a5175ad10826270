"""Test a learner on a drifting stream whose labels come 1,000 rows late."""

from thalweg.evaluation import metrics, prequential
from thalweg.learners import NaiveBayes

run = prequential("sea", NaiveBayes(), delay=1000)
print(run, f"after each drift {metrics.recovery(run, rows=500):.3f}", run.summary()["baselines"])
