"""What a live model answers: predictions, labels, rows to learn, and the same again."""

import time

import numpy as np
import pandas as pd
import pytest
from live.live_rows import crash, label, labels, new_model, numeric_model, record, records

import thalweg
from thalweg.errors import ParameterError
from thalweg.learners import NaiveBayes
from thalweg.live import LiveError, LiveModel, LiveStopped, QueueFull, RowError
from thalweg.live.answering import Answering
from thalweg.live.engine import Engine
from thalweg.live.requests import LearnRequest, PredictRequest
from thalweg.streams.columns import codes
from thalweg.trust import LabelBudget, PredictionSets


@pytest.fixture
def live(tmp_path):
    with LiveModel(tmp_path / "live", new_model()) as opened:
        yield opened


def test_a_read_changes_nothing(live):
    before = live.digest()
    answer = live.predict([{**record(1), "shop": "a new shop"}, record(2)])
    assert answer.events == [None, None]
    assert live.digest() == before
    assert live.event == 0
    assert np.array_equal(answer.probabilities, live.model.predict_proba([
        {**record(1), "shop": "a new shop"}, record(2)
    ]))


def test_predict_then_label_is_what_a_model_does(live):
    model = new_model()
    for start in range(0, 60, 20):
        ids = [f"r{i}" for i in range(start, start + 20)]
        answer = live.predict(records(start, start + 20), ids=ids)
        p = np.concatenate([model.predict_proba(row, ids=[each]) for row, each in
                            zip(records(start, start + 20), ids, strict=True)])
        assert np.array_equal(answer.probabilities, p)
        assert answer.labels == [answer.classes[k] for k in p.argmax(axis=1)]
        assert answer.statuses == ["predicted"] * 20
        assert live.label(ids, labels(start, start + 20)).statuses == ["learned"] * 20
        model.label(ids, labels(start, start + 20))
    assert live.event == 120
    assert live.model.digest() == model.digest()


def test_events_are_numbered_by_row(live):
    assert live.predict(records(0, 3), ids=[1, 2, 3]).events == [1, 2, 3]
    assert live.label([2], ["yes"]).events == [4]
    assert live.learn(records(4, 6), ["yes", "no"]).events == [5, 6]


def test_a_prediction_sent_again_gets_the_kept_answer(live):
    first = live.predict(records(0, 3), ids=["a", "b", "c"])
    live.learn(records(10, 40), labels(10, 40))
    before = live.digest()
    again = live.predict(records(0, 3), ids=["c", "a", "b"])
    assert again.statuses == ["already"] * 3
    assert again.events == [3, 1, 2]
    assert np.array_equal(again.probabilities, first.probabilities[[2, 0, 1]])
    assert live.digest() == before


def test_the_same_id_twice_in_a_request(live):
    answer = live.predict([record(0), record(0), record(1)], ids=["a", "a", "b"])
    assert answer.statuses == ["predicted", "already", "predicted"]
    assert answer.events == [1, 1, 2]
    assert np.array_equal(answer.probabilities[0], answer.probabilities[1])
    outcomes = live.label(["a", "a", "a"], ["yes", "yes", "no"])
    assert outcomes.statuses == ["learned", "already", "other_label"]
    assert outcomes.events == [3, 3, 3]
    learned = live.learn(records(5, 8), ["yes", "no", "no"], ids=["k", "k", "m"])
    assert learned.statuses == ["learned", "other_label", "learned"]


def test_labels_sent_again(live):
    live.predict(records(0, 2), ids=["a", "b"])
    assert live.label(["a"], ["yes"]).statuses == ["learned"]
    before = live.digest()
    again = live.label(["a", "a", "never"], ["yes", "no", "no"])
    assert again.statuses == ["already", "other_label", "unknown_id"]
    assert again.events == [3, 3, None]
    assert again.messages[0] is None
    assert "another label, in event 3" in again.messages[1]
    assert "never predicted" in again.messages[2]
    assert not again.is_good
    assert live.digest() == before


