"""What is damaged, full or read-only: a clear error, or the checkpoint before; nothing silently wrong."""

import copy
import os
import sqlite3
import struct
from dataclasses import replace

import numpy as np
import pytest
from live.live_rows import crash, label, labels, new_model, numeric_model, record, records, work
from support.command import run_command
from support.text_rows import DAMAGED_ROWS, as_stored, text_model, text_record

from thalweg.errors import ModelFileError
from thalweg.live import CommitFailed, LiveError, LiveModel, LogDamaged, OtherVersion, checkpoints, events
from thalweg.live.engine import Engine
from thalweg.live.follower import LiveFollower
from thalweg.live.inspecting import verify
from thalweg.saving.files import _bytes_of


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


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log SET n = 'x' WHERE first = (SELECT max(first) FROM log)",
        "UPDATE log SET n = 1e300 WHERE first = (SELECT max(first) FROM log)",
        "UPDATE log SET n = -1",
        "UPDATE log SET data = 5",
        "UPDATE versions SET version = x'00'",
        "INSERT OR REPLACE INTO meta VALUES ('emptied', 'Inf')",
        "INSERT OR REPLACE INTO meta VALUES ('changes', '[[1]]')",
    ],
)
def test_a_value_of_another_type_in_the_log_is_an_error(crashed, statement):
    folder, *_ = crashed
    edit(folder, statement)
    with pytest.raises(LogDamaged, match="is damaged"):
        LiveModel(folder)


def test_a_follower_that_cannot_open_a_folder_does_not_keep_it(crashed):
    folder, *_ = crashed
    edit(folder, "UPDATE log SET n = 'x' WHERE first = (SELECT max(first) FROM log)")
    with pytest.raises(LogDamaged) as caught:
        LiveFollower(folder)
    edit(folder, "PRAGMA journal_mode=DELETE")  # which waits for all that have the log open
    assert caught.value.__traceback__ is not None


@pytest.mark.parametrize("event", [np.full(3, 1), "1", None])
def test_a_checkpoint_whose_event_is_no_number_is_left_out(crashed, event):
    folder, *_ = crashed
    newest = checkpoints.events_of(folder)[0]
    found = checkpoints.read(folder, newest)
    data = _bytes_of(found.model, {"live": found.live, "event": event})
    checkpoints.path_of(folder, newest).write_bytes(data)
    with pytest.raises(ModelFileError, match="no checkpoint at event"):
        checkpoints.read(folder, newest)


@pytest.mark.parametrize("name", ["event", "number_base", "n_predicted"])
def test_a_checkpoint_with_a_number_beyond_all_is_left_out(crashed, name, caplog):
    folder, digest, event = crashed
    newest = checkpoints.events_of(folder)[0]
    found = checkpoints.read(folder, newest)
    checkpoints.write(folder, newest, found.model, found.live | {name: 2**62})
    with LiveModel(folder) as live:
        assert (live.event, live.digest()) == (event, digest)
    assert "numbers beyond all that there are" in caplog.text


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


def written(folder, model, change, *requests):
    """Write requests, changed by `change` on their way to disk, into the log of a new folder, and crash."""
    live = LiveModel(folder, model)
    original = events.to_bytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thalweg.live.keeper.to_bytes", lambda group: change(group, original))
        for request in requests:
            request(live)
    crash(live)


def assert_refused(folder, match, event=2):
    """Assert that the second event cannot be read, in every way a log is read."""
    for read in (LiveModel, LiveFollower):
        with pytest.raises(LogDamaged, match=match) as caught:
            read(folder)
        assert f"event {event}" in str(caught.value)
    assert any(f"event {event}" in problem for problem in verify(folder).problems)


def two_rows(live):
    live.learn([text_record(1)], ["a"], ids=["i"])
    live.predict([text_record(2)], ids=["j"])


@pytest.mark.parametrize("damage", DAMAGED_ROWS)
def test_sparse_rows_of_a_log_are_checked(tmp_path, damage, monkeypatch):
    def change(group, original):
        if group.ids == ["j"]:
            stored = b"".join(part.tobytes() for part in as_stored(group.X, damage))
            monkeypatch.setattr(events, "_sparse_to_bytes", lambda X: stored)
        return original(group)

    written(tmp_path, text_model(), change, two_rows)
    monkeypatch.undo()
    assert_refused(tmp_path, r"group at event 2: .*(sparse rows are damaged|is inf)")


@pytest.mark.parametrize("n", [-1, -2, 2**62, 1])
def test_starts_of_a_log_that_are_cut_or_too_long_are_refused(tmp_path, n, monkeypatch):
    def change(group, original):
        if group.ids == ["j"]:
            places = struct.pack("<qq", 0, n)
            monkeypatch.setattr(
                events, "_sparse_to_bytes", lambda X: places + X.columns.tobytes() + X.values.tobytes()
            )
        return original(group)

    written(tmp_path, text_model(), change, two_rows)
    monkeypatch.undo()
    assert_refused(tmp_path, "group at event 2: .*damaged")


