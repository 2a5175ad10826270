"""Where a run says that something was found, it names a row of the source, whenever the labels came."""

import numpy as np
import pytest

from thalweg.drift import ADWIN
from thalweg.evaluation import Explanations, PermutationImportance, chunked, holdout, prequential
from thalweg.learners import AdaptiveLogistic, DriftReset, NaiveBayes, OnlineBagging
from thalweg.streams import SEA, from_arrays
from thalweg.trust import Calibrated

N, CHANGE = 6000, 3000
X = np.random.default_rng(1).normal(size=(N, 3))
Y = np.where(np.arange(N) < CHANGE, X[:, 0] > 0, X[:, 0] < 0).astype(int)
MISSING = [None if i < 2000 and i % 2 else y for i, y in enumerate(Y.tolist())]
PROTOCOLS = {
    "at once": (prequential, Y, {}),
    "some": (prequential, Y, {"label_share": 0.4}),
    "late": (prequential, Y, {"delay": 700}),
    "missing": (prequential, MISSING, {}),
    "asked": (prequential, Y, {"label_budget": 0.3, "delay": 5}),
    "totals": (prequential, Y, {"label_share": 0.4, "keep": "totals"}),
    "chunks": (chunked, Y, {"size": 200, "label_share": 0.5}),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("around", [lambda learner: learner, Calibrated])
def test_alarms_are_rows_of_the_source(protocol, around):
    evaluate, y, settings = PROTOCOLS[protocol]
    learner = around(DriftReset(NaiveBayes(), ADWIN()))
    run = evaluate((X, y), learner, **settings)
    assert len(run.alarms)
    late = settings.get("delay", 0) + settings.get("size", 0)
    assert CHANGE + late < run.alarms[0] < CHANGE + late + 900
    if "block" in evaluate.__kwdefaults__:
        other = evaluate((X, y), around(DriftReset(NaiveBayes(), ADWIN())), block=37, **settings)
        np.testing.assert_array_equal(run.alarms, other.alarms)


def test_an_alarm_is_at_the_row_after_which_the_label_came():
    late = prequential((X, Y), DriftReset(NaiveBayes(), ADWIN()), delay=700)
    learner, found = DriftReset(NaiveBayes(), ADWIN()).begin(3, [0, 1]), []
    for row in range(N - 700):
        learner.learn_one(X[row], Y[row])
        if learner.n_drifts_ > len(found):
            found.append(row + 700)
    assert late.alarms.tolist() == found


def test_alarms_of_an_earlier_run_are_not_those_of_the_next():
    learner = DriftReset(NaiveBayes(), ADWIN())
    first = prequential((X, Y), learner)
    assert len(first.alarms)
    again = prequential((X[CHANGE:], Y[CHANGE:]), learner, resume=True)
    assert again.alarms.tolist() == []
    back = prequential((X[:CHANGE], Y[:CHANGE]), learner, resume=True)  # the rule is another one again
    assert 0 < back.alarms[0] < 900


def test_alarms_of_a_holdout_are_rows_that_were_learned():
    stream = from_arrays(X, Y)
    stream.sample = lambda t, n, *, seed=None: (X[t : t + 1].repeat(n, axis=0), Y[t].repeat(n))
    run = holdout(stream, DriftReset(NaiveBayes(), ADWIN()), every=250, n=5)
    whole = prequential((X, Y), DriftReset(NaiveBayes(), ADWIN()))
    assert run.alarms.tolist() == whole.alarms.tolist() != []


@pytest.mark.parametrize("observer", [lambda: Explanations(), lambda: PermutationImportance(200, 250)])
@pytest.mark.parametrize("protocol", ["at once", "some", "late", "missing", "asked", "chunks"])
def test_what_inputs_count_is_noted_at_rows_of_the_source(observer, protocol):
    evaluate, y, settings = PROTOCOLS[protocol]
    z = np.where(np.arange(N)[:, None] < CHANGE, X, X[:, [1, 0, 2]])  # the input that counts is another one
    rule = (X[:, 0] > 0).astype(int).tolist()
    y = [None if label is None else each for each, label in zip(rule, list(y), strict=True)]
    run = evaluate((z, y), AdaptiveLogistic(), observers=observer(), **settings)
    (found,) = run.explanations
    late = settings.get("delay", 0) + settings.get("size", 0)
    changed = found.rows[np.abs(found.values[:, 1]) > np.abs(found.values[:, 0])]
    changed = changed[changed > 600]
    assert CHANGE + late < changed[0] < CHANGE + late + 1800
    assert found.rows[-1] > 0.9 * N
    if "block" in evaluate.__kwdefaults__:
        other = evaluate((z, y), AdaptiveLogistic(), observers=observer(), block=37, **settings)
        np.testing.assert_array_equal(other.explanations[0].rows, found.rows)


def test_sizes_of_members_are_noted_at_rows_of_the_source():
    class Sized(OnlineBagging):
        noted = "size"

    def noted(learner=None, stream=None, **settings):
        return prequential(stream or SEA(N, seed=1), learner or Sized(n_members=3), **settings).history

    whole, some = noted(), noted(label_share=0.25)
    assert whole.rows[0] == 256 and some.rows[0] > 600
    assert some.rows[-1] > 0.8 * N and len(some.rows) == len(some.values) < len(whole.rows)
    np.testing.assert_array_equal(noted(label_share=0.25, block=77).rows, some.rows)
    learner = Sized(n_members=3)
    noted(learner)
    after = noted(learner, SEA(1000, seed=2), resume=True)
    assert after.rows.tolist() == [144, 400, 656, 912]  # the learner goes on noting every 256 rows
