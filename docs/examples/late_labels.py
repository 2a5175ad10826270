"""What late and lost labels cost."""

from scipy import stats

from thalweg.evaluation import metrics, prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import SEA

for delay, label_share in [(0, 1.0), (1000, 1.0), (stats.poisson(1000), 0.1)]:
    run = prequential(SEA(seed=1, n_rows=20_000), NaiveBayes(), delay=delay, label_share=label_share)
    print(f"accuracy {metrics.accuracy(run):.1%}, kappa {metrics.kappa(run):.1%}")
