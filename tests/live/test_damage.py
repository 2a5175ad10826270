"""What is damaged, full or read-only: a clear error, or the checkpoint before; nothing silently wrong."""

import os
import sqlite3

import pytest
from live.live_rows import label, labels, new_model, record, records, work

from thalweg.live import CommitFailed, LiveError, LiveModel, LogDamaged, OtherVersion, checkpoints


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


def test_a_checkpoint_that_asks_for_far_more_memory_than_it_has_is_left_out(tmp_path):
    with LiveModel(tmp_path, new_model("WindowLogistic")):
        pass
    found = checkpoints.read(tmp_path, 0)
    found.model["fitted"]["parameters"]["window"] = 10**9
    checkpoints.write(tmp_path, 0, found.model, found.live)
    with pytest.raises(LogDamaged, match="ask for more memory"):
        LiveModel(tmp_path)


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


def test_a_checkpoint_that_fails_stops_nothing(tmp_path, monkeypatch, caplog):
    def fails(*arguments):
        raise OSError(28, "No space left on device")

    with LiveModel(tmp_path, new_model(), checkpoint_seconds=0.0) as live:
        monkeypatch.setattr(checkpoints, "write", fails)
        work(live, 0, 10)
        live._call(live._keeper.wait)
        assert "No space left" in live._keeper.checkpoint_error
        assert live.predict([record(3)], ids=["x"]).statuses == ["predicted"]
        digest = live.digest()
    assert "no checkpoint was written at event" in caplog.text  # nor at the end
    monkeypatch.undo()
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
