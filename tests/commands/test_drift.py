"""`thalweg drift` and what is behind it: the report, the words, the page, files without labels."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from support.command import run_command
from support.file_rows import write_table

from thalweg.drift import KolmogorovSmirnovMonitor
from thalweg.errors import StreamError
from thalweg.evaluation import detect_drift
from thalweg.evaluation.drift import words as drift_words
from thalweg.evaluation.pages import drift_page
from thalweg.streams import SEA, from_arrays, from_file

COLOURS = np.array(["red", "green", "<b>"])


def rows(n_rows=6000, seed=0):
    """Return columns: from row 4,000 on `price` is higher, `colour` new and `late` often missing."""
    rng = np.random.default_rng(seed)
    after = np.arange(n_rows) >= 4000
    table = {
        "steady": rng.normal(size=n_rows),
        "price": rng.normal(size=n_rows) + after,
        "colour": COLOURS[np.where(after & (rng.random(n_rows) < 0.2), 2, rng.integers(2, size=n_rows))],
        "late": np.where(rng.random(n_rows) < np.where(after, 0.2, 0.01), np.nan, rng.random(n_rows)),
        "flag": (rng.random(n_rows) < 0.5).astype(int),
    }
    table["ok"] = np.where(table["price"] + rng.normal(size=n_rows) > 0.5, "yes", "no")
    return table


def drift(*arguments, **options):
    return run_command("drift", *arguments, **options)


def found(*arguments, **options):
    done = drift(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("suffix", [".csv", ".arff", ".parquet"])
def test_every_format_gets_the_same_answer(tmp_path, suffix):
    answer = found(write_table(tmp_path / f"rows{suffix}", rows()), "--window", 500)
    assert {each["input"] for each in answer["changed"]} == {"price", "colour", "late", "ok"}
    assert {each["first_row"] for each in answer["changed"]} == {4000}
    assert (answer["rows"], answer["reference"], answer["window"], answer["windows"]) == (6000, 1000, 500, 10)
    words = {each["input"]: each["words"] for each in answer["changed"]}
    assert "higher (median" in words["price"]
    assert re.search(r"missing 1\.?\d* % → \d+", words["late"])
    assert re.search(r"0 % → \d+", words["colour"])


def test_a_target_brings_labels_and_inputs_given_labels(tmp_path):
    answer = found(write_table(tmp_path / "rows.csv", rows()), "--target", "ok", "--window", 500)
    kinds = {each["kind"]: set() for each in answer["changed"]}
    for each in answer["changed"]:
        kinds[each["kind"]].add((each["input"], each["label"]))
    assert kinds["labels"] == {(None, None)}
    assert {("price", "no"), ("price", "yes")} <= kinds["input given label"]
    assert not any("steady" in pair for pairs in kinds.values() for pair in pairs)


def test_words_and_page(tmp_path):
    page = tmp_path / "drift.html"
    done = drift(write_table(tmp_path / "rows.csv", rows()), "--report", page, env={"COLUMNS": "200"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 of 6 inputs changed.")
    assert "300 rows, each compared with the first 600 rows, and several together with all" in done.stdout
    assert "at most 1 % of streams" in done.stdout
    text = page.read_text()
    tree = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert not list(tree.iter("script"))
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in text
    assert len(list(tree.iter("{http://www.w3.org/2000/svg}svg"))) == 2 * (1 + 4)  # wide and narrow
    assert "“other categories” 0 % → " in "".join(tree.itertext())


def test_words_of_single_windows(tmp_path):
    done = drift(write_table(tmp_path / "rows.csv", rows()), "--longest", 1, env={"COLUMNS": "200"})
    assert "windows of 300 rows, compared with the first 600 rows." in done.stdout


def test_a_stream_that_does_not_change_says_so(tmp_path):
    answer = drift("sea", "--rows", 8000, "--method", "psi")
    assert answer.stdout.startswith("None of the 3 inputs changed.")
    few = found(write_table(tmp_path / "few.csv", rows(60)))
    assert few["changed"] == [] and few["windows"] == 0
    page = tmp_path / "few.html"
    assert "Too few rows: 60 were read" in drift(tmp_path / "few.csv", "--report", page).stdout
    assert "Too few rows" in page.read_text()


def test_standard_input_is_read_once(tmp_path):
    with write_table(tmp_path / "rows.csv", rows()).open() as file:
        answer = found("-", "--window", 500, "--ignore", "ok", stdin=file)
    assert {each["input"] for each in answer["changed"]} == {"price", "colour", "late"}


def test_a_flag_that_gets_a_third_value_is_a_change_not_a_mistake(tmp_path):
    table = rows(14_000)
    table["flag"][12_000:] = 2
    answer = found(write_table(tmp_path / "rows.csv", table), "--window", 500)
    flag = next(each for each in answer["changed"] if each["input"] == "flag")
    assert flag["first_row"] == 12_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["sea", "--method", "eyes"], "--method eyes: there is no such method"),
        (["sea", "--false-alarms", "0"], "false_alarms must be a number above 0"),
        (["sea", "--window", "3"], "--window"),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    done = drift(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert words in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_file_without_labels_has_only_inputs(tmp_path):
    path = write_table(tmp_path / "rows.csv", rows(50))
    stream = from_file(path, with_labels=False, ignore=["flag"])
    X, codes = next(stream.coded_blocks())
    assert stream.names == ("steady", "price", "colour", "late", "ok")
    assert X.shape == (50, 5) and (codes == -1).all() and len(stream.classes) == 0
    with pytest.raises(ValueError, match="give one or the other"):
        from_file(path, "ok", with_labels=False)
    with pytest.raises(StreamError, match="every column is ignored"):
        from_file(path, with_labels=False, ignore=list(rows(50)))


def test_the_report_is_that_of_the_monitor():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=9000), rng.integers(2, size=9000)])
    X[5000:7000, 0] += 1
    stream = from_arrays(X, np.zeros(9000), names=["number", "kind"], categorical=["kind"])
    told = []
    report = detect_drift(stream, KolmogorovSmirnovMonitor(), progress=lambda *how_far: told.append(how_far))
    assert told[-1] == (9000, 9000, 1)
    (finding,) = report.findings
    assert (finding.start, finding.ended, finding.n_changed, finding.n_windows) == (5000, 7000, 2, 4)
    assert finding.distance == pytest.approx(0.38, abs=0.05)
    assert report.alarms.sum() == 2 and report.distances.shape == (7, 2)
    assert report.changed_counts[0].sum() == 2000
    assert "between rows 5,000 and 6,999" in drift_words.sentence(finding, report)
    assert detect_drift(stream, rows=4500).n_rows == 4500


def test_ctrl_c_gives_the_result_so_far():
    def stop(done, total, changed):
        raise KeyboardInterrupt

    report = detect_drift(SEA(200_000), progress=stop)
    assert report.interrupted and 0 < report.n_rows < 200_000
    assert drift_words.to_plain(report)["interrupted"] is True


def test_the_page_of_many_inputs_and_windows_stays_small(tmp_path):
    X = np.random.default_rng(0).normal(size=(40_000, 100))
    X[20_000:] += 1
    names = [f"a rather long name & number {j}" for j in range(100)]
    report = detect_drift(from_arrays(X, np.zeros(40_000), names=names), KolmogorovSmirnovMonitor(window=100))
    text = drift_page.write(report, tmp_path / "page.html").read_text()
    ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert len(report.stops) == 380
    assert len(text) < 700_000
    assert "60 of 100 distributions are shown" in text


@pytest.mark.parametrize(("suffix", "within"), [(".csv", 0.4), (".csv.gz", 0.8), (".parquet", 0.001)])
def test_progress_has_a_total(tmp_path, suffix, within):
    # A compressed file as small as this is read far ahead.
    rng = np.random.default_rng(0)
    n_rows = 300_000
    table = pa.table({name: rng.random(n_rows).round(3) for name in "ab"})
    path = tmp_path / f"long{suffix}"
    if suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pa.output_stream(path, compression="detect") as file:
            pyarrow.csv.write_csv(table, file)
    told = []
    detect_drift(
        from_file(path, with_labels=False), progress=lambda done, total, changed: told.append((done, total))
    )
    assert [done for done, _ in told] == [*range(65536, n_rows, 65536), n_rows]
    for _, total in told:
        assert abs(total - n_rows) < within * n_rows
    assert told[-1][1] == n_rows


def test_the_command_does_not_wait_for_scikit_learn(tmp_path):
    path = write_table(tmp_path / "rows.csv", rows())
    code = (
        "import sys; from thalweg.commands.app import app; "
        "app(['drift', sys.argv[1]], standalone_mode=False); "
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True, timeout=120)


@pytest.mark.parametrize("method", ["hellinger", "ks"])
def test_a_small_change_that_stays_is_found_in_windows_together(tmp_path, method):
    X = np.random.default_rng(4).normal(size=(24_000, 4))
    X[16_000:, 2] += 0.15
    path = write_table(tmp_path / "rows.csv", {f"x{j}": X[:, j] for j in range(4)})
    table = tmp_path / "found.csv"
    (change,) = found(path, "--method", method, "--save", table)["changed"]
    assert change["input"] == "x2" and change["windows_together"] > 1 and change["end_row"] is None
    assert 15_000 <= change["first_row"] <= 20_000
    together = f"in {change['windows_together']} windows together, but in no window alone; higher"
    place = f"rows {change['first_row']:,} to {change['first_window_end_row'] - 1:,}"
    assert f"first in {place}, {together}" in change["words"]
    assert ",windows_together," in table.read_text() and together in table.read_text()
    page = tmp_path / "page.html"
    drift_page.write(detect_drift(from_file(path, with_labels=False)), page)
    assert "windows together, but in no window alone" in page.read_text(encoding="utf-8")
    assert found(path, "--method", method, "--longest", 1)["changed"] == []


def test_a_change_is_placed_in_the_window_that_shows_it_not_at_its_first_row(tmp_path):
    n = 5000
    days = np.datetime64("2024-01-01T00:00") + np.arange(n) * np.timedelta64(20, "m")
    x = np.random.default_rng(0).normal(size=n) + 3 * (np.arange(n) >= 3333)
    path = write_table(tmp_path / "rows.csv", {"when": days.astype(str), "x": x})
    page, table = tmp_path / "page.html", tmp_path / "found.csv"
    (change,) = found(path, "--window", "week", "--save", table, "--report", page)["changed"]
    first = change["first_row"]
    assert first <= 3333 < change["first_window_end_row"] == first + 7 * 72
    place = f"the week from row {first:,}"
    said = f"first in {place}, in all {change['windows_since']} windows from there on; higher"
    assert change["words"].startswith(said) and said in table.read_text()
    assert said in page.read_text() and f"<td>{place}</td>" in page.read_text()
    (change,) = found(path, "--window", 500, "--ignore", "when", "--report", page)["changed"]
    assert change["words"].startswith("first in rows 3,000 to 3,499, in all 4 windows from there on; higher")
    assert "<td>rows 3,000 to 3,499</td>" in page.read_text()
