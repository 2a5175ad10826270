"""Logistic regression fitted again at every row to a rolling window, on several streams side by side."""

from collections.abc import Collection, Iterator

import numpy as np

from thalweg._types import Floats, Ints

ENOUGH = 1e-4  # a rise of the log-likelihood this small is the last: the next would be about its square
MOST_STEPS = 100
FARTHEST = 3.0  # no step changes a row's score by more, so that none overshoots
FLATTEST = 1e-6  # no input counts as having a smaller variance
FIRST = 10  # rows before the first fit
CONSTANT = 1e-2  # stands for the variance of the constant


def refitted(
    X: Floats, y: Ints, window: int, prior: float, wanted: Collection[int]
) -> Iterator[tuple[int, Floats]]:
    """Yield t and the coefficients fitted to the `window` rows before row t, for each t in `wanted`.

    `X` is of shape (streams, rows, inputs), the coefficients of shape (streams, inputs + 1), the constant
    last. They maximise the likelihood with a normal prior, as `WindowLogistic(window, 1, prior=prior)` does:
    it is that of standardised inputs, and the variance of a difference of two classes is twice that of one. A
    weak prior of the constant keeps it finite where a window has one class.
    """
    n_streams, n_rows, n_inputs = X.shape
    rows = np.concatenate([X, np.ones((n_streams, n_rows, 1))], axis=2)
    signs = np.where(y == 1, 1.0, -1.0)
    beta = np.zeros((n_streams, n_inputs + 1))
    for t in range(n_rows):
        if t in wanted:
            yield t, beta
        if t + 1 >= FIRST:
            held = slice(max(t + 1 - window, 0), t + 1)
            beta = fitted(rows[:, held], signs[:, held], beta, prior)


def fitted(Z: Floats, signs: Floats, beta: Floats, prior: float) -> Floats:
    """Return the coefficients of the largest likelihood of rows `Z`, by Newton's method from `beta`."""
    pull = np.maximum(Z.var(axis=1), FLATTEST)
    pull[:, -1] = CONSTANT
    pull /= 2 * prior
    found, still = beta.copy(), np.arange(len(Z))
    margin = np.matmul(Z, beta[..., None])[..., 0] * signs
    for _step in range(MOST_STEPS):
        way, rise = _newton(Z, signs, margin, pull, found[still])
        change = np.matmul(Z, way[..., None])[..., 0] * signs
        share = np.minimum(FARTHEST / np.maximum(abs(change).max(axis=1), FARTHEST), 1.0)[:, None]
        found[still] += share * way
        go = rise >= ENOUGH
        if not go.any():
            break
        margin = margin + share * change
        if not go.all():  # streams that have arrived wait for the others
            still, Z, signs, margin, pull = still[go], Z[go], signs[go], margin[go], pull[go]
    return found


def _newton(
    Z: Floats, signs: Floats, margin: Floats, pull: Floats, beta: Floats
) -> tuple[Floats, Floats]:
    # Newton's steps, and twice the rise of the log-likelihood that each promises.
    wrong = 1 / (1 + np.exp(np.minimum(margin, 700)))
    slope = np.matmul((signs * wrong)[:, None, :], Z)[:, 0] - pull * beta
    bend = np.matmul(Z.transpose(0, 2, 1), Z * (wrong * (1 - wrong))[..., None])
    places = np.arange(Z.shape[2])
    bend[:, places, places] += pull
    way = np.linalg.solve(bend, slope[..., None])[..., 0]
    return way, (slope * way).sum(axis=1)


def right_sides(X: Floats, beta: Floats) -> Ints:
    """Return the class that coefficients give to each row: 0 or 1."""
    return (X @ beta[:-1] + beta[-1] > 0).astype(np.intp)
