"""Restore damaged states of every learner and detector: each is refused, or works on properly.

    PYTHONPATH=tests python tests/fuzz/states.py --seconds 60 --seed 1
"""

import sys
import time
from collections import Counter

import numpy as np
from golden_models import NAMES, small
from support import every_learner
from support.isolated import Worker, run_script

from thalweg import drift
from thalweg.checks.detector_safety import try_damaged_detector
from thalweg.checks.mutate import mutated
from thalweg.checks.rows import rows, taught
from thalweg.checks.safety import try_damaged_state

TIME_LIMIT = 20
TAUGHT = {}  # name: a learner or detector that knows something, and its state


def restore(case):
    """Return "fine", or what is wrong with how the damaged state was met; a case is "name seed number"."""
    name, seed, number = case.split()
    rng = np.random.default_rng([int(seed), int(number)])
    try:
        subject, state = TAUGHT.get(name) or TAUGHT.setdefault(name, _taught(name))
        what, damaged = mutated(state, rng)
        X, y = rows(200, with_gaps=True)
        if name in NAMES:
            try_damaged_state(subject, what, damaged, X, y)
        else:
            try_damaged_detector(subject, what, damaged)
        subject.restore(state)
    except BaseException as error:
        TAUGHT.pop(name, None)
        return f"{type(error).__name__}: {error}"
    return "fine"


def _taught(name):
    if name in NAMES:
        X, y = rows(300, with_gaps=True)
        made = every_learner.registry.load(name)() if name in every_learner.registry else small(name)
        subject = taught(made, X, y)
    else:
        subject = drift.registry.load(name)()
        subject.update_many((np.random.default_rng(0).random(500) < 0.3).astype(float))
    return subject, subject.state()


def run(seed, seconds=np.inf, n_cases=sys.maxsize):
    """Restore damaged states for that long, or so many; return counts of (name, answer), and the problems."""
    names = [*NAMES, *(name for name in drift.registry if _is_detector(name))]
    answers, problems, ends = Counter(), [], time.monotonic() + seconds
    with Worker(["-W", "ignore", __file__, "--worker"]) as worker:
        for number in range(n_cases):
            if time.monotonic() > ends:
                break
            name = names[number % len(names)]
            answer, ending = worker.answer(f"{name} {seed} {number}")
            if answer != "fine":
                problems.append(f"{name} {seed} {number}: {answer or ending}")
            answers[name, "fine" if answer == "fine" else "problem"] += 1
    return answers, problems


def _is_detector(name):
    return issubclass(drift.registry.load(name), drift.base.Detector)


def tell(answers, problems):
    """Return a line about what came of it."""
    return f"{answers.total()} damaged states: {len(problems)} problems"


if __name__ == "__main__":
    run_script(__doc__, restore, TIME_LIMIT, run, tell)
