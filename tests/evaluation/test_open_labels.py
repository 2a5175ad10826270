"""Evaluation on streams whose classes are not all known at the start."""

import json

import numpy as np
import pytest
from support.file_rows import write
from support.late_classes import N_ROWS, Late

from thalweg.adapters import SklearnLearner
from thalweg.commands import run as run_command
from thalweg.commands import run_results
from thalweg.evaluation import chunked, prequential
from thalweg.learners import HoeffdingTree, MajorityClass, NaiveBayes, OnlineBagging
from thalweg.streams import from_file, from_rows, noisy

PROTOCOLS = {
    "at once": lambda stream, learner, size: prequential(stream, learner, block=size),
    "late": lambda stream, learner, size: prequential(stream, learner, delay=30, block=size),
    "some": lambda stream, learner, size: prequential(stream, learner, label_share=0.4, block=size),
    "chunked": lambda stream, learner, size: chunked(stream, learner, size=100),
}


@pytest.mark.parametrize("evaluate", PROTOCOLS.values(), ids=list(PROTOCOLS))
@pytest.mark.parametrize("learner", [NaiveBayes(), HoeffdingTree(), OnlineBagging(n_members=3)], ids=str)
def test_the_run_is_that_of_a_learner_that_knew_the_classes_in_this_order(learner, evaluate, monkeypatch):
    monkeypatch.setattr(type(learner), "keeps_first_rows", False)  # else the first of a class comes later
    known = evaluate(Late(is_open=False), learner, 1000)
    order, first = np.argsort(known.classes), None
    for size, chunk in ((1000, 500), (77, 500), (1000, 3000), (400, 1)):
        run = evaluate(Late(chunk=chunk), learner, size)
        assert run.classes.tolist() == known.classes[order].tolist() == ["a", "m", "n", "q", "z"]
        # At first all classes that are known are equally likely; later only rounding differs.
        expected = known.probabilities[200:, order]
        np.testing.assert_allclose(run.probabilities[200:], expected, rtol=1e-9, atol=1e-12)
        assert first is None or np.array_equal(run.probabilities, first)
        first = run.probabilities
        scored = run.codes >= 0
        assert np.array_equal(run.classes[run.codes[scored]], known.classes[known.codes[scored]])
        for name, codes in run.baselines.items():
            np.testing.assert_array_equal(run.classes[codes], known.classes[known.baselines[name]])
        assert run.codes.dtype == known.codes.dtype
    assert learner.classes_.tolist() == known.classes.tolist()


def test_a_second_learner_begins_with_the_same_classes():
    stream = Late()
    runs = [prequential(stream, NaiveBayes()) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].probabilities, runs[1].probabilities)


def test_classes_beyond_the_rows_that_were_read_are_none():
    run = prequential(Late(chunk=3000), NaiveBayes(), rows=300)
    assert run.classes.tolist() == ["m", "q"] and run.probabilities.shape == (300, 2)


@pytest.mark.filterwarnings("ignore::thalweg.errors.RowWarning")
def test_no_class_at_the_start_and_many_in_the_end():
    names = tuple(f"{k:03}" for k in range(300))
    stream = Late(names=names, n_first=0)
    stream.codes = np.arange(N_ROWS) // 10
    stream.all_classes = np.array(names)[::-1]
    run = prequential(stream, MajorityClass())
    assert run.classes.tolist() == list(names)
    assert run.codes.tolist() == (299 - stream.codes).tolist()
    assert run.probabilities[1].tolist() == [0.0] * 299 + [1.0]
    with pytest.raises(ValueError, match="no label in the rows that were read"):
        stream.codes = np.full(N_ROWS, -1)
        prequential(stream, MajorityClass())


def test_a_learner_that_is_none_of_ours_must_know_the_labels():
    with pytest.raises(ValueError, match=r"Other: late may have labels.*scan_labels=True"):
        prequential(Late(), type("Other", (), {"test_then_train_coded": None})())


def test_ctrl_c_in_a_block_with_a_new_class_keeps_the_rows_before():
    stream = Late(n_first=0)

    class Stops(NaiveBayes):
        def _grow_from(self, *before):
            if before[1] == 3:
                raise KeyboardInterrupt
            super()._grow_from(*before)

    run = prequential(stream, Stops())
    first = int(np.argmax(stream.codes == 3))
    assert run.interrupted and run.n_rows == first
    whole = prequential(stream, NaiveBayes(), rows=first)
    np.testing.assert_array_equal(run.probabilities, whole.probabilities)
    np.testing.assert_array_equal(run.codes, whole.codes)


def test_the_command_says_which_classes_it_found(tmp_path, capsys):
    lines = "".join(f"{k % 7},{'up' if k % 7 > 3 else 'down'}\n" for k in range(14_000))
    path = write(tmp_path, "a,y\n" + lines + "9,apart\n" * 6000)
    settings = {"parameters": [], "rows": None, "seed": 0, "delay": "0", "label_share": "1", "chunk": None}
    settings |= {"data": None, "file_options": {}, "quiet": True}
    run = run_command.evaluate(str(path), "NaiveBayes", **settings).run
    run_results.show(run, json=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "3 classes: apart 30.00 %, down 40.00 %, up 30.00 %" in printed
    run_results.show(run, json=True)
    assert json.loads(capsys.readouterr().out)["classes"] == {"apart": 0.3, "down": 0.4, "up": 0.3}
    assert run.summary()["accuracy"] > 0.999


def test_learners_of_a_short_file_stay_open_unless_its_labels_are_listed(tmp_path):
    text = "a,y\n" + "".join(f"{k}.5,{'uv'[k % 2]}\n" for k in range(40))
    arff = "@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n1,u\n2,v\n"
    short, listed = from_file(write(tmp_path, text)), from_file(write(tmp_path, text), classes=["u", "v"])
    declared = from_file(write(tmp_path, arff, "rows.arff"))
    for stream, is_open in ((short, True), (listed, False), (declared, False)):
        assert stream.more_classes == stream.schema()["more_classes"] == is_open
        learner = NaiveBayes()
        prequential(stream, learner)
        if is_open:
            learner.learn_one([1.0], "w")
            assert learner.classes_.tolist() == ["u", "v", "w"]
        else:
            with pytest.raises(ValueError, match="not one of the classes"):
                learner.learn_one([1.0], "w")
    assert prequential(noisy(short, 0.1), NaiveBayes()).n_rows == 40
    foreign = SklearnLearner()
    prequential(short, foreign)
    with pytest.raises(ValueError, match="not one of the classes"):
        foreign.learn_one([1.0], "w")


@pytest.mark.parametrize("n_rows", [60, 1200])
@pytest.mark.parametrize("as_x", [lambda i: {"a": i % 7}, lambda i: [i % 7]], ids=["dicts", "lists"])
def test_after_rows_of_any_number_a_learner_stays_open_unless_classes_were_listed(n_rows, as_x):
    rows = [(as_x(i), "ab"[i % 2]) for i in range(n_rows)]
    learner = NaiveBayes()
    prequential(iter(rows), learner)
    learner.learn_one(as_x(0), "new")
    assert list(learner.classes_) == ["a", "b", "new"]
    prequential(from_rows(rows, classes=["a", "b"]), learner)
    with pytest.raises(ValueError, match="not one of the classes"):
        learner.learn_one(as_x(0), "new")
