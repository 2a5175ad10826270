"""Labels that are no class: each is refused alone once the classes are closed, and add_class opens one."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from live.live_rows import crash, label, labels, new_model, record, records

import thalweg
from thalweg import trust
from thalweg.connectors.messages import Batch, Message
from thalweg.errors import ParameterError
from thalweg.learners import LastLabels, NaiveBayes
from thalweg.live import LiveError, LiveFollower, LiveModel, LiveWatch, LogDamaged, RowError, consume
from thalweg.live import checkpoints as checkpoint_files
from thalweg.live.events import ADD_CLASS, PREDICT, Group, from_bytes, to_bytes
from thalweg.live.inspecting import verify
from thalweg.live.log import Log

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")  # of few rows


@pytest.fixture
def live(tmp_path):
    with LiveModel(tmp_path / "live", new_model()) as opened:
        yield opened


def empty_model(**options):
    return thalweg.Model("paid", "NaiveBayes", columns={"price": "number"}, **options)


def priced(given):
    return [{"price": i, "paid": each} for i, each in enumerate(given)]


def test_one_typo_among_a_thousand_labels_is_refused_alone(live):
    ids = [f"r{i}" for i in range(1000)]
    given = ["no" if i % 2 else "yes" for i in range(1000)]
    live.predict(records(0, 1000), ids=ids)
    expected = live.model.copy()
    outcomes = live.label(ids, [*given[:500], "Yess", *given[501:]])
    assert [i for i, status in enumerate(outcomes.statuses) if status != "learned"] == [500]
    assert (outcomes.statuses[500], outcomes.events[500]) == ("unknown_label", None)
    assert outcomes.messages[500] == (
        "'Yess' is not one of the classes no, yes; did you mean 'yes'? Open it with add_class, or start with "
        "new_labels=add"
    )
    assert outcomes.events[499:502] == [1500, None, 1501]
    assert not outcomes.is_good and live.n_waiting == 1
    assert live.label(["r500"], ["yes"]).statuses == ["learned"]
    order = [*range(500), *range(501, 1000), 500]
    expected.learn([record(i) | {"paid": given[i]} for i in order])
    assert np.array_equal(live.predict(records(0, 9)).probabilities, expected.predict_proba(records(0, 9)))


@pytest.mark.parametrize("bad", [None, "", " ", math.nan, [1], {"a": 1}, "w" * 513])
@pytest.mark.parametrize("new_labels", ["refuse", "add"])
def test_a_label_that_is_missing_or_cannot_be_read_is_refused_alone(tmp_path, new_labels, bad):
    with LiveModel(tmp_path, new_model(), new_labels=new_labels) as live:
        live.predict(records(0, 3), ids=[1, 2, 3])
        for outcomes in (
            live.label([1, 2], [bad, "yes"]),
            live.learn(records(0, 2), [bad, "yes"]),
            live.learn(records(0, 2), [bad, "yes"], ids=["a", "b"]),
            live.learn(records(0, 2), [bad, "yes"], ids=[1, "c"]),
        ):
            assert outcomes.statuses == ["unknown_label", "learned"]
            assert outcomes.messages[0].startswith("the label") and outcomes.messages[1] is None
        assert live.event == 7 and live.n_waiting == 2
        assert live.model.classes_.tolist() == ["no", "yes"]


def test_a_refused_row_leaves_nothing_and_the_next_error_names_its_own_place(live):
    before = live.digest()
    outcomes = live.learn([record(0) | {"shop": "never seen"}], ["maybe"], ids=["k"])
    assert outcomes.statuses == ["unknown_label"]
    with pytest.raises(RowError, match="much") as raised:
        live.learn([record(0), record(1), record(2) | {"price": "much"}], ["maybe", "yes", "no"])
    assert (raised.value.row, raised.value.column) == (2, "price")
    assert live.digest() == before
    assert live.learn([record(0)], ["yes"], ids=["k"]).statuses == ["learned"]


def test_a_label_of_no_waiting_row_gets_the_status_of_its_id(live):
    live.predict(records(0, 2), ids=["a", "b"])
    live.label(["a"], ["yes"])
    given = ["b", "a", "never", "b", "b", "b"]
    outcomes = live.label(given, ["maybe", "maybe", "maybe", "perhaps", "no", "maybe"])
    assert outcomes.statuses == [
        "unknown_label", "other_label", "unknown_id", "unknown_label", "learned", "other_label"
    ]  # fmt: skip


def test_new_labels_add_makes_classes_as_a_model_does(tmp_path):
    with LiveModel(tmp_path, new_model(), new_labels="add") as live:
        expected = live.model.copy()
        assert live.learn(records(0, 300), labels(0, 300)).is_good
        expected.set_params(new_labels="add").learn([record(i) | {"paid": label(i)} for i in range(300)])
        assert live.model.digest() == expected.digest()
        assert live.model.classes_.tolist() == ["case 193", "case 290", "case 96", "no", "yes"]


def test_the_setting_is_checked(tmp_path):
    with pytest.raises(ParameterError, match="new_labels must be one of 'refuse', 'add', got 'open'"):
        LiveModel(tmp_path / "live", new_model(), new_labels="open")
    assert not (tmp_path / "live").exists()


def test_a_model_that_has_learned_nothing_is_closed_after_a_hundred_labels(tmp_path):
    with LiveModel(tmp_path, empty_model()) as live:
        assert live.learn(priced("ab" * 20)).is_good
        assert live.learn(priced("c")).is_good
        cut = live.learn(priced("a" * 58 + "de" + "f" * 3))
        assert cut.statuses == ["learned"] * 59 + ["unknown_label"] * 4
        assert live.model.classes_.tolist() == ["a", "b", "c", "d"]


def test_one_class_alone_is_never_closed(tmp_path):
    with LiveModel(tmp_path, empty_model()) as live:
        live.learn(priced("a" * 150))
        assert live.learn(priced("bc")).statuses == ["learned", "unknown_label"]
        live.replace(empty_model().learn(priced("a" * 150)))
        assert live.learn(priced("b" * 99 + "cd")).statuses == ["learned"] * 100 + ["unknown_label"]
        live.replace(empty_model().learn(priced("ab")))
        assert live.learn(priced("bc")).statuses == ["learned", "unknown_label"]


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_what_is_refused_does_not_depend_on_how_labels_are_cut(tmp_path, size):
    given = [*"ab" * 30, "c", *"ab" * 18, "a", "d", *"ab", "e", "f"]
    with LiveModel(tmp_path, empty_model(), survive="process") as live:
        live.learn(priced("a"))
        live.predict([{"price": i} for i in range(len(given))], ids=range(len(given)))
        statuses = []
        for start in range(0, len(given), size):
            part = range(start, min(start + size, len(given)))
            statuses += live.label(part, [given[i] for i in part]).statuses
        assert [given[i] for i, status in enumerate(statuses) if status != "learned"] == ["e", "f"]
        assert live.model.classes_.tolist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize("checkpoint", [False, True])
def test_the_first_labels_are_counted_across_a_crash(tmp_path, checkpoint):
    live = LiveModel(tmp_path, empty_model())
    live.learn(priced("ab" * 20))
    live.learn(priced("ab" * 29))
    if checkpoint:
        live.checkpoint()
    digest = live.digest()
    crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
        assert live.learn(priced("cde")).statuses == ["learned", "learned", "unknown_label"]


def test_the_first_rows_are_taken_without_those_whose_labels_cannot_be_read(tmp_path):
    given = ["a", "b", None, "", "w" * 513, [1]] + ["a"] * 150 + ["c"]
    statuses = ["learned"] * 2 + ["unknown_label"] * 4 + ["learned"] * 151
    with LiveModel(tmp_path / "none", empty_model()) as live:
        assert live.learn([{"price": 1}] * 2, [None, ""], ids=[1, 2]).statuses == ["unknown_label"] * 2
        assert live.event == 0 and live.n_waiting == 0
        outcomes = live.learn([{"price": i} for i in range(157)], given, ids=range(157))
        assert outcomes.statuses == statuses and outcomes.events[:7] == [1, 2, None, None, None, None, 3]
        assert live.model.classes_.tolist() == ["a", "b", "c"]
        assert live.learn(priced("d")).statuses == ["unknown_label"]
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path / "none") as live:
        assert live.digest() == digest
    listed = empty_model(classes=["a", "b"])
    with LiveModel(tmp_path / "listed", listed) as live:
        outcomes = live.learn(priced(["a", "c", "b"]))
        assert outcomes.statuses == ["learned", "unknown_label", "learned"]
        assert outcomes.messages[1] == "'c' is not one of the classes a, b."
        assert live.event == 2


LEARNERS = [
    "LogisticMixture", "HoeffdingTree", "AdaptiveStacking([NaiveBayes(), LinearLogistic()])",
    LastLabels(NaiveBayes(), max_waiting=100_000), trust.PredictionSets(NaiveBayes()),
]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("options", [{}, {"classes": ["no", "yes"]}], ids=["open", "listed"])
def test_a_class_that_is_added_is_an_event_that_is_replayed(tmp_path, learner, options):
    live = LiveModel(tmp_path, new_model(learner, **options))
    live.predict(records(0, 3), ids=["a", "b", "c"])
    assert live.label(["a"], ["maybe"]).statuses == ["unknown_label"]
    assert live.add_class("maybe") == 4
    assert live.event == 4 and live.model.learner_.classes_.tolist() == ["no", "yes", "maybe"]
    assert live.label(["a", "b"], ["maybe", "perhaps"]).statuses == ["learned", "unknown_label"]
    answer = live.predict(records(3, 5), ids=["d", "e"])
    assert answer.classes == ["no", "yes", "maybe"]
    digest = live.digest()
    with LiveFollower(tmp_path) as follower:
        assert (follower.event, follower.digest()) == (7, digest)
    crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
        again = live.predict(records(3, 5), ids=["d", "e"])
        assert np.array_equal(again.probabilities, answer.probabilities)
    assert verify(tmp_path).problems == []
    with LiveModel(tmp_path) as live:  # from the checkpoint
        assert live.digest() == digest
        assert live.label(["b", "c"], ["perhaps", "maybe"]).statuses == ["unknown_label", "learned"]
        live.export(tmp_path / "exported.tw")
    assert thalweg.load(tmp_path / "exported.tw").learner_.classes_.tolist() == ["no", "yes", "maybe"]


def test_what_is_no_new_class_cannot_be_added(live):
    live.predict(records(0, 2), ids=["a", "b"])
    before = live.digest()
    for given, problem in (
        ("yes", "is one of the classes already"), (None, "is missing"), ("", "is missing"),
        ([1], "neither text"), ("w" * 513, "513 characters"),
    ):  # fmt: skip
        with pytest.raises(RowError, match=problem):
            live.add_class(given)
        assert (live.event, live.digest()) == (2, before)


def test_a_class_that_the_learner_refuses_changes_nothing(live, monkeypatch):
    before = live.digest()

    def refuse(*arguments):
        raise ValueError("no room")

    monkeypatch.setattr(type(live.model.learner_), "_add_classes", refuse)
    with pytest.raises(ValueError, match="no room"):
        live.add_class("maybe")
    monkeypatch.undo()
    assert (live.event, live.digest()) == (0, before)
    assert live.add_class("maybe") == 1


def test_a_model_without_columns_has_no_classes_to_add_to(tmp_path):
    with LiveModel(tmp_path, empty_model()) as live, pytest.raises(LiveError, match="learned nothing yet"):
        live.add_class("a")


def test_a_class_is_added_as_the_others_are_written(tmp_path):
    with LiveModel(tmp_path, empty_model().learn(priced([0, 1] * 10))) as live:
        live.add_class("7")
        assert live.model.classes_.tolist() == [0, 1, 7]
        assert live.learn(priced([7, "7"])).is_good
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest


BESIDE = {"kinds": np.array([ADD_CLASS, PREDICT], dtype=np.uint8), "ids": ["z"]}


@pytest.mark.parametrize(
    "change",
    [{"growth": {}}, {"growth": {"labels": ["x", "y"]}}, {"growth": {"labels": ["yes"]}},
     {"growth": {"labels": [None]}}, {"growth": {"labels": ["x"], "columns": {2: ["y"]}}}, BESIDE],
    ids=["none", "two", "known", "missing", "columns", "beside"],
)  # fmt: skip
def test_a_damaged_event_of_a_class_is_found(tmp_path, change):
    live = LiveModel(tmp_path, new_model())
    live.predict([record(0)], ids=["a"])
    live.add_class("maybe")
    crash(live)
    log = Log(tmp_path)
    group = from_bytes(log.entries(1)[0].data)
    parts = {name: getattr(group, name) for name in ("time", "kinds", "ids", "X", "codes", "growth")}
    width = from_bytes(log.entries(0)[0].data).X.shape[1]
    parts |= change | ({"X": np.zeros((1, width))} if change is BESIDE else {})
    data = to_bytes(Group(**parts))
    log._db.execute("UPDATE log SET data=?, n=? WHERE first=2", (data, len(parts["kinds"])))
    log.close()
    with pytest.raises(LogDamaged, match="event 2"):
        LiveModel(tmp_path)


def test_a_folder_of_an_earlier_release_is_opened_as_before(tmp_path):
    live = LiveModel(tmp_path, new_model(), new_labels="add")
    live.predict(records(0, 3), ids=["a", "b", "c"])
    live.checkpoint()
    live.label(["a", "b"], ["brand new", "yes"])
    digest, event = live.digest(), live.event
    crash(live)
    for each in checkpoint_files.events_of(tmp_path):
        found = checkpoint_files.read(tmp_path, each)
        state = {name: value for name, value in found.live.items() if name != "n_first_labels"}
        for counts in ("counts", "counted_at"):
            if state["watch"] is not None:
                state["watch"][counts].pop("unknown_label")
        checkpoint_files.write(tmp_path, each, found.model, state)
    with LiveModel(tmp_path) as live:
        assert (live.event, live.digest()) == (event, digest)
        assert live.label(["c"], ["newer"]).statuses == ["unknown_label"]
        assert live.watch.snapshot()["counts"]["unknown_label"] == 1


def test_a_checkpoint_with_an_impossible_count_is_left_out(tmp_path):
    with LiveModel(tmp_path, new_model()) as live:
        live.predict([record(0)], ids=["a"])
    newest, *_ = checkpoint_files.events_of(tmp_path)
    found = checkpoint_files.read(tmp_path, newest)
    checkpoint_files.write(tmp_path, newest, found.model, found.live | {"n_first_labels": 101})
    assert any("first labels" in problem for problem in verify(tmp_path).problems)


def test_the_watch_counts_refused_labels(live):
    live.predict(records(0, 4), ids=[1, 2, 3, 4])
    live.label([1, 2, 3], ["maybe", None, "yes"])
    live.learn(records(4, 6), ["maybe", "no"])
    counts = live.watch.snapshot()["counts"]
    assert (counts["unknown_label"], counts["refused"]) == (3, 0)
    assert LiveWatch.from_state(live.watch.state()).snapshot()["counts"]["unknown_label"] == 3


@dataclass
class Listed:
    """A source of messages in a list, each a batch."""

    records: list[dict[str, Any]]
    place: int = 0

    def open(self, position=None):
        self.place = position or 0

    def next_batch(self):
        if self.place == len(self.records):
            return None
        self.place += 1
        message = Message(self.records[self.place - 1], None, 0, self.place - 1)
        return Batch([message], [], self.place)

    def close(self):
        pass


@dataclass
class Kept:
    """A sink that keeps what it gets."""

    written: list[dict[str, Any]]

    def write(self, outputs, batch):
        self.written += outputs


def test_a_consumer_answers_a_label_that_is_no_class_and_goes_on(live):
    row = record(0)
    source = Listed([
        {"event": "predict", "id": "a", "row": row}, {"event": "label", "id": "a", "label": "Yess"},
        {"event": "learn", "row": row, "label": "noo"}, {"event": "label", "id": "a", "label": "yes"},
    ])  # fmt: skip
    sink = Kept([])
    assert consume(live, source, sink).n_messages == 4
    statuses = [each["status"] for each in sink.written]
    assert statuses == ["predicted", "unknown_label", "unknown_label", "learned"]
    assert "did you mean 'yes'" in sink.written[1]["message"] and live.event == 2


def test_a_thousand_refused_labels_cost_little_time(tmp_path):
    import time

    rows = [{"price": i % 7, "paid": f"class {i:04d}"} for i in range(999)]
    with LiveModel(tmp_path, empty_model().learn(rows), watch=False, survive="process") as live:
        given = [f"klass {i:04d}" for i in range(1000)]
        start = time.process_time()
        outcomes = live.learn([{"price": 1}] * 1000, given)
        seconds = time.process_time() - start
    assert outcomes.statuses == ["unknown_label"] * 1000
    assert "did you mean" in outcomes.messages[0] and "did you mean" not in outcomes.messages[999]
    assert seconds < 3  # of which comparing each label with each class would take more than ten
