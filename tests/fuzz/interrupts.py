"""Interrupt every learner at random moments: each call ends soon, and goes on as if nothing had happened.

    PYTHONPATH=tests python tests/fuzz/interrupts.py --seconds 60 --seed 1
"""

import argparse
import sys
import time

from support import every_learner
from support.isolated import Worker, answer_cases

from thalweg.checks import safety

TIME_LIMIT = 60


def interrupt(case):
    """Return "fine" and the number of interrupts, or what went wrong; a case is "name seed"."""
    name, seed = case.split()
    try:
        n = safety.interrupts_lose_nothing(every_learner.registry.load(name)(), seed=int(seed))
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return f"fine {n}"


def main():
    """Run, print what came of it, and exit with status 1 if there was a problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--interrupts", type=int, default=sys.maxsize, help="how many to send at the most")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of the moments")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        answer_cases(interrupt, TIME_LIMIT)
        return
    total, problems, turn, ends = 0, [], 0, time.monotonic() + options.seconds
    names = list(every_learner.registry)
    with Worker(["-W", "ignore", __file__, "--worker"]) as worker:
        while time.monotonic() < ends and total < options.interrupts:
            name, seed = names[turn % len(names)], options.seed + turn // len(names)
            answer, ending = worker.answer(f"{name} {seed}")
            if answer and answer.startswith("fine"):
                total += int(answer.split()[1])
            else:
                problems.append(f"{name} {seed}: {answer or ending}")
                total += 1
            turn += 1
    for problem in problems:
        print(problem)
    print(f"{total} interrupts: {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
