"""Options of the command: what the messages name, what does not apply, learners with arguments."""

import copy
import json
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from support.places import DATA, data_file

from thalweg import streams
from thalweg._learner_text import read_learner, read_value
from thalweg.commands import run as run_command
from thalweg.commands.file_options import FILE_OPTIONS, ORDER
from thalweg.commands.wording import error_text, in_options
from thalweg.drift import ADWIN
from thalweg.errors import Advice, Message, StreamError
from thalweg.evaluation import prequential
from thalweg.learners import AdaptiveRandomForest, DriftReset, HoeffdingTree, LeveragingBagging, NaiveBayes
from thalweg.preprocessing import Pipeline, StandardScaler
from thalweg.streams import from_file
from thalweg.streams.named import open_stream

COMMAND = Path(sys.executable).with_name("thalweg")


@pytest.fixture
def orders(tmp_path):
    rng = np.random.default_rng(0)
    days = [f"{i % 28 + 1:02}.01.2024 {i % 24:02}:00" for i in range(300)]
    labels = rng.choice(["x", "y"], 300)
    lines = [f"A{i:05};{rng.normal():.3f};{days[i]};{'uv'[i % 2]};{labels[i]}" for i in range(300)]
    path = tmp_path / "orders.csv"
    path.write_text("id;price;when;shop;ok\n" + "\n".join(line.replace(".", ",", 1) for line in lines) + "\n")
    return path


def test_what_was_found_is_in_the_terminal_the_page_and_the_json(thalweg, orders, tmp_path):
    page = tmp_path / "page.html"
    code, table, _ = thalweg("run", orders, "--learner", "NaiveBayes", "--report", page)
    found = json.loads(thalweg("run", orders, "--learner", "NaiveBayes", "--json")[1])["columns"]
    assert code == 0 and found["target"] == "ok" and found["ignored"] == ["id"]
    assert (found["number"], found["category"], found["date"]) == (["price"], ["shop"], ["when"])
    ElementTree.fromstring(page.read_text().removeprefix("<!DOCTYPE html>\n"))
    for words in ("price (decimal comma)", "when (8 inputs)", "id (almost all values differ: an id)"):
        assert words in table and words in page.read_text()


