"""How fast and how reliably a detector finds drifts, compared with random alarms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from thalweg._parameters import one_of
from thalweg._types import Floats, Ints
from thalweg.drift.foreign import as_detector
from thalweg.errors import ParameterError

KINDS = {"abrupt": 1, "gradual": 1000}
LossStream: TypeAlias = tuple[Floats, Ints]


@dataclass(frozen=True)
class DetectionScore:
    """The result of a detector on streams of losses with known drifts.

    Attributes
    ----------
    n_drifts : int
        Number of drifts.
    missed : float
        Share of drifts without an alarm within the horizon.
    delay : float
        Median number of losses from the start of a drift to the first alarm, over the drifts found; NaN if
        there are none.
    delays : ndarray
        The delays of all drifts found.
    false_alarms : float
        Alarms outside all horizons per 10,000 losses outside.
    random : DetectionScore or None
        The same for equally many alarms at random.
    """

    n_drifts: int
    missed: float
    delay: float
    delays: Ints
    false_alarms: float
    random: "DetectionScore | None" = None


def score_detector(
    detector: Any, streams: str | Iterable[LossStream] = "abrupt", *, horizon: int = 2000, seed: int = 0
) -> DetectionScore:
    """Return how fast and how reliably `detector` finds drifts, as a DetectionScore.

    Each stream is a pair of losses and the positions of its drifts, and is watched by a new copy. The first
    alarm within `horizon` losses of a drift finds it; further alarms there are ignored; all other alarms are
    false.

    Parameters
    ----------
    detector : detector
        Any object with `update(loss) -> bool` and `reset()`; each stream gets a copy that is reset.
    streams : {"abrupt", "gradual"} or iterable of (losses, drifts), default="abrupt"
        The streams; a name means `loss_streams(name)`.
    horizon : int, default=2000
        Number of losses from the start of a drift within which an alarm finds it.
    seed : int, default=0
        Seed of the random alarms.

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
    detector = as_detector("score_detector", "detector", detector)
    streams = [_checked(each) for each in (loss_streams(streams) if isinstance(streams, str) else streams)]
    if not streams:
        raise ValueError("score_detector: there are no streams to score the detector on")
    alarms = [clone(detector).update_many(losses) for losses, _ in streams]
    rng = np.random.default_rng(seed)
    n_losses = sum(len(losses) for losses, _ in streams)
    rate = sum(map(len, alarms)) / max(n_losses, 1)
    random = [np.flatnonzero(rng.random(len(losses)) < rate) for losses, _ in streams]
    return _score(streams, alarms, horizon, random=_score(streams, random, horizon))


def loss_streams(
    kind: str,
    n_streams: int = 30,
    *,
    seed: int = 0,
    length: int = 5000,
    before: float = 0.2,
    after: float = 0.4,
) -> Iterator[LossStream]:
    """Return an iterator over seeded streams of errors with one drift each, as (losses, drifts).

    Parameters
    ----------
    kind : {"abrupt", "gradual"}
        Whether the rate changes at once, or linearly within 1000 losses after the drift.
    n_streams : int
        Number of streams.
    seed : int
        Seed of the errors.
    length : int
        Number of errors before the drift, and after it.
    before, after : float
        Rate of errors before and after the drift.
    """
    one_of("loss_streams", "kind", kind, KINDS)
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    share = np.clip((np.arange(2 * length) - length + 1) / KINDS[kind], 0, 1)
    rates = before + (after - before) * share
    return (((rng.random(2 * length) < rates).astype(float), np.array([length])) for _ in range(n_streams))


def _checked(stream: Any) -> LossStream:
    if not isinstance(stream, tuple | list) or [np.ndim(part) for part in stream] != [1, 1]:
        problem = f"must hold pairs of losses and the positions of drifts, got a {type(stream).__name__}"
        raise ParameterError.of("score_detector", "streams", problem=problem)
    return np.asarray(stream[0], dtype=np.float64), np.asarray(stream[1], dtype=np.intp)


def _score(
    streams: list[LossStream], alarms: list[Ints], horizon: int, random: DetectionScore | None = None
) -> DetectionScore:
    delays: list[int] = []
    n_drifts = n_false = n_quiet = 0
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