def test_a_text_is_one_label_and_one_id(live):
    live.predict(records(0, 3), ids=["a", "b", 3])
    for given in ("yes", b"yes", np.array("yes")):
        with pytest.raises(RowError, match="3 ids for 1 labels"):
            live.label(["a", "b", "c"], given)
    assert live.model.classes_.tolist() == ["no", "yes"]
    assert live.label("b", "yes").statuses == ["learned"]
    assert live.label(3, "no").statuses == ["learned"]
    assert live.label(np.array("a"), ["no"]).statuses == ["learned"]
    for key in (["a"], {"a": 1}, 1.5, None):
        with pytest.raises(RowError, match="id"):
            live.erase(key)
    assert live.erase(np.int64(3))["was_known"]


def test_a_new_label_that_is_not_learned_is_no_class(tmp_path):
    with LiveModel(tmp_path, new_model(), new_labels="add") as live:
        live.predict([record(0)], ids=["a"])
        live.label(["a"], ["yes"])
        outcomes = live.label(["a", "nobody"], ["brand new", "newer"])
        assert outcomes.statuses == ["other_label", "unknown_id"]
        assert "brand new" not in live.model.schema()["classes"]
        live.predict([record(1)], ids=["b"])
        assert live.label(["nobody", "b"], ["newest", "brand new"]).statuses == ["unknown_id", "learned"]
        assert live.model.schema()["classes"][-1] == "brand new"


def test_learning_a_row_that_waits_is_its_label(live):
    live.predict([record(0)], ids=["a"])
    assert live.n_waiting == 1
    assert live.learn([record(0)], [label(0)], ids=["a"]).statuses == ["learned"]
    assert live.n_waiting == 0
    assert live.learn([record(0)], [label(0)], ids=["a"]).statuses == ["already"]
    assert live.label(["a"], [label(0)]).statuses == ["already"]


def test_labels_may_be_in_the_target_column(live):
    assert live.learn([record(0) | {"paid": "yes"}]).statuses == ["learned"]
    assert live.learn([record(0)]).messages == ["the label None is missing"]


def test_rows_beyond_max_waiting_are_dropped(tmp_path):
    with LiveModel(tmp_path, new_model(max_waiting=5)) as live:
        live.predict(records(0, 8), ids=list(range(8)))
        assert live.n_waiting == 5
        outcomes = live.label([2, 3], ["yes", "yes"])
        assert outcomes.statuses == ["dropped", "learned"]
        assert "more than 5 rows" in outcomes.messages[0]
        assert live.learn([record(2)], ["yes"], ids=[2]).statuses == ["learned"]
        assert live.predict([record(1)], ids=[1]).statuses == ["predicted"]  # it waits again


def test_rows_expire_by_age(tmp_path):
    with LiveModel(tmp_path, new_model(), max_age=60.0) as live:
        live._worker.clock = lambda: 1000.0
        live.predict(records(0, 2), ids=["a", "b"])
        live._worker.clock = lambda: 1030.0
        live.predict(records(2, 4), ids=["c", "d"])
        live._worker.clock = lambda: 1060.0
        assert live.label(["a", "c"], ["yes", "yes"]).statuses == ["expired", "learned"]
        assert live.n_waiting == 1  # both old rows are gone, "c" has its label
        assert live.label(["b", "d"], ["yes", "no"]).statuses == ["expired", "learned"]
        live._worker.clock = lambda: 500.0  # a clock that goes back expires nothing
        live.predict([record(5)], ids=["e"])
        assert live.label(["e"], ["yes"]).statuses == ["learned"]
        live.predict(records(6, 9), ids=["f", "g", "h"])
        live._worker.clock = lambda: 2000.0
        assert live.label(["g"], ["yes"]).statuses == ["expired"]  # no event: the rows expire with the next
        assert live.n_waiting == 3
        assert live.learn([record(7)], ["yes"], ids=["h"]).statuses == ["learned"]
        assert live.n_waiting == 0
        digest = live.digest()
        live._worker.close()  # no checkpoint is written: all is replayed
        live._keeper.close()
        live._lock.release()
        del live._lock
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest


