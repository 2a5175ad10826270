"""Banks of many keys beside a dict of learners: rows a CPU second, bytes a key, growth, single rows, spill.

    python -m benchmarks.keyed                  # 100,000 keys, and growth from 10,000 to 1,000,000
    python -m benchmarks.keyed --keys 10000 --growth 1000 10000 --rows 100000 --json out.json

Each measure is a fresh process, so that memory is its own: the growth of the resident set from before the
first learner to after the last row. Bank and dict take turns. Rows have ten inputs and two classes; keys are
drawn uniformly, or by Zipf's law for the spill. All keys have come once before the clock starts.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from thalweg.keyed import Bank
from thalweg.learners import LogisticMixture, NaiveBayes

LEARNERS = {"NaiveBayes": NaiveBayes, "LogisticMixture": LogisticMixture}
N_INPUTS = 10
BLOCK = 20_000


def resident_bytes() -> int:
    """Return the memory of this process that is in use now."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def rows_of(n: int, n_keys: int, zipf: float = 0.0):
    """Return keys, rows and labels."""
    rng = np.random.default_rng(1)
    if zipf:
        weight = 1.0 / np.arange(1, n_keys + 1) ** zipf
        keys = rng.permutation(n_keys)[rng.choice(n_keys, size=n, p=weight / weight.sum())]
    else:
        keys = rng.integers(n_keys, size=n)
    X = rng.normal(size=(n, N_INPUTS))
    return keys, X, (X[:, 0] + X[:, 1] > 0).astype(int)


def cpu(work) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measured_bank(name: str, n_keys: int, n_rows: int, text: bool = False) -> dict[str, float]:
    """Return rows a CPU second and bytes a key of a bank."""
    first, (keys, X, y) = np.random.default_rng(2).permutation(n_keys), rows_of(n_rows, n_keys)
    if text:
        import pyarrow as pa

        first, keys = pa.array([f"customer {i}" for i in first]), pa.array([f"customer {i}" for i in keys])
    X0, y0 = np.zeros((n_keys, N_INPUTS)), np.arange(n_keys) % 2
    before = resident_bytes()
    bank = Bank(LEARNERS[name]()).begin(N_INPUTS, [0, 1])

    def feed(keys, X, y):
        for start in range(0, len(X), BLOCK):
            part = slice(start, start + BLOCK)
            bank.test_then_train(keys[part], X[part], y[part])

    created = cpu(lambda: feed(first, X0, y0))
    taken = cpu(lambda: feed(keys, X, y))
    return {"rows_a_second": n_rows / taken, "bytes_a_key": (resident_bytes() - before) / n_keys,
            "state_bytes": bank.bytes_per_key_, "create_us": created / n_keys * 1e6}


def measured_dict(name: str, n_keys: int, n_rows: int, text: bool = False) -> dict[str, float]:
    """Return the same of a dict of learners, which predict and learn row by row."""
    keys, X, y = rows_of(n_rows, n_keys)
    kind, learners = LEARNERS[name], {}
    before = resident_bytes()

    def make():
        for key in range(n_keys):
            learners[key] = kind().begin(N_INPUTS, [0, 1])
            learners[key].learn_one(np.zeros(N_INPUTS), key % 2)

    def feed():
        for key, x, label in zip(keys.tolist(), X, y.tolist(), strict=True):
            learner = learners[key]
            learner.predict_proba_one(x)
            learner.learn_one(x, label)

    created, taken = cpu(make), cpu(feed)
    return {"rows_a_second": n_rows / taken, "bytes_a_key": (resident_bytes() - before) / n_keys,
            "create_us": created / n_keys * 1e6}


def measured_one(name: str, n_keys: int, n_rows: int, text: bool = False) -> dict[str, float]:
    """Return the microseconds of a call for one row."""
    keys, X, y = rows_of(n_rows, n_keys)
    bank = Bank(LEARNERS[name]()).begin(N_INPUTS, [0, 1])
    bank.test_then_train(keys, X, y)
    listed = list(zip(keys.tolist(), X, y.tolist(), strict=True))

    def learn():
        for key, x, label in listed:
            bank.learn_one(key, x, label)

    def predict():
        for key, x, _ in listed:
            bank.predict_proba_one(key, x)

    return {"learn_us": cpu(learn) / n_rows * 1e6, "predict_us": cpu(predict) / n_rows * 1e6}


