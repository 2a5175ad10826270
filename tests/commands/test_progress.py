"""The progress bar: one line that fits the terminal, with a percentage and the time left."""

import gzip
import io
import json
import re
import sys
from contextlib import redirect_stderr

import pytest
from support.file_rows import write
from typer.testing import CliRunner

from thalweg.commands import progress as progress_bar
from thalweg.commands.app import app
from thalweg.commands.progress import Bar, amount, clock, shortened, times
from thalweg.evaluation import prequential
from thalweg.learners import MajorityClass
from thalweg.streams import from_file
from thalweg.streams.files import text_files

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal(io.StringIO):
    """Text that claims to be a terminal."""

    def isatty(self):
        return True

    def lines(self):
        """Return what was written, without codes that move and colour."""
        text = CODES.sub("", self.getvalue())
        return [line.rstrip() for line in re.split(r"[\r\n]+", text) if line.strip()]


@pytest.fixture(params=[80, 60, 120])
def terminal(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm")
    found = Terminal()
    found.width = request.param
    return found


LONG = "/somewhere/in/a/deep/folder/orders_of_the_last_quarter_2024_corrected.csv.gz"


@pytest.mark.parametrize("total", [None, 0, 45_312, 123_456_789])
@pytest.mark.parametrize("unit", ["rows", "runs"])
def test_the_line_fits_whatever_the_names_are(terminal, total, unit):
    title = f"StreamingRandomPatches on {LONG}"
    for told, value in (("accuracy {}", "100.00 %"), ("{}", f"AdaptiveRandomForest on {LONG}, seed 0")):
        with redirect_stderr(terminal), Bar(title, told, value, quiet=False, unit=unit) as bar:
            for done in (0, 17, 41_234, 123_456_789):
                bar.show(done, total, value)
                bar.bar.refresh()
    lines = terminal.lines()
    assert lines and max(map(len, lines)) <= terminal.width
    assert any("%" in line or "seed 0" in line for line in lines)
    assert all(line.startswith("Str") for line in lines), lines


def test_a_short_title_is_kept_and_brackets_are_no_markup(terminal):
    with redirect_stderr(terminal), Bar("BOLE on [x].csv", "accuracy {}", "–", quiet=False) as bar:
        bar.show(30, 60, "84.12 %")
        bar.bar.refresh()
    assert "BOLE on [x].csv" in terminal.lines()[-1]
    assert re.search(r"50 %  accuracy 84.12 %", terminal.lines()[-1])


def test_nothing_without_a_terminal():
    with redirect_stderr(io.StringIO()) as file, Bar("a", "{}", "", quiet=False) as bar:
        bar.show(1, 2, "so far")
    assert file.getvalue() == "" and bar.value == "so far"


def test_how_far_in_words():
    assert [amount(12_345, total, "rows") for total in (None, 24_690, 0)] == ["12,345 rows", "50 %", "100 %"]
    assert [amount(3, total, "runs") for total in (None, 12)] == ["3 runs", "3/12 runs"]
    assert [clock(seconds) for seconds in (0, 59.6, 3_599, 36_001)] == ["0:00", "1:00", "59:59", "10:00:01"]
    assert times(5, None, False) == ["0:05"] and times(5, 7, False) == ["0:07 left"]
    assert times(5, 7, True) == ["0:05", "0:07 left"] and times(None, None, True) == []
    assert shortened("HoeffdingTree on rows.csv", 12) == "Hoe…rows.csv" and shortened("abc", 3) == "abc"


ROWS = "".join(f"{k % 97}.5,{k % 7},{'uv'[k % 2]}\n" for k in range(20_000))


def reports(stream, rows):
    """Return what a run tells of its progress."""
    found = []
    prequential(stream, MajorityClass(), rows=rows, progress=lambda *how_far: found.append(how_far))
    return found


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "jsonl"])
def test_a_file_whose_rows_are_not_counted_has_a_total(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(text_files, "PIECE", 1 << 14)
    monkeypatch.setattr("thalweg.evaluation.loop._SECONDS_BETWEEN_REPORTS", 0)
    content = f"a,b,y\n{ROWS}".encode()
    if suffix == "jsonl":
        content = "".join(
            json.dumps({"a": k % 97 + 0.5, "y": "uv"[k % 2]}) + "\n" for k in range(20_000)
        ).encode()
    path = write(tmp_path, gzip.compress(content) if suffix.endswith("gz") else content, f"rows.{suffix}")
    for rows, end in ((None, 20_000), (15_000, 15_000), (50_000, 20_000)):
        told = reports(from_file(path), rows)
        assert told.pop(0)[:2] == (0, rows)
        assert len(told) > 14 and told[-1][:2] == (end, end)
        if suffix != "csv.gz":  # so small a compressed file is read at once
            assert all(abs(total - end) < 0.05 * end for _, total, _ in told)
        shares = [done / total for done, total, _ in told]
        assert shares == sorted(shares) or suffix == "csv.gz"


@pytest.mark.parametrize("command", ["run", "continue", "predict", "drift"])
def test_commands_show_a_percentage(tmp_path, terminal, monkeypatch, command):
    path = write(tmp_path, f"a,b,y\n{ROWS}")
    shown = []
    monkeypatch.setattr(progress_bar, "amount", lambda *how_far: shown.append(how_far) or "")
    model = tmp_path / "model.tw"
    if command in ("continue", "predict"):
        said = CliRunner().invoke(
            app, ["run", str(path), "--learner", "MajorityClass", "--save", str(model), "--json"]
        )
        assert said.exit_code == 0, said.exception
    arguments = {
        "run": ["run", path, "--learner", "MajorityClass"],
        "continue": ["continue", model, path],
        "predict": ["predict", model, path, "--out", tmp_path / "out.csv"],
        "drift": ["drift", path],
    }[command]
    monkeypatch.setattr(sys, "argv", ["thalweg"])
    with redirect_stderr(terminal):
        app(list(map(str, arguments)), standalone_mode=False)
    assert shown[-1] == (20_000, 20_000, "rows")
