"""What a live model costs: processor time and bytes of an event, recovery, and checkpoints.

python -m benchmarks.live                    # LogisticMixture, 20 numbers a row, seed 1
python -m benchmarks.live --learner AdaptiveStacking --rows 2000
"""

import argparse
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import thalweg
from thalweg.live import LiveModel
from thalweg.live.engine import packed
from thalweg.live.log import Log
from thalweg.live.recovery import newest_engine, replay
from thalweg.saving.files import _bytes_of

BLOCKS = (1, 64, 1000)


def reference() -> float:
    """Return the processor time of a loop in plain Python: a busy machine makes everything slower."""
    start, total = time.process_time(), 0
    for i in range(1_000_000):
        total += i
    return time.process_time() - start


def new_model(learner: str, n: int, seed: int) -> tuple[Any, Any, list[int]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n + 1000, 20))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = thalweg.Model(learner=learner).learn(X[:1000], y[:1000])
    return model, X[1000:], y[1000:].tolist()


def timed(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def measure(learner: str, n: int, size: int, seed: int) -> dict[str, float]:
    """Return processor time in µs a row, and bytes an event, for requests of `size` rows."""
    n -= n % size
    model, X, y = new_model(learner, n, seed)
    parts = [slice(start, start + size) for start in range(0, n, size)]
    rows, more = [X[part] for part in parts], [X[n:][part] for part in parts]
    ids = [[f"r{i}" for i in range(n)][part] for part in parts]
    others = [[f"k{i}" for i in range(n)][part] for part in parts]
    labels = [y[:n][part] for part in parts]
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        live = LiveModel(folder, model, checkpoint_seconds=1e9)
        found["read"] = timed(lambda: [live.predict(each) for each in rows])
        found["predict"] = timed(lambda: [live.predict(x, ids=i) for x, i in zip(rows, ids, strict=True)])
        found["label"] = timed(lambda: [live.label(i, c) for i, c in zip(ids, labels, strict=True)])
        found["learn"] = timed(
            lambda: [live.learn(x, c, ids=i) for x, c, i in zip(more, labels, others, strict=True)]
        )
        found["bytes"] = live._keeper.log.size()[1] / 3
        engine = live._engine
        live._worker.close()  # no checkpoint: all is replayed
        live._keeper.close()
        live._lock.release()
        for watched in (False, True):
            log, (fresh, _) = Log(folder), newest_engine(folder, watched)
            name = "replay with watch" if watched else "replay"
            found[name] = timed(lambda log=log, fresh=fresh: replay(fresh, log)) / 3
            log.close()
    found = {name: value / n * (1 if name == "bytes" else 1e6) for name, value in found.items()}
    start = time.process_time()
    state, rest = engine.state()
    found["copy of the state, ms"] = 1e3 * (time.process_time() - start)
    start = time.process_time()
    found["checkpoint, kB"] = len(_bytes_of(state, packed(rest))) / 1e3
    found["checkpoint, ms"] = 1e3 * (time.process_time() - start)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--learner", default="LogisticMixture")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for size in BLOCKS:
        n = max(options.rows, size) if size > 1 else max(options.rows // 20, 50)
        before = reference()
        runs = [measure(options.learner, n, size, options.seed + i) for i in range(options.repeats)]
        loop = (before + reference()) / 2
        print(f"\n{options.learner}, {size} rows a request, {n} rows; µs of processor time a row")
        print(f"a million additions in plain Python: {1e3 * loop:.0f} ms")
        for name in runs[0]:
            values = sorted(run[name] for run in runs)
            print(f"{name:24} {statistics.median(values):9.2f}   {values[0]:.2f} to {values[-1]:.2f}")


if __name__ == "__main__":
    main()