def test_a_row_that_is_too_old_waits_again_when_it_is_predicted_again(tmp_path):
    with LiveModel(tmp_path, new_model(), max_age=60.0, max_waiting=3) as live:
        live._worker.clock = lambda: 1000.0
        live.predict(records(0, 3), ids=["a", "b", "c"])
        live._worker.clock = lambda: 1100.0
        answer = live.predict([record(7), record(8), record(7)], ids=["b", "d", "b"])
        assert (answer.statuses, answer.events) == (["predicted", "predicted", "already"], [4, 5, 4])
        assert live.n_waiting == 2
        live._worker.clock = lambda: 1130.0
        live.predict(records(9, 11), ids=["e", "f"])  # the oldest is b
        assert live.label(["a", "b", "c", "d"], ["yes"] * 4).statuses == [
            "dropped", "dropped", "expired", "learned"
        ]  # fmt: skip
        digest = live.digest()
        crash(live)
    with LiveModel(tmp_path, max_waiting=3) as live:
        assert live.digest() == digest


@pytest.mark.parametrize("ids", ["abca", "aabca", "xabx", "abcdabcd", "axbxcx", "yxab", "aabbcc", "xyxy"])
def test_rows_that_push_each_other_out_are_as_in_requests_of_their_own(tmp_path, ids):
    found = []
    for name, requests in (("one", [range(len(ids))]), ("each", [[i] for i in range(len(ids))])):
        with LiveModel(tmp_path / name, new_model(), max_waiting=2) as live:
            live.predict([record(0), record(1)], ids=["x", "y"])
            said = [live.predict([record(i) for i in part], ids=[ids[i] for i in part]) for part in requests]
            statuses = [each for answer in said for each in answer.statuses]
            events = [each for answer in said for each in answer.events]
            digest = live.digest()
            crash(live)
        with LiveModel(tmp_path / name, max_waiting=2) as live:
            assert live.digest() == digest
        found.append((statuses, events, digest))
    assert found[0] == found[1]


def test_an_id_twice_in_a_request_that_pushes_it_out_is_known(tmp_path):
    with LiveModel(tmp_path, new_model(), max_known=2) as live:
        live.predict([record(9)], ids=["w"])
        rows, said = records(0, 7), [label(i) for i in (0, 1, 2, 0, 4, 4, 0)]
        found = live.learn(rows, [*said[:6], "yes" if said[0] == "no" else "no"], ids=[*"abcawda"])
        assert found.statuses == ["learned"] * 3 + ["already"] + ["learned"] * 2 + ["other_label"]
        assert found.events == [2, 3, 4, 2, 5, 6, 2]


def test_ids_of_rows_that_a_smaller_bound_drops_are_known_as_a_larger_one_allows(tmp_path):
    with LiveModel(tmp_path, new_model(), max_waiting=3, max_known=2) as live:
        live.learn(records(0, 2), ["yes", "no"], ids=["a", "b"])
        live.predict(records(2, 5), ids=["c", "d", "e"])
    with LiveModel(tmp_path, max_waiting=1, max_known=4) as live:
        assert live.label([*"abcde"], ["yes", "no", *["yes"] * 3]).statuses == [
            "already", "already", "dropped", "dropped", "learned",
        ]  # fmt: skip


def test_old_ids_are_forgotten(tmp_path):
    with LiveModel(tmp_path, new_model(), max_known=10) as live:
        live.learn(records(0, 30), labels(0, 30), ids=list(range(30)))
        assert live.label([20, 19], [label(20), label(19)]).statuses == ["already", "unknown_id"]


def test_rows_to_learn_push_no_waiting_row_out_however_many_they_are(tmp_path):
    with LiveModel(tmp_path, new_model(), max_waiting=3) as live:
        live.predict(records(0, 3), ids=["w0", "w1", "w2"])
        ids = ["a", "b", "c", "d", "a", "w0"]
        found = live.learn(records(10, 16), ["yes"] * 6, ids=ids)
        assert found.statuses == ["learned", "learned", "learned", "learned", "already", "learned"]
        assert found.events == [4, 5, 6, 7, 4, 8]
        assert live.n_waiting == 2
        expected = new_model()
        expected.predict(records(0, 3), ids=["w0", "w1", "w2"])
        for row in records(10, 14):
            expected.learn({**row, "paid": "yes"})
        expected.label(["w0"], ["yes"])  # the row that was predicted
        found = live.predict(records(0, 9)).probabilities
        assert np.array_equal(found, expected.predict_proba(records(0, 9)))


