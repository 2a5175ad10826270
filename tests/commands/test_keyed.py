"""`thalweg keyed`: a model for every key from the shell."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from thalweg.commands.app import app

COMMAND = [sys.executable, "-c", "from thalweg.commands.app import main; main()", "keyed"]


def thalweg(*words):
    """Run the command in this process."""
    return app([*map(str, words)], prog_name="thalweg", standalone_mode=False)


@pytest.fixture
def orders(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["order;customer;price;colour;paid"]
    for i in range(3000):
        customer = ["", "Ann", "Bob", "Cem"][int(rng.integers(4))]
        price = rng.normal()
        paid = "" if rng.random() < 0.1 else ["no", "yes"][int((price > 0) ^ (customer == "Bob"))]
        lines.append(f"{i};{customer};{price:.2f};{rng.choice(['red', 'blue'])};{paid}")
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines))
    return path


def test_it_says_how_keys_do_and_writes_outputs_figures_and_a_page(orders, tmp_path, capsys):
    page, out, figures = tmp_path / "keys.html", tmp_path / "out.csv", tmp_path / "keys.csv"
    thalweg("keyed", orders, "--key", "customer", "--target", "paid", "--report", page, "--out", out,
            "--figures", figures)
    said = capsys.readouterr().out
    assert "3,000 events of 4 keys by customer: 9" in said and "(missing)" in said and "majority" in said
    assert len(out.read_text().splitlines()) == 3001 and len(figures.read_text().splitlines()) == 5
    text = page.read_text()
    assert "A model for every customer" in text and "Silent keys: 0" in text
    assert "repeat the last label" in text


def test_json_has_the_figures_and_several_columns_can_be_the_key(orders, capsys):
    words = ["--key", "customer,colour", "--target", "paid", "--json", "--learner", "NaiveBayes"]
    thalweg("keyed", orders, *words)
    said = json.loads(capsys.readouterr().out)
    assert said["keys"] == 8 and said["accuracy"] > 0.9 > said["majority"]
    assert {tuple(row["key"]) for row in said["best"]} >= {("Ann", "red"), (None, "blue")}


def test_a_key_that_differs_in_every_row_is_said(orders, capsys):
    thalweg("keyed", orders, "--key", "order", "--target", "paid")
    assert "this is an id of rows" in capsys.readouterr().out.replace("\n", " ")


def test_a_folder_goes_on_and_other_columns_are_refused(orders, tmp_path, capsys):
    lines = orders.read_text().splitlines()
    folder = tmp_path / "orders.keyed"
    whole = ["--key", "customer", "--target", "paid", "--json"]
    thalweg("keyed", orders, *whole)
    expected = json.loads(capsys.readouterr().out)
    orders.write_text("\n".join(lines[:1500]) + "\n")
    thalweg("keyed", orders, *whole, "--folder", folder)
    assert json.loads(capsys.readouterr().out)["events"] == 1499
    (tmp_path / "more.csv").write_text("\n".join([lines[0], *lines[1500:]]) + "\n")
    thalweg("keyed", tmp_path / "more.csv", *whole, "--folder", folder, "--jobs", "1")
    assert json.loads(capsys.readouterr().out) == expected
    for option, value in (("--key", "colour"), ("--learner", "NaiveBayes")):
        given = {"--key": "customer", "--target": "paid", "--folder": folder} | {option: value}
        with pytest.raises(ValueError, match="was begun with"):
            thalweg("keyed", orders, *(word for pair in given.items() for word in pair))


def test_a_missing_column_is_named(orders):
    with pytest.raises(ValueError, match="no column 'buyer'"):
        thalweg("keyed", orders, "--key", "buyer", "--target", "paid")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_says_how_to_go_on(orders, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    orders.rename(folder / "orders.csv")
    words = [folder, "--key", "customer", "--target", "paid", "--folder", tmp_path / "run", "--json"]
    # The child hears Ctrl-C even where these tests run in the background, which turns it off.
    waiting = subprocess.Popen([*COMMAND, *map(str, words), "--follow", "60"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for _ in range(600):
        if (tmp_path / "run" / "bucket-007.sqlite").exists():
            break
        time.sleep(0.1)
    time.sleep(0.5)
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate(timeout=60)
    assert waiting.returncode == 130 and "the same command continues" in said
    ended = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True)
    assert json.loads(ended.stdout)["events"] == 3000, ended.stderr


def test_events_none_of_which_can_be_read_are_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("key,w,x,y\n" + "".join(f"{'ab'[i % 2]},heavy,{i % 7},{i % 2}\n" for i in range(60)))
    with pytest.raises(ValueError, match="none of its 60 events could be read"):
        thalweg("keyed", path, "--key", "key", "--target", "y", "--weight", "w")


def test_labels_that_are_new_after_the_first_rows_are_refused_if_wanted(tmp_path, capsys):
    lines = ["who,x,paid", *(f"k{i % 3},{i % 7},{'yes' if i % 7 > 3 else 'no'}" for i in range(10_100))]
    lines[10_050] = "k1,3,Yess"
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    words = ["keyed", path, "--key", "who", "--target", "paid", "--learner", "NaiveBayes", "--json"]
    thalweg(*words, "--new-labels", "refuse")
    assert json.loads(capsys.readouterr().out)["statuses"] == {"learned": 10_099, "refused": 1}
    thalweg(*words)
    said = capsys.readouterr()
    assert json.loads(said.out)["statuses"] == {"learned": 10_100} and "did you mean 'yes'" in said.err
