"""Accuracy estimated before labels come, beside what is known: mean errors and coverage of intervals.

    python -m benchmarks.trust_estimate late share speed [--streams elec2 …] [--learners NaiveBayes …]
        [--rows 45000] [--seed 1] [--keep FOLDER]
    python -m benchmarks.trust_estimate nannyml [--nannyml PYTHON]

Learners run once for each stream and delay; with --keep their probabilities are kept in a folder. Windows of
1,000 rows are judged at their end with the labels that have come by then, from the first label on.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.isotonic import IsotonicRegression

from benchmarks import arrays
from thalweg.evaluation import prequential
from thalweg.evaluation.arrivals import Arrivals
from thalweg.learners import registry
from thalweg.trust import AccuracyEstimate
from thalweg.trust.followed_labels import NEVER, FollowedLabels

STREAMS = ("elec2", "weather", "insects", "covtype", "gmsc")
LEARNERS = ("AdaptiveStacking", "AdaptiveRandomForest")
RIVALS = ("last known", "confidence", "CBPE", "CBPE refitted", "refitted, labels counted")
WINDOW, REFERENCE = 1000, 5000


def said(name, stream, delay, share, options):
    """Return the probabilities of a learner, and the codes of the labels."""
    rows = arrays.load(stream, options.data)
    X, codes = rows.X[: options.rows], rows.codes[: options.rows]
    kind = f"share{100 * share:.0f}" if share < 1 else f"{delay}"
    path = None if options.keep is None else Path(options.keep) / f"{name}-{stream}-{kind}.npy"
    if path is not None and path.exists():
        return np.load(path), codes
    learner = registry.load(name)()
    if "random_state" in learner.get_params():
        learner.set_params(random_state=options.seed)
    run = prequential((X, codes), learner, delay=delay, label_share=share, seed=0)
    if path is not None:
        np.save(path, run.probabilities)
    return run.probabilities, codes


def rivals(p, codes, comes, ends):
    """Return what each rival says of the accuracy of the windows that end at these rows."""
    sure, right, found = p.max(axis=1), p.argmax(axis=1) == codes, []
    first = None
    for end in ends:
        known = np.flatnonzero(comes[:end] < end)
        known = known[np.argsort(comes[known], kind="stable")]
        window = slice(end - WINDOW, end)
        if first is None or len(known) <= REFERENCE:
            first = calibrator(sure, right, known[:REFERENCE])
        latest = calibrator(sure, right, known[-REFERENCE:])
        again = latest(sure[window])
        here = comes[window] < end
        counted = np.where(here, right[window], again)
        found.append([
            right[known[-WINDOW:]].mean(), sure[window].mean(), first(sure[window]).mean(), again.mean(),
            counted.mean(),
        ])  # fmt: skip
    return np.array(found).T


def calibrator(sure, right, rows):
    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return fitted.fit(sure[rows], right[rows].astype(float)).predict


def judge(p, codes, comes):
    """Return the errors of all rivals and of the estimate in points, and which intervals hold."""
    estimate = AccuracyEstimate()
    FollowedLabels(estimate).add(p, codes, comes)
    windows = estimate.estimates()
    kept = ~np.isnan(windows.said) & (windows.stop > comes.min())
    ends = windows.stop[kept]
    right = (p.argmax(axis=1) == codes).astype(float)
    truth = np.array([right[end - WINDOW : end].mean() for end in ends])
    guesses = [*rivals(p, codes, comes, ends), windows.said[kept]]
    low, high = windows.said_low[kept] - 1e-9, windows.said_high[kept] + 1e-9
    half = np.median(high - low) * 50
    return [100 * np.abs(each - truth).mean() for each in guesses], (low <= truth) & (truth <= high), half


def table(delay, share, options):
    """Print a line for each stream and learner, and the means."""
    line("stream", *RIVALS, "estimate", "intervals that hold", "median half-width")
    line(*["---"] * (len(RIVALS) + 4))
    for name in options.learners:
        errors, covered = [], []
        for stream in options.streams or STREAMS:
            p, codes = said(name, stream, delay, share, options)
            comes = Arrivals(delay, share, 0).of(0, len(codes))
            off, holds, half = judge(p, codes, np.where(comes == NEVER, NEVER, comes))
            numbers = [f"{each:.2f}" for each in off]
            line(f"{stream}, {name}", *numbers, f"{100 * holds.mean():.1f} %", f"{half:.1f}")
            errors.append(off)
            covered.append(holds)
        pooled = np.concatenate(covered).mean()
        means = [f"**{each:.2f}**" for each in np.mean(errors, axis=0)]
        line(f"**mean, {name}**", *means, f"{100 * pooled:.1f} %", "")


def late(options):
    """Labels 48 and 1,000 rows late."""
    for delay in (48, 1000):
        print(f"\nLabels {delay:,} rows late:\n")
        table(delay, 1.0, options)


def share(options):
    """One label of ten comes, at once."""
    print("\n10 % of the labels:\n")
    table(0, 0.1, options)


def speed(options):
    """Processor time a row, least of five passes, at seven classes."""
    rng = np.random.default_rng(0)
    p, codes = rng.dirichlet(np.ones(7), size=50_000), rng.integers(7, size=50_000)
    line("labels", "µs a row")
    line("---", "---")
    for delay in (0, 48, 1000):
        taken = []
        for _ in range(5):
            followed = FollowedLabels(AccuracyEstimate())
            begin = time.process_time()
            followed.add(p, codes, np.arange(50_000) + delay)
            taken.append(time.process_time() - begin)
        line(f"{delay:,} rows late", f"{1e6 * min(taken) / 50_000:.2f}")


def nannyml(options):
    """Print errors of NannyML's CBPE beside ours and the last known accuracy, windows after the reference."""
    python = options.nannyml or sys.executable
    probe = subprocess.run([python, "-c", "import nannyml"], capture_output=True, text=True, check=False)
    if probe.returncode:
        print(f"skipped: {python} cannot import nannyml ({probe.stderr.strip().splitlines()[-1]})")
        return
    line("stream, late", "windows", "last known", "NannyML", "estimate")
    line(*["---"] * 5)
    for delay in (48, 1000):
        for name in options.learners:
            for stream in options.streams or STREAMS:
                p, codes = said(name, stream, delay, 1.0, options)
                cells = beside_nannyml(p, codes, Arrivals(delay, 1.0, 0).of(0, len(codes)), python)
                line(f"{stream}, {name}, {delay:,}", *cells)


