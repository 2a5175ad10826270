"""The command as a person uses it: what it prints, how it fails, how fast it starts."""

import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest
from support import every_learner
from support.command import run_command
from support.places import DATA, data_file

from thalweg.commands.app import main

COMMAND = Path(sys.executable).with_name("thalweg")


def thalweg(*arguments, **options):
    """Run the installed command in a process of its own."""
    words = [COMMAND, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, **options)


def result(*arguments, run=run_command, **options):
    done = run(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fails(*arguments, run=run_command, **options):
    done = run(*arguments, **options)
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,label\n" + "".join(f"{i % 7},{i % 5 + 0.5},{'xy'[i % 7 > 3]}\n" for i in range(700)))
    return path


def test_f1_and_average_precision_name_their_class(tmp_path):
    path, page = tmp_path / "machine.csv", tmp_path / "page.html"
    path.write_text("x,state\n" + "".join(f"{i % 9},{'OK' if i % 9 else 'FAULT'}\n" for i in range(400)))
    command = "run", path, "--learner", "NaiveBayes"
    said = run_command(*command, "--report", page).stdout
    assert "F1 of FAULT" in said and "F1 of FAULT" in page.read_text()
    assert "average precision of FAULT" in page.read_text()
    assert "F1 of OK" in run_command(*command, "--positive", "OK").stdout
    assert result(*command)["positive"] == "FAULT"
    assert fails(*command, "--positive", "fault") == (
        "thalweg: --positive must be one of the labels 'FAULT', 'OK', got 'fault'"
    )
    assert "F1 of" not in run_command("run", "led", "--rows", "500", "--learner", "NaiveBayes").stdout


def test_elec2_has_the_known_figures():
    figures = result("run", data_file("elec2.arff"), "--learner", "NaiveBayes", run=thalweg)
    assert figures["rows"] == 45_312
    assert figures["baselines"]["no_change"] == pytest.approx(0.8533, abs=5e-5)
    assert figures["accuracy"] == pytest.approx(0.7336, abs=0.003)
    assert set(figures) >= {"learner", "stream", "kappa", "kappa_m", "kappa_temporal", "auc", "log_loss",
                            "seconds", "rows_per_second", "drifts"}


def test_a_dataset_goes_by_its_name():
    data_file("usenet1.arff")
    by_option = result("run", "usenet1", "--data", DATA)
    by_variable = result("run", "usenet1", env={**os.environ, "THALWEG_DATA": str(DATA)})
    assert by_option["rows"] == 1500
    assert by_option["drifts"] == [300, 600, 900, 1200]
    assert by_option["accuracy"] == by_variable["accuracy"]


def test_a_generator_is_seeded():
    one, same, other = (result("run", "sea", "--rows", 3000, "--seed", seed) for seed in (1, 1, 2))
    assert one["accuracy"] == same["accuracy"] != other["accuracy"]
    assert one["rows"] == 3000


def test_a_file_and_standard_input_give_the_same(table):
    from_file = result("run", table, "--target", "label")
    with table.open() as file:
        from_input = result("run", "-", "--target", "label", run=thalweg, stdin=file)
    assert from_file["accuracy"] == from_input["accuracy"] > 0.9
    assert from_file["rows"] == 700


def test_late_and_lost_labels_cost_accuracy():
    at_once = result("run", "sea", "--rows", 5000)
    late = result("run", "sea", "--rows", 5000, "--delay", 2000)
    never = result("run", "sea", "--rows", 5000, "--label-share", 0)
    random = result("run", "sea", "--rows", 5000, "--delay", "poisson(100)", "--label-share", 0.5)
    assert never["accuracy"] < late["accuracy"] < at_once["accuracy"]
    assert random["accuracy"] > never["accuracy"]


def test_labels_are_asked_for_within_a_budget(tmp_path):
    run = ("run", "sea", "--rows", 5000, "--learner", "NaiveBayes", "--label-budget", 0.05, "--delay", 20)
    found = result(*run)["label_budget"]
    assert found["budget"] == "LabelBudget(share=0.05)"
    assert 290 <= found["asked"] <= found["allowed"] == 300
    done = run_command(*run, "--report", tmp_path / "page.html", env=os.environ | {"COLUMNS": "150"})
    for text in (done.stdout, (tmp_path / "page.html").read_text()):
        assert f"Labels asked for: {found['asked']} of 300 that the budget allows" in " ".join(text.split())


def test_chunks_can_lack_their_labels():
    chunks = ("run", "sea", "--rows", 4000, "--chunk", 500, "--label-share")
    every, first = result(*chunks, "1"), result(*chunks, "0")
    assert every["accuracy"] != first["accuracy"]


def test_the_table_shows_the_trivial_learners_and_names_the_default(tmp_path):
    page = tmp_path / "page.html"
    done = run_command("run", "sea", "--rows", 15_000, "--report", page, env=os.environ | {"COLUMNS": "150"})
    assert done.returncode == 0
    baselines = ("majority class", "repeat the last label", "Markov chain of labels")
    for words in ("AdaptiveStacking on SEA", *baselines, "12,500", "15,000"):
        assert words in done.stdout
    banner, members = done.stderr.splitlines()
    assert banner.startswith("AdaptiveStacking (large) combines") and len(banner) <= 120
    assert re.search(r"\(--size\) beside it: small 1/\d+, medium 1/\d", banner)
    assert members.startswith("Members behind recent predictions: ")
    assert page.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    "learner", ["AdaptiveStacking", "NaiveBayes", "OnlineBagging(NaiveBayes(), n_members=2)"]
)
def test_the_table_fits_a_terminal_of_80_columns(learner):
    narrow = os.environ | {"COLUMNS": "80"}
    done = run_command("run", "sea", "--rows", 300, "--learner", learner, env=narrow)
    lines = [line for line in done.stdout.splitlines() if line[:1] in "┏┃┡│└"]
    assert len(lines) > 8
    assert all(len(line) <= 80 and line[-1] in "┓┃┩│┘" for line in lines), done.stdout


