"""The guard of speed fails where a learner does twice the work, and not where nothing changed."""

import json

import pytest

from thalweg.learners import HoeffdingTree

quick = pytest.importorskip("benchmarks.quick")


class Twice(HoeffdingTree):
    def test_then_train_coded(self, X, codes):
        HoeffdingTree().begin(X.shape[1], self.classes_).test_then_train_coded(X, codes)
        return super().test_then_train_coded(X, codes)


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    monkeypatch.setattr(quick, "subjects", lambda: {"HoeffdingTree": (HoeffdingTree, quick.learning)})
    quick.record(["HoeffdingTree"], path := tmp_path / "quick.json")
    return path


def test_what_did_not_change_is_not_called_slower(recorded):
    assert quick.compare(["HoeffdingTree"], recorded) == []


def test_twice_the_work_is_called_slower(recorded, monkeypatch, capsys):
    monkeypatch.setattr(quick, "subjects", lambda: {"HoeffdingTree": (Twice, quick.learning)})
    assert quick.compare(["HoeffdingTree"], recorded) == ["HoeffdingTree"]
    assert "SLOWER" in capsys.readouterr().out


def test_a_wider_limit_lets_some_loss_pass(recorded):
    table = json.loads(recorded.read_text())
    figure = next(iter(table.values()))["HoeffdingTree"]
    figure["figure"] /= 4
    recorded.write_text(json.dumps(table))
    assert quick.compare(["HoeffdingTree"], recorded) == ["HoeffdingTree"]
    assert quick.compare(["HoeffdingTree"], recorded, limit=12) == []


def test_a_slow_turn_is_measured_again(recorded, monkeypatch):
    calls = []

    def hiccup(make, n_rows):
        turn = quick.learning(make, n_rows)
        calls.append(n_rows)
        return (lambda: 10 * turn()) if len(calls) == 1 else turn

    monkeypatch.setattr(quick, "subjects", lambda: {"HoeffdingTree": (HoeffdingTree, hiccup)})
    assert quick.compare(["HoeffdingTree"], recorded) == []
    assert len(calls) >= 2


def test_on_another_processor_half_the_speed_counts(recorded, monkeypatch, capsys):
    monkeypatch.setattr(quick, "processor", lambda: "another")
    table = json.loads(recorded.read_text())
    figure = next(iter(table.values()))["HoeffdingTree"]
    figure["figure"] /= 1.5
    recorded.write_text(json.dumps(table))
    assert quick.compare(["HoeffdingTree"], recorded) == []
    figure["figure"] /= 3
    recorded.write_text(json.dumps(table))
    assert quick.compare(["HoeffdingTree"], recorded) == ["HoeffdingTree"]
    assert "another" in capsys.readouterr().out


def test_what_is_not_recorded_fails(recorded, monkeypatch):
    monkeypatch.setattr(quick, "subjects", lambda: {"New": (HoeffdingTree, quick.learning)})
    assert quick.compare(["New"], recorded) == ["New"]


def test_what_no_processor_has_a_record_of_is_missing(recorded, monkeypatch):
    both = {"HoeffdingTree": (HoeffdingTree, quick.learning), "New": (HoeffdingTree, quick.learning)}
    monkeypatch.setattr(quick, "subjects", lambda: both)
    monkeypatch.setattr(quick, "processor", lambda: "another")
    assert quick.unrecorded(recorded) == ["New"]
    quick.record(["New"], recorded)
    assert quick.unrecorded(recorded) == []
    assert quick.compare(["HoeffdingTree", "New"], recorded) == []


def test_each_learner_and_detector_is_recorded():
    assert quick.unrecorded(quick.RECORDED) == [], "run: make goldens"
    for records in json.loads(quick.RECORDED.read_text()).values():
        assert set(records) <= set(quick.subjects())
