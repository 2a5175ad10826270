"""From a file to a model in use: run --save, predict, continue, inspect."""

import json

import numpy as np
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import thalweg
from thalweg.commands.app import app
from thalweg.learners import NaiveBayes


def thalweg_command(*arguments):
    found = CliRunner().invoke(app, list(map(str, arguments)))
    return found


def table(n, seed, header="id;price;when;colour;ok"):
    """Return rows of a table whose colour decides the label but for one row in twenty."""
    rng = np.random.default_rng(seed)
    lines = [header]
    for i in range(n):
        colour = rng.choice(["red", "green", "blue"])
        ok = "yes" if (colour == "red") != (rng.random() < 0.05) else "no"
        price = f"{rng.normal():.3f}".replace(".", ",")
        lines.append(f"A{seed}{i:06};{price};{i % 28 + 1:02}.0{seed}.2024 {i % 24:02}:00;{colour};{ok}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "today.csv").write_text(table(600, 1))
    (tmp_path / "tomorrow.csv").write_text(table(300, 2))
    return tmp_path


@pytest.fixture
def model(files):
    path = files / "model.tw"
    found = thalweg_command(
        "run", files / "today.csv", "--learner", "LogisticMixture", "--save", path, "--json"
    )
    assert found.exit_code == 0, found.stderr
    return path


def test_a_saved_model_predicts_what_it_would_have(files, model):
    out = files / "out.csv"
    found = thalweg_command("predict", model, files / "tomorrow.csv", "--out", out, "--probabilities")
    assert found.exit_code == 0, found.exception
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ['"row"', '"id"', '"prediction"', '"probability"', '"p_no"', '"p_yes"']
    assert len(rows) == 301
    expected = thalweg.load(model).predict_proba(files / "tomorrow.csv")
    np.testing.assert_allclose([[float(v) for v in row[4:]] for row in rows[1:]], expected, rtol=1e-12)
    share = np.mean(
        [
            row[2] == f'"{line.split(";")[4]}"'
            for row, line in zip(rows[1:], table(300, 2).splitlines()[1:], strict=True)
        ]
    )
    assert share > 0.9
    assert f"{100 * share:.2f} %" in found.stderr


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_all_formats_have_the_same_rows(files, model, suffix):
    out = files / f"out.{suffix}"
    thalweg_command("predict", model, files / "tomorrow.csv", "--out", out)
    printed = thalweg_command("predict", model, files / "tomorrow.csv").stdout
    expected = [line.split(",")[2].strip('"') for line in printed.splitlines()[1:]]
    if suffix == "csv":
        found = [line.split(",")[2].strip('"') for line in out.read_text().splitlines()[1:]]
    elif suffix == "parquet":
        found = pyarrow.parquet.read_table(out)["prediction"].to_pylist()
    else:
        found = [json.loads(line)["prediction"] for line in out.read_text().splitlines()]
    assert found == expected


@pytest.mark.parametrize("size", [10_000, 7])
def test_rows_that_cannot_be_read_are_counted_and_the_others_keep_their_numbers(
    files, model, monkeypatch, size
):
    monkeypatch.setattr("thalweg.commands.prediction_files.ROWS_AT_A_TIME", size)
    lines = table(60, 3).splitlines()
    expected = thalweg_command("predict", model, _written(files / "good.csv", lines)).stdout.splitlines()
    bad = {1, 2, 30, 60}
    for row in bad:
        lines[row] = "too;few" if row % 4 else lines[row].replace(";", ";cheap", 1)
    path = _written(files / "bad.csv", lines)
    found = thalweg_command("predict", model, path, "--on-error", "skip")
    assert found.exit_code == 0, found.output
    kept = [line for i, line in enumerate(expected) if i not in bad]
    assert found.stdout.splitlines() == kept
    assert "56 rows, 56 of them with a label" in found.stderr
    assert "; 4 rows that could not be read are left out" in found.stderr
    assert found.stderr.count("skipped ") == 4 and "data row 60" in found.stderr
    some = thalweg_command("predict", model, path, "--on-error", "skip", "--rows", 28)
    assert some.stdout.splitlines() == kept[:29]
    assert thalweg_command("predict", model, path).exit_code == 1
    assert thalweg_command("predict", model, path, "--on-error", "keep").exit_code == 1


def _written(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_are_found_by_name_and_labels_need_not_be_there(files, model):
    lines = [line.split(";") for line in table(50, 3).splitlines()]
    turned = "\n".join(";".join([c, "x", p, w]) for _, p, w, c, _ in lines).replace("x", "more", 1)
    (files / "turned.csv").write_text(turned + "\n")
    found = thalweg_command("predict", model, files / "turned.csv")
    (files / "usual.csv").write_text(table(50, 3))
    assert found.stdout == thalweg_command("predict", model, files / "usual.csv", "--keep", "").stdout
    assert "50 rows\n" in found.stderr


def test_a_model_that_continues_equals_one_that_never_stopped(files, model):
    (files / "both.csv").write_text(table(600, 1) + table(300, 2).partition("\n")[2])
    whole = files / "whole.tw"
    thalweg_command("run", files / "both.csv", "--learner", "LogisticMixture", "--save", whole, "--json")
    found = thalweg_command("continue", model, files / "tomorrow.csv", "--json")
    assert json.loads(found.stdout)["rows"] == 300
    assert thalweg.load(model).digest() == thalweg.load(whole).digest()


def test_continue_can_write_another_file(files, model):
    before = model.read_bytes()
    newer = files / "newer.tw"
    thalweg_command("continue", model, files / "tomorrow.csv", "--save", newer)
    assert model.read_bytes() == before
    assert len(json.loads(thalweg_command("inspect", newer, "--json").stdout)["runs"]) == 2


def test_inspect_says_what_it_is_and_how_it_did(files, model):
    said = json.loads(thalweg_command("inspect", model, "--json").stdout)
    assert said["learner"] == "LogisticMixture"
    assert said["inputs"] == {"number": ["price"], "date": ["when"], "category": ["colour"]}
    assert said["classes"] == ["no", "yes"]
    assert said["runs"][0]["rows"] == 600
    shown = " ".join(thalweg_command("inspect", model).stdout.split())
    assert f"{100 * said['runs'][0]['accuracy']:.2f} %" in shown
    assert "price" in shown


def test_a_model_of_a_generator_goes_on_with_it(tmp_path):
    path = tmp_path / "sea.tw"
    thalweg_command("run", "sea", "--rows", "500", "--learner", "NaiveBayes", "--save", path)
    found = thalweg_command("continue", path, "sea", "--rows", "500", "--seed", "1", "--json")
    assert json.loads(found.stdout)["accuracy"] > 0.7


def test_a_learner_saved_without_columns_is_inspected(tmp_path):
    path = tmp_path / "own.tw"
    learner = NaiveBayes().begin(3, [0, 1]).partial_fit(np.eye(3), [0, 1, 1])
    thalweg.save(learner, path)
    assert json.loads(thalweg_command("inspect", path, "--json").stdout)["inputs"] == {
        "input": ["x0", "x1", "x2"]
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["predict", "today.csv", "today.csv"], "not a model file"),
        (["predict", "missing.tw", "today.csv"], "missing.tw"),
        (["predict", "model.tw", "sea"], "3 inputs"),
        (["predict", "model.tw", "other.csv"], "no column 'price'"),
        (["predict", "model.tw", "today.csv", "--out", "out.xml"], "end in one of"),
        (["predict", "model.tw", "today.csv", "--out", "nowhere/out.csv"], "no folder"),
        (["run", "today.csv", "--save", "nowhere/model.tw"], "no folder"),
        (["run", "today.csv", "--save", "."], "is a folder"),
        (["continue", "begun.tw", "today.csv"], "learned nothing"),
        (["continue", "own.tw", "today.csv"], "does not say what its columns are"),
        (["continue", "fixed.tw", "classes.csv"], "'maybe' is not one of the labels no, yes"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_lost(files, model, monkeypatch, arguments, words):
    monkeypatch.chdir(files)
    (files / "other.csv").write_text("a;b\n1;2\n")
    (files / "classes.csv").write_text(table(60, 4).replace(";yes", ";maybe"))
    thalweg.Model(learner=NaiveBayes()).save(files / "begun.tw")
    thalweg.save(NaiveBayes().begin(3, [0, 1]), files / "own.tw")
    fixed = ["--classes", "no,yes", "--learner", "NaiveBayes", "--save", "fixed.tw", "--json"]
    assert thalweg_command("run", "today.csv", *fixed).exit_code == 0
    before = model.read_bytes()
    found = thalweg_command(*arguments)
    assert found.exit_code != 0
    assert words in str(found.exception)
    assert model.read_bytes() == before
    assert not list(files.glob(".*.part"))


@pytest.mark.parametrize("n_rows", [50, 10_500])
def test_a_new_label_is_learned_however_short_the_file_was(files, n_rows):
    (files / "old.csv").write_text(table(n_rows, 1))
    path = files / "open.tw"
    thalweg_command("run", files / "old.csv", "--learner", "NaiveBayes", "--save", path, "--json")
    (files / "new.csv").write_text(table(300, 2).replace(";yes", ";maybe"))
    found = thalweg_command("continue", path, files / "new.csv", "--json")
    assert found.exit_code == 0, found.exception
    assert thalweg.load(path).classes_.tolist() == ["maybe", "no", "yes"]
    predicted = thalweg_command("predict", path, files / "new.csv", "--probabilities").stdout
    assert '"p_maybe"' in predicted


def test_rows_are_numbered_from_1_through_all_blocks(files, model, monkeypatch):
    whole = thalweg_command("predict", model, files / "tomorrow.csv").stdout.splitlines()
    monkeypatch.setattr("thalweg.commands.prediction_files.ROWS_AT_A_TIME", 70)
    parts = thalweg_command("predict", model, files / "tomorrow.csv").stdout.splitlines()
    assert [int(line.split(",")[0]) for line in parts[1:]] == list(range(1, 301))
    assert [line.split(",")[:2] for line in parts] == [line.split(",")[:2] for line in whole]
    few = thalweg_command("predict", model, files / "tomorrow.csv", "--rows", "100").stdout.splitlines()
    assert few == parts[:101]


def test_predict_takes_the_decimal_point_of_a_later_file(model, files):
    (files / "points.csv").write_text((files / "tomorrow.csv").read_text().replace(",", "."))
    plain = thalweg_command("predict", model, files / "tomorrow.csv")
    told = thalweg_command("predict", model, files / "points.csv", "--decimal", ".")
    assert told.exit_code == 0, told.stderr
    assert told.stdout == plain.stdout


def test_predict_warns_of_what_the_first_file_did_not_have(files):
    today, later, model = files / "today.csv", files / "tomorrow.csv", files / "model.tw"
    for path in (today, later):
        path.write_bytes(path.read_text().replace("green", "grün").encode("cp1252"))
    done = thalweg_command("run", today, "--learner", "NaiveBayes", "--save", model)
    assert "warning   not UTF-8" in done.stdout
    assert "warning" not in thalweg_command("predict", model, later).stderr
    later.write_text(later.read_text("cp1252").replace("id;", "till;id;", 1).replace("A2", "7;A2"), "cp1252")
    found = thalweg_command("predict", model, later)
    assert found.stderr.splitlines()[1:] == ["warning   left out, as the schema has no such column: 'till'"]
    assert found.stdout.count("\n") == 301


def test_inspect_counts_the_rows_that_wait(files, model):
    assert "wait for" not in thalweg_command("inspect", model).stdout
    loaded = thalweg.load(model)
    loaded.predict([{"price": "1,5"}, {"colour": "red"}], ids=["a", "b"])
    loaded.save(model)
    assert "2 rows wait for their labels; 0 were dropped\n" in thalweg_command("inspect", model).stdout
    facts = json.loads(thalweg_command("inspect", model, "--json").stdout)
    assert (facts["waiting"], facts["dropped"]) == (2, 0)


@pytest.mark.parametrize("command", ["predict", "continue"])
def test_no_option_is_advised_that_the_command_refuses(command, files, model):
    path = files / "tomorrow.csv"
    path.write_text(path.read_text().replace(".2024", ".20x4", 5))
    error = str(thalweg_command(command, model, path).exception)
    assert "data row 1, column 'when'" in error and "categorical" not in error
