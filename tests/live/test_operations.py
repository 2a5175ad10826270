"""What an operator does: other bounds, export, another model, erasing an id, a follower."""

import queue
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from live.live_rows import crash, label, new_model, record, records, work

import thalweg
from thalweg.live import LiveError, LiveFollower, LiveModel, LiveStopped, ReadOnly
from thalweg.live.worker import Task


def test_the_bounds_may_change_between_two_starts(tmp_path):
    with LiveModel(tmp_path, new_model(max_waiting=20)) as live:
        live.predict(records(0, 20), ids=range(20))
        crash(live)
    with LiveModel(tmp_path, max_waiting=8) as live:
        assert live.n_waiting == 8
        assert live.model.max_waiting == 8
        assert live.label([0, 19], ["yes", "no"]).statuses == ["dropped", "learned"]
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path, max_waiting=8) as live:
        assert live.digest() == digest


def test_export_goes_on_as_the_live_model_does(tmp_path):
    with LiveModel(tmp_path / "live", new_model()) as live:
        work(live, 0, 20)
        live.export(tmp_path / "model.tw")
        model = thalweg.load(tmp_path / "model.tw")
        assert model.n_waiting_ == live.n_waiting
        assert model.digest() == live.model.digest()
        live.label(["r1", "r3"], ["yes", "no"])
        model.label(["r1", "r3"], ["yes", "no"])
        assert model.digest() == live.model.digest()
        with LiveModel(tmp_path / "copy", thalweg.load(tmp_path / "model.tw")) as copy:
            assert copy.n_waiting == model.n_waiting_ + 2
            assert copy.label(["r1"], ["yes"]).statuses == ["learned"]


def test_replace_goes_on_without_a_gap(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        work(live, 0, 20)
        live.export(tmp_path / "before.tw")
        better = thalweg.load(tmp_path / "before.tw")
        better.learn([record(i) | {"paid": label(i)} for i in range(500, 600)])
        event = live.replace(better)
        assert event == live.event
        assert live.model.digest() == better.digest()
        outcomes = live.label(["r1", "r0"], [label(1), label(0)])
        assert outcomes.statuses == ["learned", "already"]
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
        other = thalweg.Model(target="y", learner="NaiveBayes", columns={"a": "number"}).learn(
            [{"a": i, "y": "b" if i % 2 else "c"} for i in range(60)]
        )
        with pytest.raises(LiveError, match="rows wait for their labels, and the new model has other inputs"):
            live.replace(other)
        live.replace(other, drop_waiting=True)
        assert live.label(["r3"], ["b"]).statuses == ["dropped"]
        assert live.predict([{"a": 1}], ids=["n"]).labels[0] in ("b", "c")
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest


def test_erase_removes_an_id_from_every_file(tmp_path):
    name = "a person's name"
    # A watch keeps the inputs of some rows, without their ids.
    with LiveModel(tmp_path, new_model(), watch=False) as live:
        live.predict([{**record(0), "price": 77.125}], ids=[name])
        work(live, 10, 30)
        live.checkpoint()
        model = live.model.digest()
        found = live.erase(name)
        assert found["was_waiting"]
        assert found["groups"] == 4
        assert live.model.digest() == model
        for path in tmp_path.iterdir():
            data = path.read_bytes()
            assert name.encode() not in data, path.name
            assert np.float64(77.125).tobytes() not in data, path.name
        assert live.label([name], ["yes"]).statuses == ["unknown_id"]
        work(live, 40, 50)
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path, watch=False) as live:
        assert live.digest() == digest
        assert not live.erase("nobody")["was_known"]


def test_who_asks_a_follower_that_fails_gets_an_answer(tmp_path, monkeypatch):
    with LiveModel(tmp_path, new_model()):
        pass
    with closing(LiveFollower(tmp_path)) as follower:
        monkeypatch.setattr(follower._engine, "digest", lambda: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            follower.digest()
        with pytest.raises(LiveStopped, match="has stopped: integer division"):
            follower.predict([record(0)])
        follower._is_closed = False  # as if it was asked just before it stopped
        with pytest.raises(LiveStopped, match="has stopped"):
            follower.digest()


def test_what_was_asked_before_a_follower_is_closed_is_answered(tmp_path):
    with LiveModel(tmp_path, new_model()):
        pass
    follower, found, go_on = LiveFollower(tmp_path), queue.SimpleQueue(), threading.Event()
    follower._tasks.put(Task(None, go_on.wait, found.put, 0))  # the thread is busy meanwhile
    time.sleep(0.1)
    follower._tasks.put(Task(None, follower._engine.digest, found.put, 0))
    closer = threading.Thread(target=follower.close)
    closer.start()
    time.sleep(0.1)
    go_on.set()
    closer.join(10)
    assert not closer.is_alive()
    assert found.get(timeout=1) is True and len(found.get(timeout=1)) == 64


def test_a_follower_is_bit_equal_at_the_same_event(tmp_path):
    with LiveModel(tmp_path, new_model(), checkpoint_seconds=0.0) as live, LiveFollower(tmp_path) as follower:
        for start in range(0, 200, 40):
            work(live, start, start + 20)
            assert follower.refresh() == live.event
            assert follower.digest() == live.digest()
            rows = records(900, 910)
            assert np.array_equal(follower.predict(rows).probabilities, live.predict(rows).probabilities)
        live.erase("r1")
        assert follower.refresh() == live.event
        assert follower.digest() == live.digest()
        for refused in (
            lambda: follower.label(["r3"], ["yes"]), lambda: follower.learn([record(0)], ["yes"]),
        ):
            with pytest.raises(ReadOnly, match="a follower only predicts"):
                refused()
