"""Read damaged files of every format: each must be read or refused in one line, without a crash or a hang.

    PYTHONPATH=tests python tests/fuzz/files.py --seconds 60 --seed 1

A file that is a problem is kept in build/fuzz.
"""

import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from isolated import Worker, run_script
from mutations import damaged
from valid_files import valid_files

from thalweg.errors import StreamError
from thalweg.streams import from_file

KEPT = Path("build/fuzz")
TIME_LIMIT = 10
MEMORY_LIMIT = 1_000_000
OPTIONS = {"raise": {}, "skip": {"on_error": "skip"}, "told": {"classes": ["down", "up"]}}


def read(path):
    """Return "read", "refused", or what is wrong with how the file was read; its name begins with options."""
    lost = []
    sys.unraisablehook = lost.append
    before = _most_memory()
    try:
        wrong = _wrong_rows(from_file(path, **OPTIONS[Path(path).name.split("-")[0]]))
        answer = f"wrong rows: {wrong}" if wrong else "read"
    except StreamError as error:
        is_clear = path in str(error) and len(str(error).splitlines()) == 1
        answer = "refused" if is_clear else f"message is not clear: {str(error)!r}"
    except BaseException as error:
        answer = f"{type(error).__name__}: {error}"
    if lost:
        answer = f"an error is not passed on: {lost[0].exc_value!r}"
    grown = _most_memory() - before
    return answer if grown < MEMORY_LIMIT else f"{grown / 1000:.0f} MB of memory; {answer}"


def _most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _wrong_rows(stream):
    """Return what is wrong with the rows of `stream`, None if nothing is."""
    total = 0
    for X, codes in stream.coded_blocks(7):
        total += len(X)
        if X.shape != (len(codes), stream.n_features) or X.dtype != float:
            return f"an array of shape {X.shape}"
        if np.isinf(X).any():
            return "infinity"
        if not ((codes >= -1) & (codes < len(stream.classes))).all():
            return f"codes {codes}"
        for j, n in enumerate(stream.n_categories):
            known = X[:, j][~np.isnan(X[:, j])]
            if n and not np.isin(known, np.arange(n)).all():
                return f"categories {known} of {n}"
    return None if stream.n_rows in (None, total) else f"{total} rows instead of {stream.n_rows}"


def run(seed, seconds=np.inf, n_cases=sys.maxsize, kept=KEPT):
    """Read damaged files for that long, or so many; return counts of (name, answer), and the problems."""
    files = valid_files()
    answers, problems = Counter(), []
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder, Worker(["-W", "error", __file__, "--worker"]) as worker:
        for number in range(n_cases):
            if time.monotonic() > ends:
                break
            rng = np.random.default_rng([seed, number])
            name = list(files)[number % len(files)]
            path = Path(folder, f"{list(OPTIONS)[rng.integers(len(OPTIONS))]}-{seed}-{number}-{name}")
            path.write_bytes(damaged(rng, files[name], list(files.values())))
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


if __name__ == "__main__":
    run_script(__doc__, read, TIME_LIMIT, run, tell)
