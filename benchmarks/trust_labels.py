"""Which rows to label: LabelBudget beside random choice and published strategies, under the same cap.

    python -m benchmarks.trust_labels measure --out labels.csv [--rows 20000] [--seeds 1 2]
    python -m benchmarks.trust_labels table --out labels.csv
    python -m benchmarks.trust_labels moa
    python -m benchmarks.trust_labels river
    python -m benchmarks.trust_labels speed

`measure` adds a line to the CSV for each run that it does not have yet; `table` prints Markdown.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import arrays, loops
from thalweg.evaluation import metrics, prequential
from thalweg.learners import AdaptiveRandomForest, AdaptiveStacking, HoeffdingTree, LogisticMixture
from thalweg.streams import from_arrays
from thalweg.trust import LabelBudget

STREAMS = ("elec2", "weather", "insects", "covtype", "gmsc", "powersupply", "keystroke", "usenet1")
LEARNERS = {
    "LogisticMixture": lambda seed: LogisticMixture(),
    "AdaptiveRandomForest": lambda seed: AdaptiveRandomForest(random_state=seed),
    "AdaptiveStacking (small)": lambda seed: AdaptiveStacking(size="small", random_state=seed),
}
FIELDS = ("learner", "stream", "share", "strategy", "seed", "accuracy", "asked", "allowed")
ADVANCE = 1000  # rows whose labels may be asked for ahead, by all


class Capped:
    """A strategy that never asks for more than share × (rows + 1,000) labels."""

    def __init__(self, share, seed):
        self.share, self.advance = share, ADVANCE
        self.rng = np.random.default_rng(seed)
        self.n_rows = self.n_asked = 0

    def ask_one(self, p):
        """Return whether to ask for the label of a row, and 1 if so: these strategies know no chance."""
        self.n_rows += 1
        may = self.share * (self.n_rows + ADVANCE) - self.n_asked >= 1
        asked = bool(may and self.wants(p))
        self.n_asked += asked
        return asked, float(asked)

    def wants(self, p):
        """Return whether the strategy would ask."""
        return self.rng.random() < self.share


class Spending(Capped):
    """A strategy of Žliobaitė et al. 2014: it estimates its spending over the last 100 rows."""

    def __init__(self, share, seed):
        super().__init__(share, seed)
        self.spent, self.threshold = 0.0, 1.0

    def ask_one(self, p):
        """Return whether to ask for the label of a row."""
        asked, chance = super().ask_one(p)
        self.spent = 0.99 * self.spent + asked
        return asked, chance

    def wants(self, p):
        """Ask below a threshold that falls when it asks and rises when not, within the spending."""
        return self.spent / 100 < self.share and self.is_uncertain(p)

    def is_uncertain(self, p, factor=1.0):
        """Compare the largest probability with the threshold times a factor; adapt the threshold."""
        asks = np.max(p, initial=0.0) < self.threshold * factor
        self.threshold *= 0.99 if asks else 1.01
        return asks


class RandVar(Spending):
    """Var with a threshold times a normal number of mean 1 and variance 1."""

    def is_uncertain(self, p, factor=1.0):
        return super().is_uncertain(p, self.rng.normal(1.0, 1.0))


class Split(Spending):
    """Var, and a fifth of the rows at random."""

    def is_uncertain(self, p, factor=1.0):
        if self.rng.random() < 0.2:
            return self.rng.random() < self.share
        return super().is_uncertain(p, factor)


class Entropy(Capped):
    """What River's `EntropySampler` does: ask with the chance (entropy / largest entropy)³."""

    def wants(self, p):
        found = [each for each in p if each > 0]
        largest = math.log2(len(found)) if len(found) > 1 else 1.0
        entropy = -sum(each * math.log2(each) for each in found)
        return self.rng.random() < (entropy / largest) ** 3


STRATEGIES = {
    "LabelBudget": lambda share, seed: LabelBudget(share, random_state=seed),
    "random+": lambda share, seed: LabelBudget(share, random_share=1.0, random_state=seed),
    "random": Capped,
    "Var": Spending,
    "Split": Split,
    "RandVar": RandVar,
    "River": Entropy,
}
MOA = {"Var": "VarUncertainty", "RandVar": "RandVarUncertainty", "selective": "SelSampling"}