def test_the_default_learner_has_sizes():
    assert result("run", "sea", "--rows", 500, "--size", "small")["parameters"]["size"] == "'small'"
    said = run_command("run", "sea", "--rows", 500, "--size", "small").stderr
    assert said.startswith("AdaptiveStacking (small) combines ") and re.search(r"medium \d+, large \d+", said)
    assert "'small', 'medium', 'large', got 'tiny'" in fails("run", "sea", "--size", "tiny")
    assert "leave --learner out" in fails("run", "sea", "--size", "small", "--learner", "NaiveBayes")


def test_rows_of_any_width_get_the_default_learner(tmp_path):
    wide = tmp_path / "wide.csv"
    lines = [",".join(f"x{j}" for j in range(101)) + ",y"]
    lines += [",".join(str((i * j) % 7) for j in range(101)) + f",{i % 2}" for i in range(50)]
    wide.write_text("\n".join(lines))
    assert result("run", wide)["learner"] == "AdaptiveStacking"


def test_parameters_are_set():
    plain = result("run", "led", "--rows", 2000, "--learner", "naive-bayes")
    chosen = result("run", "led", "--rows", 2000, "--learner", "NaiveBayes", "--set", "categorical=[0, 1]")
    assert plain["accuracy"] == chosen["accuracy"]
    said = fails("run", "sea", "--learner", "NaiveBayes", "--set", "depth=3", run=thalweg)
    assert "the parameters are categorical" in said


@pytest.mark.parametrize(
    ("learner", "parameter"),
    [
        ("LeveragingBagging", "poisson_mean=None"),
        ("HoeffdingTree", "delta=None"),
        ("HoeffdingTree", "criterion=5"),
        ("WindowLogistic", "window=a"),
        ("OnlineBagging", "n_members=2.5"),
        ("OnlineBagging", "member=3"),
        ("ParticleFilter", "n_jobs=0"),
        ("ParticleFilter", "random_state=-1"),
    ],
)
def test_a_wrong_parameter_is_one_line(learner, parameter):
    line = fails("run", "sea", "--rows", 100, "--learner", learner, "--set", parameter)
    assert line.startswith(f"thalweg: {learner}: {parameter.partition('=')[0]} must be ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nowhere.csv"], "nowhere.csv"),
        (["run", "seaa"], "did you mean sea"),
        (["run", "sea", "--learner", "Oracle"], "the learners are"),
        (["run", "sea", "--delay", "soon"], "--delay soon"),
        (["run", "sea", "--delay", "uniform(1,"], "--delay"),
        (["run", "sea", "--label-share", "2"], "--label-share 2"),
        (["run", "sea", "--label-share", "first"], "--label-share first"),
        (["run", "sea", "--coverage", "1"], "--coverage 1"),
        (["run", "sea", "--coverage", "most"], "--coverage most"),
        (["run", "sea", "--rows", "0"], "--rows"),
        (["run", "sea", "--label-budget", "0"], "--label-budget 0"),
        (["run", "sea", "--label-budget", "few"], "--label-budget few"),
        (["run", "sea", "--chunk", "10", "--label-budget", "0.1"], "exclude each other"),
        (["run", "sea", "--chunk", "10", "--delay", "3"], "exclude each other"),
        (["compare", "NaiveBayes", "--on", "sea", "--jobs", "0"], "--jobs must be a whole number up to 1024"),
        (["reproduce", "forgetting", "--jobs", "0"], "--jobs must be a whole number up to 1024"),
        (["run", "usenet1"], "THALWEG_DATA"),
        (["run"], "SOURCE"),
        (["list", "wishes"], "learners, streams, detectors, monitors, metrics"),
        (["frolic"], "frolic"),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    environment = {key: value for key, value in os.environ.items() if key != "THALWEG_DATA"}
    assert words in fails(*arguments, env=environment)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("a,b,label\n", "table.csv"),
        ("a,b,label\n1,2,x\n3,inf,y\n", "'b'"),
        ("a,b,label\n" + "1,2,x\n" * 11_000 + "3,abc,y\n", "11,001"),
        ("a,b,label\n1,2,x\n3,4\n", "table.csv"),
    ],
)
def test_bad_files_are_one_line(tmp_path, text, words):
    path = tmp_path / "table.csv"
    path.write_text(text)
    assert words.replace(",", "") in fails("run", path, "--learner", "NaiveBayes").replace(",", "")


