"""A test that repeats over all learners runs for a few of them, drawn by a printed seed; under CI for all."""

import os
import random
import re
from collections import defaultdict

import pytest

from support.every_learner import registry

MANY = 20  # a test of fewer learners runs for each of them
FEW = 12


def add_options(parser):
    """Let the command line choose how many learners, and which."""
    group = parser.getgroup("thalweg")
    group.addoption("--learners", metavar="N|all", help=f"learners in each test of all: {FEW}, CI all")
    group.addoption("--learner-seed", type=int, metavar="SEED", help="draws them; random unless given")


def choose(config):
    """Draw the seed, once: workers are told it."""
    option = config.option
    if hasattr(config, "workerinput"):
        option.learners, option.learner_seed = config.workerinput["learners"]
        return
    if option.learners is None:
        is_again = getattr(option, "lf", False)  # there is none without pytest's cache
        is_chosen = any("::" in argument for argument in config.args) or option.keyword or is_again
        option.learners = "all" if is_chosen or "THALWEG_CI" in os.environ else str(FEW)
    if option.learners != "all" and not option.learners.isdecimal():
        raise pytest.UsageError(f"--learners: a whole number or 'all', got {option.learners!r}")
    if option.learner_seed is None:
        option.learner_seed = random.SystemRandom().randrange(10_000)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Tell a worker what was drawn."""
    option = node.config.option
    node.workerinput["learners"] = option.learners, option.learner_seed


def pytest_report_header(config):
    """Say what is drawn, and how to draw it again."""
    option = config.option
    if option.learners == "all":
        return "learners: all"
    return (
        f"learners: {option.learners} in each test that repeats over {MANY} or more; "
        f"again with --learner-seed {option.learner_seed}; all with --learners all"
    )


def pytest_collection_modifyitems(config, items):
    """Leave out the cases of learners that were not drawn."""
    option = config.option
    if option.learners == "all":
        return
    drawn = drawn_cases([item.nodeid for item in items], int(option.learners), option.learner_seed)
    left_out = [item for item in items if item.nodeid not in drawn]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid in drawn]


def drawn_cases(cases, n_learners, seed):
    """Return the set of those cases that run: in each test of many learners, those of `n_learners`."""
    learners_of = defaultdict(lambda: defaultdict(list))
    for case in cases:
        test, _, parameters = case.partition("[")
        learners_of[test][learner_in(parameters)].append(case)
    drawn = set()
    for test, of_learner in learners_of.items():
        names = sorted(of_learner.keys() - {None})
        if len(names) >= MANY:
            names = random.Random(f"{seed} {test}").sample(names, min(n_learners, len(names)))
        for name in [None, *names]:
            drawn.update(of_learner.get(name, ()))
    return drawn


def learner_in(parameters):
    """Return the first learner that the parameters of a case name, or None."""
    return next((word for word in re.findall(r"\w+", parameters) if word in NAMES), None)


NAMES = frozenset(registry)
