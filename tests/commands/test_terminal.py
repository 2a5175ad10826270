"""Names, labels and cells of a file cannot command a terminal, and the standard streams may be anything."""

import ast
import io
import json
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from support.places import ROOT, needs_checkout

from thalweg.commands.outputs import prepare_streams, terminal
from thalweg.commands.progress import Bar
from thalweg.service.logs import JsonLines

COMMAND = Path(sys.executable).with_name("thalweg")
TITLE, CLEAR, FORGED, TURNED = "\x1b]0;TITLE\x07", "\x1b[2J\x1b[1;1H", "a\r\nthalweg: FORGED", "\u202egnp.exe"
ALLOWED = {"\n"}


@pytest.fixture
def hostile(tmp_path):
    """A file whose columns, categories and labels are commands to a terminal."""
    lines = [f'"{TITLE}","x{TURNED}",:smile:,"l\x9bm"']
    for i in range(200):
        label = (f'"{FORGED}"', "b\x1b[31m")[i % 7 > 3]
        lines.append(f'"{(CLEAR, FORGED)[i % 7 > 3]}{i % 2}",{i % 7},[red]{i % 3}[/red],{label}')
    path = tmp_path / f"h{TURNED}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return path


def is_harmless(text):
    return all(character.isprintable() or character in ALLOWED for character in text)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
def test_what_a_file_holds_is_escaped_wherever_it_is_shown(thalweg, hostile, tmp_path):
    model, out = tmp_path / "m.tw", tmp_path / "out.csv"
    commands = [
        ("run", hostile, "--learner", "HoeffdingTree(grace_period=20)", "--save", model, "--importance"),
        ("inspect", model),
        ("predict", model, hostile, "--out", out),
        ("continue", model, hostile),
        ("compare", "NaiveBayes", "HoeffdingTree", "--on", hostile, "--jobs", 1),
        ("tune", hostile, "--learner", "HoeffdingTree", "--try", "grace_period=20,50", "--jobs", 1),
        ("drift", hostile, "--with-labels", "--window", 50, "--reference", 100),
        ("label-errors", hostile, "--learner", "NaiveBayes", "--top", 5),
        ("keyed", hostile, "--key", TITLE, "--target", "l\x9bm", "--learner", "NaiveBayes"),
        ("run", tmp_path / f"no{TITLE}.csv"),
    ]
    for command in commands:
        code, printed, said = thalweg(*command)
        assert code == (2 if "no" in Path(command[1]).name[:2] else 0), (command, said)
        assert is_harmless(printed) and is_harmless(said), (command, printed, said)
        assert not any(line.startswith("thalweg: FORGED") for line in (printed + said).splitlines())
    assert TITLE.encode() not in out.read_bytes() and b"\x1b[31m" in out.read_bytes()  # a file has the labels


def test_json_is_data(thalweg, hostile):
    code, printed, _ = thalweg("run", hostile, "--learner", "NaiveBayes", "--json")
    assert code == 0 and is_harmless(printed)
    assert json.loads(printed) and json.dumps(FORGED)[1:-1] in printed


def test_predictions_are_data_in_a_pipe_and_escaped_on_a_terminal(thalweg, hostile, tmp_path, monkeypatch):
    model = tmp_path / "m.tw"
    assert thalweg("run", hostile, "--learner", "NaiveBayes", "--save", model)[0] == 0
    _, piped, _ = thalweg("predict", model, hostile)
    assert "b\x1b[31m" in piped
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, printed, _ = thalweg("predict", model, hostile)
    assert code == 0 and is_harmless(printed) and r"b\x1b[31m" in printed
    assert printed.count("\n") == 201


def test_a_console_shows_titles_brackets_and_colons_as_they_are():
    from rich.table import Table

    console = terminal()
    console.file = io.StringIO()
    made = Table("[b]head[/b]", title=":smile: \x1b[2J", caption=TURNED)
    made.add_row(CLEAR)
    console.print(made)
    console.print(FORGED, soft_wrap=True)
    shown = console.file.getvalue()
    assert is_harmless(shown)
    parts = "[b]head[/b]", r":smile: \x1b[2J", r"\u202egnp.exe", r"\x1b[2J\x1b[1;1H", r"a\r\nthalweg: FORGED"
    for part in parts:
        assert part in shown


def test_a_progress_bar_shows_names_escaped(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    bar = Bar(f"NaiveBayes on {CLEAR}", "of {}", TURNED, quiet=False)
    bar.bar.disable = False
    bar.show(1, 2, TURNED)
    (task,) = bar.bar.tasks
    assert is_harmless(task.description + task.fields["beside"]) and r"\u202e" in task.fields["beside"]


def test_warnings_and_logs_are_one_line():
    prepare_streams()
    assert warnings.formatwarning(FORGED, UserWarning, "f.py", 1, "").count("\n") == 1
    record = logging.LogRecord("thalweg", logging.WARNING, "f.py", 1, "%s", (CLEAR,), None)
    record.data = {"id": "\x9b\u202e"}
    line = JsonLines().format(record)
    assert is_harmless(line) and json.loads(line)["id"] == "\x9b\u202e"


@needs_checkout
def test_commands_print_only_json_by_themselves():
    for path in (ROOT / "thalweg" / "commands").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print":
                text = ast.unparse(node.args[0])
                assert "json" in text or path.name == "outputs.py", f"{path.name}: use say({text})"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437"])
def test_output_of_another_encoding_costs_nothing(thalweg, tmp_path, monkeypatch, encoding):
    model, out = tmp_path / "m.tw", io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", out)
    code, _, said = thalweg("run", "sea", "--rows", 300, "--learner", "NaiveBayes", "--save", model)
    assert (code, said) == (0, "") and b"Model:" in out.buffer.getvalue()


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_closed_streams_cost_nothing(tmp_path):
    model = tmp_path / "m.tw"
    command = f"'{COMMAND}' run sea --rows 300 --learner NaiveBayes --save '{model}' <&- >&- 2>&-"
    done = subprocess.run(command, shell=True, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"") and model.stat().st_size > 500


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_a_stream_that_is_missing_is_empty(thalweg, monkeypatch, name):
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, name, None)
    code, printed, said = thalweg("run", "-")
    assert (code, printed) == (2, "") and ("standard input is empty" in said) == (name != "stderr")