def as_dense(group, original):
    if group.ids == ["j"]:
        group.X = np.zeros(group.X.shape)
    return original(group)


def wider(group, original):
    if group.ids == ["j"]:
        group.X = type(group.X)(group.X.starts.copy(), group.X.columns.copy(), group.X.values.copy(), 10**6)
    return original(group)


@pytest.mark.parametrize("change", [as_dense, wider])
def test_rows_of_a_log_that_are_not_those_of_the_model_are_refused(tmp_path, change):
    written(tmp_path, text_model(), change, two_rows)
    assert_refused(tmp_path, "which are not those of the model")


def put(**fields):
    """Return a change of the group with the id "j": its fields become these."""

    def change(group, original):
        return original(replace(group, **fields) if group.ids == ["j"] else group)

    return change


GROUPS = {
    "a label beyond": (put(codes=np.array([2])), "has the label 2, and the model knows 2"),
    "a label far beyond": (put(codes=np.array([2**31 - 1])), "has the label 2147483647"),
    "a negative label": (put(codes=np.array([-1])), "has the label -1"),
    "an infinite value": (put(X=np.full((1, 5), np.inf)), "has an infinite value"),
    "narrow rows": (put(X=np.zeros((1, 4))), "rows of 4 inputs"),
    "no rows": (put(X=np.zeros((0, 5))), "lengths contradict"),
    "two rows": (put(X=np.zeros((2, 5))), "lengths contradict"),
    "no id": (put(ids=[]), "lengths contradict"),
    "an unknown kind": (put(kinds=np.array([7], dtype=np.uint8)), "damaged"),
    "no model": (put(kinds=np.array([4], dtype=np.uint8), codes=np.zeros(0, int), ids=[], X=np.zeros((0, 5))),
                 "replaces a model"),
    "rows that do not wait": (put(n_expired=2**32 - 1), "removes 4294967295 rows"),
    "no time": (put(time=np.nan), "time is no number"),
    "categories of no column": (put(growth={"columns": {99: ["a"]}}), "event 2"),
    "a model that is none": (put(model=b"nothing"), "event 2"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "match"), GROUPS.values(), ids=GROUPS)
def test_a_group_that_contradicts_its_model_is_refused(tmp_path, change, match):
    X = np.ones((1, 5))
    written(
        tmp_path, numeric_model(), change, lambda live: live.learn(X, [0], ids=["i"]),
        lambda live: live.learn(X, [1], ids=["j"]),
    )  # fmt: skip
    assert_refused(tmp_path, match)


def test_live_verify_says_which_event_is_damaged(tmp_path):
    X, change = np.ones((1, 5)), put(codes=np.array([9]))
    written(tmp_path, numeric_model(), change, lambda live: live.learn(X, [0], ids=["j"]))
    ended = run_command("live", "verify", tmp_path)
    assert ended.returncode == 1
    assert "PROBLEM: event 1 has the label 9" in ended.stdout


CHECKPOINTS = {
    "columns": lambda live: live["waiting"]["rows"][1].__iadd__(10**6),
    "starts": lambda live: live["waiting"]["rows"][0].__setitem__(1, 10**6),
    "falling starts": lambda live: live["waiting"]["rows"][0].__setitem__(1, -3),
    "infinite": lambda live: live["waiting"]["rows"][2].__setitem__(0, np.inf),
    "wider": lambda live: live["waiting"].update(n_features=10**6),
    "dense": lambda live: live["waiting"].update(sparse=False, rows=[np.zeros((3, 4098))]),
    "answers": lambda live: live["waiting"]["answer"].__setitem__(0, 2),
    "negative answers": lambda live: live["waiting"]["answer"].__setitem__(0, -2),
    "classes": lambda live: live["waiting"]["n_classes"].__setitem__(0, 3),
    "rows": lambda live: live["waiting"]["row"].__setitem__(0, 10**6),
    "one probability": lambda live: live["waiting"].update(p=live["waiting"]["p"][:1]),
    "one time": lambda live: live["waiting"].update(time=live["waiting"]["time"][:1]),
    "one id": lambda live: live["waiting"].update(ids=["a"] * 3),
    "ids that wait no longer": lambda live: live["done"].update(values=np.zeros((0, 3), dtype=np.int64)),
}


@pytest.mark.parametrize("change", CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_the_waiting_rows_of_a_checkpoint_are_checked(tmp_path, change):
    with LiveModel(tmp_path, text_model()) as live:
        live.predict([text_record(i) for i in range(3)], ids=["a", "b", "c"])
        live.learn([text_record(5)], ["a"], ids=["d"])
        model, kept = copy.deepcopy(live._engine.state())
    assert len(Engine.from_state(model, kept).waiting) == 3
    change(kept)
    for event in checkpoints.events_of(tmp_path):
        checkpoints.write(tmp_path, event, model, kept | {"event": event})
    with pytest.raises(LogDamaged, match="no checkpoint can be read"):
        LiveModel(tmp_path)
    assert any("checkpoint-4.tw: " in problem for problem in verify(tmp_path).problems)
