"""What is on disk: recovery, checkpoints, damage, owners, versions, and what an operator does."""

import os
import shutil
import sqlite3
import time

import numpy as np
import pytest
from live.live_rows import label, labels, new_model, record, records

import thalweg
from thalweg.live import (
    CommitFailed,
    FolderInUse,
    LiveError,
    LiveFollower,
    LiveModel,
    LogDamaged,
    OtherVersion,
    ReadOnly,
    checkpoints,
)


def crash(live):
    """End a live model as a kill would: without a checkpoint."""
    live._worker.close()
    live._keeper.close()
    live._lock.release()
    del live._lock


def work(live, start, stop):
    ids = [f"r{i}" for i in range(start, stop)]
    live.predict(records(start, stop), ids=ids)
    live.label(ids[::2], labels(start, stop)[::2])
    live.learn(records(stop, stop + 5), labels(stop, stop + 5), ids=[f"k{i}" for i in range(stop, stop + 5)])


@pytest.fixture
def crashed(tmp_path):
    """A folder with checkpoints at events 30 and 60 and 30 events after them, and the digest."""
    folder = tmp_path / "live"
    live = LiveModel(folder, new_model())
    for start in (0, 100, 200):
        work(live, start, start + 16)
        if start < 200:
            live.checkpoint()
    digest, event = live.digest(), live.event
    crash(live)
    return folder, digest, event


def test_recovery_is_bit_equal(crashed):
    folder, digest, event = crashed
    with LiveModel(folder) as live:
        assert (live.event, live.digest()) == (event, digest)
    with LiveModel(folder) as live:  # after a clean stop there is nothing to replay
        assert live.digest() == digest