def measured_spill(name: str, n_keys: int, n_rows: int, text: bool = False) -> dict[str, float]:
    """Return rows a CPU second with a third of the states in memory, and keys by Zipf's law of exponent 1."""
    keys, X, y = rows_of(n_rows, n_keys, zipf=1.0)
    size = Bank(LEARNERS[name]()).begin(N_INPUTS, [0, 1]).bytes_per_key_
    bank = Bank(LEARNERS[name](), max_bytes=size * n_keys // 3).begin(N_INPUTS, [0, 1])
    first = np.random.default_rng(2).permutation(n_keys)
    bank.test_then_train(first, np.zeros((n_keys, N_INPUTS)), np.arange(n_keys) % 2)

    def feed(start, stop):
        for at in range(start, stop, BLOCK):
            part = slice(at, at + BLOCK)
            bank.test_then_train(keys[part], X[part], y[part])

    half = n_rows // 2 // BLOCK * BLOCK
    feed(0, half)  # which keys are in memory settles
    spill = bank._store._pages.spill
    read = spill.n_read
    taken = cpu(lambda: feed(half, n_rows))
    missed = (spill.n_read - read) / (n_rows - half)
    return {"rows_a_second": (n_rows - half) / taken, "read_a_row": missed, "in_memory": bank.n_in_memory_}


MEASURES = {"bank": measured_bank, "dict": measured_dict, "one": measured_one, "spill": measured_spill}


def measure(what: str, name: str, n_keys: int, n_rows: int, text: bool = False) -> dict[str, float]:
    """Return a measure of a fresh process."""
    call = [sys.executable, "-m", "benchmarks.keyed", "--measure", what, "--learner", name,
            "--keys", str(n_keys), "--rows", str(n_rows), *(["--text"] if text else [])]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def beside(name: str, n_keys: int, n_rows: int, turns: int) -> dict[str, float]:
    """Return the medians of bank and dict, turn by turn."""
    found = [(measure("bank", name, n_keys, n_rows), measure("dict", name, n_keys, min(n_rows, 200_000)))
             for _ in range(turns)]
    ratios = [bank["rows_a_second"] / other["rows_a_second"] for bank, other in found]
    less = [other["bytes_a_key"] / bank["bytes_a_key"] for bank, other in found]
    bank, other = found[-1]
    print(f"{name:16} {n_keys:9,} keys: bank {bank['rows_a_second']:12,.0f} rows a CPU second, "
          f"{bank['bytes_a_key']:8,.0f} bytes a key; dict {other['rows_a_second']:10,.0f}, "
          f"{other['bytes_a_key']:8,.0f}; {median(ratios):.1f} times [{min(ratios):.1f}, {max(ratios):.1f}] "
          f"as fast, {median(less):.1f} times less memory")
    return {"learner": name, "keys": n_keys, "ratio": median(ratios), "memory": median(less),
            "bank": bank, "dict": other}


def main() -> None:
    """Measure, print, and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", choices=MEASURES)
    parser.add_argument("--learner", default="NaiveBayes", choices=LEARNERS)
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--growth", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(MEASURES[asked.measure](asked.learner, asked.keys, asked.rows, asked.text)))
        return
    results = {"beside": [beside(name, asked.keys, asked.rows, asked.turns) for name in LEARNERS]}
    results["growth"] = []
    for name in LEARNERS:
        for n_keys in asked.growth:
            for text in (False, True):
                found = measure("bank", name, n_keys, asked.rows, text)
                kind = "text" if text else "whole numbers"
                print(f"{name:16} {n_keys:9,} keys ({kind}): {found['rows_a_second']:12,.0f} rows a CPU "
                      f"second, {found['bytes_a_key']:6,.0f} bytes a key, new {found['create_us']:.2f} µs")
                results["growth"].append(found | {"learner": name, "keys": n_keys, "text": text})
        one = measure("one", name, asked.keys, 100_000)
        print(f"{name:16} one row a call: learn {one['learn_us']:.2f} µs, predict {one['predict_us']:.2f} µs")
        spilled = measure("spill", name, max(asked.growth), asked.rows)
        print(f"{name:16} a third of {max(asked.growth):,} states in memory, Zipf 1: "
              f"{spilled['rows_a_second']:,.0f} rows a CPU second, {spilled['read_a_row']:.3f} reads a row")
        results[name] = {"one": one, "spill": spilled}
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
