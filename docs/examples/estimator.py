"""A model as an estimator of scikit-learn: validated and searched on a frame as it is."""

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score

import thalweg
from thalweg.learners import HoeffdingTree

rng = np.random.default_rng(1)
when, shop = pd.date_range("2024-01-01", periods=3000, freq="h"), rng.choice(["a", "b"], 3000)
X = pd.DataFrame({"when": when, "shop": shop})
y = np.where((when.day_of_week > 4) ^ (shop == "a"), "late", "ok")

model = thalweg.Model(learner=HoeffdingTree())
in_order = TimeSeriesSplit(4)  # tests rows that come after those learned
print(cross_val_score(model, X, y, cv=in_order))
choices = {"learner__grace_period": [25, 200], "date_parts": [["time"], ["weekday"]]}
print(GridSearchCV(model, choices, cv=in_order).fit(X, y).best_params_)
