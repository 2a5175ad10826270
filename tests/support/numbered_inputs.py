"""Damaged inputs by number, each tried in a worker process that is watched: what a script of tests/fuzz does.

A script has a source of inputs, made once for each worker, with two methods. `damaged(rng, number)` returns
what was changed and the input: bytes, or files by name. `attempt(data)` tries it and returns "accepted", or
"refused" or "accepted" followed by the name of an exception that is documented; it raises any other.
"""

import argparse
import faulthandler
import os
import resource
import sys
import time
from collections import Counter
from itertools import count
from pathlib import Path

import numpy as np

from support.isolated import Worker, answer_cases

KEPT = Path("build/fuzz")
TIME_LIMIT = 20
MOST_BYTES = 4 << 30
EVERY = 5000  # inputs after which a line says how far it is
MOST_PROBLEMS = 200  # after which there is more to mend than to find


def tried(source, seed, number):
    """Return what became of one input."""
    what, data = source.damaged(np.random.default_rng([seed, number]), number)
    try:
        answer = source.attempt(data)
    except BaseException as error:
        place = _last_place(error)
        return f"problem: {type(error).__name__}: {str(error)[:300]} {place} after {_shown(what)}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    return answer if peak < MOST_BYTES else f"problem: {peak >> 20} MiB of memory after {_shown(what)}"


def _shown(what):
    """Return text, or a name and changes, in one line that is not too long."""
    return (what if isinstance(what, str) else ": ".join(map(str, what)))[:600]


def _last_place(error):
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"


def refused(error, how="refused"):
    """Return the answer for a documented exception."""
    return f"{how} {type(error).__name__}"


class Steps:
    """Calls one after another, each of which may raise one of the exceptions that are documented."""

    def __init__(self, *allowed):
        self._allowed, self._seen = allowed, set()

    def __call__(self, call, *arguments, **options):
        """Return what `call` returns; None if it raised what it may."""
        try:
            return call(*arguments, **options)
        except self._allowed as error:
            self._seen.add(type(error).__name__)
            return None

    def answer(self):
        """Return "accepted", and the exceptions that came."""
        return " ".join(["accepted", *sorted(self._seen)])


def run_inputs(script, seed, seconds=np.inf, n_cases=None, first=0, kept=KEPT, tell=None):
    """Try damaged inputs for that long, or so many; return counts of answers, and the problems."""
    answers, problems, start = Counter(), [], time.monotonic()
    numbers = count(first) if n_cases is None else range(first, first + n_cases)
    with Worker(["-W", "ignore", script, "--worker"]) as worker:
        began = first
        for number in numbers:
            if time.monotonic() - start > seconds or len(problems) == MOST_PROBLEMS:
                break
            answer, ending = worker.answer(f"{seed} {number}")
            if answer is None and ending.startswith("status 1\nTraceback"):
                raise RuntimeError(f"input {number} cannot be made: {ending}")
            if answer is None or answer.startswith("problem"):
                worker.close()
                what = f"{answer or ending}\nthe worker began with input {began}"
                problems.append(_kept(script, seed, number, what, kept))
                began = number + 1
                answer = f"problem {answer.split(maxsplit=2)[1].rstrip(':')}" if answer else "crash"
            answers[answer] += 1
            if tell is not None and (number - first + 1) % EVERY == 0:
                tell(line_about(answers, problems, time.monotonic() - start))
    return answers, problems


def _kept(script, seed, number, what, folder):
    """Keep a problem, and the input if it can be made again; return a line about it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{Path(script).stem}-{seed}-{number}.txt"
    again = f"PYTHONPATH=tests python {script} --seed {seed} --only {number}"
    path.write_text(f"{again}\n\n{what}\n")
    return f"{path}: {what.splitlines()[0][:700]}"


def line_about(answers, problems, seconds):
    """Return a line about what came of all inputs."""
    kinds = Counter()
    for answer, n in answers.items():
        kinds[answer.split()[0]] += n
    rate = answers.total() / max(seconds, 1e-9)
    each = ", ".join(f"{answer} {n:,}" for answer, n in answers.most_common() if " " in answer)
    return (f"{answers.total():,} inputs ({rate:.0f} a second): {kinds['accepted']:,} accepted, "
            f"{kinds['refused']:,} refused, {len(problems)} problems; {each}")


def check_sample(run, folder, n_cases, seed=0):
    """Assert that of so many damaged inputs some are accepted, some refused, and none is a problem."""
    print(f"seed {seed}")
    answers, problems = run(seed, n_cases=n_cases, kept=folder)
    assert not problems, problems
    assert {answer.split()[0] for answer in answers} == {"accepted", "refused"} and answers.total() == n_cases


def fuzz_script(description, make, script):
    """Do what a script is asked for on the command line; exit with status 1 at a problem."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--count", type=int, help="how many inputs to try, however long it takes")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--only", type=int, help="try this input alone, and keep it in build/fuzz")
    parser.add_argument("--seed", type=int, default=0, help="the same seed damages in the same way")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker or options.only is not None:
        _limit_memory()
        source = make()
    if options.worker:
        answer_cases(lambda case: tried(source, *map(int, case.split())), TIME_LIMIT)
        return
    if options.only is not None:
        faulthandler.enable()
        _keep_input(source, Path(script).stem, options.seed, options.only)
        print(tried(source, options.seed, options.only))
        return
    limit = {"n_cases": options.count} if options.count else {"seconds": options.seconds}
    start = time.monotonic()
    answers, problems = run_inputs(
        script, options.seed, first=options.first, tell=lambda line: print(line, flush=True), **limit
    )
    print("\n".join([*problems, line_about(answers, problems, time.monotonic() - start)]))
    sys.exit(bool(problems))


def _limit_memory():
    # The address sanitiser reserves terabytes of addresses.
    if "asan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _keep_input(source, stem, seed, number):
    what, data = source.damaged(np.random.default_rng([seed, number]), number)
    print(_shown(what))
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{stem}-{seed}-{number}"
    for name, part in (data if isinstance(data, dict) else {"": data}).items():
        file = path / name if name else path.with_suffix(".bin")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(part)