def test_half_a_packed_file_is_one_line(tmp_path):
    path = tmp_path / "half.csv.gz"
    rows = b"".join(b"%d,%d,%d\n" % (i, i * i, i % 2) for i in range(50_000))
    packed = gzip.compress(b"a,b,label\n" + rows)
    path.write_bytes(packed[: len(packed) // 2])
    assert "half.csv.gz" in fails("run", path, "--learner", "NaiveBayes")


def test_bad_rows_can_be_skipped(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,label\n" + "1,2,x\n2,1,y\n" * 6000 + "3,oops,y\n4,inf,x\n" + "1,2,x\n" * 10)
    figures = result("run", path, "--on-error", "skip")
    assert figures["rows"] == 12_010
    assert figures["skipped"] == 2


@cache
def start_up():
    """Return the processor time until the command has learned its first rows."""
    before = seconds_of_children()
    assert thalweg("run", "sea", "--rows", 100, "--learner", "WindowLogistic").returncode == 0
    return seconds_of_children() - before


def interrupted_later(*arguments):
    """Do what `interrupted` does, as soon as rows were learned: a start takes longer on a busy machine."""
    for extra in (1.0, 2.0, 4.0, 8.0):
        ended = interrupted(*arguments, after=start_up() + extra)
        if ended[1] != "thalweg: interrupted\n":
            break
    return ended


def interrupted(*arguments, after, **options):
    """Send Ctrl-C after seconds of processor time; return what was printed and the seconds it took to end."""
    # The child hears Ctrl-C even where these tests run in the background, which turns it off.
    before = seconds_of_children()
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen([COMMAND, *map(str, arguments)], **options,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        used = wait_until_it_used(after, running.pid)
        running.send_signal(signal.SIGINT)
        printed, said = running.communicate(timeout=100)
    finally:
        running.kill()
    assert running.returncode == 130
    return printed, said, seconds_of_children() - before - used


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_interrupted_it_says_how_many_rows_were_done_and_shows_the_result_so_far():
    slow = ("run", "sea", "--rows", 2_000_000_000, "--learner", "WindowLogistic")
    printed, said, _ = interrupted_later(*slow, "--json")
    figures = json.loads(printed)
    assert figures["interrupted"] is True
    assert 0 < figures["rows"] < 200_000
    so_far = f"accuracy so far {100 * figures['accuracy']:.2f} %"
    assert said == f"thalweg: interrupted after {figures['rows']:,} rows, {so_far}\n"
    printed, said, _ = interrupted_later(*slow)
    assert "WindowLogistic on SEA" in printed
    assert "interrupted: this is the result so far" in " ".join(printed.split())
    assert len(said.splitlines()) == 1


def test_interrupted_after_many_rows_it_ends_soon():
    printed, said, seconds = interrupted_later(
        "run", "sea", "--rows", 2_000_000_000, "--learner", "NaiveBayes"
    )
    assert printed == ""
    assert re.fullmatch(r"thalweg: interrupted after [\d,]+,000 rows, accuracy so far \d\d.\d\d %\n", said)
    assert seconds < 0.3 * (start_up() + 1.0)


def test_interrupted_after_many_rows_its_json_says_how_far_it_came():
    printed, _, _ = interrupted_later(
        "run", "sea", "--rows", 2_000_000_000, "--learner", "NaiveBayes", "--json"
    )
    found = json.loads(printed)
    assert found["interrupted"] is True and found["rows"] > 200_000


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "NaiveBayes", "WindowLogistic", "--on", "sea", "--rows", 500_000, "--jobs", 1),
        ("tune", "sea", "--rows", 2_000_000, "--learner", "WindowLogistic", "--jobs", 1, "--try", "period"),
    ],
)
def test_what_consists_of_several_runs_ends_at_ctrl_c_without_a_result(command, tmp_path):
    env = {**os.environ, "THALWEG_CACHE": str(tmp_path)}
    printed, said, _ = interrupted(*command, after=start_up() + 1.0, env=env)
    assert (printed, said) == ("", "thalweg: interrupted\n")


def test_interrupted_before_the_first_row_it_says_so():
    printed, said, _ = interrupted("run", "-", after=0.5, stdin=subprocess.PIPE)
    assert (printed, said) == ("", "thalweg: interrupted\n")


def test_ctrl_c_that_stops_an_import_is_no_mistake_of_ours(monkeypatch, capsys):
    def stopped(**_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise ImportError("initialization failed") from stop

    monkeypatch.setattr("thalweg.commands.app.app", stopped)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "thalweg: interrupted\n"


def test_table_page_and_json_have_the_same_figures(tmp_path):
    page = tmp_path / "page.html"
    same = ("run", "sea", "--rows", 3000, "--learner", "NaiveBayes")
    table = run_command(*same, "--report", page, env={**os.environ, "COLUMNS": "200"}).stdout
    figures = result(*same)
    tree = ElementTree.fromstring(page.read_text().removeprefix("<!DOCTYPE html>\n"))
    head, *rows = [
        [" ".join("".join(cell.itertext()).split()) for cell in row]
        for row in next(tree.iter("table")).iter("tr")
    ]
    shown = {row[0]: row[1:] for row in rows[:-1]}
    lines = {cells[1].strip(): [cell.strip() for cell in cells[2:-1]]
             for cells in (line.split("│") for line in table.splitlines()) if len(cells) > 3}
    errors = lines.pop("± std. error")
    lines["accuracy"] = [f"{share} ± {error}" for share, error in zip(lines["accuracy"], errors, strict=True)]
    assert lines == shown
    assert len(lines) == 9
    names = ("balanced_accuracy", "kappa", "kappa_m", "kappa_temporal", "auc")
    titles = ("balanced accuracy", "kappa", "kappa M", "kappa temporal", "AUC")
    assert [shown[title][0] for title in titles] == [f"{100 * figures[name]:.2f} %" for name in names]
    assert shown["log-loss"] == [f"{figures['log_loss']:.4f}", *("–" for _ in figures["baselines"])]
    shares = [figures["accuracy"], *figures["baselines"].values()]
    uncertain = [figures["accuracy_error"], *figures["baselines_errors"].values()]
    expected = [f"{100 * a:.2f} % ± {100 * b:.2f}" for a, b in zip(shares, uncertain, strict=True)]
    assert shown["accuracy"] == expected
    assert head[1] == "NaiveBayes"


def test_totals_only_have_the_same_figures_but_auc(tmp_path):
    same = ("run", "sea", "--rows", 3000, "--learner", "NaiveBayes")
    rows, totals = result(*same), result(*same, "--totals", "--report", tmp_path / "page.html")
    assert totals["auc"] is None and rows["auc"] > 0.8
    assert totals["kappa"] == rows["kappa"] and totals["baselines"] == rows["baselines"]
    assert "--totals" in totals["command"] and "--totals" in (tmp_path / "page.html").read_text()


def wait_until_it_used(seconds, process):
    """Wait until a process has used so much processor time, which tells more than a clock where many run."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        pytest.skip("needs /proc to see how much processor time a process has used")
    for _ in range(10_000):
        time.sleep(0.02)
        ticks = sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
        if ticks / os.sysconf("SC_CLK_TCK") > seconds:
            break
    return ticks / os.sysconf("SC_CLK_TCK")


def test_lists_have_a_line_for_each():
    lines = run_command("list", "learners").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    others = {*every_learner.registry} - {"AdaptiveStacking"}
    assert names == ["AdaptiveStacking", *sorted(others, key=str.lower)]
    assert all(len(line.split()) > 3 for line in lines)
    assert "random-rbf" in thalweg("list", "streams").stdout
    assert "PageHinkley" in thalweg("list", "detectors").stdout
    assert "HellingerMonitor" in thalweg("list", "monitors").stdout
    assert "kappa_temporal" in thalweg("list", "metrics").stdout


def test_help_has_examples_and_version_a_number():
    assert "thalweg run sea --report" in thalweg("run", "--help").stdout
    assert thalweg("--version").stdout.split()[0] == "thalweg"


@pytest.mark.parametrize("arguments", [["--help"], ["list"]])
def test_it_starts_at_once(arguments):
    seconds = []
    for _ in range(2):
        before = seconds_of_children()
        assert thalweg(*arguments).returncode == 0
        seconds.append(seconds_of_children() - before)
    assert min(seconds) < 0.5 * start_up()  # about a fifth: only what learns needs NumPy and SciPy


def test_ctrl_c_while_modules_are_imported_prints_no_trace():
    code = """if True:
        import sys
        from thalweg.commands.entry import entry
        class Finder:
            def find_spec(self, name, *_):
                if name == "thalweg.commands.run":
                    raise KeyboardInterrupt
        sys.meta_path.insert(0, Finder())
        entry()"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "thalweg: interrupted\n")
