"""LiveWatch: what it costs, how often it gives false alarms, and the picture of docs/live_page.md.

`python -m benchmarks.live_watch cost` prints the processor time of LiveWatch a row, beside that of learners
on the same rows in the same blocks. `python -m benchmarks.live_watch alarms 200` prints how many streams
without change get an alarm. `python -m benchmarks.live_watch picture FOLDER docs/images/live_page.svg`
follows LogisticMixture on elec2.arff of this folder, with labels 500 rows late.
"""

import sys
import time
from pathlib import Path

import numpy as np

from thalweg.learners import LogisticMixture, NaiveBayes
from thalweg.live.pages.charts import accuracy_svg
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.streams import from_file

SHAPES = ((20, 2, 1.0, 1000), (20, 2, 1.0, 100), (20, 2, 1.0, 10), (139, 12, 0.1, 1000))
N_ROWS, DELAY = 50_000, 1000
STILL_ROWS, STILL_INPUTS, ACCURACY = 20_000, 10, 0.8
LATE = 500


def events(n, n_inputs, n_classes, seed):
    """Return rows, probabilities that are right, answers and labels."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.4), size=n)
    codes = (rng.random((n, 1)) > np.cumsum(p, axis=1)).sum(axis=1).clip(0, n_classes - 1)
    return rng.normal(size=(n, n_inputs)), p, p.argmax(axis=1), codes


def follow(watch, X, p, answers, codes, delay, share=1.0, block=1000):
    """Tell a watch of rows in blocks, and of labels `delay` rows later."""
    labelled = np.flatnonzero(np.random.default_rng(1).random(len(X)) < share)
    for start in range(0, len(X), block):
        part = slice(start, min(len(X), start + block))
        watch.predicted(float(start), X[part], p[part], answers[part])
        late = labelled[slice(*np.searchsorted(labelled, [part.start - delay, part.stop - delay]))]
        watch.learned(float(start), answers[late], codes[late], part.stop - 1 - late, float(delay))


def cost():
    """Print processor time a row."""
    print("| inputs | classes | labels | rows a block | LiveWatch, µs a row | NaiveBayes | LogisticMixture |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for n_inputs, n_classes, share, block in SHAPES:
        X, p, answers, codes = events(N_ROWS, n_inputs, n_classes, 0)
        watch, started = LiveWatch(n_inputs), time.process_time()
        follow(watch, X, p, answers, codes, DELAY, share, block)
        watch.snapshot()
        times = [(time.process_time() - started) / N_ROWS]
        for learner in (NaiveBayes(), LogisticMixture()):
            learner.begin(n_inputs, list(range(n_classes)))
            started, n = time.process_time(), N_ROWS // 5
            for start in range(0, n, block):
                learner.test_then_train_coded(X[start : start + block], codes[start : start + block])
            times.append((time.process_time() - started) / n)
        shown = " | ".join(f"{1e6 * each:.1f}" for each in times)
        print(f"| {n_inputs} | {n_classes} | {share:.0%} | {block:,} | {shown} |", flush=True)


def alarms(n_streams):
    """Print the share of streams without change that get an alarm about inputs, and about accuracy."""
    found = np.zeros(2, dtype=int)
    for seed in range(n_streams):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(STILL_ROWS, STILL_INPUTS))
        codes = rng.integers(0, 2, STILL_ROWS)
        answers = np.where(rng.random(STILL_ROWS) < ACCURACY, codes, 1 - codes)
        p = np.where(np.eye(2)[answers] > 0, ACCURACY, 1 - ACCURACY)
        watch = LiveWatch(STILL_INPUTS)
        follow(watch, X, p, answers, codes, 100, block=STILL_ROWS // 4)
        seen = watch.snapshot()
        found += [seen["drift"]["n_episodes"] > 0, seen["alarm"]["n_episodes"] > 0]
    shares = [f"{each}: {n} of {n_streams}" for each, n in zip(("inputs", "accuracy"), found, strict=True)]
    print(", ".join(shares))


def picture(data, path):
    """Write the picture, and print what the page says."""
    stream = from_file(Path(data) / "elec2.arff")
    X, labels = next(stream.blocks(50_000))
    place = {label: code for code, label in enumerate(np.asarray(stream.classes).tolist())}
    codes = np.array([place[label] for label in labels.tolist()])
    learner, watch = LogisticMixture().begin(X.shape[1], stream.classes), LiveWatch(X.shape[1])
    p = np.empty((len(X), len(stream.classes)))
    for start in range(0, len(X), 50):
        part, late = slice(start, start + 50), slice(max(0, start - LATE), max(0, start - LATE + 50))
        p[part] = learner.predict_proba_block(X[part])
        learner.test_then_train_coded(X[late], codes[late])
    follow(watch, X, p, p.argmax(axis=1), codes, LATE, block=50)
    found = watch.snapshot()
    Path(path).write_text(accuracy_svg(found) + "\n", encoding="utf-8")
    print(found["accuracy"]["all"], found["estimate"]["now"], found["alarm"]["episodes"], sep="\n")


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "cost":
        cost()
    elif command == "alarms":
        alarms(int(arguments[0]))
    else:
        picture(*arguments)