def measure(options):
    """Run what the CSV does not have yet."""
    done = {tuple(line[:5]) for line in read(options.out)}
    if not options.out.exists():
        write(options.out, FIELDS)
    streams = {name: first(arrays.load(name, options.data), options.rows) for name in options.streams}
    for strategy in options.strategies:
        for learner in options.learners:
            for name, stream in streams.items():
                for share in options.shares:
                    for seed in options.seeds:
                        key = learner, name, str(share), strategy, str(seed)
                        if key not in done:
                            write(options.out, (*key, *result(stream, learner, strategy, share, seed)))


def result(stream, learner, strategy, share, seed):
    """Return the accuracy over all rows in percent, and how many labels were asked for and allowed."""
    budget = STRATEGIES[strategy](share, seed)
    run = prequential(stream, LEARNERS[learner](seed), label_budget=budget, seed=seed)
    found = run.asked_labels
    return f"{100 * metrics.accuracy(run):.4f}", found.asked, f"{found.allowed:.2f}"


def first(rows, n):
    return from_arrays(rows.X[:n], rows.codes[:n])


def read(path):
    """Return the lines of the CSV, without its head."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def write(path, line):
    with open(path, "a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(line)


def table(options):
    """Print mean accuracies and spending by learner and share, then LabelBudget - random+ by stream."""
    lines = [dict(zip(FIELDS, line, strict=True)) for line in read(options.out)]
    found = {tuple(line[name] for name in FIELDS[:5]): line for line in lines}
    heads = [name for name in STRATEGIES if any(line["strategy"] == name for line in lines)]
    print("| learner, share |", " | ".join(heads), "| ahead of random+ | of random | least on a stream |")
    print("|---" * (len(heads) + 4) + "|")
    for learner in LEARNERS:
        for share in sorted({line["share"] for line in lines}, key=float):
            means = {each: mean(found, learner, share, each) for each in heads}
            if means.get("LabelBudget"):
                gains = [gain(found, learner, share, rival) for rival in ("random+", "random")]
                cells = [f"{means[each]:.2f}" if means[each] else "–" for each in heads]
                least = min(gains[0].items(), key=lambda item: np.mean(item[1]), default=("–", [np.nan]))
                cells += [spread([gain for gains in each.values() for gain in gains]) for each in gains]
                print(f"| {learner} {float(share):.0%} |", " | ".join(cells), end=" ")
                print(f"| {np.mean(least[1]):+.2f} ({least[0]}) |")
    spending(lines, heads)


def mean(found, learner, share, strategy):
    """Return the mean accuracy over streams and seeds; None if there is none."""
    seen = [float(line["accuracy"]) for key, line in found.items()
            if (key[0], key[2], key[3]) == (learner, share, strategy)]
    return float(np.mean(seen)) if seen else None


def gain(found, learner, share, rival):
    """Return how far LabelBudget is ahead of a rival, by stream, for each seed."""
    ahead = {}
    for key, line in found.items():
        other = found.get((*key[:3], rival, key[4]))
        if (key[0], key[2], key[3]) == (learner, share, "LabelBudget") and other:
            ahead.setdefault(key[1], []).append(float(line["accuracy"]) - float(other["accuracy"]))
    return ahead


def spread(values):
    if not len(values):
        return "–"
    return f"{np.mean(values):+.2f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2f}"


def spending(lines, heads):
    """Print the share of what is allowed that was spent, in percent: mean and least."""
    print("\nSpent of what is allowed, mean and least:", end=" ")
    parts = []
    for name in heads:
        own = [each for each in lines if each["strategy"] == name]
        used = [100 * float(each["asked"]) / float(each["allowed"]) for each in own]
        parts.append(f"{name} {np.mean(used):.1f} % ({min(used):.1f})")
    print("; ".join(parts) + ".")


def moa(options):
    """Print accuracies of MOA's ALUncertainty and of LabelBudget, both around a HoeffdingTree, and labels."""
    print("| stream, share | LabelBudget | random+ |", " | ".join(f"MOA {name}" for name in MOA), "|")
    print("|---" * (len(MOA) + 3) + "|")
    for name in options.streams:
        rows = arrays.load(name, options.data)
        stream = first(rows, options.rows)
        for share in options.shares:
            cells = []
            for strategy in ("LabelBudget", "random+"):
                run = prequential(stream, HoeffdingTree(), label_budget=STRATEGIES[strategy](share, 1))
                cells.append(f"{100 * metrics.accuracy(run):.2f} ({run.asked_labels.asked})")
            for strategy in MOA.values():
                found = answer_of_moa(rows, options.rows, strategy, share)
                cells.append(f"{100 * found['correct'] / found['rows']:.2f} ({found['labels']})")
            print(f"| {name} {share:.0%} |", " | ".join(cells), "|", flush=True)


