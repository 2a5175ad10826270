"""Whatever rows come from: the same evaluation, or one sentence that says what to pass."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse, stats
from sklearn.naive_bayes import GaussianNB

from thalweg.checks import check_detector, check_learner, check_stream
from thalweg.drift import DDM
from thalweg.errors import ParameterError, StreamError
from thalweg.evaluation import (
    PermutationImportance,
    chunked,
    compare,
    detect_drift,
    holdout,
    label_errors,
    metrics,
    prequential,
    tune,
)
from thalweg.learners import AdaptiveRandomForest, HoeffdingTree, LogisticMixture, NaiveBayes
from thalweg.streams import SEA, as_stream, drifting, from_arrays, from_rows, noisy
from thalweg.streams.base import Stream

X, Y = next(SEA(1500, seed=1).blocks(1500))
NAMES = ["a", "b", "c"]
LABELS = np.array(["low", "high"])[Y]
FRAME = pd.DataFrame(X, columns=NAMES).assign(label=LABELS)
EXPECTED = prequential(from_arrays(X, LABELS), NaiveBayes()).probabilities


def dicts():
    return [(dict(zip(NAMES, x, strict=True)), str(y)) for x, y in zip(X.tolist(), LABELS, strict=True)]


class Literal:
    """What docs/concepts.md calls a stream, and nothing more; its blocks have lengths of their own."""

    n_features = 3
    classes = ("high", "low")

    def blocks(self, size):
        for start in range(0, len(X), 77):
            yield X[start : start + 77].tolist(), LABELS[start : start + 77].tolist()


class Inherits(Stream):
    """A Stream that writes `blocks` alone."""

    n_features = 3
    classes = np.array(["high", "low"])
    blocks = Literal.blocks


class Again:
    """An iterable that can be read again, of unknown length."""

    def __iter__(self):
        return iter(dicts())


SOURCES = {
    "arrays": lambda folder: (X, LABELS),
    "lists": lambda folder: (X.tolist(), LABELS.tolist()),
    "sparse": lambda folder: (sparse.csr_matrix(X), LABELS),
    "frame and labels": lambda folder: (FRAME[NAMES], FRAME["label"]),
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "arrow": lambda folder: pa.Table.from_pandas(FRAME),
    "dicts and labels": lambda folder: ([x for x, _ in dicts()], LABELS),
    "list of pairs": lambda folder: list(zip(X, LABELS, strict=True)),
    "list of dicts": lambda folder: dicts(),
    "generator": lambda folder: ((x, y) for x, y in zip(X.tolist(), LABELS, strict=True)),
    "generator of dicts": lambda folder: iter(dicts()),
    "iterable": lambda folder: Again(),
    "literal": lambda folder: Literal(),
    "inherits": lambda folder: Inherits(),
    "path": lambda folder: written(folder),
    "text path": lambda folder: str(written(folder)),
}


def written(folder):
    FRAME.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_gives_the_same_run(source, tmp_path):
    run = prequential(source(tmp_path), NaiveBayes())
    assert run.classes.tolist() == ["high", "low"]
    np.testing.assert_allclose(run.probabilities, EXPECTED, atol=1e-9)


def test_names_of_generators_and_models_of_other_libraries_work():
    assert prequential("sea", NaiveBayes(), rows=100).stream == "SEA"
    assert metrics.accuracy(prequential((X, LABELS), GaussianNB(), rows=200)) > 0.7


def test_a_target_names_the_labels():
    rows = [x | {"label": y} for x, y in dicts()]
    for source in (FRAME[["label", *NAMES]], rows, iter(rows)):
        run = prequential(source, NaiveBayes(), target="label")
        np.testing.assert_allclose(run.probabilities, EXPECTED, atol=1e-9)
    assert as_stream(FRAME, target=-1).classes.tolist() == ["high", "low"]


def late_rows(n=2500):
    """Yield dict rows that bring a new input, new categories and a new class on their way."""
    rng = np.random.default_rng(1)
    for i in range(n):
        x = {"a": rng.random(), "colour": f"c{rng.integers(2 + i // 200)}"}
        if i >= 1500:
            x["late"] = rng.random()
        yield x, "odd" if i >= 2000 and x["late"] > 0.7 else "up" if x["a"] > 0.5 else "down"


@pytest.mark.parametrize("learner", [NaiveBayes(), LogisticMixture(), AdaptiveRandomForest(n_members=3)])
@pytest.mark.parametrize("delay", [0, 30, stats.poisson(40)])
def test_inputs_categories_and_classes_may_come_later_whatever_the_blocks(learner, delay):
    runs = [prequential(late_rows(), learner, delay=delay, block=block) for block in (1000, 97)]
    assert runs[0].classes.tolist() == ["down", "odd", "up"]
    assert np.array_equal(runs[0].probabilities, runs[1].probabilities)
    assert runs[0].inputs == {"number": ["a", "late"], "category": ["colour"]}
    assert metrics.accuracy(runs[0].part(2200)) > 0.65
    # The learner takes such rows afterwards.
    assert learner.predict_one({"a": 0.1, "colour": "c1"}) == "down"
    assert learner.copy().predict([{"a": 0.1, "colour": "c1"}]).tolist() == ["down"]


def test_chunks_of_dict_rows():
    run = chunked(late_rows(), HoeffdingTree(), size=200)
    assert run.n_rows == 2500 and metrics.accuracy(run) > 0.7


def test_a_generator_is_read_in_blocks_as_rows_are_needed():
    read, pairs = itertools.count(), itertools.cycle(zip(X, LABELS, strict=True))
    rows = (pair for pair in pairs if next(read) >= 0)
    run = prequential(rows, NaiveBayes(), rows=3000)
    assert run.n_rows == 3000
    assert next(read) <= 4000


def test_a_generator_can_be_read_once():
    rows = iter(dicts())
    stream = from_rows(rows)
    prequential(stream, NaiveBayes())
    with pytest.raises(StreamError, match=r"an iterator can be read only once"):
        prequential(stream, NaiveBayes())
    with pytest.raises(StreamError, match="there are no rows"):
        prequential(rows, NaiveBayes())
    with pytest.raises(ParameterError, match=r"compare: .*can be read only once; pass a list"):
        compare([NaiveBayes()], [iter(dicts())])


def test_rows_without_a_label_are_not_learned():
    rows = [(x, None if i % 3 else y) for i, (x, y) in enumerate(zip(X, LABELS, strict=True))]
    run = prequential(rows, NaiveBayes())
    assert run.n_scored == 500 and run.classes.tolist() == ["high", "low"]


def test_other_entry_points_take_any_source():
    rows = list(zip(X, LABELS, strict=True))
    streams = {"rows": rows, "own": Literal(), "arrays": (X, LABELS)}
    found = compare([NaiveBayes(), HoeffdingTree()], streams, n_jobs=1)
    assert (found.table("accuracy") > 0.8).all()
    assert compare(NaiveBayes(), "sea", rows=500, n_jobs=1).table("accuracy").shape == (1, 1)
    for alone in (rows, iter(dicts()), (X, LABELS), (X.tolist(), LABELS), pd.DataFrame(X).assign(y=LABELS)):
        found = compare(NaiveBayes(), alone, n_jobs=1)
        assert found.table("accuracy").shape == (1, 1)
        assert repr(found).startswith("<Comparison: 1 learner on 1 stream;")
    assert tune(HoeffdingTree(), rows, grid={"grace_period": [100]}, n_jobs=1).n_rows_searched == 450
    assert detect_drift(rows).n_rows == detect_drift(Literal()).n_rows == 1500
    few = dicts()[:100]
    assert len(label_errors(few, learners=[NaiveBayes()]).p) == 100
    assert holdout("sea", NaiveBayes(), every=500, n=100, rows=1000).n_rows == 1000
    observed = prequential(dicts(), NaiveBayes(), observers=PermutationImportance(window=200, period=500))
    assert observed.explanations[0].names == NAMES


def test_inputs_must_be_known_where_rows_become_arrays():
    with pytest.raises(StreamError, match=r"row 1500 has the input 'late'.*names="):
        detect_drift(late_rows())
    assert detect_drift(from_rows(late_rows(), names=["late"])).n_rows == 2500


WRONG = {
    "swapped": ((NaiveBayes(), SEA()), "pass the stream first, then the learner"),
    "swapped classes": ((NaiveBayes, SEA), "got the learner NaiveBayes first; pass the stream first"),
    "two learners": ((NaiveBayes(), NaiveBayes()), r"learner NaiveBayes\(\) where the stream belongs"),
    "class of a stream": ((SEA, NaiveBayes()), r"got the class SEA; pass an instance: SEA\("),
    "class of a learner": ((SEA(), NaiveBayes), r"class NaiveBayes; pass an instance: NaiveBayes\(\)"),
    "name of a learner": (("sea", "NaiveBayes"), "expected a learner, .* got 'NaiveBayes'"),
    "X alone": ((X, NaiveBayes()), r"an array without labels; pass \(X, y\)"),
    "a number": ((5, NaiveBayes()), "expected a stream, .* got 5"),
    "a dict": (({"X": X}, NaiveBayes()), "got a dict"),
    "three parts": (((X, LABELS, X), NaiveBayes()), r"a tuple must be \(X, y\), got 3 parts"),
    "misspelt": (("seaa", NaiveBayes()), "did you mean sea"),
    "no pairs": (([1, 2], NaiveBayes()), r"row 0 is 1, not a pair \(x, y\)"),
    "no labels": (([{"a": 1}], NaiveBayes()), "row 0 is a dict without a label.*target="),
    "blocks": (([(X, LABELS)], NaiveBayes()), r"row 0 has inputs of shape \(1500, 3\)"),
    "nothing": (([], NaiveBayes()), "there are no rows"),
    "label": (([([1.0], [2])], NaiveBayes()), r"row 0 has the label \[2\]; expected one value"),
    "width": (([([1.0], 0), ([1.0, 2.0], 1)], NaiveBayes()), "row 1 has 2 inputs, the first row 1"),
    "text": (([([1.0], 0), (["red"], 1)], NaiveBayes()), "row 1, input 'x0': 'red' is not a number"),
    "late text": (([({"a": 1}, 0), ({"a": "red"}, 1)], NaiveBayes()), "input 'a': 'red' is not a number"),
    "mixed": (([({"a": 1}, 0), ([1.0], 1)], NaiveBayes()), "row 1 is a list, the first row a dict"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_gets_one_sentence(arguments, message):
    with pytest.raises((ParameterError, StreamError), match=message) as caught:
        prequential(*arguments)
    assert "\n" not in str(caught.value)


def test_wrong_arguments_of_other_functions():
    with pytest.raises(ParameterError, match="compare: got the class NaiveBayes"):
        compare([NaiveBayes], ["sea"])
    with pytest.raises(ParameterError, match="compare: got the learner NaiveBayes"):
        compare(["sea"], [NaiveBayes()])
    with pytest.raises(ParameterError, match="detect_drift: monitor must be a monitor"):
        detect_drift("sea", NaiveBayes())
    with pytest.raises(ParameterError, match="target='a' does not apply"):
        as_stream("sea", target="a")
    with pytest.raises(ParameterError, match="no column 'z'; it has 'a', 'b'"):
        as_stream(FRAME, target="z")
    with pytest.raises(NotImplementedError, match="Literal cannot draw samples"):
        holdout(Literal(), NaiveBayes(), every=100, n=10)


def test_a_literal_stream_that_breaks_its_word_is_named():
    class Wrong(Literal):
        def blocks(self, size):
            yield X[:10, :2], LABELS[:10]

    class Unknown(Literal):
        classes = ("low", "medium")

    with pytest.raises(StreamError, match=r"Wrong: the block from row 0 on has rows of shape \(10, 2\)"):
        prequential(Wrong(), NaiveBayes())
    with pytest.raises(StreamError, match="Unknown: row 5 has the label 'high'; the classes are 'low'"):
        prequential(Unknown(), NaiveBayes())


def test_checks_take_literal_streams_and_refuse_classes():
    check_stream(Literal())
    check_stream(dicts())
    for check, kind in ((check_stream, SEA), (check_learner, NaiveBayes), (check_detector, DDM)):
        with pytest.raises(ParameterError, match=rf"{kind.__name__}.*instance|instance, {kind.__name__}"):
            check(kind)


def test_noisy_and_joined_streams_take_any_source():
    assert noisy(Literal(), 0.5).n_rows is None
    joined = drifting.Abrupt((X, LABELS), dicts())
    assert joined.n_rows == 3000 and joined.drifts.tolist() == [1500]


@pytest.mark.parametrize("settings", [{"observers": 5}, {"observers": PermutationImportance}, {"rows": "10"}])
def test_settings_that_cannot_be_are_named(settings):
    with pytest.raises(ParameterError, match=f"{next(iter(settings))} must be"):
        prequential("sea", NaiveBayes(), **settings)