def test_warnings_and_skipped_rows_are_shown(thalweg, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,copy,y\n" + "".join(f"{i % 9}.5,{'uv'[i % 2]},{i % 2}\n" for i in range(300)) + "1\n")
    page = tmp_path / "page.html"
    _, table, _ = thalweg("run", path, "--on-error", "skip", "--learner", "NaiveBayes", "--report", page)
    assert "warning   'copy' equals the target" in table and "data row 301: 1 columns" in table
    assert "pass --ignore copy" in table
    assert "equals the target" in page.read_text()
    plain = json.loads(thalweg("run", path, "--on-error", "skip", "--learner", "NaiveBayes", "--json")[1])
    assert plain["skipped"] == 1 and "data row 301" in plain["messages"][0]


def test_files_are_read_as_told(thalweg, orders):
    def columns(*options):
        code, printed, said = thalweg("run", orders, "--learner", "NaiveBayes", "--json", *options)
        assert code == 0, said
        return json.loads(printed)["columns"]

    assert columns("--ignore", "price,when")["ignored"] == ["id", "price", "when"]
    assert columns("--categorical", "id,price")["category"] == ["id", "price", "shop"]
    assert columns("--text", "shop")["text"] == ["shop"]
    assert columns("--delimiter", ";", "--header", "--decimal", ",", "--date", "when")["date"] == ["when"]
    assert columns("--no-header", "--target", "x4", "--ignore", "x0,x1,x2")["target"] == "x4"
    assert columns("--classes", "x,y,z")["target"] == "ok"
    code, _, said = thalweg("run", orders, "--classes", "x,z")
    assert code == 2 and "if it should be, pass --classes" in said


def test_drift_leaves_out_what_always_changes(thalweg, orders):
    code, printed, _ = thalweg("drift", orders, "--json")
    found = json.loads(printed)
    assert code == 0 and found["columns"]["ignored"] == ["id"]
    assert found["inputs"] == 3
    assert found["not_compared"]["when: elapsed days"] == "elapsed"
    assert found["not_compared"]["when: weekday"] == "cycle"
    assert "date      when (6 inputs)" in thalweg("drift", orders, "--delimiter", ";")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sea", "--target", "x"], "sea is a generator: --target does not apply"),
        (["sea", "--no-header"], "--header does not apply"),
        (["sea", "--on-error", "skip"], "--on-error does not apply"),
        (["sea", "--data", "there"], "--data does not apply"),
        (["orders.csv", "--data", "there"], "orders.csv is a file: --data does not apply"),
        (["santa_fe", "--ignore", "x"], "--ignore does not apply"),
        (["sea", "--learner", "NaiveBayes", "--learner", "HoeffdingTree"], "--learner is given 2 times"),
        (["sea", "--rows", "10", "--rows", "20"], "--rows is given 2 times"),
        (["sea", "--learner", "HoefdingTree"], "did you mean HoeffdingTree?"),
        (["sea", "--learner", "naive-bays"], "did you mean NaiveBayes?"),
        (["sea", "--learner", "DriftReset(detector=ADVIN())"], "did you mean ADWIN?"),
        (["sea", "--learner", "NaiveBayes(1, 2, 3)"], "too many positional arguments; NaiveBayes takes"),
        (["sea", "--learner", "NaiveBayes(depth=3)"], "has no parameter 'depth'"),
        (["sea", "--learner", "NaiveBayes(categorical=[0"], "is a bracket or quote missing?"),
        (["sea", "--learner", "NaiveBayes(categorical=open('x'))"], "no learner, detector or step 'open'"),
        (["sea", "--learner", "NaiveBayes(categorical=().__class__)"], "is neither a literal nor"),
        (["sea", "--learner", "NaiveBayes(**{'a': 1})"], "one by one"),
        (["sea", "--learner", "StandardScaler"], "write make_pipeline(StandardScaler(…), NaiveBayes())"),
        (["sea", "--learner", "make_pipeline(StandardScaler())"], "the last argument must be a learner"),
        (["sea", "--learner", "Pipeline(StandardScaler())"], "a list of steps such as StandardScaler()"),
        (["sea", "--learner", "NaiveBayes().fit(1)"], "expected the name of a learner"),
        (["sea", "--learner", "HoeffdingTree(delta=0.1)", "--set", "delta=0.2"], "delta is given twice"),
        (["sea", "--learner", "HoeffdingTree", "--set", "delta=0.2", "--set", "delta=0.1"], "given twice"),
    ],
)
def test_mistakes_are_one_line(thalweg, arguments, words):
    code, printed, said = thalweg("run", *arguments)
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert words in said


def test_a_learner_is_read_from_text():
    text = "LeveragingBagging(hoeffding_tree(grace_period=50), n_members=20, delta=-1e-3)"
    made = read_learner(text, {}, 7)
    assert isinstance(made, LeveragingBagging) and (made.n_members, made.delta) == (20, -0.001)
    assert isinstance(made.member, HoeffdingTree) and made.member.grace_period == 50
    assert made.random_state == 7
    assert read_learner("LeveragingBagging(random_state=3)", {}, 7).random_state == 3
    reset = read_learner("DriftReset(NaiveBayes, ADWIN(delta=0.01))", {}, 0)
    assert isinstance(reset, DriftReset) and isinstance(reset.member, NaiveBayes)
    assert isinstance(reset.detector, ADWIN) and reset.detector.delta == 0.01
    mixed = read_learner("OnlineBagging([NaiveBayes(), HoeffdingTree()])", {}, 0)
    assert [type(each) for each in mixed.member] == [NaiveBayes, HoeffdingTree]


