"""The options for reading files: the same for every command, one for each keyword of `from_file`."""

import inspect
import json

import pytest
import typer.main

from thalweg.commands import app as cli
from thalweg.commands.file_options import FILE_OPTIONS, KEEP, ORDER
from thalweg.evaluation import compare
from thalweg.learners import NaiveBayes
from thalweg.streams import from_file

COMMANDS = typer.main.get_command(cli.app).commands
WITH_MODEL = ("predict", "continue")
NOT_FOR_A_PERSON = {
    "path": "an argument of its own",
    "with_labels": "every command knows whether it needs labels",
    "scan_labels": "--classes says which labels there are",
    "like": "predict and continue take it from the model",
    "seed": "--seed is that of the command",
}


def test_every_keyword_of_from_file_has_an_option():
    keywords = set(inspect.signature(from_file).parameters)
    assert set(FILE_OPTIONS | ORDER | KEEP) == keywords - set(NOT_FOR_A_PERSON)


@pytest.mark.parametrize("name", ["run", "compare", "tune", "drift", "label-errors", *WITH_MODEL])
def test_a_command_that_reads_files_has_every_file_option(name):
    options = {each.name: each for each in COMMANDS[name].params}
    assert set(FILE_OPTIONS) <= set(options)
    assert ("keep" in options) == (name in ("predict", "label-errors"))
    assert [each for each in ORDER if each in options] == ([] if name == "predict" else [*ORDER])
    hidden = {each for each in FILE_OPTIONS if options[each].hidden}
    assert hidden == {each for each in FILE_OPTIONS if name in WITH_MODEL and FILE_OPTIONS[each].in_schema}


@pytest.fixture
def table(tmp_path):
    """A file that is read wrongly unless one says how: bars, decimal commas, no header, a bad row."""
    path = tmp_path / "table.txt"
    rows = [f"{'no' if i % 3 else 'yes'}|{i % 7},{i % 10}|{i}" for i in range(200)]
    path.write_text("\n".join([*rows[:100], "no|1,5", *rows[100:]]) + "\n")
    return path


OPTIONS = ("--no-header", "--delimiter", "|", "--decimal", ",", "--on-error", "skip", "--target", "x0")


def test_options_reach_compare_and_tune(thalweg, table, monkeypatch, tmp_path):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    chosen = (*OPTIONS, "--ignore", "x2", "--jobs", "1", "--json")
    code, printed, said = thalweg("compare", "NaiveBayes", "--on", table, *chosen)
    assert code == 0, said
    assert json.loads(printed)["errors"] == {}
    grid = ("--learner", "NearestNeighbours", "--try", "n_neighbours=1,3")
    code, printed, said = thalweg("tune", table, *grid, *chosen)
    assert code == 0, said
    found = json.loads(printed)
    assert found["rows_searched"] + found["rows_judged"] == 200


def test_options_reach_a_saved_model(thalweg, table, tmp_path):
    model, out = tmp_path / "model.tw", tmp_path / "out.csv"
    learn = ("run", table, *OPTIONS, "--ignore", "x2", "--learner", "NaiveBayes", "--save", model)
    assert thalweg(*learn)[0] == 0
    for command in (("continue", model, table), ("predict", model, table, "--out", out)):
        code, _, said = thalweg(*command, *OPTIONS)
        assert code == 0, said
        code, _, said = thalweg(*command, "--ignore", "x2")
        assert code == 2 and "--ignore does not apply: the model's file says how its columns are read" in said
    assert len(out.read_text().splitlines()) == 201


def test_file_options_without_a_file_are_an_error(thalweg):
    code, _, said = thalweg("tune", "sea", "--learner", "NaiveBayes", "--try", "a=1", "--ignore", "x")
    assert code == 2 and "--ignore does not apply" in said
    with pytest.raises(ValueError, match="no stream is the path of a file"):
        compare([NaiveBayes()], ["sea"], rows=100, file_options={"ignore": ["x"]})


