"""Requests drawn at random, with old, doubled and unknown ids: a replay leads to the same state."""

import numpy as np
import pytest
from live.live_rows import Stepped, label, new_model, record

from thalweg.learners import LastLabels, NaiveBayes
from thalweg.live import LiveModel
from thalweg.live.requests import LabelRequest, LearnRequest, PredictRequest


def draw(rng):
    """Return a request for some of few rows, so that ids come again in every way."""
    rows = rng.integers(0, 60, size=rng.integers(1, 6)).tolist()
    ids = [f"r{i}" for i in rows]
    kind = rng.random()
    if kind < 0.45:
        return PredictRequest([record(i) for i in rows], ids, durable=rng.random() < 0.5)
    labels = [label(i) if rng.random() < 0.9 else "no" for i in rows]
    if kind < 0.75:
        return LabelRequest(ids, labels)
    return LearnRequest([record(i) for i in rows], labels, None if kind > 0.95 else ids)


def crash(live):
    live._worker.close()
    live._keeper.commit()
    live._keeper.close()
    live._lock.release()
    del live._lock


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("learner", ["LogisticMixture", LastLabels(NaiveBayes(), max_waiting=15)])
def test_a_replay_of_random_requests_leads_to_the_same_state(tmp_path, learner, seed):
    rng = np.random.default_rng(seed)
    settings = {"max_known": 25, "max_age": 30.0, "survive": "process", "watch": False, "new_labels": "add"}
    live = LiveModel(tmp_path, new_model(learner, max_waiting=15), label_budget=0.3, **settings)
    now, seen = 1000.0, set()
    for start in range(3):
        stepped = Stepped(live)
        for _ in range(25):
            now += float(rng.choice([0.0, 1.0, 12.0]))
            live._worker.clock = lambda now=now: now
            for result in stepped.group([draw(rng) for _ in range(rng.integers(1, 5))]):
                seen |= set(result.statuses)
        if start == 1:
            live.checkpoint()
        digest, event = live.digest(), live.event
        crash(live)
        live = LiveModel(tmp_path, **settings)
        assert (live.event, live.digest()) == (event, digest)
    live.close()
    assert seen >= {"predicted", "learned", "already", "other_label", "unknown_id", "dropped", "expired"}
