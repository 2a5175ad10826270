"""Saved models: the whole of it comes back, damage is refused, and interrupts leave a whole model."""

import copy
import pickle

import numpy as np
import pytest
from support.order_rows import orders, without
from support.places import TESTS
from support.timed_interrupts import interrupted_within

import thalweg
from thalweg.checks.running import assert_same
from thalweg.errors import ModelFileError, StateError, ThalwegError
from thalweg.model import records

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
ROWS, LATER = orders(300), without(orders(40, seed=2, first=300), "paid")


def begun(learner="NaiveBayes"):
    model = thalweg.Model("paid", learner, columns={"note": "text"}, missing=("none",), n_words=8).learn(ROWS)
    model.predict(LATER[:5], ids=["a", "b", 3, 4, 5])
    return model


def test_copies_pickles_and_files_go_on_alike(tmp_path):
    model = begun("AdaptiveStacking([NaiveBayes(), LabelChain()])")
    model.save(tmp_path / "model.tw")
    others = [
        thalweg.load(tmp_path / "model.tw"), thalweg.from_bytes(thalweg.to_bytes(model)), model.copy(),
        pickle.loads(pickle.dumps(model)), copy.deepcopy(model), thalweg.Model().restore(model.state()),
    ]  # fmt: skip
    for each in (model, *others):
        each.label([4, "a"], ["no", "yes"])
        each.learn(orders(20, seed=4))
        each.learn({**ROWS[0], "shop": "west", "paid": "later"})
    for other in others:
        assert other.digest() == model.digest()
        assert other.schema() == model.schema() and other.n_waiting_ == 3
        assert np.array_equal(other.predict_proba(LATER), model.predict_proba(LATER))


def test_pickles_name_the_public_class():
    assert b"thalweg.model" in pickle.dumps(begun()) and b"fitted" not in pickle.dumps(thalweg.Model())


def test_a_model_that_has_learned_nothing_is_saved_too(tmp_path):
    thalweg.Model("y", "HoeffdingTree(grace_period=77)", columns={"a": ["x", "y"]}).save(tmp_path / "m.tw")
    loaded = thalweg.load(tmp_path / "m.tw")
    assert loaded.get_params()["columns"] == {"a": ["x", "y"]} and loaded.predict_one({"a": "x"}) is None


def test_a_model_becomes_one_that_has_learned_nothing():
    model = begun().restore(thalweg.Model("y").state())
    assert model.target == "y" and model.n_waiting_ == 0 and model.predict_one({"a": "x"}) is None
    assert model.learn([{"a": i % 2, "y": i % 2} for i in range(60)]).classes_.tolist() == [0, 1]