def test_an_id_that_a_request_pushes_out_of_memory_is_known_to_the_end_of_it(tmp_path):
    with LiveModel(tmp_path, new_model(), max_known=3) as live:
        assert live.learn(records(0, 2), ["yes", "no"], ids=["a", "b"]).events == [1, 2]
        found = live.learn(records(2, 7), ["no"] * 5, ids=["c", "d", "e", "a", "b"])
        assert found.statuses == ["learned"] * 3 + ["other_label", "already"]
        assert found.events == [3, 4, 5, 1, 2]


@pytest.mark.parametrize(
    ("rows", "column", "problem"),
    [
        ([record(0), {"price": "much"}], "price", "much"),
        ([{"nothing": 1}], None, "none of the columns"),
        ([record(0), {**record(1), "price": float("inf")}], "price", "inf"),
        ("a path", None, "expected a list of records"),
    ],
)
def test_a_row_that_cannot_be_read_refuses_the_request(live, rows, column, problem):
    before = live.digest()
    n = len(rows) if isinstance(rows, list) else 1
    new = [{**row, "shop": "never seen"} for row in rows] if isinstance(rows, list) and n > 1 else rows
    for ask in (
        lambda: live.predict(new, ids=list(range(n))),
        lambda: live.learn(new, ["yes"] * n),
        lambda: live.predict(new),
    ):
        with pytest.raises(RowError, match=problem) as raised:
            ask()
        assert raised.value.column == column
        assert raised.value.row == (n - 1 if column else raised.value.row)
        assert "on_error" not in str(raised.value)
    assert live.digest() == before
    assert live.event == 0


def test_whatever_reading_raises_refuses_one_request(live, monkeypatch, caplog):
    from thalweg.live.coder import Coder

    original = Coder.rows

    def fails(self, rows, learns):
        if rows and rows[0].get("price") == 13:
            raise RecursionError("too deep")
        return original(self, rows, learns)

    monkeypatch.setattr(Coder, "rows", fails)
    bad = {**record(0), "price": 13}
    for ask in (
        lambda: live.predict([bad]),
        lambda: live.predict([bad], ids=["x"]),
        lambda: live.learn([bad], ["no"]),
    ):
        with pytest.raises(RowError, match="cannot be read: RecursionError: too deep"):
            ask()
    assert live.predict([record(1)], ids=["y"]).events == [1]


def test_tables_whose_ids_are_all_known(tmp_path):
    pa = pytest.importorskip("pyarrow")
    with LiveModel(tmp_path, numeric_model()) as live:
        table = pa.table({f"x{j}": [0.5, 1.5] for j in range(5)})
        assert live.predict(table, ids=["a", "b"]).statuses == ["predicted"] * 2
        assert live.predict(table, ids=["a", "b"]).statuses == ["already"] * 2
        assert live.predict(table, ids=["c", "b"]).statuses == ["predicted", "already"]


def test_a_known_row_that_cannot_be_read_refuses_the_new_ones_too(live):
    live.learn([record(0)], ["yes"], ids=["a"])
    before = live.digest()
    with pytest.raises(RowError, match="much"):  # "a" was learned, so its answer is read again
        live.predict([{**record(1), "shop": "new"}, {"price": "much"}], ids=["b", "a"])
    assert live.digest() == before


def test_nested_records_with_unknown_names(live, caplog):
    answer = live.predict([{**record(1), "deep": {"er": {"still": 1}}}])
    assert answer.probabilities.tolist() == live.predict([record(1)]).probabilities.tolist()
    assert "left out" in caplog.text


