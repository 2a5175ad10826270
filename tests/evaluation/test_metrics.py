"""Metrics of a Run against scikit-learn, and sliding and faded ones against their definition."""

import math

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import given
from hypothesis import strategies as st

from thalweg.errors import ParameterError
from thalweg.evaluation import Run, metric_registry, metrics, prequential, tune
from thalweg.evaluation.baselines import Baselines
from thalweg.learners import HoeffdingTree, LabelChain, NaiveBayes

EVERY_ROW = [name for name in metrics.__all__ if name != "recovery"]


def made_run(n, n_classes, seed=0, unlabelled=0.0, ties=False):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n).astype(np.int8)
    p = rng.dirichlet(np.ones(n_classes), n)
    p[np.arange(n), labels] += 0.3
    p /= p.sum(axis=1, keepdims=True)
    if ties:
        p = rng.multinomial(8, p) / 8
    baselines = Baselines(n_classes)
    baselines.add(labels, np.arange(n))
    labels = np.where(rng.random(n) < unlabelled, -1, labels).astype(np.int8)
    return Run(
        "Made",
        "made",
        classes=np.arange(n_classes),
        codes=labels,
        probabilities=p,
        baselines=baselines.codes(n),
        n_rows=n,
    )


def by_scikit_learn(run):
    scored = run.codes >= 0
    y, p, codes = run.codes[scored], run.probabilities[scored], run.predicted[scored]
    two = len(run.classes) == 2
    one_hot = np.eye(len(run.classes))[y]
    recalls = reference.recall_score(y, codes, average=None)
    return {
        "accuracy": reference.accuracy_score(y, codes),
        "kappa": reference.cohen_kappa_score(y, codes),
        "balanced_accuracy": reference.balanced_accuracy_score(y, codes),
        "g_mean": np.prod(recalls) ** (1 / len(recalls)),
        "f1": reference.f1_score(y, codes, average="binary" if two else "macro"),
        "log_loss": reference.log_loss(y, p, labels=run.classes),
        "brier": reference.brier_score_loss(y, p[:, 1]) if two else ((one_hot - p) ** 2).sum(axis=1).mean(),
        "auc": reference.roc_auc_score(y, p[:, 1] if two else p, multi_class="ovr"),
    }


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("unlabelled", [0.0, 0.3])
@pytest.mark.parametrize("ties", [False, True])
def test_overall_figures_are_scikit_learns(n_classes, unlabelled, ties):
    run = made_run(800, n_classes, unlabelled=unlabelled, ties=ties)
    for name, expected in by_scikit_learn(run).items():
        assert getattr(metrics, name)(run) == pytest.approx(expected, abs=1e-12), name


def test_the_label_chain_predicts_as_the_learner():
    labels = np.random.default_rng(3).integers(0, 4, 70_000)
    labels[35_000:] = np.arange(35_000) % 4
    baselines = Baselines(4)
    for part in np.array_split(np.arange(70_000), 7):
        baselines.add(labels[part], part)
    p = LabelChain().begin(1, range(4)).test_then_train(np.zeros((70_000, 1)), labels)
    np.testing.assert_array_equal(baselines.codes(70_000)["label_chain"], p.argmax(axis=1))


def test_the_label_chain_goes_on_when_there_are_more_classes():
    labels = np.array([0, 1, 0, 1, 2, 0, 1, 2, 0, 1])
    grown, known = Baselines(2, 3), Baselines(3)
    grown.add(labels[:4], np.arange(4))
    grown.set_classes(3)
    grown.add(labels[4:], np.arange(4, 10))
    known.add(labels, np.arange(10))
    np.testing.assert_array_equal(grown.codes(10)["label_chain"], known.codes(10)["label_chain"])


def test_kappa_m_and_kappa_temporal_compare_with_the_baselines():
    run = made_run(10, 2)
    run.codes = np.array([0, 0, 0, 1, 1, 1, 1, 0, -1, 0], dtype=np.int8)
    run.baselines = {"majority": np.zeros(10, dtype=int), "no_change": np.repeat([0, 1], 5)}
    run.probabilities = np.eye(2)[[0, 0, 0, 1, 1, 1, 1, 1, 0, 1]]
    # 7 of 9 right; the majority class 5 of 9, the last label 5 of 9
    assert metrics.kappa_m(run) == pytest.approx((7 - 5) / (9 - 5))
    run.baselines["no_change"][5:8] = 0
    assert metrics.kappa_temporal(run) == pytest.approx((7 - 4) / (9 - 4))
    run.baselines["no_change"] = np.maximum(run.codes, 0)
    assert math.isnan(metrics.kappa_temporal(run))


