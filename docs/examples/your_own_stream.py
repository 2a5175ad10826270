"""Three ways to bring your own rows: pairs, arrays, and an object that makes blocks."""

import numpy as np

from thalweg.checks import check_stream
from thalweg.evaluation import metrics, prequential
from thalweg.learners import LogisticMixture


def days(n):
    """Yield one day after another, with what is known of it; rain is measured only from day 1,000 on."""
    rng = np.random.default_rng(1)
    for day in range(n):
        wind, sky = rng.gamma(2.0, 5.0), rng.choice(["clear", "grey"])
        x = {"wind": wind, "sky": sky}
        if day >= 1000:
            x["rain"] = rng.exponential(3.0)
        yield x, "stay" if wind + 4 * x.get("rain", 0.0) > 15 else "sail"


run = prequential(days(3000), LogisticMixture())  # a generator: read once, in blocks
print(f"pairs: accuracy {metrics.accuracy(run):.3f}, inputs {run.inputs}")

X = np.random.default_rng(1).normal(size=(2000, 2))
y = np.where(X[:, 0] > X[:, 1], "left", "right")
print(f"arrays: accuracy {metrics.accuracy(prequential((X, y), LogisticMixture())):.3f}")


class Turning:
    """A stream: `n_features`, `classes`, `blocks(size)`; `names`, `n_rows` and `drifts` if you know them."""

    n_features = 2
    classes = ["left", "right"]
    n_rows = 4000
    drifts = [2000]

    def blocks(self, size):
        """Yield (X, y) in blocks, from the first row on each time; any length will do."""
        for start in range(0, self.n_rows, 500):
            X = np.random.default_rng(start).normal(size=(500, 2))
            above = X[:, 0] > X[:, 1]
            yield X, np.where(above if start < 2000 else ~above, "left", "right")


check_stream(Turning())  # is it the same each time, whatever the blocks?
run = prequential(Turning(), LogisticMixture())
print(f"blocks: accuracy {metrics.accuracy(run):.3f}, after the drift {metrics.recovery(run):.3f}")
