"""AdaptiveStacking beside its members: real streams, late labels, generators, wrong labels, leaving one out.

    python -m benchmarks.stacking real sizes --seeds 1 2 3
    python -m benchmarks.stacking late generators worth costs speed [--rows 20000] [--streams elec2 …]
    python -m benchmarks.stacking trivial --seeds 1 2 [--delay 20]

Each part prints a Markdown table line by line.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.base import clone

import thalweg
from benchmarks import arrays, hard_labels, stacking_streams
from benchmarks.calibration import measures
from benchmarks.real_streams import REFERENCE
from thalweg.evaluation import metrics, prequential
from thalweg.learners import AdaptiveStacking, LabelChain, LogisticMixture, MajorityClass, NoChange
from thalweg.learners.stacking.default_members import SIZES
from thalweg.streams import from_arrays

DELAYS = {"0": 0, "1": 1, "48": 48, "1000": 1000, "poisson(100)": stats.poisson(100), "10 % of labels": 0}
LATE = ("elec2", "weather", "covtype", "powersupply", "sea")
TRIVIAL = {"majority": MajorityClass, "last label": NoChange, "label chain": LabelChain}


def seeded(learner, seed):
    """Return the learner with all its seeds set."""
    names = [name for name in learner.get_params() if name.endswith("random_state")]
    return learner.set_params(**dict.fromkeys(names, seed))


def members(n_features, seed, size="large"):
    """Return the default members by name."""
    stack = AdaptiveStacking(size=size).begin(n_features, [0, 1])
    made = [seeded(clone(each), seed) for each in stack.members_]
    return dict(zip(stack.member_names_, made, strict=True))


def answers(learner, X, codes, n_classes):
    """Return each row's probabilities before it was learned."""
    learner.begin(X.shape[1], np.arange(n_classes))
    return learner.test_then_train_coded(X, codes)


def percent(p, codes):
    return 100 * float(np.mean(p.argmax(axis=1) == codes))


def log_loss(p, codes):
    return float(-np.log(np.maximum(p[np.arange(len(codes)), codes], 1e-3 / p.shape[1])).mean())


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells):
    line(*cells)
    line(*["---"] * len(cells))


def real(options):
    """Accuracy, and log-loss, Brier score and calibration error: the stack's · the best of any member's.

    Accuracies are means over the seeds, the rest is of the first. The log-loss takes no probability for less
    than a thousandth, shared by the classes. The rank is that among the members and all peers recorded.
    """
    peers = recorded(options.reference)
    losses = "log-loss", "Brier", "calibration error"
    header("stream", *TRIVIAL, "chain of 3", "best peer", "best member", "stack", "rank", *losses)
    for name in options.streams or arrays.REAL:
        rows = cut(arrays.load(name, options.data), options.rows)
        given = rows.X, rows.codes, rows.n_classes
        trivial = [percent(answers(kind(), *given), rows.codes) for kind in TRIVIAL.values()]
        trivial.append(percent(answers(LabelChain(order=3), *given), rows.codes))
        each = {}
        for member, learner in members(rows.X.shape[1], options.seeds[0]).items():
            p = answers(learner, *given)
            each[member] = percent(p, rows.codes), log_loss(p, rows.codes), *measures(p, rows.codes)[1:]
        best = max(each, key=lambda member: each[member][0])
        least = np.min([figures[1:] for figures in each.values()], axis=0)
        found = [answers(AdaptiveStacking(random_state=seed), *given) for seed in options.seeds]
        right = [percent(p, rows.codes) for p in found]
        own = log_loss(found[0], rows.codes), *measures(found[0], rows.codes)[1:]
        pairs = [f"{a:.3f} · {b:.3f}" for a, b in zip(own, least, strict=True)]
        spread = f" ± {np.std(right):.2f}" if len(right) > 1 else ""
        shown = [f"{figure:.1f}" for figure in trivial]
        others = [*peers[arrays.REAL[name]], *(figures[0] for figures in each.values())]
        shown += [f"{max(peers[arrays.REAL[name]]):.2f}", f"{each[best][0]:.2f} {best}"]
        rank = 1 + sum(other > np.mean(right) for other in others)
        line(name, *shown, f"{np.mean(right):.2f}{spread}", rank, *pairs)


def recorded(path):
    """Return the accuracies of all peers by file, in percent."""
    found = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["file"], []).append(100 * float(row["accuracy"]))
    return found


def cut(rows, most):
    """Return the first rows."""
    return arrays.Rows(rows.X[:most], rows.codes[:most], rows.n_categories) if most else rows


