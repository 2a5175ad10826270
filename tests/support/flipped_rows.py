"""Rows with labels of which some are wrong."""

import numpy as np

from thalweg.streams import SEA


def flipped_rows(n=3000, share=0.06, seed=0):
    """Return rows of SEA, labels of which a share is flipped, and which."""
    X, y = next(SEA(n, noise=0, seed=seed).blocks(n))
    wrong = np.random.default_rng(seed).random(n) < share
    return X, np.where(wrong, 1 - y, y), wrong