def test_bad_ids_and_numbers_of_rows(live):
    with pytest.raises(RowError, match="2 ids for 1 rows"):
        live.predict([record(0)], ids=["a", "b"])
    with pytest.raises(RowError, match="whole number or text"):
        live.predict([record(0)], ids=[1.5])
    with pytest.raises(RowError, match="1 ids for 2 labels"):
        live.label(["a"], ["yes", "no"])
    with pytest.raises(RowError, match="1 rows and 2 labels"):
        live.learn([record(0)], ["yes", "no"])
    with pytest.raises(RowError, match="no prediction sets"):
        live.predict([record(0)], sets=True)
    assert live.event == 0


def test_labels_that_are_not_listed(tmp_path):
    with LiveModel(tmp_path, new_model(classes=["no", "yes"])) as live:
        live.predict([record(0), record(1)], ids=["a", "b"])
        outcomes = live.label(["a", "b"], ["yes", "maybe"])
        assert outcomes.statuses == ["learned", "unknown_label"]
        assert outcomes.messages[1] == "'maybe' is not one of the classes no, yes. Open it with add_class"
        assert live.n_waiting == 1
        assert live.label(["b"], ["no"]).is_good


def test_arrays_and_tables(tmp_path):
    pa = pytest.importorskip("pyarrow")
    with LiveModel(tmp_path / "a", numeric_model()) as live:
        X = np.random.default_rng(0).normal(size=(10, 5))
        p = live.predict(X).probabilities
        table = pa.table({f"x{j}": X[:, j] for j in range(5)})
        assert np.array_equal(live.predict(table).probabilities, p)
        assert np.array_equal(live.predict([dict(zip(table.column_names, x.tolist(), strict=True))
                                            for x in X]).probabilities, p)
        X[3, 2] = np.inf
        with pytest.raises(RowError, match="row 3, column 'x2': inf"):
            live.predict(X, ids=range(10))
        with pytest.raises(RowError, match="rows of 5 numbers, got 4"):
            live.predict(X[:, :4])
        assert live.predict(X[:0], ids=[]).labels == []


def test_a_model_without_columns_begins_with_its_first_rows(tmp_path):
    rows = [record(i) | {"paid": label(i)} for i in range(60)]
    with LiveModel(tmp_path, thalweg.Model(target="paid", learner="NaiveBayes")) as live:
        with pytest.raises(LiveError, match="learned nothing yet"):
            live.predict([record(0)])
        with pytest.raises(LiveError, match="learned nothing yet"):
            live.predict([record(0)], ids=["a"])
        assert live.learn(rows, ids=[f"r{i}" for i in range(60)]).events == list(range(1, 61))
        assert live.learn(rows[:1], ids=["r0"]).statuses == ["already"]
        live.predict([record(70)], ids=["a"])
        digest = live.digest()
        live._worker.close()  # no checkpoint is written
        live._keeper.close()
        live._lock.release()
        del live._lock
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
        assert live.event == 61


def test_a_label_budget_says_which_labels_would_help(tmp_path):
    budget = LabelBudget(0.3, advance=0, random_state=1)
    with LiveModel(tmp_path, new_model(), label_budget=budget) as live:
        asks = [*live.predict(records(0, 50), ids=range(50)).asks,
                *live.predict(records(50, 200), ids=range(50, 200)).asks]
        assert 40 <= sum(asks) <= 60
        assert live.predict([record(7)], ids=[7]).asks == [asks[7]]
        assert live.predict([record(7)]).asks is None
        p = live.model.predict_proba(records(0, 200))
        assert asks == budget.copy().ask(p).asked.tolist()
    with LiveModel(tmp_path) as live:
        assert live.predict([record(300)], ids=["x"]).asks is not None


def test_prediction_sets(tmp_path):
    learner = PredictionSets(NaiveBayes(), coverage=0.8)
    with LiveModel(tmp_path, new_model(learner)) as live:
        for start in range(0, 200, 20):
            ids = list(range(start, start + 20))
            answer = live.predict(records(start, start + 20), ids=ids, sets=True)
            assert answer.sets == [list(each) for each in live.model.predict_set(records(start, start + 20))]
            again = live.predict(records(start, start + 20), ids=ids, sets=True)
            assert again.sets == answer.sets
            live.label(ids, labels(start, start + 20))
        kept = live.predict(records(300, 301), ids=["late"], sets=True)
        live.learn(records(200, 250), labels(200, 250))
        assert live.predict(records(300, 301), ids=["late"], sets=True).sets == kept.sets


