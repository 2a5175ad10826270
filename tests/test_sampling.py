"""Which cases run where a test repeats over all learners."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from support import quick
from support.every_learner import registry
from support.sampling import MANY, drawn_cases

CASES = [f"test_a.py::test_all[{name}-{part}]" for name in registry for part in "xy"]


def test_all_cases_of_a_learner_are_drawn_or_none():
    drawn = drawn_cases(CASES, 5, seed=1)
    assert len(drawn) == 10
    assert {case.replace("-x]", "-y]") for case in drawn} < drawn


def test_the_seed_decides():
    drawn = drawn_cases(CASES, 5, seed=1)
    assert drawn == drawn_cases(CASES[::-1], 5, seed=1)
    assert drawn != drawn_cases(CASES, 5, seed=2)


def test_what_does_not_repeat_over_many_learners_always_runs():
    few = [f"test_a.py::test_few[{name}]" for name in list(registry)[: MANY - 1]]
    others = ["test_a.py::test_one", "test_a.py::test_numbers[3-x]", "test_a.py::test_all[a chain]"]
    assert drawn_cases([*CASES, *few, *others], 5, seed=1) >= {*few, *others}


def test_another_test_draws_other_learners():
    drawn = drawn_cases([*CASES, *(case.replace("all", "each") for case in CASES)], 5, seed=1)
    one, other = ({case.partition("[")[2] for case in drawn if name in case} for name in ("all", "each"))
    assert one != other


def test_all_are_drawn_if_there_are_no_more():
    assert drawn_cases(CASES, 1000, seed=1) == set(CASES)


@pytest.mark.parametrize("is_worker", [False, True])
def test_make_quick_chooses_its_tests_in_every_process(is_worker, pytestconfig):
    config = SimpleNamespace(rootpath=pytestconfig.rootpath, args=["tests"])
    config.option = SimpleNamespace(quick=True, learners=None)
    if is_worker:
        config.workerinput = {}
    quick.choose(config)
    assert len(config.args) > 10 and "tests" not in config.args
    assert all(Path(test.partition("::")[0]).exists() for test in config.args)
