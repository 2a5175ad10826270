"""Has a kernel become slower? Every learner and detector beside a fixed yardstick in the same process.

    python -m benchmarks.quick [NAME …]            say what lost more than 25 %; then end with code 1
    python -m benchmarks.quick --record [NAME …]   record what is measured now as the speed to keep
    python -m benchmarks.quick --missing [NAME …]  record those that have no record yet, and those named

A figure is processor time per row over the yardstick's time per element, each the least of several turns that
alternate. What seems slower is measured again, with more turns, before it counts. Ratios differ from one
processor to another: where this one has no record only a loss of half the speed counts, against the first
processor that has one. CI allows that everywhere (`--limit 2`): on a shared machine figures of unchanged code
were seen to differ by up to 1.4.
"""

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from thalweg import drift, learners, trust

RECORDED = Path(__file__).parent / "results" / "quick.json"
LIMIT, LIMIT_ELSEWHERE = 1.25, 2.0
TURNS, RETRIES = 5, 2
SECONDS, ENOUGH = 0.03, 1.5
FEWEST, MOST = 2000, 100_000
YARD = np.sort(np.random.default_rng(0).random(20_000)), np.random.default_rng(1).random(20_000)


def yardstick():
    """Return the seconds per element of a sum and a search in NumPy, which no SIMD unit shortens."""
    values, keys = YARD
    start = time.process_time()
    np.add.accumulate(values)
    np.searchsorted(values, keys)
    return (time.process_time() - start) / len(values)


def rows(n_rows):
    """Return ten inputs and two classes divided by a plane that turns; a tenth of the labels is flipped."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((MOST, 10))[:n_rows]
    angle = np.arange(n_rows) / 5000
    codes = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) + X[:, 2:6].sum(axis=1) > 0
    return X, (codes ^ (rng.random(n_rows) < 0.1)).astype(np.intp)


def learning(make, n_rows):
    """Return a function that measures seconds per row of test-then-train by a fresh learner."""
    X, codes = rows(n_rows)

    def turn():
        learner = make().begin(X.shape[1], [0, 1])
        start = time.process_time()
        learner.test_then_train_coded(X, codes)
        return (time.process_time() - start) / n_rows

    return turn


def detecting(make, n_rows):
    """Return a function that measures seconds per loss of a fresh detector; the losses double halfway."""
    rate = np.where(np.arange(n_rows) < n_rows // 2, 0.2, 0.4)
    losses = (np.random.default_rng(1).random(n_rows) < rate).astype(float)

    def turn():
        detector = make()
        start = time.process_time()
        detector.update_many(losses)
        return (time.process_time() - start) / n_rows

    return turn


def subjects():
    """Return what is measured: by name, what makes it and how it is measured."""
    parts = learners.registry, trust.registry
    found = {name: (part.load(name), learning) for part in parts for name in part}
    return found | {name: (drift.registry.load(name), detecting) for name in drift.registry}


def figure(subject, n_rows, turns=TURNS):
    """Return the time per row over the yardstick's time per element."""
    make, kind = subject
    turn = kind(make, n_rows)
    yards, times = [], []
    with threadpool_limits(1):
        for _ in range(turns):
            yards.append(min(yardstick() for _ in range(5)))
            times.append(turn())
            if len(times) >= 3 and sum(times) * n_rows > ENOUGH:
                break
        yards.append(min(yardstick() for _ in range(5)))
    return min(times) / min(yards)


def suitable(subject):
    """Return how many rows make a turn long enough to measure."""
    make, kind = subject
    n_rows = FEWEST
    while n_rows < MOST and kind(make, n_rows)() * n_rows < SECONDS:
        n_rows *= 2
    return min(n_rows, MOST)


def loss(subject, recorded, limit):
    """Return how many times slower than recorded; over the limit it is measured again, for longer."""
    slower = figure(subject, recorded["rows"]) / recorded["figure"]
    for retry in range(RETRIES):
        if slower <= limit:
            break
        slower = min(slower, figure(subject, recorded["rows"], 3 * TURNS * (retry + 1)) / recorded["figure"])
    return slower


def processor():
    """Return the processor's name and its widest vectors, which decide how the kernels are run."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    widest = next((flag for flag in ("avx512f", "avx2") if any(flag in line.split() for line in lines)), "")
    return f"{next(names, platform.machine())} {widest}".strip()


def record(names, path):
    """Measure three times and write the medians for this processor; what is not named stays as it is."""
    table = json.loads(path.read_text()) if path.exists() else {}
    mine = table.setdefault(processor(), {})
    for name in names:
        subject = subjects()[name]
        n_rows = suitable(subject)
        mine[name] = {"rows": n_rows, "figure": round(median(figure(subject, n_rows) for _ in range(3)), 4)}
        print(f"{name:30} {mine[name]['figure']:10.2f}", flush=True)
    table[processor()] = {name: mine[name] for name in subjects() if name in mine}
    path.write_text(json.dumps(table, indent=1) + "\n")


def unrecorded(path):
    """Return the names that no processor has a record of."""
    table = json.loads(path.read_text())
    return [name for name in subjects() if not any(name in records for records in table.values())]


def compare(names, path, limit=LIMIT):
    """Print how many times slower than recorded each is; return the names of those that lost too much."""
    table = json.loads(path.read_text())
    if processor() not in table:
        print(f"No records of {processor()!r}: only a loss of half the speed counts.")
    mine = table.pop(processor(), {})
    slow, missing = [], []
    for name in names:
        most = limit if name in mine else max(limit, LIMIT_ELSEWHERE)
        recorded = next((records[name] for records in (mine, *table.values()) if name in records), None)
        if recorded is None:
            missing.append(name)
            continue
        slower = loss(subjects()[name], recorded, most)
        if slower > most:
            slow.append(name)
        print(f"{name:30} {slower:6.2f} × the recorded time{'  SLOWER' * (slower > most)}", flush=True)
    if missing:
        print(f"Not recorded, add by make goldens: {', '.join(missing)}")
    return slow + missing


def main():
    """Compare with what is recorded, or record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="learners and detectors (default: all)")
    parser.add_argument("--record", action="store_true", help="write the figures instead of comparing")
    parser.add_argument("--missing", action="store_true", help="record what has no record, and NAME")
    parser.add_argument("--path", type=Path, default=RECORDED, help="file of the recorded figures")
    parser.add_argument("--limit", type=float, default=LIMIT, help="most times the recorded time")
    asked = parser.parse_args()
    names = asked.names or list(subjects())
    if unknown := set(names) - set(subjects()):
        parser.error(f"no learner or detector {', '.join(sorted(unknown))}")
    if asked.missing:
        record(dict.fromkeys([*asked.names, *unrecorded(asked.path)]), asked.path)
    elif asked.record:
        record(names, asked.path)
    elif slow := compare(names, asked.path, asked.limit):
        sys.exit(f"slower than recorded, or not recorded: {', '.join(slow)}")


if __name__ == "__main__":
    main()
