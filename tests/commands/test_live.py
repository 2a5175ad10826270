"""`thalweg live`: what is in a folder, whether it is sound, and how it gets smaller."""

import json
import sqlite3

import pytest
from live.live_rows import labels, new_model, records
from support.command import run_command

from thalweg.live import LiveModel


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("live") / "orders"
    with LiveModel(path, new_model(), survive="process") as live:
        for start in (0, 40, 80):
            live.predict(records(start, start + 10), ids=range(start, start + 10))
            live.label(range(start, start + 6), labels(start, start + 6))
            live.checkpoint()
    return path


def test_inspect_says_what_is_there(folder):
    ended = run_command("live", "inspect", folder)
    assert ended.returncode == 0
    assert "event 48" in ended.stdout
    assert "LogisticMixture for 'paid'" in ended.stdout
    assert "12 of at most 10,000 rows wait" in ended.stdout
    found = json.loads(run_command("live", "inspect", folder, "--json").stdout)
    assert [each["event"] for each in found["checkpoints"]] == [48, 32]
    assert found["to_replay"] == 0


def test_verify_replays_from_the_older_checkpoint(folder):
    ended = run_command("live", "verify", folder, "--json")
    assert ended.returncode == 0
    found = json.loads(ended.stdout)
    assert found["problems"] == []
    assert (found["event"], found["replayed"]) == (48, 16)
    with LiveModel(folder) as live:
        assert live.digest() == found["digest"]


def test_compact_removes_what_no_checkpoint_needs(folder):
    ended = run_command("live", "compact", folder)
    assert ended.returncode == 0, ended.stderr
    assert "groups removed" in ended.stdout
    found = json.loads(run_command("live", "inspect", folder, "--json").stdout)
    assert found["log"]["first"] == 33
    with LiveModel(folder):
        ended = run_command("live", "compact", folder)
        assert ended.returncode == 2
        assert "in use by process" in ended.stderr


def test_add_class_opens_a_class(folder):
    ended = run_command("live", "add-class", folder, "returned")
    assert ended.returncode == 0, ended.stderr
    assert "'returned' is a class since event 49; the classes are no, returned, yes" in ended.stdout
    with LiveModel(folder) as live:
        assert live.label([6], ["returned"]).statuses == ["learned"]
        live.learn(records(1, 3), labels(1, 3))
    for words, problem in (
        (["add-class", folder, "returned"], "is one of the classes already"),
        (["add-class", folder], "add-class takes a folder and a label"),
        (["inspect", folder, "returned"], "inspect takes a folder alone"),
    ):
        ended = run_command("live", *words)
        assert ended.returncode == 2 and problem in ended.stderr
    found = json.loads(run_command("live", "add-class", folder, "lost", "--json").stdout)
    assert found == {"event": 53, "classes": ["lost", "no", "returned", "yes"]}


def test_verify_finds_what_is_wrong(folder):
    with sqlite3.connect(folder / "log.sqlite") as db:
        first, data = db.execute("SELECT first, data FROM log ORDER BY first DESC LIMIT 1").fetchone()
        db.execute("UPDATE log SET data=? WHERE first=?", (data[:-1] + b"\0\0", first))
    db.close()
    newest = max(folder.glob("checkpoint-*.tw"))
    newest.write_bytes(newest.read_bytes()[:-5])
    ended = run_command("live", "verify", folder)
    assert ended.returncode == 1
    assert "checksum" in ended.stdout
    assert newest.name in ended.stdout


def test_other_folders_are_refused(tmp_path):
    ended = run_command("live", "inspect", tmp_path)
    assert ended.returncode == 2
    assert "is not the folder of a live model" in ended.stderr
