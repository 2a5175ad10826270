"""Figures for Prometheus from snapshots."""

import math

from support.live_events import feed_blocks, late_events

from thalweg.learners import LogisticMixture
from thalweg.live.metrics import watch_samples
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.trust import PredictionSets


def samples(watch, learner=None):
    return list(watch_samples(watch.snapshot(learner, now=1e9)))


def test_every_figure_has_name_kind_help_and_a_number():
    watch = LiveWatch(3)
    events = late_events(3000)
    feed_blocks(watch, events)
    watch.counted(1e9, unknown=4)
    learner = PredictionSets(LogisticMixture()).begin(3, [0, 1, 2])
    learner.test_then_train_coded(events.X, events.codes)
    found = samples(watch, learner)
    for name, kind, about, labels, value in found:
        assert name.startswith("thalweg_model_") and kind in ("counter", "gauge") and about.endswith(".")
        assert (kind == "counter") == name.endswith("_total")
        assert math.isfinite(value) and "id" not in labels
    by_name = {(name, *labels.values()): value for name, _, _, labels, value in found}
    assert by_name["thalweg_model_rows_predicted_total",] == 3000
    assert by_name["thalweg_model_outcomes_total", "unknown"] == 4
    low, high = (by_name["thalweg_model_accuracy_estimated", end] for end in ("low", "high"))
    assert low <= by_name["thalweg_model_accuracy_estimated", "estimate"] <= high
    assert 0 < by_name["thalweg_model_accuracy_known", "label_chain"] < 1
    assert 0 < by_name["thalweg_model_set_coverage",] <= 1
    assert ("thalweg_model_label_delay_seconds", "0.9") in by_name


def test_what_is_not_known_is_left_out():
    names = {each[0] for each in samples(LiveWatch(2))}
    assert "thalweg_model_rows_predicted_total" in names
    assert "thalweg_model_accuracy_known" not in names and "thalweg_model_label_delay_rows" not in names