def test_the_queue_is_bounded_and_closing_ends_it(tmp_path):
    live = LiveModel(tmp_path, new_model(), max_queue=3)
    import threading

    go, entered, found = threading.Event(), threading.Event(), []
    holder = threading.Thread(target=lambda: live._call(lambda: (entered.set(), go.wait())))
    holder.start()
    entered.wait()
    for _ in range(3):
        live.submit(PredictRequest([record(0)]), found.append)
    with pytest.raises(QueueFull, match="3 rows are queued, and at most 3"):
        live.submit(PredictRequest([record(0)]), found.append)
    go.set()
    holder.join()
    live.close()
    assert [each.labels for each in found] == [found[0].labels] * 3
    with pytest.raises(LiveStopped, match="was closed"):
        live.predict([record(0)])
    live.close()  # again is harmless


def test_an_answer_that_cannot_be_delivered_does_not_stop_others(live, caplog):
    def broken(result):
        raise ConnectionError("gone")

    live.submit(PredictRequest([record(0)], ["a"]), broken)
    assert live.predict([record(1)], ids=["b"]).statuses == ["predicted"]
    assert live.predict([record(0)], ids=["a"]).statuses == ["already"]
    assert "could not be delivered" in caplog.text


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"max_waiting": 0}, "max_waiting"), ({"max_age": 0}, "max_age"), ({"survive": "all"}, "survive"),
        ({"max_known": 0}, "max_known"), ({"max_queue": 0}, "max_queue"),
    ],
)  # fmt: skip
def test_parameters_are_checked(tmp_path, options, match):
    with pytest.raises(ParameterError, match=match):
        LiveModel(tmp_path, new_model(), **options)


def test_the_learner_must_keep_as_many_rows(tmp_path):
    from thalweg.learners import AdaptiveStacking

    with pytest.raises(ParameterError, match="keeps 100 waiting rows and the model 10,000"):
        LiveModel(tmp_path, numeric_model(AdaptiveStacking([NaiveBayes()], max_waiting=100)))


def test_a_learner_given_as_text_keeps_as_many_rows_as_the_model(tmp_path):
    model = numeric_model("LastLabels(NaiveBayes())", max_waiting=20_000)
    assert model.learner_.max_waiting == 20_000
    with LiveModel(tmp_path, model) as live:
        live.predict(np.arange(60_000.0).reshape(-1, 5), ids=range(12_000))
        assert live.n_waiting == live.model.learner_.n_waiting_ == 12_000


def test_a_text_too_long_for_a_category_changes_nothing(live):
    rows, given = [record(0), record(1) | {"shop": "w" * 513}], ["yes", "no"]
    before = live.digest()
    for call in (
        lambda: live.learn(rows, given), lambda: live.learn(rows, given, ids=["a", "b"]),
        lambda: live.predict(rows), lambda: live.predict(rows, ids=["a", "b"]),
    ):  # fmt: skip
        with pytest.raises(RowError, match="513 characters") as raised:
            call()
        assert (raised.value.row, raised.value.column) == (1, "shop")
    assert live.digest() == before
    assert live.learn([record(0) | {"shop": "w" * 512}], ["yes"]).is_good


@pytest.mark.parametrize("new_labels", ["refuse", "add"])
def test_a_label_that_is_too_long_is_refused_alone(tmp_path, new_labels):
    with LiveModel(tmp_path, new_model(), new_labels=new_labels) as live:
        live.predict([record(2), record(3)], ids=["c", "d"])
        too_long, rows = "w" * 513, records(0, 2)
        for outcomes in (
            live.learn(rows, [too_long, "no"]), live.learn(rows, [too_long, "no"], ids=["a", "b"]),
            live.label(["c", "d"], [too_long, "no"]),
        ):  # fmt: skip
            assert outcomes.statuses == ["unknown_label", "learned"] and "513" in outcomes.messages[0]
        assert live.model.classes_.tolist() == ["no", "yes"]
        outcome = live.label(["c"], ["v" * 512])
        assert outcome.statuses == ["learned" if new_labels == "add" else "unknown_label"]