@pytest.mark.parametrize("name", EVERY_ROW)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sliding_is_the_overall_figure_of_the_last_rows(name, n_classes):
    run, metric = made_run(120, n_classes, unlabelled=0.2), getattr(metrics, name)
    for window in (1, 7, 50, 120, 500):
        sliding = metric(run, window=window)
        assert sliding.shape == (120,)
        expected = [metric(run.part(max(0, i + 1 - window), i + 1)) for i in range(120)]
        np.testing.assert_allclose(sliding, expected, atol=1e-12)


@pytest.mark.parametrize("name", EVERY_ROW)
def test_fading_counts_a_row_by_its_age(name):
    """A factor of 1/2 is a run in which each row comes twice as often as the one before it."""
    run, metric = made_run(11, 3, seed=1), getattr(metrics, name)
    faded = metric(run, fade=0.5)
    assert faded.shape == (11,)
    for i in range(11):
        times = np.repeat(np.arange(i + 1), 2 ** np.arange(i + 1))
        repeated = Run(
            "Made",
            "made",
            classes=run.classes,
            codes=run.codes[times],
            probabilities=run.probabilities[times],
            baselines={key: codes[times] for key, codes in run.baselines.items()},
            n_rows=len(times),
        )
        np.testing.assert_allclose(faded[i], metric(repeated), atol=1e-9)
    np.testing.assert_allclose(metric(run, fade=1.0)[-1], metric(run), atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=30))
def test_auc_is_the_share_of_pairs_in_order(rows):
    labels = np.array([label for label, _ in rows], dtype=np.int8)
    scores = np.array([score / 4 for _, score in rows])
    run = Run(
        "Made",
        "made",
        classes=np.arange(2),
        codes=labels,
        probabilities=np.column_stack([1 - scores, scores]),
        baselines={},
        n_rows=len(rows),
    )
    pairs = [(a > b) + (a == b) / 2 for a in scores[labels == 1] for b in scores[labels == 0]]
    np.testing.assert_allclose(metrics.auc(run), np.mean(pairs) if pairs else np.nan)


def test_auc_leaves_out_classes_that_never_come_and_rows_without_a_probability():
    run = made_run(200, 4)
    run.codes[run.codes == 3] = 2
    run.probabilities[:5] = np.nan
    expected = [
        reference.roc_auc_score(run.codes[5:] == k, run.probabilities[5:, k]) for k in range(3)
    ]
    assert metrics.auc(run) == pytest.approx(np.mean(expected))


def test_auc_of_a_long_run_is_computed_on_a_grid():
    run = made_run(4500, 2)
    sliding = metrics.auc(run, window=300)
    assert np.isnan(sliding[:4]).all()
    for last in (4, 9, 4499):
        assert sliding[last] == metrics.auc(run.part(max(0, last - 299), last + 1))
    assert sliding[10] == sliding[9]


def test_one_class_alone_is_not_an_error():
    run = made_run(20, 2)
    run.codes[:] = 0
    run.probabilities[:] = [0.8, 0.2]
    run.baselines = {name: np.zeros(20, dtype=np.int8) for name in run.baselines}
    assert metrics.accuracy(run) == metrics.balanced_accuracy(run) == metrics.g_mean(run) == 1
    for name in ("kappa", "kappa_m", "kappa_temporal", "auc", "f1"):
        assert math.isnan(getattr(metrics, name)(run)), name
        assert np.isnan(getattr(metrics, name)(run, window=5)).all(), name


def test_a_class_never_found_makes_the_g_mean_0():
    run = made_run(50, 2)
    run.probabilities[:] = [0.8, 0.2]
    assert metrics.g_mean(run) == 0


def test_log_loss_is_bounded():
    run = made_run(4, 2)
    run.codes[:] = 1
    run.probabilities[:] = [1.0, 0.0]
    assert metrics.log_loss(run) == pytest.approx(-math.log(2**-52))


def test_recovery_is_the_accuracy_right_after_drifts():
    run = made_run(100, 2)
    run.drifts = np.array([20, 60, 95])
    right = run.codes == run.predicted
    parts = [right[20:30], right[60:70], right[95:100]]
    assert metrics.recovery(run, rows=10) == pytest.approx(np.concatenate(parts).mean())
    curve = metrics.recovery(run, window=1, rows=10)
    assert curve[0] == pytest.approx(np.mean([part[0] for part in parts]))
    assert curve[9] == pytest.approx(np.mean([part[9] for part in parts[:2]]))
    assert metrics.recovery(run, rows=60) == pytest.approx(right[20:].mean())
    run.drifts = run.drifts[:0]
    assert math.isnan(metrics.recovery(run))