@pytest.fixture
def newest_first(tmp_path):
    """A file with the newest row first; its labels change their meaning in the last third of the time."""
    path = tmp_path / "newest_first.csv"
    xs = [i * 37 % 101 for i in range(300)]
    rows = [f"2024-{1 + i // 28:02}-{1 + i % 28:02},{x},{(x > 50) ^ (i > 200)}" for i, x in enumerate(xs)]
    path.write_text("\n".join(["day,x,ok", *rows[::-1]]) + "\n")
    return path


def test_rows_from_the_newest_to_the_oldest_are_pointed_out_and_turned(thalweg, newest_first, tmp_path):
    said = "rows run from the newest to the oldest by 'day': pass --newest-first"
    model = tmp_path / "model.tw"
    learn = ("run", newest_first, "--learner", "NaiveBayes", "--json")
    orders = (), ("--newest-first", "--save", model), ("--sort", "day")
    plain, turned, by_day = (json.loads(thalweg(*learn, *order)[1]) for order in orders)
    assert plain["columns"]["warnings"] == [said] and turned["columns"]["warnings"] == []
    assert turned["accuracy"] == by_day["accuracy"] != plain["accuracy"]
    assert said in thalweg("drift", newest_first, "--window", "50")[1].replace("\n", " ")
    assert said in thalweg("continue", model, newest_first)[1]
    for command in (("drift", newest_first), ("label-errors", newest_first, "--learner", "NaiveBayes")):
        code, _, error = thalweg(*command, "--newest-first", "--json")
        assert code == 0, error
    assert thalweg("continue", model, newest_first, "--newest-first")[0] == 0
    code, _, error = thalweg("predict", model, newest_first, "--out", tmp_path / "out.csv")
    assert code == 0 and "rows run from" not in error
    code, _, error = thalweg("run", newest_first, "--newest-first", "--shuffle")
    assert code == 2 and "--shuffle excludes newest_first" in error
    code, _, error = thalweg("run", "sea", "--shuffle")
    assert code == 2 and "--shuffle does not apply to it" in error


def test_a_random_order_has_the_seed_of_the_command(thalweg, newest_first, tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    run = "run", newest_first, "--shuffle", "--learner", "NaiveBayes", "--json"
    figures = [json.loads(thalweg(*run, "--seed", seed)[1]) for seed in (1, 1, 2)]
    assert figures[0]["log_loss"] == figures[1]["log_loss"] != figures[2]["log_loss"]
    options = "--shuffle", "--seeds", "2", "--jobs", "1", "--json"
    found = json.loads(thalweg("compare", "NaiveBayes", "--on", newest_first, *options)[1])
    found, first = found["tables"]["log_loss"][0][0], json.loads(thalweg(*run)[1])
    assert found == pytest.approx((first["log_loss"] + figures[0]["log_loss"]) / 2)


def test_rows_that_were_learned_before_and_sorted_ones_are_pointed_out(thalweg, tmp_path):
    model, page, path = tmp_path / "model.tw", tmp_path / "page.html", tmp_path / "stages.csv"
    path.write_text("x,stage\n" + "".join(f"{i % 17},{'abc'[i // 100]}\n" for i in range(300)))
    learn = "run", path, "--learner", "NaiveBayes"
    code, printed, said = thalweg(*learn, "--save", model, "--report", page)
    assert code == 0 and "Warning" not in said
    is_sorted = "Rows are sorted by label: this accuracy does not carry over to new rows; use --shuffle"
    assert is_sorted in " ".join(printed.split()) and is_sorted in page.read_text()
    assert "sorted by label" not in thalweg(*learn, "--shuffle")[1]
    code, printed, said = thalweg("continue", model, path, "--report", page)
    known = f"These 300 rows of {path} were learned before, on 20"
    assert known.replace(" ", "") in "".join(printed.split())
    assert known in page.read_text() and "Warning" not in said
    again = json.loads(thalweg("continue", model, path, "--json")[1])["learned_before"]
    assert again.startswith("these 300 rows of")
    assert json.loads(thalweg("continue", model, path, "--shuffle", "--json")[1])["learned_before"] == ""