def test_long_names_of_columns_that_are_left_out_are_not_kept(live):
    for i in range(3):
        row = record(i) | {f"{i}" * 513: 1.0, f"more {i}": 1.0}
        for rows in ([row], row, pd.DataFrame([row])):
            live.predict(rows)
    names = live.model._coding.known
    assert {"more 0", "more 1", "more 2"} <= names and max(map(len, names)) < 20


def test_a_log_with_longer_categories_and_labels_is_replayed(tmp_path, monkeypatch):
    monkeypatch.setattr(codes, "MOST_TEXT", 1000)
    live = LiveModel(tmp_path, new_model(), new_labels="add")
    assert live.learn([record(0) | {"shop": "w" * 600}], ["v" * 700]).is_good
    digest = live.digest()
    crash(live)
    monkeypatch.undo()
    with LiveModel(tmp_path) as live:
        assert live.digest() == digest
        assert live.learn([record(0) | {"shop": "w" * 600}], ["v" * 700]).is_good


def test_a_live_model_has_as_many_classes_as_a_model(tmp_path):
    with LiveModel(tmp_path, new_model("NaiveBayes"), watch=False, new_labels="add") as live:
        live.predict(records(1, 4), ids=["a", "b", "c"])
        outcomes = live.learn([record(0)] * 1000, [f"case {i}" for i in range(999)] + ["yes"])
        assert [i for i, status in enumerate(outcomes.statuses) if status != "learned"] == [998]
        assert "may have 1,000 different labels" in outcomes.messages[998]
        assert live.label(["a", "b"], ["yes", "one more"]).statuses == ["learned", "unknown_label"]
        with pytest.raises(RowError, match="may have 1,000 different labels"):
            live.add_class("one more")
        assert len(live.model.classes_) == 1000
        assert live.n_waiting == 2 and live.label(["b", "c"], ["yes", "case 3"]).is_good


@pytest.mark.parametrize("learner", ["NaiveBayes", "AdaptiveLogistic"])
def test_twice_as_many_new_labels_cost_at_most_two_and_a_half_times_as_much(learner):
    def seconds(n):
        rows = [{"x": i % 7, "y": "ab"[i % 2]} for i in range(60)]
        answering = Answering(Engine(thalweg.Model("y", learner).learn(rows), 1000, None), 1.0)
        start = time.thread_time()
        answering.add(LearnRequest([{"x": 1.0}] * n, [f"case {i}" for i in range(n)]))
        answering.finish()
        return time.thread_time() - start

    seconds(10)
    assert any(seconds(800) < 2.5 * seconds(400) for _ in range(3))


@pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
def test_columns_whose_kind_later_rows_show_are_replayed(tmp_path):
    rows = [{"previous": i % 2, "k": None, "y": "uv"[i % 3 % 2]} for i in range(100)]
    model = thalweg.Model("y", "NaiveBayes").learn(rows)
    live = LiveModel(tmp_path, model.copy())
    with pytest.raises(RowError, match="'bad' is not a number"):
        live.learn([{"previous": 2, "k": "won"}, {"previous": "bad", "k": None}], ["u", "u"])
    assert live.digest() == LiveModel(tmp_path / "other", model.copy()).digest()
    live.predict([{"previous": 0, "k": "lost"}], ids=["a"])
    live.learn([{"previous": 2.5, "k": "won"}], ["u"])
    live.label(["a"], ["v"])
    model.predict([{"previous": 0, "k": "lost"}], ids=["a"])
    model.learn([{"previous": 2.5, "k": "won", "y": "u"}]).label(["a"], ["v"])
    assert live.model.digest() == model.digest()
    digest = live.digest()
    crash(live)
    with LiveModel(tmp_path) as again:
        assert again.digest() == digest and again.model.digest() == model.digest()
        assert np.array_equal(again.predict([{"previous": 7, "k": "won"}]).probabilities,
                              model.predict_proba([{"previous": 7, "k": "won"}]))
