"""Sets of classes that hold the label in nine of ten rows, though the rule changes halfway."""

import numpy as np

from thalweg.evaluation import prequential, set_metrics
from thalweg.learners import AdaptiveRandomForest
from thalweg.streams import from_arrays
from thalweg.trust import PredictionSets

rng = np.random.default_rng(1)
codes = rng.integers(0, 5, 6000)
changed = np.arange(6000) >= 3000
centres = np.where(changed, (2 * codes) % 5, codes)
X = np.column_stack([centres + rng.normal(0, 0.6, 6000), rng.normal(0, 1, 6000)])
y = np.array(["ant", "bee", "cat", "dog", "elk"])[codes]

learner = PredictionSets(AdaptiveRandomForest(random_state=1), coverage=0.9)
run = prequential(from_arrays(X, y), learner)
print(set_metrics.in_words(run))

covered, size = set_metrics.coverage(run, window=500), set_metrics.set_size(run, window=500)
for row in (2999, 3499, 5999):
    print(f"500 rows up to {row + 1}: {covered[row]:.1%} covered, {size[row]:.2f} classes")

print(f"level {learner.level_:.3f}")
print([labels.tolist() for labels in learner.predict_set([[2.0, 0.0], [2.5, 0.0]])])
