"""Which inputs count, and since when: three answers on a stream whose rule changes halfway."""

import numpy as np

from thalweg.evaluation import PermutationImportance, explanation, prequential
from thalweg.learners import AdaptiveRandomForest, LogisticMixture, NearestNeighbours
from thalweg.streams import from_arrays

rng = np.random.default_rng(1)
X = rng.normal(size=(20_000, 3))
decides = np.where(np.arange(20_000) < 10_000, X[:, 0], X[:, 1])
y = np.where(decides + 0.3 * rng.normal(size=20_000) > 0, "yes", "no")
stream = from_arrays(X, y, names=["price", "weight", "noise"])

for learner in (AdaptiveRandomForest(), LogisticMixture()):
    for rows in (10_000, 20_000):
        prequential(stream, learner, rows=rows)
        found = {name: round(value, 2) for name, value in explanation(learner).items()}
        print(f"{type(learner).__name__} after {rows:,} rows: {found}")

importance = PermutationImportance(window=500, period=1000)
prequential(stream, NearestNeighbours(), observers=importance)
history = importance.history_
for when, chosen in (("before", history["row"] <= 10_000), ("after", history["row"] > 11_500)):
    values = history["importance"][chosen]
    parts = zip(importance.names, values.mean(axis=0), values.std(axis=0), strict=True)
    print(f"NearestNeighbours {when}:", ", ".join(f"{name} {m:.2f} ± {s:.2f}" for name, m, s in parts))
