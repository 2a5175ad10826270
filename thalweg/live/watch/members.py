"""What a learner shows of itself now: shares of its members, and the coverage of its prediction sets."""

from typing import Any

import numpy as np

from thalweg.evaluation.history import ATTRIBUTES, MOST_MEMBERS, inner_of, member_names
from thalweg.learners.ensembles.base import Ensemble
from thalweg.trust.prediction_sets import PredictionSets

MOST_SHOWN = 12


def members_of(learner: Any) -> dict[str, Any] | None:
    """Return the shares or weights of a learner's members, the largest first; None if it has none."""
    inner = inner_of(learner)
    found = _values(inner)
    if found is None or len(found[1]) < 2:
        return None
    title, values = found
    names = member_names(inner, len(values))
    order = np.argsort(-np.nan_to_num(values), kind="stable")[:MOST_SHOWN].tolist()
    shown = [{"name": names[m], "value": float(values[m])} for m in order if np.isfinite(values[m])]
    return {"title": title, "members": shown, "of": len(values)} if shown else None


def coverage_of(learner: Any) -> dict[str, Any] | None:
    """Return how often prediction sets hold the label; None if the learner has no such sets."""
    if not isinstance(learner, PredictionSets):
        return None
    n = learner.n_sets_
    if not n:
        return {"sets": 0, "wanted": learner.coverage, "coverage": None, "size": None, "single": None}
    return {
        "sets": n, "wanted": learner.coverage, "coverage": learner.coverage_, "size": learner.set_size_,
        "single": learner.single_share_,
    }  # fmt: skip


def _values(learner: Any) -> tuple[str, Any] | None:
    if isinstance(learner, Ensemble) and not hasattr(type(learner), "shares_"):
        noted, kept = learner.noted, learner.history_
        values = np.asarray(kept[noted])
        return (noted, values[-1][:MOST_MEMBERS]) if len(values) else None
    name = next((name for name in ("shares_", "weights_") if hasattr(type(learner), name)), None)
    if name is None:
        return None
    values = np.asarray(getattr(learner, name), dtype=np.float64)
    is_of_members = name == "shares_" or len(getattr(learner, "members_", ())) == len(values)
    return (ATTRIBUTES[name], values[:MOST_MEMBERS]) if values.ndim == 1 and is_of_members else None
