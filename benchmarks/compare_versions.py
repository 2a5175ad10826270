"""Two versions of the library on the same rows: are the probabilities the same, and is the second slower?

Every learner at its defaults. "probabilities": are all of them equal bit for bit, on all streams, in full
length or for the rows the first version learns within --seconds. "speed": CPU time of test-then-train in one
call. "calls": CPU time of learn_one, predict_one and predict_proba_one. The versions take turns and the best
turn of each counts; what is slower by more than --limit is measured again, in fresh processes.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import arrays
from benchmarks.loops import HERE, Loop

NOMINAL = ("elec2", "usenet1", "email-list", "luxembourg", "covtype")
STREAMS = {
    "probabilities": ["sea", "rbf", "elec", *arrays.REAL, *(f"{name} nominal" for name in NOMINAL)],
    "speed": ["sea", "rbf", "elec", "covtype"],
    "calls": ["sea", "covtype"],
}
CALL_LIMIT = 0.2  # microseconds that a call of one row may cost more


class Pair:
    """A process of each version."""

    def __init__(self, asked):
        self.asked = asked
        self.loops = [Loop([python, HERE / "version_loop.py"]) for python in (asked.before, asked.after)]

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        for loop in self.loops:
            loop.close()

    def ask(self, side, **question):
        """Return the answer of the first version (side 0) or the second (1)."""
        return self.loops[side].ask(json.dumps(question))

    def time(self, question):
        """Return the best times of both versions, which take turns."""
        best = [{}, {}]
        for turn in range(self.asked.turns):
            for side in (0, 1) if turn % 2 else (1, 0):
                answer = self.ask(side, **question)
                if "error" in answer:
                    raise SystemExit(f"{question}: {answer['error']}")
                best[side] = least(answer, best[side])
        return best


def least(one, other):
    """Return the smaller of each number in two dicts."""
    return {name: min(value, other.get(name, value)) for name, value in one.items()}


def probabilities(pair, work, out):
    """Return a line about one learner on one stream, and whether both versions gave the same."""
    asked, outs = pair.asked, [f"{out}.{side}.npy" for side in (0, 1)]
    work = {"do": "probabilities", **work}
    before = pair.ask(0, **work, n_rows=asked.rows, seconds=asked.seconds, out=outs[0])
    after = pair.ask(1, **work, n_rows=before.get("rows", 0), seconds=1e9, out=outs[1])
    if "error" in before or "error" in after:
        return f"DIFFERS  {before.get('error', 'worked')}; then {after.get('error', 'worked')}", False
    if before == after:
        return f"same     {before['rows']:,} rows, accuracy {before['accuracy']:.4f}", True
    p, q = (np.load(out) for out in outs)
    rows = np.flatnonzero((p.view(np.int64) != q.view(np.int64)).any(axis=1))
    most = np.abs(p - q).max()
    where = f"{len(rows):,} rows of {before['rows']:,}, from row {rows[0]} on, by up to {most:.2g}"
    return f"DIFFERS  {where}; accuracy {before['accuracy']:.4f}, then {after['accuracy']:.4f}", False


def speed(pair, work, out):
    """Return a line about one learner on one stream, and whether the second version is about as fast."""
    asked = pair.asked
    n_rows = pair.ask(0, do="probabilities", **work, n_rows=asked.rows, seconds=asked.turn)["rows"]
    question = {"do": "learning", **work, "n_rows": n_rows, "seconds": asked.turn}
    before, after, good = compared(pair, question, 0.0)
    rates = "  ".join(f"{n_rows / side['learn']:>12,.0f}" for side in (before, after))
    return f"{rates}  rows/s; time × {after['learn'] / before['learn']:.3f}{'' if good else '  SLOWER'}", good


def calls(pair, work, out):
    """Return a line about the calls of one row, and whether those of the second version are about as fast."""
    before, after, good = compared(pair, {"do": "calls", **work, "seconds": pair.asked.turn}, CALL_LIMIT)
    told = "  ".join(f"{name} {before[name]:7.2f} {after[name]:7.2f} µs" for name in before)
    return f"{told}{'' if good else '  SLOWER'}", good


def compared(pair, question, allowed):
    """Return the best times of both versions, and whether the second's are good; if not, measure again."""
    limit = 1 + pair.asked.limit

    def is_good(before, after):
        return all(after[name] <= before[name] * limit + allowed for name in before)

    best = pair.time(question)
    for _ in range(pair.asked.again):
        if is_good(*best):
            break
        with Pair(pair.asked) as fresh:
            best = [least(*both) for both in zip(fresh.time(question), best, strict=True)]
    return *best, is_good(*best)


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare_versions", description=__doc__)
    parser.add_argument("before", help="the Python that has the first version, as ../before/.venv/bin/python")
    parser.add_argument("after", help="the Python that has the second version")
    parser.add_argument("--parts", nargs="+", default=[*STREAMS], choices=STREAMS, help="default: all")
    parser.add_argument("--learners", nargs="+", help="default: all that both versions have")
    parser.add_argument("--streams", nargs="+", help=f"default: {STREAMS}")
    parser.add_argument("--rows", type=int, default=10**9, help="of a stream at most (default: all)")
    parser.add_argument("--seconds", type=float, default=10, help="CPU time that cuts a pass (default 10)")
    parser.add_argument("--turns", type=int, default=5, help="of each version (default 5)")
    parser.add_argument("--turn", type=float, default=0.3, help="CPU seconds of a turn (default 0.3)")
    parser.add_argument("--again", type=int, default=2, help="times to repeat what is slower (default 2)")
    parser.add_argument("--limit", type=float, default=0.03, help="share that is slower (default 0.03)")
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    return parser.parse_args()


def learners_of(asked):
    """Return the learners to compare; say which versions these are."""
    with Pair(asked) as pair:
        before, after = (loop.ready for loop in pair.loops)
    print(f"before: {before['thalweg']}\nafter:  {after['thalweg']}")
    only = set(before["learners"]) ^ set(after["learners"])
    if only:
        print(f"in one version only: {', '.join(sorted(only))}")
    return asked.learners or [name for name in after["learners"] if name not in only]


def lines(asked, folder):
    """Yield a line for each part, stream and learner, and whether the second version is as good."""
    learners = learners_of(asked)
    for part in asked.parts:
        for stream in asked.streams or STREAMS[part]:
            rows = arrays.load(stream, asked.data)
            path = f"{folder}/rows.npz"
            np.savez(path, **vars(rows), n_classes=rows.n_classes)
            with Pair(asked) as pair:
                for learner in learners:
                    line, good = globals()[part](pair, {"path": path, "learner": learner}, f"{folder}/found")
                    yield f"{part:13} {stream:19} {learner:28} {line}", good


def main():
    """Print the lines; end with code 1 if anything differs or is slower."""
    n_bad = n_all = 0
    with tempfile.TemporaryDirectory() as folder:
        for line, good in lines(arguments(), folder):
            print(line, flush=True)
            n_all, n_bad = n_all + 1, n_bad + (not good)
    print(f"{n_bad} of {n_all} differ or are slower")
    sys.exit(n_bad > 0)


if __name__ == "__main__":
    main()
