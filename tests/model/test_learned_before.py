"""A model knows files and frames that it has learned before, and says when that was."""

import datetime
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import thalweg
from thalweg.errors import RowWarning, StateError
from thalweg.model import learned_rows
from thalweg.saving import from_bytes, to_bytes
from thalweg.streams import from_file
from thalweg.streams.files.row_digest import RowDigest

N = 3000
TODAY = datetime.datetime.now(datetime.UTC).date()


def frame(seed=0, n=N):
    rng = np.random.default_rng(seed)
    day = np.datetime64("2024-01-01") + np.arange(n) // 24
    return pd.DataFrame(
        {
            "day": day.astype(str),
            "x": rng.normal(size=n).round(4),
            "shop": rng.choice(["north", "south", "west"], n),
            "note": rng.choice(["a late parcel again", "all went very well"], n),
            "paid": rng.choice(["yes", "no"], n),
        }
    )


@pytest.fixture
def path(tmp_path):
    frame().to_csv(tmp_path / "b.csv", index=False)
    return tmp_path / "b.csv"


LEARNERS = {"dense rows": "NaiveBayes", "sparse rows": "LinearLogistic"}


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_same_rows_in_any_form_are_known_also_after_saving(path, kind):
    model = thalweg.Model(learner=LEARNERS[kind], columns={"note": "text"}).learn(path)
    model = from_bytes(to_bytes(model))
    said = f"these 3,000 rows of {re.escape(str(path))} were learned before, on {TODAY}$"
    with pytest.warns(RowWarning, match=said) as caught:
        model.learn(path)
    assert len(caught) == 1 and caught[0].filename == __file__
    rows = frame()
    for form in (rows, pa.Table.from_pandas(rows), rows.to_dict("records")):
        with pytest.warns(RowWarning, match=f"these 3,000 rows of .* on {TODAY}"):
            model.learn(form)
    with pytest.warns(RowWarning, match="were learned before"):
        run = model.prequential(path, block=77)
    assert run.summary()["learned_before"] == run.learned_before.replace("These", "these") != ""
    assert any(line.startswith("These 3,000 rows of") for line in thalweg.evaluation.notable.in_words(run))


def test_other_rows_and_other_orders_are_new(path):
    model = thalweg.Model(learner="NaiveBayes").learn(path)
    rows = frame()
    changed = rows.assign(x=rows["x"].where(rows.index != 2500, 9.0))
    other = "no" if rows["paid"][7] == "yes" else "yes"
    relabelled = rows.assign(paid=rows["paid"].where(rows.index != 7, other))
    for new in (changed, relabelled, frame(1), rows[:-1], rows[1:], pd.concat([rows, rows[:1]])):
        model.learn(new)
    assert model.prequential(frame(2)).learned_before == ""


def test_the_rows_that_were_read_count_and_not_those_after_them(path):
    model = thalweg.Model(learner="NaiveBayes").learn(path, rows=1234)
    with pytest.warns(RowWarning, match="these 1,234 rows of DataFrame were learned before"):
        model.learn(frame()[:1234])
    with pytest.warns(RowWarning, match="these 1,234 rows"):
        model.prequential(path, rows=1234, block=500)
    model.learn(path)


def test_few_rows_may_be_the_same_by_chance_and_partial_fit_may_see_rows_again():
    model = thalweg.Model(learner="NaiveBayes", columns={"note": "ignore"})
    few = frame(n=learned_rows.FEWEST)
    model.learn(few)
    for _ in range(2):
        model.learn(few[:-1])
        model.partial_fit(few)
        model.learn({"day": "2024-01-01", "x": 1.0, "shop": "north", "paid": "yes"})


def test_a_run_that_failed_is_not_noted(path):
    lines = path.read_text().splitlines()
    lines[-1] = lines[-1].replace(lines[-1].split(",")[1], "nine", 1)
    path.write_text("\n".join(lines))
    model = thalweg.Model(learner="NaiveBayes").learn(frame(3))
    for _ in range(2):
        with pytest.raises(thalweg.errors.StreamError, match="'nine' is not a number"):
            model.learn(path)


@pytest.mark.filterwarnings("error::thalweg.errors.RowWarning")
def test_the_warning_as_an_error_says_how_many_rows_were_learned(path):
    for verb in ("learn", "prequential"):
        model = thalweg.Model(learner="NaiveBayes").learn(path)
        with pytest.raises(RowWarning) as caught:
            getattr(model, verb)(path)
        assert caught.value.rows_learned == N and model.learner_._n_learned == 2 * N


def test_the_latest_hundred_are_kept():
    model, many = thalweg.Model(learner="NaiveBayes"), learned_rows.MOST + 1
    parts = [frame(seed, 60)[["x", "paid"]] for seed in range(many)]
    for part in parts:
        model.learn(part)
    assert len(model._learned.state()) == learned_rows.MOST
    model.learn(parts[0])  # forgotten
    with pytest.warns(RowWarning, match="these 60 rows"):
        model.learn(parts[-1])


def test_a_model_saved_without_them_loads_and_damaged_ones_do_not(path):
    model = thalweg.Model(learner="NaiveBayes").learn(path)
    state = model.state()
    del state["learned"]
    thalweg.Model().restore(state).learn(path)
    with pytest.warns(RowWarning):
        thalweg.Model().restore(model.state()).learn(path)
    for damaged in ([1], [{"digest": "a"}], [model.state()["learned"][0] | {"rows": "many"}], {"a": 1}, 7):
        with pytest.raises((StateError, TypeError)):
            thalweg.Model().restore(model.state() | {"learned": damaged})


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_the_checksum_does_not_depend_on_the_blocks(path, size):
    found = []
    for block in (1000, size):
        stream = from_file(path, text=["note"])
        stream.digest = RowDigest()
        for _ in stream.sparse_blocks(block):
            pass
        found.append(stream.digest.hexdigest())
    assert found[0] == found[1] and stream.digest.n_rows == N and stream.is_sparse
