"""`thalweg run --coverage` answers with sets, says how they did, and keeps them in the model."""

import json

from support.command import run_command

import thalweg


def test_the_result_says_how_the_sets_did(tmp_path):
    model, page = tmp_path / "model.tw", tmp_path / "page.html"
    common = ["run", "sea", "--rows", "3000", "--learner", "NaiveBayes", "--coverage", "0.8"]
    said = run_command(*common, "--report", page, "--save", model)
    assert "of the labels are in their sets (wanted: 80 %)" in " ".join(said.stdout.split())
    assert "Prediction sets over time" in page.read_text()
    assert thalweg.load(model).learner_.coverage == 0.8
    found = json.loads(run_command(*common, "--json", "--totals").stdout)["sets"]
    assert abs(found["raw_coverage"] - 0.8) < 0.02
    assert 1 <= found["set_size"] <= 2
    assert 0 < found["single_share"] < 1


def test_the_default_learner_is_named_inside_of_its_sets():
    said = run_command("run", "sea", "--rows", "300", "--size", "small", "--coverage", "0.9")
    assert "AdaptiveStacking (small) combines" in said.stderr
    assert said.returncode == 0
