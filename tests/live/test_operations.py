"""What an operator does: other bounds, export, another model, erasing an id, a follower."""

import queue
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from live.live_rows import crash, label, new_model, record, records, work

import thalweg
from thalweg.live import LiveError, LiveFollower, LiveModel, LiveStopped, LogDamaged, ReadOnly, checkpoints
from thalweg.live.inspecting import verify
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


@pytest.mark.parametrize("labelled", [False, True])
def test_a_changed_bound_is_replayed_from_the_checkpoint_before_it(tmp_path, labelled):
    folder = tmp_path / "live"
    with LiveModel(folder, new_model(), max_waiting=10) as live:
        live.predict(records(0, 5), ids=range(5))
    with LiveModel(folder, max_waiting=100, max_known=50) as live:
        live.predict(records(5, 65), ids=range(5, 65))
        if labelled:
            live.label(range(65), [label(i) for i in range(65)])
        digest, n = live.digest(), live.n_waiting
        crash(live)
    newest, *older = checkpoints.events_of(folder)
    assert older
    path = checkpoints.path_of(folder, newest)
    path.write_bytes(path.read_bytes()[:-100])
    assert verify(folder).digest == digest
    with LiveModel(folder, max_waiting=100, max_known=50) as live:
        assert (live.n_waiting, live.digest()) == (n, digest)
        assert live.label([64], [label(64)]).statuses == ["already" if labelled else "learned"]
    assert verify(folder).problems == []


def test_bounds_that_are_changed_several_times_at_one_event_are_replayed_in_their_order(tmp_path):
    folder = tmp_path / "live"
    with LiveModel(folder, new_model()) as live:
        live.predict(records(0, 20), ids=range(20))
    for most in (5, 30, 12):
        with LiveModel(folder, max_waiting=most) as live:
            digest = live.digest()
    with LiveModel(folder, max_waiting=12) as live:
        live.predict(records(20, 30), ids=range(20, 30))
        digest = live.digest()
        live.checkpoint()
        crash(live)
    checkpoints.path_of(folder, 30).write_bytes(b"damaged")
    with LiveModel(folder, max_waiting=12) as live:
        assert live.digest() == digest
    assert verify(folder).problems == []


def test_all_callers_of_a_follower_that_fails_get_its_error(tmp_path, monkeypatch):
    with LiveModel(tmp_path, new_model()) as live:
        work(live, 0, 20)
        follower = LiveFollower(tmp_path, period=30.0)
    failing, ready = threading.Event(), threading.Barrier(5)

    def fail(*args):
        failing.wait(10)  # meanwhile the others are queued
        raise LogDamaged("a group of events is damaged")

    monkeypatch.setattr("thalweg.live.follower.replay", fail)
    found = []

    def ask(call):
        ready.wait()
        try:
            found.append(call())
        except LiveError as error:
            found.append(error)

    calls = [follower.refresh, follower.refresh, follower.digest, lambda: follower.predict(records(0, 2))]
    threads = [threading.Thread(target=ask, args=(call,), daemon=True) for call in calls]
    for each in threads:
        each.start()
    ready.wait()
    time.sleep(0.05)
    failing.set()
    for each in threads:
        each.join(10)
    assert len(found) == 4
    assert sum(isinstance(each, LiveStopped) for each in found) >= 2
    with pytest.raises(LiveStopped, match="damaged"):
        follower.refresh()
    follower.close()


def test_a_follower_follows_a_change_of_bounds(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        work(live, 0, 20)
        follower = LiveFollower(tmp_path)
    with follower, LiveModel(tmp_path, max_waiting=4, max_known=6) as live:
        work(live, 40, 60)
        assert follower.refresh() == live.event
        assert follower.digest() == live.digest()


def test_a_given_bound_holds_for_the_model_that_replaces_another(tmp_path):
    with LiveModel(tmp_path / "more", new_model(max_waiting=10), max_waiting=15) as live:
        live.replace(new_model(max_waiting=10))
        live.predict(records(0, 15), ids=range(15))
        assert live.n_waiting == 15
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path / "more", max_waiting=15) as live:
        assert live.digest() == digest
    with LiveModel(tmp_path / "fewer", new_model(), max_waiting=20) as live:
        live.predict(records(0, 20), ids=range(20))
        live.replace(new_model())
        live.predict(records(20, 40), ids=range(20, 40))
        assert live.n_waiting == 20
    with LiveModel(tmp_path / "own", new_model()) as live:
        live.predict(records(0, 20), ids=range(20))
        live.replace(new_model(max_waiting=8))  # without a bound here, that of the model
        assert live.n_waiting == 8
        assert live.label([0], ["yes"]).statuses == ["dropped"]
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path / "own") as live:
        assert live.digest() == digest


def test_a_model_with_more_waiting_rows_than_the_bound_keeps_the_newest(tmp_path):
    model = new_model()
    model.predict(records(0, 20), ids=range(20))
    with LiveModel(tmp_path, model, max_waiting=5) as live:
        assert live.n_waiting == 5
        assert live.label([14, 19], [label(14), label(19)]).statuses == ["dropped", "learned"]