def test_a_pipeline_is_read_from_text():
    scaled = read_learner("make_pipeline(StandardScaler(), LeveragingBagging(HoeffdingTree()))", {}, 7)
    assert isinstance(scaled, Pipeline) and isinstance(scaled.steps[0], StandardScaler)
    assert scaled.learner.random_state == 7
    text = "Pipeline([Imputer()], LeveragingBagging(random_state=3))"
    given = read_learner(text, {"learner__n_members": 5}, 7)
    assert (given.learner.random_state, given.learner.n_members) == (3, 5)
    with pytest.raises(ValueError, match="Pipeline has no parameter 'members'"):
        read_learner("Pipeline([], NaiveBayes())", {"members": 5}, 0)


def test_the_seed_reaches_the_member_of_a_learner_that_has_none():
    reset = read_learner("DriftReset(LeveragingBagging(HoeffdingTree()))", {}, 7)
    assert reset.member.random_state == 7
    labels = read_learner("make_pipeline(LastLabels(), StandardScaler(), AdaptiveRandomForest())", {}, 7)
    assert labels.member.learner.random_state == 7
    bagging = read_learner("OnlineBagging(AdaptiveRandomForest())", {}, 7)
    assert (bagging.random_state, bagging.member.random_state) == (7, AdaptiveRandomForest().random_state)


def test_the_pipeline_is_in_the_terminal_the_page_and_the_json(thalweg, orders, tmp_path):
    page, learner = tmp_path / "page.html", "make_pipeline(StandardScaler(), NaiveBayes())"
    code, table, said = thalweg("run", orders, "--learner", learner, "--report", page)
    assert code == 0, said
    words = (
        "price (number, decimal comma), when (date: elapsed days, time of day, weekday, month), "
        "shop (category, 2 values at first) → 10 inputs → "
        "Pipeline(learner=NaiveBayes(), steps=[StandardScaler()])"
    )
    assert f"pipeline  {words}" in table and words in page.read_text()
    found = json.loads(thalweg("run", orders, "--learner", learner, "--json")[1])
    assert found["pipeline"] == words and found["columns"]["inputs"] == 10


def test_a_generator_has_no_columns_that_become_inputs(thalweg):
    found = json.loads(thalweg("run", "sea", "--rows", "100", "--learner", "NaiveBayes", "--json")[1])
    assert found["pipeline"] is None


def test_many_columns_are_cut_short(tmp_path):
    path = tmp_path / "wide.csv"
    rows = [",".join(f"{i * j % 7}.5" for j in range(1, 21)) + f",{i % 2}" for i in range(30)]
    path.write_text(",".join(f"x{j}" for j in range(20)) + ",y\n" + "\n".join(rows))
    assert from_file(path).columns.in_one_line().endswith("x7 (number) and 12 more → 20 inputs")


def test_values_are_literals_learners_or_text():
    assert [read_value(text) for text in ("3", "-2.5", "None", "[0, 1]", "(1, 'a')", "{'a': 1}")] == [
        3,
        -2.5,
        None,
        [0, 1],
        (1, "a"),
        {"a": 1},
    ]
    assert [read_value(text) for text in ("gini", "some-thing", "a b")] == ["gini", "some-thing", "a b"]
    assert isinstance(read_value("naive_bayes"), NaiveBayes)
    with pytest.raises(ValueError, match="no learner, detector or step 'eval'"):
        read_value("eval('1')")


def test_a_series_goes_by_its_name(thalweg):
    data_file("santa-fe-laser.txt")
    code, printed, said = thalweg("run", "santa_fe", "--data", DATA, "--learner", "NaiveBayes", "--json")
    assert code == 0, said
    assert json.loads(printed)["rows"] == 9990


