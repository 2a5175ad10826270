"""Rows for tests of logistic regression that forgets."""

import numpy as np


def noisy_rows(n, n_features=3, n_classes=2, seed=0):
    """Return rows with labels drawn from a softmax whose coefficients change half way."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * [1.0, 3.0, 0.5][:n_features] + 0.5
    beta = rng.normal(size=(2, n_features, n_classes))
    z = np.einsum("nj,njk->nk", X, beta[(np.arange(n) * 2) // n]) + rng.gumbel(size=(n, n_classes))
    return X, z.argmax(axis=1)
