"""Every learner scores on every stream what the table says: no learner changes unnoticed."""

import os

import pytest
from expected_accuracies import CALLS_BLAS, FACTOR, FLOOR, difference, machine, measured, read
from golden.streams import STREAMS, folder, is_there
from support.every_learner import registry

TABLE = read()


@pytest.mark.parametrize("learner", [*registry])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_learner_scores_what_the_table_says(stream, learner):
    assert (stream, learner) in TABLE, (
        f"tests/golden/accuracies.csv does not have {learner} on {stream}; if one of them is new, run: "
        "make goldens"
    )
    if not is_there(stream):
        pytest.skip(f"{stream} is not in {folder()}, nor beside the checkout (../shared/data)")
    news = difference(measured(stream, learner), TABLE[stream, learner])
    renew = f"make goldens RENEW={learner}"
    assert news is None, f"{news}; if that is meant, run: {renew}"


def test_the_table_names_nothing_else():
    assert set(TABLE) == {(stream, learner) for stream in STREAMS for learner in registry}


def test_under_ci_the_table_was_measured_on_a_machine_like_this_one():
    lines = [line for line in TABLE.values() if line["learner"] not in CALLS_BLAS]
    others = [line["machine"] for line in lines if line["machine"] != machine(line["learner"])]
    assert not ("THALWEG_CI" in os.environ and others), (
        f"tests/golden/accuracies.csv has scores from {', '.join(set(others))}, which are compared at their "
        "spread only; run: python tests/expected_accuracies.py --renew"
    )


def test_on_another_machine_scores_are_compared_at_their_spread():
    line = TABLE["sea", "HoeffdingTree"] | {"accuracy_spread": 0.003, "brier_spread": 0.0}
    assert difference(line, line | {"accuracy": line["accuracy"] - 1e-12}) is not None
    elsewhere = line | {"machine": "another"}
    for name, most in (("accuracy", 0.003 * FACTOR), ("brier", FLOOR)):
        assert difference(elsewhere | {name: line[name] + 0.9 * most}, line) is None
        assert difference(elsewhere | {name: line[name] + 1.1 * most}, line) is not None