def test_a_label_budget_takes_effect_in_a_folder_that_has_events(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        live.predict(records(0, 5), ids=range(5))
    with LiveModel(tmp_path, label_budget=0.5) as live:
        assert live.predict(records(5, 45), ids=range(5, 45)).asks is not None
    with LiveModel(tmp_path, label_budget=0.5) as live:  # the same one goes on
        assert live._engine.budget.n_rows_ == 40
        live.predict(records(45, 50), ids=range(45, 50))
        digest = live.digest()
        crash(live)
    newest = checkpoints.events_of(tmp_path)[0]
    checkpoints.path_of(tmp_path, newest).write_bytes(b"damaged")
    with LiveModel(tmp_path) as live:
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


def test_export_says_how_many_rows_were_dropped(tmp_path):
    model = new_model(max_waiting=3)
    model.predict(records(0, 4), ids=range(4))
    with LiveModel(tmp_path / "live", model) as live:
        live.predict(records(4, 10), ids=range(4, 10))
        crash(live)
    with LiveModel(tmp_path / "live", max_waiting=2) as live:
        live.export(tmp_path / "model.tw")
    assert thalweg.load(tmp_path / "model.tw").n_dropped_ == 8


def test_replace_goes_on_without_a_gap(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        work(live, 0, 20)
        live.export(tmp_path / "before.tw")
        better = thalweg.load(tmp_path / "before.tw")
        better.set_params(new_labels="add").learn([record(i) | {"paid": label(i)} for i in range(500, 600)])
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


@pytest.mark.parametrize("learner", ["LogisticMixture", "NaiveBayes"])
def test_waiting_rows_are_kept_by_a_model_that_knows_other_categories_and_labels(tmp_path, learner):
    rows = [{"x": i % 5, "shop": "abc"[i % 3], "paid": ["no", "yes"][i % 2]} for i in range(60)]
    other = [{"x": i % 5, "shop": "cbd"[i % 3], "paid": ["yes", "no"][i % 2]} for i in range(1, 90)]
    columns = {"shop": "category"}
    old = thalweg.Model("paid", learner, columns=columns).learn(rows)
    new = thalweg.Model("paid", learner, columns=columns, classes=["yes", "other", "no"]).learn(other)
    later = [{"x": 1, "shop": "e"}, {"x": 2, "shop": None}, {"x": 3, "shop": "a"}, {"x": 0, "shop": "d"}]
    with LiveModel(tmp_path, old, new_labels="add") as live:
        said = live.predict(later, ids=[*"wxyz"])
        live.learn([{"x": 1, "shop": "f"}], ["yse"], ids=["typo"])
        live.replace(new)
        again = live.predict(later, ids=[*"wxyz"])  # the answers are those from before
        assert (again.labels, again.statuses) == (said.labels, ["already"] * 4)
        for p, q in zip(said.probabilities, again.probabilities, strict=True):
            assert dict(zip(said.classes, p, strict=True)) == {
                each: found for each, found in zip(again.classes, q, strict=True) if each in said.classes
            }
        assert live.label(["typo", *"wxyz"], ["yes", "no", "yes", "no", "yes"]).statuses == [
            "other_label", *["learned"] * 4
        ]  # fmt: skip
        expected = new.copy()
        for row, paid in zip(later, ["no", "yes", "no", "yes"], strict=True):
            expected.learn([row | {"paid": paid}])
        probe = [{"x": i % 5, "shop": shop} for i, shop in enumerate("abcde")]
        assert np.array_equal(live.predict(probe).probabilities, expected.predict_proba(probe))
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest


def test_an_answer_whose_class_the_new_model_lacks_is_predicted_again(tmp_path):
    rows = [{"x": i % 2 + i % 3 / 9, "paid": ["no", "yes"][i % 2]} for i in range(60)]
    named = [{"x": row["x"], "paid": "ab"[i % 2]} for i, row in enumerate(rows)]
    new = thalweg.Model("paid", "NaiveBayes").learn(named)
    with LiveModel(tmp_path, thalweg.Model("paid", "NaiveBayes").learn(rows)) as live:
        assert live.predict([{"x": 1}], ids=["w"]).labels == ["yes"]
        live.replace(new)
        again = live.predict([{"x": 0}], ids=["w"])  # the row that waits counts, not the one sent now
        assert (again.labels, again.statuses) == (["b"], ["already"])
        assert live.label(["w"], ["b"]).statuses == ["learned"]


def test_a_model_that_reads_a_column_in_another_way_does_not_fit(tmp_path):
    rows = [{"x": i % 5, "paid": ["no", "yes"][i % 2]} for i in range(60)]
    with LiveModel(tmp_path, thalweg.Model("paid", "NaiveBayes").learn(rows)) as live:
        live.predict([{"x": 1}], ids=["w"])
        other = thalweg.Model("paid", "NaiveBayes", columns={"x": "category"}).learn(rows)
        with pytest.raises(LiveError, match="it reads the column 'x' in another way"):
            live.replace(other)
        renamed = [{"y": row["x"], "paid": row["paid"]} for row in rows]
        with pytest.raises(LiveError, match="it differs in the column 'x'"):
            live.replace(thalweg.Model("paid", "NaiveBayes").learn(renamed))


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
        with pytest.raises(LiveStopped, match="has stopped: integer division"):
            follower.digest()
        with pytest.raises(LiveStopped, match="has stopped: integer division"):
            follower.predict([record(0)])


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
        for key in ("r3", "r5", "r7"):  # no event between: each is noticed, too
            live.erase(key)
            assert follower.refresh() == live.event
            assert (follower.n_waiting, follower.digest()) == (live.n_waiting, live.digest())
        for refused in (
            lambda: follower.label(["r3"], ["yes"]), lambda: follower.learn([record(0)], ["yes"]),
        ):
            with pytest.raises(ReadOnly, match="a follower only predicts"):
                refused()