def late(options):
    """Accuracy where labels come late or not at all, beside the best member's at that delay."""
    header("stream, delay in rows", *TRIVIAL, "best member", "stack", "ahead by")
    for name in options.streams or LATE:
        rows = cut(arrays.load(name, options.data), options.rows)
        stream = from_arrays(rows.X, rows.codes)
        for words, delay in DELAYS.items():
            settings = {"delay": delay, "label_share": 0.1 if "%" in words else 1.0, "seed": options.seeds[0]}
            learners = members(rows.X.shape[1], options.seeds[0], options.size)
            learners |= {"stack": AdaptiveStacking(size=options.size, random_state=options.seeds[0])}
            learners |= {each: kind() for each, kind in TRIVIAL.items()}
            right = {
                each: 100 * metrics.accuracy(prequential(stream, learner, **settings))
                for each, learner in learners.items()
            }
            trivial, stack = [f"{right.pop(each):.1f}" for each in TRIVIAL], right.pop("stack")
            best = max(right, key=right.get)
            shown = f"{right[best]:.2f} {best}", f"{stack:.2f}", f"{stack - right[best]:+.2f}"
            line(f"{name}, {words}", *trivial, *shown)


def generators(options):
    """Accuracy on the labels before any was flipped, and how soon after an abrupt change it is back.

    A learner is back when the mean over 100 rows reaches 95 % of the accuracy that the best member has in the
    second thousand of rows after the change; all changes and seeds together.
    """
    header("stream", "flipped", "best member", "stack", "ahead by", "recovers: fastest member · stack")
    for name in options.streams or stacking_streams.NAMES:
        for share in (0.0, 0.1, 0.2):
            right, curves = {}, {}
            for seed in options.seeds:
                X, codes, drifts = stacking_streams.made(name, seed, options.rows or 20_000)
                labels = stacking_streams.flipped(codes, share, seed)
                learners = members(X.shape[1], seed) | {"stack": AdaptiveStacking(random_state=seed)}
                for each, learner in learners.items():
                    good = answers(learner, X, labels, int(codes.max()) + 1).argmax(axis=1) == codes
                    right.setdefault(each, []).append(100 * good.mean())
                    curves.setdefault(each, []).extend(good[row : row + 2000] for row in drifts)
            mean = {each: float(np.mean(figures)) for each, figures in right.items()}
            stack = mean.pop("stack")
            best = max(mean, key=mean.get)
            times = recovery({each: np.mean(found, axis=0) for each, found in curves.items() if found})
            shown = [f"{mean[best]:.2f} {best}", f"{stack:.2f}", f"{stack - mean[best]:+.2f}", times]
            line(name, f"{100 * share:.0f} %", *shown)


def trivial(options):
    """Rows that the best trivial learner is ahead of the stack, where labels tell most or nothing does.

    The most over the seeds, and in brackets two standard errors of that difference.
    """
    header("stream", "best trivial learner: %", *SIZES)
    for name in options.streams or hard_labels.NAMES:
        gaps, best = {size: [] for size in SIZES}, []
        for seed in options.seeds:
            X, codes = hard_labels.made(name, seed, options.rows or 20_000)
            stream = from_arrays(X, codes, classes=list(range(int(codes.max()) + 1)))
            runs = [prequential(stream, kind(), delay=options.delay) for kind in TRIVIAL.values()]
            right = max((run.probabilities.argmax(axis=1) == codes for run in runs), key=np.sum)
            best.append(100 * right.mean())
            for size in SIZES:
                run = prequential(stream, AdaptiveStacking(size=size, random_state=seed), delay=options.delay)
                own = run.probabilities.argmax(axis=1) == codes
                gaps[size].append((int(right.sum() - own.sum()), 2 * np.sqrt((right != own).sum())))
        line(name, f"{np.mean(best):.2f}", *["{:d} ({:.0f})".format(*max(gaps[size])) for size in SIZES])


def recovery(curves):
    """Return in words after how many rows the fastest member and the stack are back."""
    if not curves:
        return "–"
    settled = max(curve[1000:].mean() for each, curve in curves.items() if each != "stack")
    times = {}
    for each, curve in curves.items():
        reached = np.convolve(curve, np.full(100, 0.01), "valid") >= 0.95 * settled
        times[each] = int(np.argmax(reached)) + 100 if reached.any() else len(curve)
    stack = times.pop("stack")
    quickest = min(times, key=times.get)
    return f"{times[quickest]} {quickest} · {stack}"