def test_senseless_windows_are_refused():
    run = made_run(10, 2)
    for name in metrics.__all__:
        for settings in ({"window": 0}, {"fade": 0.0}, {"fade": 1.1}, {"window": 5, "fade": 0.5}):
            with pytest.raises(ValueError, match=r"window|fade"):
                getattr(metrics, name)(run, **settings)


def test_every_metric_is_listed_with_one_line():
    public = {
        name
        for name, value in vars(metrics).items()
        if getattr(value, "__module__", "") == metrics.__name__ and not name.startswith("_")
    }
    assert public - {"agreement", "rate_of"} == set(metric_registry)
    for name in metric_registry:
        assert metric_registry.load(name) is getattr(metrics, name)
        assert metric_registry.summary(name).endswith(".")


def two_class_run(labels, answers, **more):
    classes = sorted(set(labels))
    codes, given = (np.array([classes.index(each) for each in some], np.int8) for some in (labels, answers))
    p = np.eye(2)[given]
    repeated = dict.fromkeys(("no_change", "majority", "label_chain"), given)
    about = {"baselines": repeated, "n_rows": len(codes)} | more
    return Run("Made", "made", classes=np.array(classes), codes=codes, probabilities=p, **about)


@pytest.mark.parametrize(
    ("rows", "positive"),
    [
        (["OK"] * 8 + ["FAULT"] * 2, "FAULT"), (["OK"] * 8 + ["zFAULT"] * 2, "zFAULT"),
        (["no"] * 2 + ["yes"] * 8, "yes"), ([0] * 2 + [1] * 8, 1), ([1] * 8 + [2] * 2, 1),
        (["False"] * 2 + ["True"] * 8, "True"), (["pos"] * 8 + ["neg"] * 2, "pos"),
        (["1"] * 8 + ["yes"] * 2, "yes"), (["a"] * 5 + ["b"] * 5, "b"),
    ],
)  # fmt: skip
def test_of_two_classes_the_rarer_one_counts_or_the_one_called_positive(rows, positive):
    answers = [rows[0], *rows[:-1]]
    run = two_class_run(rows, answers)
    expected = reference.f1_score(np.array(rows) == positive, np.array(answers) == positive)
    assert run.positive_class == positive and run.summary()["positive"] == str(positive)
    assert metrics.f1(run) == metrics.f1(rows, answers) == pytest.approx(expected)
    assert metrics.f1(run, window=len(rows))[-1] == pytest.approx(expected)


def test_a_part_and_a_baseline_have_the_positive_class_of_the_run():
    rows = ["OK"] * 8 + ["FAULT"] * 4
    run = two_class_run(rows, rows)
    assert run.part(7).positive_class == "FAULT" and run.of_baseline("no_change").positive_class == "FAULT"


def test_the_positive_class_can_be_chosen():
    rows, answers = ["OK"] * 8 + ["FAULT"] * 2, ["OK"] * 7 + ["FAULT"] * 3
    run = two_class_run(rows, answers, positive="OK")
    for name in ("precision", "recall", "f1", "average_precision"):
        metric = getattr(metrics, name)
        assert metric(run) == metric(run, label="OK") != metric(run, label="FAULT"), name


def test_an_unknown_positive_class_is_an_error_that_lists_the_labels():
    rows = [({"x": float(i % 2)}, "up" if i % 2 else "down") for i in range(50)]
    with pytest.raises(ParameterError, match="prequential: positive must be one of the labels 'down', 'up'"):
        prequential(rows, NaiveBayes(), positive="north")
    generated = (row for row in rows * 40)  # more rows than are read at first: labels may come later
    with pytest.raises(ParameterError, match="positive must be one of the labels 'down', 'up', got 'north'"):
        prequential(generated, NaiveBayes(), positive="north")
    assert prequential(rows, NaiveBayes(), positive="down").positive_class == "down"


def test_tune_names_the_class_that_its_metric_means():
    rng = np.random.default_rng(0)
    rows = [({"x": float(x)}, "FAULT" if x + rng.normal() > 1.5 else "OK") for x in rng.normal(size=600)]
    grid = {"grace_period": [20, 50]}
    found = tune(HoeffdingTree(), rows, grid=grid, metric="recall", n_jobs=1)
    assert found.positive == "FAULT"
    chosen = tune(HoeffdingTree(), rows, grid=grid, metric="recall", n_jobs=1, positive="OK")
    assert chosen.positive == "OK" and chosen.score_before > found.score_before
