"""Cost of the particle filter by particles, rows and inputs, and its scoring beside the processor's peak.

    python -m benchmarks.particle_scaling docs/images/particle_scaling.svg

Processor time, one thread, least of several repeats. The peak needs a C compiler (cc).
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from thalweg.learners import ParticleFilter

PARTICLES = (100, 300, 1000, 3000, 10_000, 30_000)
ROWS = (500, 1500, 5000, 15_000, 50_000, 150_000)
INPUTS = (2, 5, 10, 20, 50, 100, 200, 400)


def rows(n, d):
    rng = np.random.default_rng(n + d)
    X = rng.random((n, d))
    return X, (X[:, :2].mean(axis=1) + 0.1 * rng.normal(size=n) > 0.5).astype(np.intp)


def seconds(X, y, repeats=5, **parameters):
    least = np.inf
    for _ in range(repeats):
        learner = ParticleFilter(form="published", start="zeros", **parameters).begin(X.shape[1], [0, 1])
        learner.test_then_train(X[:100], y[:100])
        begin = time.process_time()
        learner.test_then_train(X[100:], y[100:])
        least = min(least, time.process_time() - begin)
    return least


def slope(x, y):
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def measure():
    X, y = rows(600, 10)
    curves = {"particles": (PARTICLES, [seconds(X, y, n_particles=n) for n in PARTICLES])}
    curves["rows"] = ROWS, [seconds(*rows(n + 100, 10)) for n in ROWS]
    curves["inputs"] = INPUTS, [seconds(*rows(600, d), n_particles=1000) for d in INPUTS]
    return curves


def scoring_rate(d=200, n_particles=100_000):
    """Multiply-adds a second of scoring alone: what a batch of 450 rows more costs more."""
    few, many = (
        seconds(*rows(100 + n, d), repeats=3, n_particles=n_particles, batch_size=n) for n in (100, 550)
    )
    return n_particles * (d + 1) * 450 / (many - few)


def product_rate(n=1500, repeats=5):
    """Multiply-adds a second of NumPy's matrix product, on one thread."""
    from threadpoolctl import threadpool_limits

    a = np.random.default_rng(0).random((n, n))
    least = np.inf
    with threadpool_limits(1):
        for _ in range(repeats):
            begin = time.process_time()
            a @ a
            least = min(least, time.process_time() - begin)
    return n**3 / least


def peak_rate(n_rounds=20_000_000, repeats=5):
    """Multiply-adds a second of a loop that does nothing else."""
    source = Path(__file__).with_name("peak.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "peak.so"
        flags = ["-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=fast"]
        subprocess.run(["cc", *flags, "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        loaded = ctypes.CDLL(str(library))
    peak, loaded.per_round.restype = loaded.peak, ctypes.c_long
    peak.argtypes, peak.restype = [ctypes.c_long], ctypes.c_double
    least = np.inf
    for _ in range(repeats):
        begin = time.process_time()
        peak(n_rounds)
        least = min(least, time.process_time() - begin)
    return loaded.per_round() * n_rounds / least


def thread_gain(n_particles=50_000, d=100):
    """How many times faster two threads are than one, by the wall clock, and whether they agree."""
    X, y = rows(1100, d)
    times, answers = [], []
    for n_jobs in (1, 2):
        learner = ParticleFilter(n_particles=n_particles, n_jobs=n_jobs).begin(d, [0, 1])
        learner.test_then_train(X[:100], y[:100])
        begin = time.perf_counter()
        answers.append(learner.test_then_train(X[100:], y[100:]))
        times.append(time.perf_counter() - begin)
    return times[0] / times[1], np.array_equal(*answers)


def plot(curves, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    for axes, (name, (x, y)) in zip(figure.subplots(1, 3), curves.items(), strict=True):
        axes.loglog(x, 1000 * np.array(y), "o-", color="#1d5fd1")
        axes.loglog(x, 1000 * y[-1] * np.array(x) / x[-1], ":", color="#64707d", label="in proportion")
        axes.set(xlabel=name, ylabel="milliseconds", title=f"slope {slope(x, y):.2f}")
        axes.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    found = measure()
    for name, (x, y) in found.items():
        print(name, *(f"{n}: {1000 * s:.2f} ms" for n, s in zip(x, y, strict=True)))
    peak = peak_rate()
    print(f"multiply-adds a second: peak {peak:.3g}, NumPy's product {product_rate():.3g}")
    for d in (1, 3, 200):
        rate = scoring_rate(d)
        print(f"scoring with {d} inputs: {rate:.3g}, {rate / peak:.0%} of the peak")
    for gain, same in (thread_gain() for _ in range(3)):
        print(f"two threads: {gain:.2f} times faster, {'the same' if same else 'ANOTHER'} answer")
    plot(found, sys.argv[1])
