"""`tune`: usual values of every learner, any metric, and what failed and why."""

import json
import math
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from support import every_learner

from thalweg import evaluation
from thalweg.errors import ParameterError
from thalweg.evaluation import metrics, prequential, tune
from thalweg.evaluation.comparison.ranges import NOTHING_TO_TUNE, OF_LEARNERS, usual_values
from thalweg.evaluation.comparison.tune import LOWER_IS_BETTER
from thalweg.learners import DriftReset, HoeffdingTree, NaiveBayes, NearestNeighbours
from thalweg.preprocessing import StandardScaler, make_pipeline
from thalweg.streams import SEA

ALL = sorted(every_learner.registry)
STREAM = SEA(1000, seed=1)


@pytest.mark.parametrize("name", ALL)
def test_every_learner_has_usual_values_that_it_accepts_or_a_reason(name):
    learner = every_learner.registry.load(name)()
    if name in NOTHING_TO_TUNE:
        with pytest.raises(ParameterError, match=f"nothing to try for {name}: "):
            usual_values(learner)
        return
    found = usual_values(learner)
    assert found and set(OF_LEARNERS.get(name, {})) - set(found) <= {"decay", "rate"}
    X, y = next(SEA(60, seed=1).coded_blocks(60))
    for parameter, values in found.items():
        assert len(values) > 1 and learner.get_params()[parameter] in values
        for value in values:
            p = clone(learner).set_params(**{parameter: value}).begin(3, [0, 1]).test_then_train(X, y)
            assert np.isfinite(p).all()


def test_models_of_other_libraries_say_how_to_search():
    with pytest.raises(ParameterError, match="model__alpha"):
        tune(SGDClassifier(), STREAM)


def test_arguments_in_another_order_are_named():
    for arguments in [(STREAM, HoeffdingTree()), (HoeffdingTree(), {"tie": [0.1]})]:
        with pytest.raises(ParameterError, match="tune: pass the learner first"):
            tune(*arguments)
    with pytest.raises(ParameterError, match="tune: grid must be a dict"):
        tune(HoeffdingTree(), STREAM, grid=[0.1])


def test_usual_values_of_a_pipeline_are_those_of_its_learner():
    found = usual_values(make_pipeline(StandardScaler(), NearestNeighbours()))
    assert found == {"learner__n_neighbours": [3, 10, 30], "learner__window": [200, 1000, 5000]}


def test_without_values_the_usual_ones_are_tried():
    found = tune(NearestNeighbours(), STREAM, n_jobs=1)
    assert len(found.tried) == 9
    found = tune(NearestNeighbours(), STREAM, grid={"n_neighbours": None, "window": [100]}, n_jobs=1)
    assert sorted(each["n_neighbours"] for each, _ in found.tried) == [3, 10, 30]
    with pytest.raises(ParameterError, match="no usual values of max_bytes are known"):
        tune(HoeffdingTree(), STREAM, grid={"max_bytes": None}, n_jobs=1)
    with pytest.raises(ParameterError, match="nothing to try for DriftReset"):
        tune(DriftReset(NaiveBayes()), STREAM, n_jobs=1)


@pytest.mark.parametrize("metric", sorted(evaluation.metric_registry))
def test_any_metric_can_choose(metric):
    stream, share = (SEA(14_000, seed=1), 0.92) if metric == "recovery" else (STREAM, 0.3)
    found = tune(
        NearestNeighbours(), stream, grid={"n_neighbours": [1, 9]}, share=share, n_jobs=1, metric=metric
    )
    scores = [score for _, score in found.tried]
    assert scores == sorted(scores, reverse=metric not in LOWER_IS_BETTER)
    for each, score in found.tried:
        run = prequential(stream, NearestNeighbours(**each), rows=found.n_rows_searched)
        assert score == getattr(metrics, metric)(run)
    assert found.metric == metric and found.failed == []


def test_a_failed_value_is_named_with_its_reason():
    found = tune(NearestNeighbours(), STREAM, grid={"n_neighbours": [0, 3]}, n_jobs=1)
    assert found.parameters == {"n_neighbours": 3}
    [(failed, message)] = found.failed
    assert failed == {"n_neighbours": 0} and "n_neighbours must be" in message and "got 0" in message
    assert math.isnan({each["n_neighbours"]: score for each, score in found.tried}[0])


def test_a_metric_that_is_not_defined_is_said():
    with pytest.raises(ParameterError, match="recovery is not defined on these rows"):
        tune(
            NearestNeighbours(), STREAM, grid={"n_neighbours": [1, 3]}, n_jobs=1, metric="recovery", rows=100
        )


@pytest.fixture
def tune_sea(thalweg):
    """Run `thalweg tune` on SEA in this process: return its exit code, what it prints and what it says."""
    return partial(thalweg, "tune", "sea", "--rows", "600", "--jobs", "1")


def test_the_command_takes_a_metric_and_explains_what_failed(tune_sea):
    chosen = ("--learner", "NearestNeighbours", "--try", "n_neighbours=0,3", "--metric", "log_loss")
    code, printed, said = tune_sea(*chosen)
    assert code == 0, said
    assert "n_neighbours=0 failed: NearestNeighbours: n_neighbours must be" in " ".join(printed.split())
    assert "log-loss" in printed
    found = json.loads(tune_sea(*chosen, "--json")[1])
    assert found["metric"] == "log_loss" and found["failed"][0][0] == {"n_neighbours": "0"}
    assert [score for _, score in found["tried"]] == [found["tried"][0][1], None]
    code, _, said = tune_sea("--learner", "NaiveBayes", "--metric", "kapa")
    assert code == 2 and said.startswith("thalweg: --metric must be one of")
    assert said.endswith("did you mean 'kappa'?\n")


def test_the_command_tries_usual_values(tune_sea):
    code, printed, _ = tune_sea("--learner", "NearestNeighbours", "--try", "n_neighbours", "--json")
    assert code == 0 and len(json.loads(printed)["tried"]) == 3
    code, printed, _ = tune_sea("--learner", "NearestNeighbours", "--json")
    assert code == 0 and len(json.loads(printed)["tried"]) == 9
    assert "nothing to try for NaiveBayes" in tune_sea("--learner", "NaiveBayes")[2]


def test_the_command_says_if_nothing_is_better_than_what_was_given(tune_sea):
    printed = tune_sea("--learner", "NearestNeighbours", "--try", "n_neighbours=10")[1]
    assert " ".join(printed.split()).endswith("with n_neighbours=10, the same as with the given parameters.")
