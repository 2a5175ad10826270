"""Your own metric: a function of a Run."""

import numpy as np

from thalweg.evaluation import metrics, prequential
from thalweg.learners import LogisticMixture, NaiveBayes
from thalweg.streams import SEA

COSTS = np.array([[0.0, 1.0], [10.0, 0.0]])  # of each true class (line) and answer (column)


def cost(run):
    """Mean cost of the answers; rows without a label have none."""
    return (run.confusion() * COSTS).sum() / run.n_scored


def surest_tenth(run):
    """Accuracy where the learner is surest."""
    sure = run.probabilities.max(axis=1)
    rows = (sure >= np.quantile(sure, 0.9)) & (run.codes >= 0)
    return (run.predicted == run.codes)[rows].mean()


for learner in (NaiveBayes(), LogisticMixture()):
    run = prequential(SEA(10_000, seed=1), learner)
    print(f"{run.learner}: accuracy {metrics.accuracy(run):.3f}, cost {cost(run):.3f}, ", end="")
    print(f"majority class {cost(run.of_baseline('majority')):.3f}, surest tenth {surest_tenth(run):.3f}")

# Those of the library take arrays as well: labels, and probabilities or predicted labels.
print(f"kappa {metrics.kappa(['no', 'yes', 'yes', 'no'], ['no', 'yes', 'no', 'no']):.2f}")
