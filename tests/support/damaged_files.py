"""Damaged copies of valid files, given one by one to a worker that reads them."""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from support.isolated import Worker
from support.mutations import damaged

KEPT = Path("build/fuzz")


def as_it_is(rng, data):
    """Return `data`."""
    return data


def read_damaged(
    script, files, options, seed, seconds=np.inf, n_cases=sys.maxsize, kept=KEPT, finish=as_it_is
):
    """Let the worker of `script` read damaged copies of `files` for that long, or so many.

    The name of each copy begins with one of `options`; `finish` may change it once more. What the worker
    answers must be "read" or "refused". Return counts of (name, answer), and the problems.
    """
    answers, problems = Counter(), []
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder, Worker(["-W", "error", script, "--worker"]) as worker:
        for number in range(n_cases):
            if time.monotonic() > ends:
                break
            rng = np.random.default_rng([seed, number])
            name = list(files)[number % len(files)]
            path = Path(folder, f"{list(options)[rng.integers(len(options))]}-{seed}-{number}-{name}")
            path.write_bytes(finish(rng, damaged(rng, files[name], list(files.values()))))
            answer, ending = worker.answer(path)
            if answer not in ("read", "refused"):
                kept.mkdir(parents=True, exist_ok=True)
                (kept / path.name).write_bytes(path.read_bytes())
                problems.append(f"{kept / path.name}: {answer or ending}")
                answer = "problem"
            answers[name, answer] += 1
            path.unlink()
    return answers, problems


def tell(answers, problems):
    """Return a line about what came of it."""
    n = Counter()
    for (_, answer), count in answers.items():
        n[answer] += count
    return f"{n.total()} damaged files: {n['read']} read, {n['refused']} refused, {n['problem']} problems"
