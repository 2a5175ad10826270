"""Your own detector: `update(loss) -> bool` and `reset()`."""

from thalweg.evaluation import metrics, prequential, score_detector
from thalweg.learners import DriftReset, NaiveBayes
from thalweg.streams import SEA
from thalweg.streams.drifting import Abrupt


class TwoMeans:
    """Alarm if a fast mean of the losses is far above a slow one."""

    def __init__(self, margin=0.15):
        self.margin = margin
        self.reset()

    def reset(self):
        """Forget all losses."""
        self.n, self.fast, self.slow = 0, 0.0, 0.0

    def update(self, loss):
        """Process a loss, bigger is worse; return whether it gives an alarm."""
        self.n += 1
        self.fast += (loss - self.fast) / min(self.n, 50)
        self.slow += (loss - self.slow) / min(self.n, 1000)
        alarm = self.n > 200 and self.fast - self.slow > self.margin
        if alarm:
            self.reset()  # or keep what you like: nobody else resets it
        return alarm


score = score_detector(TwoMeans())
print(f"missed {score.missed:.0%} of {score.n_drifts} drifts, delay {score.delay:.0f} losses")
print(f"{score.false_alarms:.1f} false alarms in 10,000 losses; by chance {score.random.missed:.0%} missed")

before, after = next(SEA(5000, seed=1).blocks(5000)), next(SEA(5000, seed=2).blocks(5000))
stream = Abrupt(before, (after[0], 1 - after[1]))  # the labels are swapped
for learner in (NaiveBayes(), DriftReset(NaiveBayes(), detector=TwoMeans())):
    print(f"{type(learner).__name__} {metrics.accuracy(prequential(stream, learner)):.3f}")
