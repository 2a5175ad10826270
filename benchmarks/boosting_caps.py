"""Which cap IBoost picks by itself, and what each is worth, on clean and noisy rows.

    python -m benchmarks.boosting_caps

Share of rows right before they are learned, in per cent, mean ± standard error over ten seeds that were not
used to choose the caps (100 to 109): SEA, 25,000 rows, four concepts, and drifting RBF balls.
"""

import numpy as np

from thalweg.learners import IBoost, NaiveBayes
from thalweg.streams import SEA, RandomRBF

CAPS = (None, 10, 3, 1, "auto")
SEEDS = range(100, 110)
N_ROWS = 25_000
STREAMS = {
    "SEA, clean": lambda seed: SEA(N_ROWS, period=6250, noise=0, seed=seed),
    "SEA, a tenth of the labels flipped": lambda seed: SEA(N_ROWS, period=6250, noise=0.1, seed=seed),
    "drifting RBF": lambda seed: RandomRBF(n_rows=N_ROWS, seed=seed),
}
MEMBERS = {"stumps": {}, "naive Bayes": {"member": NaiveBayes(), "n_members": 50}}


def accuracy(settings, cap, stream):
    """Return the share of rows right, and the cap at the end."""
    X, y = next(stream.blocks(N_ROWS))
    learner = IBoost(**settings, cap=cap).begin(X.shape[1], stream.classes)
    p = learner.test_then_train(X, y)
    return float((stream.classes[p.argmax(axis=1)] == y).mean()), learner.cap_


def lines():
    """Yield the markdown table line by line."""
    yield "| | " + " | ".join(str(cap) for cap in CAPS) + " | auto ends with |"
    yield "|---|" + "---:|" * len(CAPS) + "---|"
    for name, make in STREAMS.items():
        for members, settings in MEMBERS.items():
            cells = []
            for cap in CAPS:
                found, last = zip(*(accuracy(settings, cap, make(seed)) for seed in SEEDS), strict=True)
                error = 100 * np.std(found, ddof=1) / np.sqrt(len(found))
                cells.append(f"{100 * np.mean(found):.1f} ± {error:.1f}")
            picked = ", ".join(f"{cap}: {last.count(cap)}" for cap in CAPS[:-1] if cap in last)
            yield f"| {name}, {members} | " + " | ".join(cells) + f" | {picked} |"


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
