"""Texts in a model: the default learner sees many words, and the columns beside them as they are."""

import numpy as np
import pytest

import thalweg
from thalweg.learners import AdaptiveStacking, LinearLogistic, MultinomialNaiveBayes, NaiveBayes

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
SMALL = AdaptiveStacking([NaiveBayes(), LinearLogistic(), MultinomialNaiveBayes()])


def messages(n=400, n_words=800, seed=1):
    # Words that are more frequent in one class than in the other, and a number and a category beside them.
    rng = np.random.default_rng(seed)
    chances = rng.gamma(0.5, 2.0, (2, n_words)) / np.arange(1, n_words + 1)
    rows = []
    for label in rng.integers(0, 2, n).tolist():
        words = rng.choice(n_words, 8, p=chances[label] / chances[label].sum())
        text = " ".join(f"word{j}" for j in words)
        rows.append({
            "hour": round(float(rng.normal(12, 3)), 1), "from": "abc"[int(rng.integers(3))],
            "message": text, "label": ["ham", "spam"][label],
        })
    return rows


def accuracy(run, rows):
    return np.mean([a == row["label"] for a, row in zip(run, rows, strict=True)])


@pytest.mark.parametrize(
    ("learner", "n_inputs"),
    [(SMALL, 4098), (LinearLogistic(), 4098), (MultinomialNaiveBayes(), 4098), (NaiveBayes(), 258)],
    ids=["stack", "linear", "multinomial", "gaussian"],
)
def test_learners_that_take_sparse_rows_get_more_words(learner, n_inputs):
    model = thalweg.Model("label", learner).learn(messages(100))
    assert model.learner_.n_features_in_ == n_inputs
    fewer = thalweg.Model("label", learner, n_words=16).learn(messages(100))
    assert fewer.learner_.n_features_in_ == 18


def test_members_that_need_dense_rows_see_the_columns_beside_the_text():
    model = thalweg.Model("label", SMALL).learn(messages(100))
    widths = [each.n_features_in_ for each in model.learner_.members_]
    assert widths == [2 + 256, 4098, 4098]
    assert model.learner_.members_[0].n_categories_[:2].tolist() == [0, 3]


def test_one_record_and_many_have_the_same_answers(tmp_path):
    rows = messages()
    model = thalweg.Model("label", SMALL).learn(rows[:300])
    later = [{name: value for name, value in row.items() if name != "label"} for row in rows[300:]]
    p = model.predict_proba(later)
    for i in (0, 50, 99):
        one = model.predict_proba_one(later[i])
        assert [one[label] for label in model.classes_] == p[i].tolist()
    model.save(tmp_path / "model.tw")
    again = thalweg.load(tmp_path / "model.tw")
    assert again.n_words is None
    assert np.array_equal(again.predict_proba(later), p)
    again.learn(rows[300:])
    model.learn(rows[300:])
    assert again.digest() == model.digest()


def test_labels_may_come_late():
    rows = messages()
    texts = [{name: value for name, value in row.items() if name != "label"} for row in rows]
    model = thalweg.Model("label", SMALL).learn(rows[:200])
    model.predict(texts[200:250], ids=range(50))
    model.label(range(50), [row["label"] for row in rows[200:250]])
    assert model.n_waiting_ == 0
    assert (model.predict(texts[250:]) == [row["label"] for row in rows[250:]]).mean() > 0.7


def test_more_words_are_better_than_few():
    rows = messages(1500, n_words=3000)
    texts = [{name: value for name, value in row.items() if name != "label"} for row in rows]
    right = []
    for n_words in (None, 256):
        model = thalweg.Model("label", SMALL, n_words=n_words).learn(rows[:1000])
        right.append(accuracy(model.predict(texts[1000:]), rows[1000:]))
    assert right[0] > right[1] + 0.02