def worth(options):
    """What the stack loses without one of its members, in points."""
    names = options.streams or list(arrays.REAL)
    header("without", *names, "mean")
    streams = [cut(arrays.load(name, options.data), options.rows or 10_000) for name in names]
    given = [(rows.X, rows.codes, rows.n_classes) for rows in streams]
    seed = options.seeds[0]
    kinds = list(members(1, seed))
    whole = [percent(answers(AdaptiveStacking(random_state=seed), *each), each[1]) for each in given]
    line("(all)", *[f"{figure:.2f}" for figure in whole], f"{np.mean(whole):.2f}")
    for kind in kinds:
        losses = []
        for each, figure in zip(given, whole, strict=True):
            left = members(each[0].shape[1], seed)
            if left.pop(kind, None) is not None:
                p = answers(AdaptiveStacking(list(left.values()), random_state=seed), *each)
                losses.append(figure - percent(p, each[1]))
            else:
                losses.append(None)
        known = [loss for loss in losses if loss is not None]
        line(kind, *["–" if loss is None else f"{loss:+.2f}" for loss in losses], f"{np.mean(known):+.2f}")


def sizes(options):
    """Accuracy, microseconds of processor time a row in one thread, and megabytes at the end, by size."""
    header("stream", *TRIVIAL, *[f"{size}: %, µs, MB" for size in SIZES])
    for name in options.streams or [*arrays.REAL, "sea", "rbf"]:
        rows = cut(arrays.load(name, options.data), options.rows)
        given = rows.X, rows.codes, rows.n_classes
        cells = [f"{percent(answers(kind(), *given), rows.codes):.2f}" for kind in TRIVIAL.values()]
        for size in SIZES:
            right, times = [], []
            for seed in options.seeds:
                learner, start = AdaptiveStacking(size=size, random_state=seed), time.process_time()
                right.append(percent(answers(learner, *given), rows.codes))
                times.append((time.process_time() - start) / len(rows.X))
            spread = f" ± {np.std(right):.2f}" if len(right) > 1 else ""
            megabytes = learner.n_bytes_ / 1e6
            cells.append(f"{np.mean(right):.2f}{spread}, {1e6 * min(times):.1f}, {megabytes:.1f}")
        line(name, *cells)


def costs(options):
    """Accuracy, microseconds a row in one thread and megabytes of each member of the large size by itself."""
    names = options.streams or ["elec2", "covtype", "sea", "insects"]
    header("member", "sizes", *[f"{name}: %, µs, MB" for name in names])
    streams = [cut(arrays.load(name, options.data), options.rows) for name in names]
    kinds = {size: members(1, 1, size) for size in SIZES}
    for member in dict.fromkeys(each for size in SIZES for each in kinds[size]):
        cells = []
        for rows in streams:
            size = next(size for size in reversed(SIZES) if member in kinds[size])
            learner = members(rows.X.shape[1], options.seeds[0], size)[member]
            start = time.process_time()
            right = percent(answers(learner, rows.X, rows.codes, rows.n_classes), rows.codes)
            taken = 1e6 * (time.process_time() - start) / len(rows.X)
            size_now = len(thalweg.to_bytes(learner)) / 1e6
            cells.append(f"{right:.2f}, {taken:.2f}, {size_now:.2f}")
        line(member, ", ".join(size for size in SIZES if member in kinds[size]), *cells)


def speed(options):
    """Rows a second of CPU time in one thread, of `LogisticMixture` too; seconds in one and two threads."""
    header("stream", "stack", "LogisticMixture", "one thread, s", "two threads, s", "ratio")
    for name in options.streams or [*arrays.REAL, "sea", "rbf"]:
        rows = cut(arrays.load(name, options.data), options.rows)
        given = rows.X, rows.codes, rows.n_classes
        n, start = len(rows.X), time.process_time()
        answers(AdaptiveStacking(), *given)
        stack, start = time.process_time() - start, time.process_time()
        answers(LogisticMixture() if rows.X.shape[1] <= 100 else members(101, 1)["LinearLogistic"], *given)
        mixture, seconds = time.process_time() - start, []
        for n_jobs in (1, 2):
            start = time.perf_counter()
            answers(AdaptiveStacking(n_jobs=n_jobs), *given)
            seconds.append(time.perf_counter() - start)
        times = [f"{each:.2f}" for each in seconds]
        line(name, f"{n / stack:,.0f}", f"{n / mixture:,.0f}", *times, f"{seconds[0] / seconds[1]:.2f}")


PARTS = {each.__name__: each for each in (real, sizes, late, trivial, generators, worth, costs, speed)}


def main():
    """Print the tables the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--streams", nargs="+")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--size", choices=SIZES, default="large", help="of the stack in `late`")
    parser.add_argument("--rows", type=int, help="of each stream, at most")
    parser.add_argument("--delay", type=int, default=0, help="of the labels in `trivial`, in rows")
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="CSV of the peers' accuracies")
    options = parser.parse_args()
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
