"""Test then train on a drifting stream, and see how it went beside the trivial learners."""

from thalweg.evaluation import metrics, prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import SEA

run = prequential(SEA(seed=1), NaiveBayes())

print(f"accuracy {metrics.accuracy(run):.3f} over {run.n_rows} rows, drifts at {run.drifts.tolist()}")
print(f"majority class {run.summary()['baselines']['majority']:.3f}")
print(f"in the 500 rows after each drift {metrics.recovery(run, rows=500):.3f}")
