"""Reads that are answered in the calling thread."""

import threading

import numpy as np
import pytest
from live.live_rows import new_model, numeric_model, record, records

from thalweg.learners import NaiveBayes
from thalweg.live import LiveFollower, LiveModel
from thalweg.live.requests import PredictRequest


@pytest.fixture
def live(tmp_path):
    with LiveModel(tmp_path / "live", new_model()) as found:
        yield found


def quick(live, n):
    """Let a live model think that reads of `n` rows are quick, whatever the machine does."""
    live._worker.reads.note(n, 0.0)


@pytest.mark.parametrize("n", [1, 40])
def test_equal_to_a_read_by_the_thread(live, n):
    request = PredictRequest(records(0, n))
    expected = live.predict(request.rows)
    quick(live, n)
    found = live.read_now(request)
    assert found.probabilities.tobytes() == expected.probabilities.tobytes()
    assert (found.codes == expected.codes).all() and found.classes == expected.classes
    assert found.ids is None and live.event == 0


def test_a_size_never_read_is_left_to_the_thread(live):
    assert live.read_now(PredictRequest(records(0, 3))) is None


def test_what_took_long_is_left_to_the_thread_until_it_is_quick_again(live):
    live._worker.reads.note(3, 0.002)
    assert live.read_now(PredictRequest(records(0, 3))) is None
    live._worker.reads.note(2, 0.0)  # as many bits
    assert live.read_now(PredictRequest(records(0, 3))) is not None


def test_rows_with_ids_are_events(live):
    quick(live, 1)
    assert live.read_now(PredictRequest([record(0)], ["a"])) is None
    assert live.event == 0


def test_wrong_rows_are_refused_by_the_thread(live):
    quick(live, 1)
    assert live.read_now(PredictRequest([{"nothing": 1}])) is None
    assert live.read_now(PredictRequest([record(0)])) is not None  # the lock is free again


def test_a_busy_thread_is_not_waited_for(live):
    quick(live, 1)
    entered, go = threading.Event(), threading.Event()

    def hold():
        entered.set()
        go.wait()

    holder = threading.Thread(target=lambda: live._call(hold))
    holder.start()
    entered.wait()
    assert live.read_now(PredictRequest([record(0)])) is None
    go.set()
    holder.join()
    assert live.read_now(PredictRequest([record(0)])) is not None


def test_a_closed_model_and_one_that_failed_do_not_answer(tmp_path):
    live = LiveModel(tmp_path / "live", new_model())
    quick(live, 1)
    live._worker.failure = OSError("full")
    assert live.read_now(PredictRequest([record(0)])) is None
    live._worker.failure = None
    live.close()
    assert live.read_now(PredictRequest([record(0)])) is None


def test_reads_between_learned_rows_see_whole_groups(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    asked, model = X[:4], numeric_model(NaiveBayes())
    with LiveModel(tmp_path / "one", numeric_model(NaiveBayes())) as live:
        allowed = {live.predict(asked).probabilities.tobytes()}
        for at in range(0, 200, 2):
            live.learn(X[at : at + 2], y[at : at + 2].tolist())
            allowed.add(live.predict(asked).probabilities.tobytes())
    assert len(allowed) > 80
    found, is_done = set(), threading.Event()
    with LiveModel(tmp_path / "two", model) as live:
        quick(live, 4)

        def read():
            while not is_done.is_set():
                answer = live.read_now(PredictRequest(asked))
                quick(live, 4)
                if answer is not None:
                    found.add(answer.probabilities.tobytes())

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for at in range(0, 200, 2):
            live.learn(X[at : at + 2], y[at : at + 2].tolist())
        is_done.set()
        for reader in readers:
            reader.join()
    assert found <= allowed and len(found) > 1


def test_a_follower_reads_at_once(live):
    with LiveFollower(live.folder) as follower:
        expected = follower.predict(records(0, 5))
        follower._reads.note(5, 0.0)
        found = follower.read_now(PredictRequest(records(0, 5)))
        assert found.probabilities.tobytes() == expected.probabilities.tobytes()


def test_a_learner_that_raises_is_left_to_the_thread(live, monkeypatch):
    quick(live, 1)
    monkeypatch.setattr(type(live.model.learner_), "predict_proba_block", _raise)
    assert live.read_now(PredictRequest([record(0)])) is None
    assert not live._worker.reads._lock.locked()


def _raise(*arguments):
    raise RuntimeError("broken")
