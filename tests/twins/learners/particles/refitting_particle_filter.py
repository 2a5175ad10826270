"""The particle filter that is fitted again after a drift (appendix C), in plain NumPy."""

import numpy as np
from scipy.stats import norm
from twins.learners.particles.particle_filter import ParticleTwin, unit_length


class RefittingTwin(ParticleTwin):
    """PF-LR whose centre is a fit to the batch where it does badly; `n_refits` and `n_refused` count them."""

    n_refits = n_refused = 0

    def close(self, X, y):
        """Fit the batch if the centre gets too few of its rows right, and leave out what may be 0."""
        if self.hits(self.centre[None], X, y)[0] >= self.refit_below * len(y):
            return
        classes = [1] if self.n_outputs == 1 else range(self.n_classes)
        fits = [logistic_fit(X, (y == k).astype(float)) for k in classes]
        sure = np.array([np.r_[True, p[1:] < 0.05] for _, p in fits])
        if not sure[:, 1:].any():
            self.n_refused += 1
            return
        beta = np.array([np.r_[w[0], -w[1:]] for w, _ in fits])
        self.n_refits += 1
        self.centre, self.active = (beta * sure).ravel(), sure.ravel()
        if self.scaled:
            self.centre = unit_length(self.centre)
        self.particles = self.kept = self.centre[None]
        self.parent_log_spread = self.centre_log_spread[None]
        self.start_candidates(self.tallies[0])


def logistic_fit(X, y, ridge=0.1, n_steps=25):
    """Return intercept and slopes of a ridge logistic fit, and the p-value of each being 0.

    The intercept has no ridge. Without a row of the class it goes to minus infinity, by about 1 a step of
    Newton's method: it is what it is after `n_steps`, and 1e-9 keeps the system regular.
    """
    X = np.column_stack([np.ones(len(X)), X])
    penalty = ridge * np.r_[0.0, np.ones(X.shape[1] - 1)]
    w = np.zeros(X.shape[1])
    for step in range(n_steps + 1):
        p = 1 / (1 + np.exp(-X @ w))
        hessian = (X.T * (p * (1 - p))) @ X + np.diag(penalty + 1e-9 * (penalty == 0))
        if step < n_steps:
            w = w + np.linalg.solve(hessian, X.T @ (y - p) - penalty * w)
    return w, 2 * norm.sf(np.abs(w) / np.sqrt(np.diag(np.linalg.inv(hessian))))