def beside_nannyml(p, codes, comes, python):
    """Return the number of windows behind the reference, and the mean errors in points."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        np.savez(path, p=p / p.sum(axis=1, keepdims=True), codes=codes)
        script = Path(__file__).with_name("nannyml_cbpe.py")
        command = [python, script, path, str(REFERENCE), str(WINDOW)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs = np.array(json.loads(done.stdout.splitlines()[-1]))
    estimate = AccuracyEstimate()
    FollowedLabels(estimate).add(p, codes, comes)
    windows = estimate.estimates()
    kept = ~np.isnan(windows.said) & (windows.stop > REFERENCE)  # not the last window, if it is not over
    ends, ours = windows.stop[kept], windows.said[kept]
    theirs = theirs[: len(ends)]
    right = (p.argmax(axis=1) == codes).astype(float)
    truth = np.array([right[end - WINDOW : end].mean() for end in ends])
    known = rivals(p, codes, comes, ends)[0]
    return [len(ends), *(f"{100 * np.abs(each - truth).mean():.2f}" for each in (known, theirs, ours))]


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("parts", nargs="+", choices=("late", "share", "speed", "nannyml"))
    parser.add_argument("--streams", nargs="*")
    parser.add_argument("--learners", nargs="+", default=LEARNERS)
    parser.add_argument("--rows", type=int, default=45_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--nannyml", metavar="PYTHON", help="an interpreter that has NannyML; else this one")
    parser.add_argument("--data", type=Path, default=arrays.DATA)
    options = parser.parse_args()
    for part in options.parts:
        globals()[part](options)


if __name__ == "__main__":
    main()
