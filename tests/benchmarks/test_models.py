"""A model costs little beyond its learner."""

import json
import time

import numpy as np
import pytest

models = pytest.importorskip("benchmarks.models")


def seconds(call):
    start = time.process_time()
    for _ in range(1000):
        call()
    return time.process_time() - start


def test_one_record_costs_a_few_times_its_json_beyond_the_learner():
    rows = models.records(400)
    model, row = models.taught("NaiveBayes", rows), {**rows[5]}
    label = row.pop("y")
    x = next(model.stream([row]).coded_blocks(1))[0][0]
    text, learner = json.dumps(row), model.learner_
    predicted, learned = [], []
    for _ in range(9):
        parsed = seconds(lambda: json.loads(text))
        alone = seconds(lambda: learner.predict_one(x))
        predicted.append((seconds(lambda: model.predict_one(row)) - alone) / parsed)
        alone = seconds(lambda: learner.learn_one(x, label))
        learned.append((seconds(lambda: model.learn(rows[5])) - alone) / parsed)
    # Parsing takes about 3 µs; a model took 2 to 5 µs more than its learner on a quiet machine.
    assert np.median(predicted) < 3 and np.median(learned) < 3