def answer_of_moa(rows, n, strategy, share):
    """Return what MoaLoop says of one pass."""
    command = f"active.ALUncertainty -l trees.HoeffdingTree -d {strategy} -b {share}"
    jar, classes = loops.moa_classes()
    counts = ",".join(map(str, [*rows.n_categories, rows.n_classes]))
    with tempfile.TemporaryDirectory() as folder:
        cells = Path(folder) / "rows.doubles"
        np.column_stack([rows.X, rows.codes])[:n].astype("<f8").tofile(cells)
        java = ["java", "-Xss10M", *loops.measuring(jar), "-cp", f"{jar}{os.pathsep}{classes}", "MoaLoop"]
        done = subprocess.run(
            [*java, cells, counts, command], input="600 1\n", capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout.splitlines()[-1])


def river(options):
    """Print River's EntropySampler beside LabelBudget with as many labels, all around a Hoeffding tree.

    River's strategy has no budget: it asks for as many labels as its discount factor leads to.
    """
    print("| stream, discount | River (labels) | LabelBudget | random+ |")
    print("|---|---|---|---|")
    for name in options.streams:
        rows = arrays.load(name, options.data)
        stream = first(rows, options.rows)
        n = min(len(rows.X), options.rows)
        for discount in (3, 20):
            found = answer_of_river(rows, n, discount)
            share = min(max(found["labels"] / (n + ADVANCE), 1e-4), 1.0)
            cells = []
            for strategy in ("LabelBudget", "random+"):
                run = prequential(stream, HoeffdingTree(), label_budget=STRATEGIES[strategy](share, 1))
                cells.append(f"{100 * metrics.accuracy(run):.2f} ({run.asked_labels.asked})")
            theirs = f"{100 * found['correct'] / found['rows']:.2f} ({found['labels']})"
            print(f"| {name} {discount} | {theirs} |", " | ".join(cells), "|", flush=True)


def answer_of_river(rows, n, discount):
    """Return what river_active.py says of the first `n` rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, np.column_stack([rows.X, rows.codes])[:n])
        script = Path(__file__).with_name("river_active.py")
        command = [loops.river_python(), script, path, str(discount)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def speed(options):
    """Print microseconds of processor time a row of `ask`, least of nine passes."""
    print("| classes | µs a row in a block | µs of ask_one |\n|---|---|---|")
    for n_classes in (2, 7, 40):
        p = np.random.default_rng(1).dirichlet(np.ones(n_classes), 20_000)
        block, one = [], []
        for _ in range(9):
            budget, start = LabelBudget(), time.process_time()
            budget.ask(p)
            block.append((time.process_time() - start) / len(p))
            start = time.process_time()
            for row in p[:2000]:
                budget.ask_one(row)
            one.append((time.process_time() - start) / 2000)
        print(f"| {n_classes} | {1e6 * min(block):.2f} | {1e6 * min(one):.1f} |")


PARTS = {each.__name__: each for each in (measure, table, moa, river, speed)}


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--out", type=Path, default=Path("labels.csv"), help="CSV of the results")
    parser.add_argument("--streams", nargs="+", default=STREAMS)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
    parser.add_argument("--strategies", nargs="+", default=list(STRATEGIES), choices=STRATEGIES)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.05, 0.1])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rows", type=int, default=20_000, help="of each stream, at most")
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    options = parser.parse_args()
    for part in options.parts:
        PARTS[part](options)


if __name__ == "__main__":
    main()