def places(state, path=()):
    """Yield the path of every part of a nested state."""
    items = state.items() if isinstance(state, dict) else enumerate(state) if isinstance(state, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(state, path, value):
    """Return a copy of a state with another value at a place; without it if the value is ..."""
    state = copy.deepcopy(state)
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return state


def test_damaged_states_are_refused_or_work():
    model = begun()
    state = model.state()
    refused = used = 0
    for path in places(state):
        for value in (..., None, -1, 2**70, "x", [], {}, float("nan")):
            other = begun_once(model)
            before = other.digest()
            try:
                other.restore(changed(state, path, value))
            except ThalwegError:
                refused += 1
                assert other.digest() == before
                continue
            used += 1
            try:
                other.predict_proba(LATER)
                other.learn(ROWS[:2])
            except ThalwegError:
                pass
    assert refused > 300 and used > 0


def begun_once(model):
    return model.copy()


@pytest.mark.parametrize(
    ("name", "value"),
    [("missing", np.array(["a", None])), ("missing", [np.zeros(2)]), ("decimal", np.zeros(3)),
     ("classes", {1: 2}), ("date_parts", 5), ("max_waiting", "x"), ("target", []), ("columns", 1)],
)  # fmt: skip
def test_a_parameter_of_a_wrong_type_is_refused_before_rows_are_read(name, value):
    state = begun().state()
    with pytest.raises(StateError):
        thalweg.Model().restore(changed(state, ("parameters", name), value))


@pytest.mark.parametrize(("name", "value"), [("classes", 0), ("missing", [np.zeros(2)]), ("decimal", 5)])
def test_so_it_is_in_a_model_that_has_learned_nothing(name, value):
    with pytest.raises(StateError):
        thalweg.Model().restore(changed(thalweg.Model("y").state(), ("parameters", name), value))


def test_a_learner_without_classes_is_refused():
    state = begun("LinearLogistic").state()
    with pytest.raises(StateError, match="no classes"):
        thalweg.Model().restore(changed(state, ("fitted", "classes"), np.array([], dtype="<U3")))
    with pytest.raises(StateError, match="can learn no new ones"):
        thalweg.Model().restore(changed(state, ("fitted", "open"), False))


@pytest.mark.parametrize("value", [b"x", [0, b"x"], {"a": b""}])
def test_a_parameter_that_could_not_be_saved_again_is_refused(value):
    learner = thalweg.learners.OnlineBagging(thalweg.learners.NaiveBayes())
    state = learner.state()
    state["parameters"]["member"]["parameters"]["categorical"] = value
    with pytest.raises(StateError, match="a state holds no value of type"):
        learner.restore(state)


def test_what_may_not_be_loaded_is_refused():
    state = begun().state()
    with pytest.raises(StateError, match="this is the state of"):
        thalweg.Model().restore(changed(state, ("model",), "Other"))
    data = thalweg.saving.files._bytes_of(changed(state, ("fitted", "learner"), "evil:Learner"), None)
    with pytest.raises(ModelFileError, match="the learner 'evil:Learner', which is not one of thalweg's"):
        thalweg.from_bytes(data)


@pytest.mark.parametrize("seconds", [0.002, 0.005, 0.01, 0.02, 0.04])
def test_an_interrupted_model_is_whole(seconds):
    rows = [{**row, "shop": f"s{i % 97}"} for i, row in enumerate(orders(3000, seed=3))]
    model = begun("HoeffdingTree(grace_period=20)")
    n = 0
    for _ in range(60):
        try:
            with interrupted_within(thalweg.Model.learn, seconds):
                model.learn(rows[n:])
            n = len(rows)
            break
        except KeyboardInterrupt as stop:
            n += getattr(stop, "rows_learned", 0)
    model.learn(rows[n:])
    assert model.digest() == begun("HoeffdingTree(grace_period=20)").learn(rows).digest()


def test_the_encoding_named_at_first_travels(tmp_path):
    text = "shop;paid\n" + "".join(f"Œuvre{i % 3};{['no', 'yes'][i % 7 % 3 % 2]}\n" for i in range(90))
    for name in ("first.csv", "later.csv"):
        (tmp_path / name).write_text(text, "iso-8859-15")  # its Œ is ¼ in cp1252
    guessed = thalweg.Model("paid", "NaiveBayes").learn(tmp_path / "first.csv")
    model = thalweg.Model("paid", "NaiveBayes").learn(tmp_path / "first.csv", encoding="iso-8859-15")
    shops = [each.schema()["columns"][0]["values"][0] for each in (guessed, model)]
    assert shops == ["¼uvre0", "Œuvre0"]
    model.save(tmp_path / "model.tw")
    loaded = thalweg.load(tmp_path / "model.tw")
    assert loaded.schema()["encoding"] == "iso8859-15"
    p = loaded.predict_proba(tmp_path / "later.csv")
    assert len(np.unique(p[:, 0])) > 1
    assert np.array_equal(p, model.predict_proba(tmp_path / "first.csv", encoding="iso-8859-15"))
    (tmp_path / "utf8.csv").write_text(text, "utf-8")
    assert np.array_equal(loaded.predict_proba(tmp_path / "utf8.csv"), p)


GOLDEN = sorted((TESTS / "golden" / "raw_models").glob("*/*.tw"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.stem} {path.parent.name}")
def test_files_of_earlier_releases_go_on_as_they_would_have(path):
    model, notes = thalweg.load(path), thalweg.saving.describe(path)["notes"]
    rows, unlabelled = notes["rows"], without(notes["rows"], "paid")
    np.testing.assert_allclose(model.predict_proba(unlabelled), notes["before"], rtol=0, atol=1e-12)
    model.label([row["id"] for row in rows[9::-1]], [row["paid"] for row in rows[9::-1]])
    model.learn(rows[10:])
    np.testing.assert_allclose(model.predict_proba(unlabelled), notes["after"], rtol=0, atol=1e-12)


def test_an_interrupt_after_the_last_row_says_that_all_were_learned(monkeypatch):
    rows, model = orders(300, seed=3), begun("HoeffdingTree(grace_period=20)")
    adopt, calls = thalweg.Model._adopt, []

    def interrupted_once(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return adopt(*arguments)

    monkeypatch.setattr(thalweg.Model, "_adopt", interrupted_once)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.learn(rows)
    assert caught.value.rows_learned == 300 and len(calls) == 2
    assert model.digest() == begun("HoeffdingTree(grace_period=20)").learn(rows).digest()


def test_an_interrupt_after_the_last_label_leaves_no_learned_row_waiting(monkeypatch):
    rows, model = orders(40, seed=3), begun("HoeffdingTree(grace_period=20)")
    labels = [row.pop("paid") for row in rows]
    ids = [f"late {i}" for i in range(40)]
    model.predict(rows, ids=ids)
    whole = thalweg.from_bytes(thalweg.to_bytes(model))
    whole.label(ids, labels)
    learn_block = records.learn_block

    def interrupted_after(*arguments):
        learn_block(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(records, "learn_block", interrupted_after)
    with pytest.raises(KeyboardInterrupt):
        model.label(ids, labels)
    assert model.n_waiting_ == whole.n_waiting_ == 5
    assert_same(model.learner_.state(), whole.learner_.state())
