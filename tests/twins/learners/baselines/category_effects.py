"""The effects of categories on the log-odds of the classes, in plain NumPy."""

import numpy as np


def encoded(X, y, columns, n_classes, prior, decay):
    """Return rows without these columns, but with the effects of their categories before each row."""
    effect, information = {}, {}
    constant, constant_information = np.zeros(n_classes), np.zeros(n_classes)
    found = []
    for x, label in zip(X[:, columns], y, strict=True):
        keys = [(j, code if code >= 0 else "missing") for j, code in enumerate(x.tolist())]
        b = np.array([effect.setdefault(key, np.zeros(n_classes)) for key in keys])
        known = np.array([information.setdefault(key, np.zeros(n_classes)) for key in keys])
        found.append((b[:, 1:] - b[:, :1]).ravel())
        q = np.exp(constant + b.sum(axis=0))
        q /= q.sum()
        curvature = q * (1 - q) * n_classes / (n_classes - 1)
        spread = 1 / (1 + constant_information) + (1 / (prior + known)).sum(axis=0)
        step = ((np.arange(n_classes) == label) - q) / (1 + curvature * spread)
        constant = constant + step / (1 + constant_information)
        constant_information = 0.9999 * constant_information + curvature
        for key, one, gathered in zip(keys, b, known, strict=True):
            effect[key] = one + step / (prior + gathered)
            information[key] = decay * gathered + curvature
    return np.hstack([np.delete(X, columns, axis=1), found])
