"""Costs in a file: `thalweg run --costs`, and what it says of files that are not costs."""

import json

import numpy as np
import pandas as pd
import pytest
from support.command import run_command

from thalweg.commands.costs_file import read_costs
from thalweg.errors import StreamError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("label,cost\nfraud,20\nfine,1.5\n", {"fraud": 20.0, "fine": 1.5}),
        ("true, fine, fraud\nfine, 0, 1\nfraud, 20, 0\n",
         {"fine": {"fine": 0.0, "fraud": 1.0}, "fraud": {"fine": 20.0, "fraud": 0.0}}),
        ("label;cost\nfraud;20\nfine;1,5\n", {"fraud": 20.0, "fine": 1.5}),
        ("label\tcost\n\na, b\t20,25\n", {"a, b": 20.25}),
    ],
)
def test_costs_are_read(tmp_path, text, expected):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    assert read_costs(str(path)) == expected


def test_costs_in_another_encoding_are_read(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_bytes("label;cost\nmüde;2\n".encode("latin-1"))
    assert read_costs(str(path)) == {"müde": 2.0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "write two columns"),
        ("label,cost\n", "write two columns"),
        ("label,cost\nfraud,many\n", "line 2, column 'cost': 'many' is not a number"),
        ("label,cost\nfraud,1\nfraud,2\n", "line 3: the label 'fraud' comes twice"),
        ("true,a,b\na,0\n", "line 2: 2 cells, but the head has 3"),
    ],
)
def test_other_files_are_refused(tmp_path, text, problem):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(StreamError, match=problem):
        read_costs(str(path))
    with pytest.raises(StreamError, match="cannot read"):
        read_costs(str(tmp_path / "absent.csv"))


def test_run_answers_by_cost(tmp_path):
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.05).astype(int)
    x = rng.normal(size=2000) + 1.5 * y
    lines = [f"{value:.3f},{label}" for value, label in zip(x, y, strict=True)]
    (tmp_path / "claims.csv").write_text("x,fraud\n" + "\n".join(lines))
    (tmp_path / "costs.csv").write_text("label,cost\n1,20\n")
    asked = ["run", str(tmp_path / "claims.csv"), "--learner", "NaiveBayes", "--json"]
    plain = json.loads(run_command(*asked).stdout)
    dear = json.loads(run_command(*asked, "--costs", str(tmp_path / "costs.csv")).stdout)
    assert plain["costs"] is None and dear["costs"] == [[0, 1], [20, 0]]
    assert dear["recall"] > plain["recall"] + 0.2 and dear["learner"] == "Calibrated"
    model, table = tmp_path / "model.tw", tmp_path / "answers.csv"
    run_command(*asked, "--costs", str(tmp_path / "costs.csv"), "--save", str(model))
    asked_table = ["--probabilities", "--out", str(table)]
    done = run_command("predict", str(model), str(tmp_path / "claims.csv"), *asked_table)
    assert done.returncode == 0, done.stderr
    answers = pd.read_csv(table)
    np.testing.assert_array_equal(answers["prediction"] == 1, 20 * answers["p_1"] > answers["p_0"])
    result = run_command(*asked, "--costs", str(tmp_path / "costs.csv"), "--coverage", "0.9")
    assert result.returncode != 0 and "exclude each other" in result.stderr
