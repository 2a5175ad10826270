"""How good is a model now, if labels come 2,000 rows late? First any model's scores, then one of ours."""

import numpy as np

from thalweg.evaluation import prequential
from thalweg.evaluation.estimating import judged
from thalweg.learners import HoeffdingAdaptiveTree
from thalweg.streams import SEA
from thalweg.trust import AccuracyEstimate
from thalweg.trust.worse_since import worse_since

# A table of anyone's predictions: the model becomes worse at row 12,000, and 2,000 labels have not come.
rng = np.random.default_rng(1)
p_yes = rng.random(20_000)
chance = np.where(np.arange(20_000) < 12_000, p_yes, 0.25 + 0.5 * p_yes)
paid = np.where(rng.random(20_000) < chance, "yes", "no").astype(object)
known = np.where(np.arange(20_000) < 18_000, paid, None)
estimate = AccuracyEstimate.from_table({"p_yes": p_yes, "paid": known}, probability="p_yes", target="paid")
now, truth = estimate.now(), np.mean(((p_yes > 0.5) == (paid == "yes"))[-1000:])
print(f"accuracy now {now.estimate:.3f} ({now.low:.3f} to {now.high:.3f}), {now.known} labels of 1,000")
print(f"known later {truth:.3f}; the model itself says {np.maximum(p_yes, 1 - p_yes)[-1000:].mean():.3f}")
recall = estimate.now("recall", "yes")
print(f"recall of yes {recall.estimate:.3f} ({recall.low:.3f} to {recall.high:.3f})")
print(f"worse since row {worse_since(estimate.estimates()).row}")

# A learner of ours: what could be said at the end of each window, and what was known later.
run = prequential(SEA(seed=1), HoeffdingAdaptiveTree(), rows=20_000, delay=2000, estimate=True)
found = judged(run)
print(f"{len(found.said)} windows: {100 * found.error:.1f} points off, {found.covered.mean():.0%} covered")