def test_a_bug_is_one_line_and_how_to_report_it(thalweg, monkeypatch):
    monkeypatch.setattr(run_command, "evaluate", lambda *args, **options: 1 // 0)
    code, printed, said = thalweg("run", "sea")
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert f"ZeroDivisionError at {Path(__file__).name}:" in said and "Please report this line" in said
    monkeypatch.setenv("THALWEG_TRACEBACK", "1")
    assert "Traceback" in thalweg("run", "sea")[2]


def test_the_installed_command_takes_a_learner_with_arguments():
    learner = "DriftReset(HoeffdingTree(grace_period=50), detector=ADWIN())"
    words = [COMMAND, "run", "sea", "--rows", "500", "--learner", learner, "--json"]
    assert json.loads(subprocess.check_output(words, timeout=120))["learner"] == "DriftReset"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("run", "SOURCE"), ("drift", "SOURCE [OTHER]"), ("label-errors", "SOURCE"), ("compare", "LEARNERS..."),
     ("tune", "SOURCE"), ("predict", "MODEL SOURCE"), ("continue", "MODEL SOURCE"), ("inspect", "MODEL"),
     ("list", "[WHAT]"), ("reproduce", "[PAPER]")],
)
def test_help_has_plain_words_for_values(thalweg, monkeypatch, name, arguments):
    monkeypatch.setenv("COLUMNS", "120")
    _, shown, _ = thalweg(name, "--help")
    assert "<" not in shown and "{" not in shown
    assert f"Usage: thalweg {name} [OPTIONS] {arguments} " in shown
    assert "--json" in shown or name in ("predict", "list")


def test_the_help_of_all_says_where_to_start(thalweg, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    _, shown, _ = thalweg("--help")
    assert "thalweg run sea" in shown and "<" not in shown


def test_pages_and_json_of_the_command_name_options_those_of_python_parameters(thalweg, tmp_path):
    path, page = tmp_path / "t.csv", tmp_path / "page.html"
    rows = "".join(f"{i % 9}.5,{'uv'[i % 2]},{i % 2}\n" for i in range(300))
    path.write_text("a,the copy,y\n" + rows)
    for command in (("run", "--learner", "NaiveBayes"), ("label-errors", "--learner", "NaiveBayes")):
        code, printed, _ = thalweg(command[0], path, *command[1:], "--json", "--report", page)
        assert code == 0
        assert 'pass --ignore "the copy"' in json.loads(printed)["columns"]["warnings"][0]
        written = page.read_text()
        assert "pass --ignore &quot;the copy&quot;" in written and "ignore=[" not in written
    run = prequential(from_file(path), NaiveBayes())
    assert "pass ignore=['the copy']" in run.summary()["columns"]["warnings"][0]


@pytest.mark.parametrize(
    ("parameter", "value", "words", "options"),
    [
        ("ignore", ["a", "b"], "ignore=['a', 'b']", "--ignore a,b"),
        ("ignore", ["a[]", "b"], "ignore=['a[]', 'b']", "--ignore a[],b"),
        ("decimal", ",", "decimal=','", "--decimal ,"),
        ("target", "unit price", "target='unit price'", '--target "unit price"'),
        ("target", "it's", 'target="it\'s"', '--target "it\'s"'),
        ("target", "a\nb", r"target='a\nb'", r'--target "a\nb"'),
        ("header", False, "header=False", "--no-header"),
        ("header", True, "header=True", "--header"),
        ("date_parts", ["time"], "date_parts=['time']", "--date-parts time"),
        ("classes", [...], "classes=[…]", "--classes a,b,…"),
    ],
)
def test_advice_is_worded_with_parameters_and_with_options(parameter, value, words, options):
    message = Message("first\r, ", Message("pass ", Advice(parameter, value)), ", then pass decimal=','")
    assert message == rf"first\r, pass {words}, then pass decimal=','"
    assert in_options(message) == rf"first\r, pass {options}, then pass decimal=','"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_carry_what_to_do_as_data(tmp_path, copied):
    path = tmp_path / "t.csv"
    path.write_text("a,a,y\n1,2,no\n3,4,yes\n")
    with pytest.raises(StreamError) as raised:
        from_file(path)
    error = copied(raised.value)
    assert str(error).endswith("rename one, or pass header=False if the first row is no header")
    assert error_text(error).endswith("rename one, or pass --no-header if the first row is no header")
    assert Advice("header", False) in error.message.parts


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "FILE", "--decimal", "x"], "--decimal must be '.' or ',', got 'x'"),
        (["run", "FILE", "--date-parts", "year"], "--date-parts must be some of"),
        (["tune", "sea", "--learner", "NaiveBayes", "--try", "a=1", "--share", "2"], "--share must be"),
    ],
)
def test_errors_of_functions_name_options(thalweg, orders, arguments, words):
    code, _, said = thalweg(*(orders if each == "FILE" else each for each in arguments))
    assert code == 2 and said.startswith(f"thalweg: {words}")


