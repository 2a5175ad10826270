"""A model for each of 2,000 customers, who do not behave alike."""

import numpy as np

from thalweg.keyed import Bank
from thalweg.learners import LogisticMixture

rng = np.random.default_rng(1)
n_customers, n_rows = 2000, 200_000
customers = rng.integers(n_customers, size=n_rows)
X = rng.normal(size=(n_rows, 5))
rules = rng.normal(size=5) + rng.normal(size=(n_customers, 5))  # one part shared, one part their own
y = (X * rules[customers]).sum(axis=1) + rng.logistic(size=n_rows) > 0

history, later = slice(0, 20_000), slice(20_000, None)
bank = Bank(LogisticMixture()).begin(5, [False, True])
p = bank.test_then_train(customers, X, y)
one = LogisticMixture().begin(5, [False, True]).test_then_train(X, y)
print(f"one model for all     {(one.argmax(axis=1) == y)[later].mean():.3f}")
print(f"a model for each      {(p.argmax(axis=1) == y)[later].mean():.3f}")

shared = LogisticMixture().begin(5, [False, True])
shared.test_then_train(X[history], y[history])
bank = Bank(LogisticMixture(), start="copy", shared=shared).begin(5, [False, True])
p = bank.test_then_train(customers[later], X[later], y[later])
print(f"begun as a copy       {(p.argmax(axis=1) == y[later]).mean():.3f}")
print(f"{len(bank):,} customers, {bank.bytes_per_key_:,} bytes each")
