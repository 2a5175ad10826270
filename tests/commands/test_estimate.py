"""`thalweg estimate`: its words, files and exit codes."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    """Return a CSV file whose model becomes worse at row 6,000, and whose latest 1,000 labels are missing."""
    rng = np.random.default_rng(4)
    p = rng.beta(0.3, 0.3, size=10_000)
    right = np.where(np.arange(10_000) < 6_000, p, 0.3 + 0.4 * p)
    paid = np.where(rng.random(10_000) < right, "yes", "no")
    path = tmp_path / "predictions.csv"
    lines = [f"{i},{p[i]:.5f},{paid[i] if i < 9_000 else ''}" for i in range(10_000)]
    path.write_text("\n".join(["id,p_yes,paid", *lines]) + "\n")
    return path


def given(table, *more):
    return "estimate", table, "--probability", "p_yes", "--target", "paid", *more


def test_it_says_how_good_the_model_is_and_since_when_it_is_worse(thalweg, table):
    code, out, _ = thalweg(*given(table))
    assert code == 0
    words = " ".join(out.split())
    assert words.startswith("Accuracy now: 6")
    assert "of which none have labels" in words
    assert "Worse since row 6,001 or so" in words


def test_json_page_and_csv_have_the_windows(thalweg, table, tmp_path):
    page, saved = tmp_path / "page.html", tmp_path / "windows.csv"
    code, out, _ = thalweg(*given(table, "--json", "--report", page, "--save", saved))
    found = json.loads(out)
    assert code == 0
    assert (found["rows"], found["labels"], len(found["windows"])) == (10_000, 9_000, 10)
    assert found["worse_since"]["row"] == 6000
    assert found["now"]["low"] < found["now"]["estimate"] < found["now"]["high"]
    with saved.open() as file:
        lines = list(csv.DictReader(file))
    assert [int(line["known"]) for line in lines] == [1000] * 9 + [0]
    assert float(lines[-1]["estimate"]) == pytest.approx(found["now"]["estimate"])
    assert lines[-1]["settled"] == ""
    assert "Accuracy now" in page.read_text()
    assert "labels that have come" in page.read_text()


@pytest.mark.parametrize(("limit", "expected"), [("0.99", 1), ("0.65", 0), ("0.2", 0)])
def test_the_exit_code_is_1_only_if_the_interval_is_wholly_below(thalweg, table, limit, expected):
    code, out, _ = thalweg(*given(table, "--worse-than", limit, "--json"))
    found = json.loads(out)
    assert code == expected
    assert found["is_worse"] == (found["now"]["high"] < float(limit)) == bool(expected)


def test_precision_of_a_label(thalweg, table):
    code, out, _ = thalweg(*given(table, "--metric", "precision", "--label", "yes"))
    assert code == 0
    assert out.startswith("Precision of yes now:")


@pytest.mark.parametrize(("more", "said"), [
    (("--metric", "precision"), "--label"),
    (("--metric", "acuracy"), "did you mean 'accuracy'"),
    (("--metric", "nope"), "metric must be one of 'accuracy', 'precision', 'recall', 'f1', got 'nope'"),
    (("--worse-than", "85"), "--worse-than 85: give a share from 0 to 1"),
    (("--label", "maybe"), "there is no such label"),
    (("--classes", "yes,no,maybe"), "2 different classes"),
    (("--time", "id", "--label-time", "when"), "no column 'when'"),
    (("--report", "page.txt"), ".html"),
    (("--metric", "cost"), "--metric cost needs a table of costs"),
])  # fmt: skip
def test_errors_are_one_line_and_exit_code_2(thalweg, table, more, said):
    code, out, err = thalweg(*given(table, *more))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_a_bad_cell_is_named_with_file_row_and_column(thalweg, table):
    table.write_text(table.read_text().replace("\n3,", "\n3,-", 1))
    code, _, err = thalweg(*given(table))
    assert code == 2
    assert "predictions.csv, data row 4, column 'p_yes': a probability is between 0 and 1" in err


def test_the_target_must_be_named(thalweg, table):
    code, _, err = thalweg("estimate", table, "--probability", "p_yes")
    assert code == 2
    assert "--target" in err


@pytest.mark.parametrize("classes, is_said", [("yes,no", True), ("no,yes", False)])
def test_classes_that_contradict_the_name_of_a_column_are_said(thalweg, table, classes, is_said):
    code, _, err = thalweg(*given(table, "--classes", classes))
    assert code == 0
    said = "column 'p_yes' is taken for that of the label 'no', as classes say, though its name ends in 'yes'"
    assert (said in " ".join(err.split())) == is_said


def test_a_label_does_not_come_before_its_prediction(thalweg, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"0.{i % 9}1,{'yes' if i % 2 else 'no'},{i},{i - (i == 7)}\n" for i in range(50)]
    path.write_text("p_yes,paid,asked,came\n" + "".join(rows))
    code, _, err = thalweg(*given(path, "--time", "asked", "--label-time", "came"))
    said = "data row 8, column 'came': the label came before the prediction"
    assert code == 2 and said in " ".join(err.split())
    code, _, err = thalweg(*given(path, "--time", "asked", "--label-time", "came", "--delay", "3"))
    assert code == 2 and "the column 'came' says when labels came, and delay too" in " ".join(err.split())
