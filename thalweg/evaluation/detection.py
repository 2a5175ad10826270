"""How quickly and how surely a detector finds drift, beside one that fires at random."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

KINDS = {"abrupt": 1, "gradual": 1000}


@dataclass(frozen=True)
class DetectionScore:
    """What a detector made of streams of losses whose drifts are known.

    Attributes
    ----------
    n_drifts : int
        Drifts there were.
    missed : float
        Share of them that no alarm followed within the horizon.
    delay : float
        Median number of losses from a drift's begin to the first alarm, over those found; NaN if none was.
    delays : ndarray
        The delays of all that were found.
    false_alarms : float
        Alarms outside every horizon, for 10,000 losses outside.
    random : DetectionScore or None
        The same for a dummy that fires as often in all, at random.
    """

    n_drifts: int
    missed: float
    delay: float
    delays: np.ndarray
    false_alarms: float
    random: "DetectionScore | None" = None


def score_detector(detector, streams="abrupt", horizon=2000, seed=0):
    """Return how quickly and how surely `detector` finds drift, as a DetectionScore.

    Each stream is a pair of losses and the positions of drifts in it, and is watched by a fresh copy. The
    first alarm within `horizon` losses of a drift finds it; more alarms there count for nothing; all other
    alarms are false.

    Parameters
    ----------
    detector : detector
        Anything with `update(loss) -> bool`; it is cloned (copied, if it cannot be), not changed.
    streams : {"abrupt", "gradual"} or iterable of (losses, drifts), default="abrupt"
        A name stands for `loss_streams(name)`.
    horizon : int, default=2000
        Losses from the begin of a drift within which an alarm finds it.
    seed : int, default=0
        Seed of the dummy.

    Examples
    --------
    >>> from thalweg.drift import HDDM_A
    >>> from thalweg.evaluation import score_detector
    >>> score = score_detector(HDDM_A())
    >>> score.n_drifts, score.missed, score.delay, round(score.false_alarms, 2)
    (30, 0.0, 152.0, 0.21)
    >>> round(score.random.missed, 2)
    0.77
    """
    streams = list(loss_streams(streams) if isinstance(streams, str) else streams)
    if not hasattr(detector, "update"):
        raise TypeError(f"score_detector: detector must have update(loss), got {detector!r}")
    if not streams:
        raise ValueError("score_detector: there are no streams to score the detector on")
    alarms = [_alarms(detector, losses) for losses, _ in streams]
    rng = np.random.default_rng(seed)
    n_losses = sum(len(losses) for losses, _ in streams)
    rate = sum(map(len, alarms)) / max(n_losses, 1)
    random = [np.flatnonzero(rng.random(len(losses)) < rate) for losses, _ in streams]
    return _score(streams, alarms, horizon, random=_score(streams, random, horizon))


def loss_streams(kind, n_streams=30, seed=0, length=5000, before=0.2, after=0.4):
    """Yield seeded streams of errors with one drift each, as (losses, drifts).

    `length` errors come at the rate `before` and as many at `after`. The rate changes at once ("abrupt"), or
    grows evenly over 1000 losses ("gradual"), which begin at the drift.
    """
    if kind not in KINDS:
        raise ValueError(f"loss_streams: kind must be one of {list(KINDS)}, got {kind!r}")
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    share = np.clip((np.arange(2 * length) - length + 1) / KINDS[kind], 0, 1)
    rates = before + (after - before) * share
    for _ in range(n_streams):
        yield (rng.random(2 * length) < rates).astype(float), np.array([length])


def _alarms(detector, losses):
    detector = clone(detector, safe=False)
    if hasattr(detector, "update_many"):
        return detector.update_many(losses)
    return np.flatnonzero([detector.update(loss) for loss in losses])


def _score(streams, alarms, horizon, random=None):
    delays, n_drifts, n_false, n_quiet = [], 0, 0, 0
    for (losses, drifts), found in zip(streams, alarms, strict=True):
        quiet = np.ones(len(losses), dtype=bool)
        for drift in drifts:
            quiet[drift : drift + horizon] = False
            hits = found[(found >= drift) & (found < drift + horizon)]
            delays += [int(hits[0]) - int(drift)] if len(hits) else []
        n_drifts += len(drifts)
        n_false += int(quiet[found].sum())
        n_quiet += int(quiet.sum())
    return DetectionScore(
        n_drifts=n_drifts,
        missed=1 - len(delays) / n_drifts if n_drifts else 0.0,
        delay=float(np.median(delays)) if delays else float("nan"),
        delays=np.array(delays, dtype=np.intp),
        false_alarms=1e4 * n_false / n_quiet if n_quiet else 0.0,
        random=random,
    )