def test_two_checkpoints_are_kept(crashed):
    folder, _digest, event = crashed
    assert len(checkpoints.events_of(folder)) == 2
    with LiveModel(folder):
        pass
    assert checkpoints.events_of(folder)[0] == event
    assert len(checkpoints.events_of(folder)) == 2


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_checkpoint_is_left_out(crashed, damage, caplog):
    folder, digest, event = crashed
    newest = checkpoints.path_of(folder, checkpoints.events_of(folder)[0])
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes({"cut": data[: len(data) // 2], "changed": data, "empty": b""}[damage])
    with LiveModel(folder) as live:
        assert (live.event, live.digest()) == (event, digest)
    assert "a checkpoint is left out" in caplog.text


def test_no_checkpoint_left_is_an_error(crashed):
    folder, *_ = crashed
    for event in checkpoints.events_of(folder):
        checkpoints.path_of(folder, event).write_bytes(b"nothing")
    with pytest.raises(LogDamaged, match="no checkpoint can be read"):
        LiveModel(folder)
    for event in checkpoints.events_of(folder):
        checkpoints.path_of(folder, event).unlink()
    with pytest.raises(LogDamaged, match="no checkpoint can be read: there is none"):
        LiveModel(folder)


def test_a_half_written_checkpoint_is_removed(crashed):
    folder, digest, _event = crashed
    (folder / "checkpoint-99.tw.part").write_bytes(b"half")
    with LiveModel(folder) as live:
        assert live.digest() == digest
    assert not list(folder.glob("*.part"))


def edit(folder, statement, *values):
    with sqlite3.connect(folder / "log.sqlite") as db:
        db.execute(statement, values)
    db.close()


def test_a_gap_in_the_log_is_an_error(crashed):
    folder, *_ = crashed
    newest = checkpoints.events_of(folder)[0]
    edit(folder, "DELETE FROM log WHERE first = (SELECT min(first) FROM log WHERE first > ?)", newest)
    with pytest.raises(LogDamaged, match=f"gap: events {newest + 1} to"):
        LiveModel(folder)


def test_a_changed_group_is_an_error(crashed):
    folder, *_ = crashed
    with sqlite3.connect(folder / "log.sqlite") as db:
        first, data = db.execute("SELECT first, data FROM log ORDER BY first DESC LIMIT 1").fetchone()
        data = data[:-1] + bytes([data[-1] ^ 1])
        db.execute("UPDATE log SET data=? WHERE first=?", (data, first))
    db.close()
    with pytest.raises(LogDamaged, match="checksum"):
        LiveModel(folder)


def test_a_cut_log_is_an_error(crashed):
    folder, *_ = crashed
    edit(folder, "DELETE FROM log WHERE first > 5")
    with pytest.raises(LogDamaged, match="the log ends at event"):
        LiveModel(folder)


@pytest.mark.parametrize("content", [b"no database at all, but some text", b""])
def test_a_file_that_is_no_log_is_an_error(crashed, content):
    folder, *_ = crashed
    for name in ("log.sqlite-wal", "log.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / "log.sqlite").write_bytes(content)
    with pytest.raises(LogDamaged, match=r"damaged|the log ends at event 0"):
        LiveModel(folder)


def test_a_truncated_database_is_an_error(crashed):
    folder, *_ = crashed
    for name in ("log.sqlite-wal", "log.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    data = (folder / "log.sqlite").read_bytes()
    (folder / "log.sqlite").write_bytes(data[: len(data) // 2])
    with pytest.raises(LogDamaged, match=r"damaged|ends at event"):
        LiveModel(folder)


def test_a_second_owner_is_refused(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        with pytest.raises(FolderInUse, match=f"in use by process {os.getpid()}"):
            LiveModel(tmp_path, lock_timeout=0.0)
        assert live.predict([record(0)], ids=["a"]).statuses == ["predicted"]
    with LiveModel(tmp_path, lock_timeout=0.0) as live:
        assert live.event == 1


def test_folders_and_models_must_fit(tmp_path):
    with pytest.raises(LiveError, match="no live model yet"):
        LiveModel(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    with LiveModel(tmp_path / "live", new_model()):
        pass
    with pytest.raises(LiveError, match="has a live model already"):
        LiveModel(tmp_path / "live", new_model())
    (tmp_path / "file").write_text("")
    with pytest.raises(LiveError, match="is a file"):
        LiveModel(tmp_path / "file", new_model())
    with pytest.raises(TypeError, match=r"must be a thalweg\.Model"):
        LiveModel(tmp_path / "other", "model.tw")


def test_events_of_another_version_are_not_replayed_silently(crashed):
    folder, digest, event = crashed
    edit(folder, "UPDATE versions SET version='0.0.1'")
    with pytest.raises(OtherVersion, match=r"events of thalweg 0\.0\.1 after the last checkpoint"):
        LiveModel(folder)
    with LiveModel(folder, replay_other_version=True) as live:
        assert live.digest() == digest
        work(live, 300, 310)
    edit(folder, "UPDATE versions SET version='0.0.1' WHERE first = 1")
    with LiveModel(folder) as live:  # the clean stop has written a checkpoint
        assert live.event > event


def test_a_failed_commit_stops_the_live_model(tmp_path, caplog):
    live = LiveModel(tmp_path, new_model())
    work(live, 0, 10)
    digest, event = live.digest(), live.event
    live._keeper.log._db.execute("PRAGMA max_page_count=1")  # as on a full disk
    with pytest.raises(CommitFailed, match="could not be written: database or disk is full"):
        live.learn(records(20, 400), labels(20, 400))
    assert isinstance(live.failure, CommitFailed)
    for ask in (lambda: live.predict([record(0)]), lambda: live.label(["r1"], ["yes"]), live.digest):
        with pytest.raises(CommitFailed):
            ask()
    live.close()
    with LiveModel(tmp_path) as live:
        assert (live.event, live.digest()) == (event, digest)
        assert live.learn(records(20, 40), labels(20, 40)).is_good


def test_a_read_only_folder_is_a_clear_error(tmp_path, monkeypatch):
    folder = tmp_path / "live"
    with LiveModel(folder, new_model()):
        pass
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    try:
        if os.access(folder, os.W_OK):  # root may write anywhere
            monkeypatch.setattr("builtins.open", refuse_writing(open))
        with pytest.raises(OSError, match="Permission denied"):
            LiveModel(folder)
    finally:
        folder.chmod(0o755)


def refuse_writing(original):
    def opened(path, mode="r", *rest, **options):
        if set(mode) & set("wax+"):
            raise PermissionError(13, "Permission denied", str(path))
        return original(path, mode, *rest, **options)

    return opened


def test_a_learner_that_raises_loses_nothing(tmp_path, monkeypatch):
    with LiveModel(tmp_path, new_model()) as live:
        work(live, 0, 10)
        before = live.digest()
        learner = type(live.model.learner_)
        original = learner.test_then_train_coded

        def fails(self, X, *rest, **options):
            monkeypatch.undo()  # a replay succeeds
            original(self, X, *rest, **options)
            raise MemoryError("no more")

        monkeypatch.setattr(learner, "test_then_train_coded", fails)
        with pytest.raises(LiveError, match="the learner has raised MemoryError"):
            live.learn([record(50)], [label(50)])
        assert live.digest() == before
        assert live.learn([record(50)], [label(50)]).is_good


def test_checkpoints_and_compaction_go_on_beside_requests(tmp_path):
    with LiveModel(tmp_path, new_model(), checkpoint_seconds=0.0) as live:
        for start in range(0, 400, 20):
            work(live, start, start + 12)
            live._call(live._keeper.wait)
        assert live._keeper.n_checkpoints >= 5
        assert live._keeper.log.size()[0] < 40  # of 60 groups
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
        assert live.compact() >= 0
        assert live.digest() == digest


def test_a_checkpoint_that_fails_stops_nothing(tmp_path, monkeypatch, caplog):
    def fails(*arguments):
        raise OSError(28, "No space left on device")

    with LiveModel(tmp_path, new_model(), checkpoint_seconds=0.0) as live:
        monkeypatch.setattr(checkpoints, "write", fails)
        work(live, 0, 10)
        live._call(live._keeper.wait)
        assert "No space left" in live._keeper.checkpoint_error
        assert live.predict([record(3)], ids=["x"]).statuses == ["predicted"]
        monkeypatch.undo()
        digest = live.digest()
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest


def test_soon_is_answered_before_it_is_on_disk_and_is_there_at_the_end(tmp_path):
    live = LiveModel(tmp_path, new_model())
    live._call(lambda: setattr(live._worker, "_deadline", None))
    answer = live.predict(records(0, 3), ids=["a", "b", "c"], durable=False)
    assert answer.events == [1, 2, 3]
    assert live.label(["a"], ["yes"]).events == [4]  # a durable event brings all before it to disk
    with sqlite3.connect(tmp_path / "log.sqlite") as db:
        assert db.execute("SELECT sum(n) FROM log").fetchone() == (4,)
    db.close()
    live.predict(records(5, 6), ids=["e"], durable=False)
    digest = live.digest()
    live.close()
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest


def test_soon_is_on_disk_soon_without_another_request(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        live.predict(records(0, 3), ids=["a", "b", "c"], durable=False)
        end = time.monotonic() + 60
        while live._keeper.n_open and time.monotonic() < end:
            time.sleep(0.005)
        with sqlite3.connect(tmp_path / "log.sqlite") as db:
            assert db.execute("SELECT sum(n) FROM log").fetchone() == (3,)
        db.close()


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


def test_a_copy_of_the_folder_recovers(crashed, tmp_path):
    folder, digest, _event = crashed
    shutil.copytree(folder, tmp_path / "copy")
    with LiveModel(tmp_path / "copy") as live:
        assert live.digest() == digest


def test_without_waiting_for_the_replay(crashed):
    folder, digest, _event = crashed
    live = LiveModel(folder, wait=False)
    live._worker.is_ready.wait()
    assert not live.is_recovering
    assert live.failure is None
    assert live.digest() == digest
    live.close()