def test_errors_in_python_name_parameters():
    with pytest.raises(ValueError, match="sea is a generator: ignore does not apply"):
        open_stream("sea", ignore=["x"])


def test_every_parameter_that_messages_about_files_name_is_an_option():
    named, in_text = set(), []
    for path in Path(streams.__file__).parent.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'Advice\(\s*"(\w+)"', source))
        in_text += re.findall(r"pass \w+=", source)
    assert named and named <= set(FILE_OPTIONS | ORDER)
    assert in_text == []  # the command could not word these


def test_the_default_learner_is_named_in_full_in_80_columns(thalweg, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = thalweg("run", "sea", "--rows", 300, "--learner", "AdaptiveHoeffdingOptionTree")[1]
    assert "AdaptiveHoeffdingOptionTree ┃" in table and max(map(len, table.splitlines())) <= 80


def test_a_wrong_encoding_is_said_of_the_option(thalweg, orders):
    said = thalweg("run", orders, "--encoding", "utf9")[2]
    assert "thalweg: --encoding must be an encoding such as utf-8" in said


@pytest.mark.parametrize("text", [
    "sklearn.datasets._covtype.GzipFile('made.txt', 'wb')",
    "sklearn.linear_model.SGDClassifier(loss=sklearn.datasets._covtype.GzipFile('made.txt', 'wb'))",
    "sklearn.pipeline.Pipeline([('a', sklearn.datasets._covtype.TemporaryDirectory(dir='.'))])",
    "sklearn.datasets._base.Path('made.txt')",
    "sklearn.utils.Bunch(a=1)",
    "sklearn.model_selection.check_cv(3)",
    "river.stream.Cache('.')",
])  # fmt: skip
def test_only_estimators_of_other_libraries_are_made(tmp_path, monkeypatch, text):
    if text.startswith("river"):
        pytest.importorskip("river")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="is no estimator of"):
        read_learner(text, {}, 0)
    assert not any(tmp_path.iterdir())


def test_text_cannot_choose_a_folder_of_pickles():
    steps = "sklearn.pipeline.Pipeline([('a', sklearn.preprocessing.StandardScaler())], memory="
    with pytest.raises(ValueError, match="names a folder of pickles"):
        read_learner(f"sklearn.pipeline.Pipeline([('b', {steps}'/tmp'))])", {}, 0)
    assert read_learner(f"{steps}None)", {}, 0)


def test_kernels_and_splits_of_scikit_learn_are_arguments():
    text = (
        "sklearn.calibration.CalibratedClassifierCV(sklearn.gaussian_process.GaussianProcessClassifier("
        "sklearn.gaussian_process.kernels.RBF(2.0)), cv=sklearn.model_selection.KFold(4))"
    )
    made = read_value(text)
    assert made.cv.n_splits == 4 and made.estimator.kernel.length_scale == 2.0
    made = read_value("river.linear_model.LogisticRegression(river.optim.SGD(0.5))")
    assert made.optimizer.learning_rate == 0.5


@pytest.mark.parametrize("law", ["norm(-300)", "cauchy()", "pareto(0.5)"])
def test_a_delay_has_a_mean_of_rows(thalweg, law):
    code, _, err = thalweg("run", "sea", "--rows", "100", "--learner", "NaiveBayes", "--delay", law)
    assert code == 2 and "its mean must be a number of rows of at least 0" in " ".join(err.split())


def test_a_column_is_named_by_one_option(thalweg, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(100)))
    code, _, err = thalweg("run", path, "--learner", "NaiveBayes", "--ignore", "a", "--numeric", "a")
    assert code == 2 and "--numeric a and --ignore a: give one of them" in err
    with pytest.raises(StreamError, match="'a' is named by ignore and numeric; name it once"):
        from_file(path, ignore=["a"], numeric=["a"])
