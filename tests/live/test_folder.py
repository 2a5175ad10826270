"""What is on disk: recovery, checkpoints, owners, and when events are there."""

import os
import shutil
import sqlite3
import stat
import time

import pytest
from live.live_rows import crash, new_model, record, records, work

from thalweg.live import FolderInUse, LiveError, LiveModel, checkpoints


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


def modes(folder):
    """Return the permissions of a folder and of all files in it."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_the_owner_may_read_a_new_folder(tmp_path):
    old = os.umask(0o022)
    try:
        with LiveModel(tmp_path / "new.live", new_model()) as live:
            work(live, 0, 20)
            live.checkpoint()
            found = modes(tmp_path / "new.live")
    finally:
        os.umask(old)
    assert {"log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "lock"} < found.keys()
    assert found.pop("new.live") == 0o700
    assert set(found.values()) == {0o600}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_folder_that_others_may_read_stays_so(crashed):
    folder, digest, _event = crashed
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)
    with LiveModel(folder) as live:
        assert live.digest() == digest
        work(live, 300, 310)
        live.checkpoint()
        assert set(modes(folder).values()) == {0o755, 0o644}
