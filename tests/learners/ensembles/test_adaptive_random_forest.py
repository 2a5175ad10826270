"""An adaptive random forest is its twin, with other learners in the place of trees."""

import numpy as np
from support.ensemble_rows import bayes, begun, drifting_rows, events_of, keys_of
from twins.learners.ensembles.forest import ForestTwin

from thalweg.learners import AdaptiveRandomForest, NaiveBayes


def test_kernel_is_its_twin():
    X, y = drifting_rows(2000)
    learner = begun(AdaptiveRandomForest(NaiveBayes(), n_members=3))
    twin = ForestTwin(bayes, keys_of(learner))
    np.testing.assert_allclose(learner.test_then_train(X, y), twin.run(X, y), rtol=0, atol=1e-12)
    assert events_of(learner, "event_row", "event_member", "event") == twin.events
    assert {"warned", "replaced"} <= {event for _, _, event in twin.events}


def test_trees_warned_of_a_drift_are_replaced_and_know_it_soon():
    X, y = drifting_rows()
    learner = begun(AdaptiveRandomForest(n_members=5))
    right = learner.test_then_train(X, y).argmax(axis=1) == y
    events = events_of(learner, "event", "event_member")
    assert {m for event, m in events if event == "replaced"} == set(range(5))
    assert {m for event, m in events if event == "warned"} == set(range(5))
    assert right[1500:1550].mean() < 0.5 and right[2000:].mean() > 0.75  # at best 0.82
