"""Files that a command writes: never one that it reads, complete or as before, and safe in a spreadsheet."""

import csv
import os
import sys

import pytest

from thalweg.commands import model_files
from thalweg.evaluation.pages import page as pages

FORMULA = "=cmd|' /C calc'!A0"


@pytest.fixture
def rows(tmp_path):
    """A CSV file whose labels and one name are formulas."""
    path = tmp_path / "rows.csv"
    lines = [f"{i % 7},{'uv'[i % 2]},{FORMULA if i % 7 > 3 else '-1 or so'}" for i in range(200)]
    path.write_text("\n".join(["x,@way,kind", *lines, ""]))
    return path


@pytest.fixture
def model(thalweg, rows, tmp_path):
    path = tmp_path / "model.tw"
    assert thalweg("run", rows, "--learner", "NaiveBayes", "--save", path)[0] == 0
    return path


def links(path):
    """Return other names of a file."""
    soft, hard = path.with_name(f"soft-{path.name}"), path.with_name(f"hard-{path.name}")
    soft.symlink_to(path)
    os.link(path, hard)
    return soft, hard


def refuses(thalweg, path, *command):
    before = path.read_bytes()
    code, printed, said = thalweg(*command)
    assert (code, printed) == (2, ""), command
    assert "is read by this command" in said and path.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such links")
@pytest.mark.parametrize("name", ["run", "predict", "continue", "drift", "label-errors", "keyed", "estimate"])
def test_no_input_is_overwritten(thalweg, rows, model, name):
    start = {
        "run": ["run", rows, "--save"],
        "predict": ["predict", model, rows, "--out"],
        "continue": ["continue", model, rows, "--save"],
        "drift": ["drift", "sea", rows, "--save"],
        "label-errors": ["label-errors", rows, "--save"],
        "keyed": ["keyed", rows, "--key", "@way", "--target", "kind", "--out"],
        "estimate": ["estimate", rows, "--target", "kind", "--probability", "x", "--save"],
    }[name]
    for path in (rows, *links(rows)):
        refuses(thalweg, rows, *start, path)


def test_no_other_input_is_overwritten(thalweg, rows, model, tmp_path, monkeypatch):
    costs, page = tmp_path / "costs.html", tmp_path / "rows.html"
    costs.write_text("label,cost\na,1\n")
    rows.rename(page)
    refuses(thalweg, model, "predict", model, page, "--out", model)
    refuses(thalweg, costs, "run", page, "--costs", costs, "--report", costs)
    refuses(thalweg, page, "compare", "NaiveBayes", "--on", "sea", "--on", page, "--report", page)
    refuses(thalweg, page, "continue", model, page, "--report", page)
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    os.replace(page, incoming / "1.csv")
    keyed = ("keyed", incoming, "--key", "@way", "--target", "kind")
    refuses(thalweg, incoming / "1.csv", *keyed, "--out", incoming / "1.csv")
    assert "read as events" in thalweg(*keyed, "--out", incoming)[2]
    (tmp_path / "elec2.arff").write_text("@relation a\n")
    dataset = ("run", "elec2", "--data", tmp_path)
    refuses(thalweg, tmp_path / "elec2.arff", *dataset, "--save", tmp_path / "elec2.arff")


def test_standard_input_is_not_overwritten(thalweg, rows, monkeypatch):
    before = os.dup(0)
    with rows.open() as file:
        os.dup2(file.fileno(), 0)
        try:
            monkeypatch.setattr(sys, "stdin", file)
            refuses(thalweg, rows, "run", "-", "--save", rows)
        finally:
            os.dup2(before, 0)
            os.close(before)


def test_two_outputs_are_two_files(thalweg, rows, tmp_path):
    page = tmp_path / "a.html"
    code, printed, said = thalweg("drift", rows, "--save", page, "--report", page)
    assert (code, printed) == (2, "") and "written twice" in said and not page.exists()


def test_continue_writes_its_model(thalweg, rows, model):
    assert thalweg("continue", model, rows)[0] == 0
    assert thalweg("continue", model, rows, "--save", model)[0] == 0
    assert len(model_files.load(model).runs_) == 3


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no such device")
def test_two_outputs_may_be_a_device(thalweg, rows):
    assert thalweg("drift", rows, "--save", "/dev/null")[0] == 0
    assert not os.path.isfile("/dev/null")


def test_a_report_is_complete_or_as_before(thalweg, rows, tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("before")
    page.chmod(0o600)

    def torn(path):
        file = real(path)
        return Torn(file)

    class Torn:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            self.text = self.file.__enter__()
            return self

        def write(self, text):
            self.text.write(text[:100])
            raise OSError(28, "No space left on device", "the disk")

        def __exit__(self, *error):
            return self.file.__exit__(*error)

    real = pages.replacing_text
    monkeypatch.setattr(pages, "replacing_text", torn)
    command = ("drift", rows, "--window", "50", "--report", page)
    assert thalweg(*command)[0] == 2 and page.read_text() == "before"
    monkeypatch.setattr(pages, "replacing_text", real)
    assert thalweg(*command)[0] == 0 and page.read_text().startswith("<!DOCTYPE")
    assert page.stat().st_mode & 0o777 == 0o600 or os.name == "nt"


def cells(path):
    return {cell for line in csv.reader(path.read_text("utf-8").splitlines()) for cell in line}


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("out.csv", ["predict", "MODEL", "ROWS", "--keep", "@way,kind", "--out"]),
        ("saved.csv", ["label-errors", "ROWS", "--learner", "NaiveBayes", "--top", "60", "--save"]),
        ("drift.csv", ["drift", "OTHER", "ROWS", "--with-labels", "--window", "50", "--save"]),
        ("keyed.csv", ["keyed", "ROWS", "--key", "kind", "--target", "@way", "--out"]),
        ("figures.csv", ["keyed", "ROWS", "--key", "kind", "--target", "@way", "--figures"]),
        ("table.csv", ["compare", "NaiveBayes", "--on", "@rows.csv", "--jobs", "1", "--report"]),
    ],
)
def test_csv_can_be_safe_for_spreadsheets(thalweg, rows, model, tmp_path, monkeypatch, name, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "@rows.csv").write_bytes(rows.read_bytes())
    other = tmp_path / "other.csv"
    other.write_text(rows.read_text().replace(FORMULA, "none").replace("-1 or so", "some"))
    names = {"MODEL": model, "ROWS": rows, "OTHER": other}
    words = [names.get(word, word) for word in command]
    for option in ((), ("--csv-safe",)):
        assert thalweg(*words, tmp_path / name, *option)[0] == 0
        found = cells(tmp_path / name)
        risky = {cell for cell in found if cell.startswith(("=", "@", "-1 or"))}
        assert risky if not option else not risky and any(cell.startswith(("'=", "'@")) for cell in found)
