"""Whole numbers that floats do not tell apart: as labels, and in columns."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.model_selection import cross_val_score

import thalweg
from thalweg.streams import from_file

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": RNG.normal(size=120), "b": RNG.normal(size=120)})
LABELS = [
    [2**53, 2**53 + 1], [-5, 2**60], [2**62, -(2**62)], [10**30, 10**30 + 1], [2**63, 1],
    [2**64 - 1, 2**64 - 2], [-(10**30), 3],
]  # fmt: skip


@pytest.mark.parametrize("labels", LABELS)
def test_labels_come_back_unchanged(labels, tmp_path):
    y = [labels[int(a > 0)] for a in FRAME["a"]]
    for given in (y, np.array(y, dtype=object)):
        model = thalweg.Model(learner="NaiveBayes").fit(FRAME, given)
        answers = model.predict(FRAME).tolist()
        assert {*map(type, answers)} == {int} and {*answers} == {*labels}
        assert model.score(FRAME, given) > 0.9 and model.classes_.tolist() == sorted(labels)
    scores = cross_val_score(thalweg.Model(learner="NaiveBayes"), FRAME, np.array(y, dtype=object), cv=3)
    assert (scores > 0.8).all()
    rows = [{"a": a, "y": label} for a, label in zip(FRAME["a"], y, strict=True)]
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    models = [thalweg.Model("y", "NaiveBayes").learn(source) for source in (rows, tmp_path / "rows.csv")]
    models[0].save(tmp_path / "model.tw")
    models.append(thalweg.load(tmp_path / "model.tw"))
    for model in models:
        model.learn(rows[0]).learn(rows[:3])
        assert model.classes_.tolist() == sorted(labels) and model.score(rows) > 0.9
        assert model.predict_one(rows[0]) in labels
    assert len({model.digest() for model in models}) == 1


def kinds(tmp_path, cells):
    frame = pd.DataFrame({"x": cells, "z": FRAME["b"], "y": [i % 3 % 2 for i in range(120)]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    pa.parquet.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet")
    found = [from_file(tmp_path / f"rows.{end}").columns.kinds["x"] for end in ("csv", "parquet")]
    for rows in (frame, frame.to_dict("records")):
        found.append(thalweg.Model("y", "NaiveBayes").learn(rows).columns.kinds["x"])
    assert len({*found}) == 1
    return found[0]


@pytest.mark.parametrize(("cells", "kind"), [
    ([2**53 + i for i in range(120)], "ignored"),
    ([(i * 7919 % 120 << 22) + 2**61 for i in range(120)], "ignored"),
    ([2**53 + i % 5 for i in range(120)], "category"),
    ([2**53 + i % 5 * (-1) ** i for i in range(120)], "category"),
    ([1_700_000_000_000_000_000 + i * 3_600_000_000_000 for i in range(120)], "date"),
    ([1e16 * (1 + i % 30) for i in range(120)], "number"),
    ([2**52 + i % 50 for i in range(120)], "number"),
])  # fmt: skip
def test_large_whole_numbers_are_no_numbers(tmp_path, cells, kind):
    assert kinds(tmp_path, cells) == kind


def test_snowflake_ids_are_no_dates(tmp_path):
    ids = [(i * 7919 % 4000 << 22) + 1_750_000_000_000_000_000 + i for i in range(120)]
    frame = pd.DataFrame({"tweet_id": ids, "z": FRAME["b"], "y": FRAME["a"] > 0})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    stream = from_file(tmp_path / "rows.csv")
    assert stream.columns.kinds == {"tweet_id": "ignored", "z": "number"}


def test_categories_beyond_floats_stay_apart():
    rows = [{"x": 10**30 + i % 2, "y": "uv"[i % 2]} for i in range(100)]
    model = thalweg.Model("y", "NaiveBayes").learn(rows)
    assert [model.predict_one(row) for row in rows[:2]] == ["u", "v"] == model.predict(rows[:2]).tolist()
