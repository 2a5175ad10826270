"""Ours, MOA, River and Vowpal Wabbit on the same arrays in one run, taking turns."""

import argparse
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from benchmarks import arrays, kept, loops
from benchmarks.methods import METHODS

SIDES = {
    "ours": lambda rows_file, method: loops.thalweg(rows_file, method, 0),
    "ours_by_1000": lambda rows_file, method: loops.thalweg(rows_file, method, 1000),
    "moa": lambda rows_file, method: method.moa and loops.moa(rows_file, method),
    "river": lambda rows_file, method: method.river and loops.river(rows_file, method),
    "vw": lambda rows_file, method: method.vw and loops.vw(rows_file, method),
}


def measure(name, stream, rows_file, sides, repeat, seconds):
    """Return accuracy and rows a CPU second of every side; the sides take turns `repeat` times."""
    result = {"learner": name, "stream": stream, "code": kept.code()}
    for _ in range(repeat):
        for side in sides:
            loop = SIDES[side](rows_file, METHODS[name])
            if loop:
                last, rate = turn(loop, seconds)
                found = result.setdefault(side, {"rates": []})
                found.update(rows=last["rows"], accuracy=last["correct"] / last["rows"])
                found.update({key: last[key] for key in ("correct_after", "bytes") if key in last})
                found["rates"].append(rate)
    return result


def needed(name, sides):
    """Return those of the sides that have the method."""
    return [side for side in sides if side.startswith("ours") or getattr(METHODS[name], side)]


def there(sides):
    """Return the sides whose library is there or can be fetched; say which are skipped, and why."""
    found, needs = [], {"moa": loops.moa_classes, "river": loops.river_python, "vw": loops.vw_python}
    for side in sides:
        try:
            needs.get(side, lambda: None)()
            found.append(side)
        except (OSError, subprocess.CalledProcessError) as reason:
            print(f"{side} is skipped: {reason}")
    return found


def turn(loop, seconds, warm=1.0, least=0.3):
    """Warm the process up, run passes for `least` CPU seconds; return the last, and the rows a second of all.

    Every turn has a process of its own: how Java compiles the same loop differs from process to process.
    """
    try:
        spent = 0.0
        while spent < warm:
            spent += loop.run(warm)["seconds"]
        n, spent = 0, 0.0
        while spent < least:
            answer = loop.run(seconds)
            n, spent = n + answer["rows"], spent + answer["seconds"]
        answer |= loop.ask("bytes")
    finally:
        loop.close()
    return answer, n / spent


def table(results):
    """Return the results as a markdown table; rates are best (median), ratios median [least, most]."""
    lines = [
        "| learner | stream | ours % | MOA % | River % | VW % | ours rows/s | by 1000 | MOA | River | VW "
        "| ours/MOA | by 1000/MOA | ours/River | ours/VW |",
        "|---|---|" + "---:|" * 13,
    ]
    for result in results:
        n_rows = max(side["rows"] for side in result.values() if isinstance(side, dict))
        accuracies = [accuracy(result, side, n_rows) for side in ("ours", "moa", "river", "vw")]
        rates = [rate(result.get(side)) for side in SIDES]
        pairs = (("ours", "moa"), ("ours_by_1000", "moa"), ("ours", "river"), ("ours", "vw"))
        ratios = [ratio(result.get(one), result.get(other)) for one, other in pairs]
        cells = [result["learner"], result["stream"], *accuracies, *rates, *ratios]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def accuracy(result, name, n_rows):
    """Return the accuracy in percent; where a pass was cut short, of how many rows, and ours of the same."""
    side, ours = result.get(name), result.get("ours")
    if side is None:
        return "–"
    text, n = f"{100 * side['accuracy']:.2f}", side["rows"]
    if n == n_rows:
        return text
    beside = f", ours {100 * ours['correct_after'][n // 1000 - 1] / n:.2f}" if ours and name != "ours" else ""
    return f"{text} @{n // 1000}k{beside}"


def rate(side):
    """Return the best and the median rate."""
    return "–" if side is None else f"{short(max(side['rates']))} ({short(median(side['rates']))})"


def ratio(one, other):
    """Return how many times faster one side is, turn by turn: the median, and the least and the most."""
    if one is None or other is None:
        return "–"
    quotients = [a / b for a, b in zip(one["rates"], other["rates"], strict=True)]
    return f"{median(quotients):.2f} [{min(quotients):.2f}, {max(quotients):.2f}]"


def short(number):
    """Return a rate with three digits: 12.3M, 456k."""
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}"
    return f"{number:.3g}"


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    every = f"all by default: {', '.join(METHODS)}"
    parser.add_argument("learners", nargs="*", metavar="LEARNER", help=every)
    names = ["sea", "rbf", "elec", "covtype"]
    parser.add_argument("--streams", nargs="+", default=names, help=f"default: {' '.join(names)}")
    parser.add_argument("--sides", nargs="+", default=list(SIDES), choices=SIDES)
    parser.add_argument("--repeat", type=int, default=3, help="turns of every side (default 3)")
    parser.add_argument("--seconds", type=float, default=60, help="CPU time that cuts a pass (default 60)")
    parser.add_argument("--data", type=Path, default=arrays.DATA, help="folder of the real files")
    parser.add_argument("--json", type=Path, help="file to add the results to")
    parser.add_argument("--resume", action="store_true", help="leave out what the file has of the same code")
    asked = parser.parse_args()
    if unknown := set(asked.learners) - set(METHODS):
        parser.error(f"no method {', '.join(sorted(unknown))}")
    return asked


def main():
    """Measure every learner on every stream and print the table."""
    asked = arguments()
    learners = asked.learners or list(METHODS)
    sides, results = there(asked.sides), []
    with tempfile.TemporaryDirectory(dir=loops.cache()) as folder:
        for stream in asked.streams:
            rows_file = arrays.save(stream, asked.data, folder)
            for name in learners:
                there_already = asked.resume and asked.json and kept.read(asked.json)["results"]
                if kept.has(there_already or [], name, stream, needed(name, sides), asked.repeat):
                    continue
                results.append(measure(name, stream, rows_file, sides, asked.repeat, asked.seconds))
                print(table(results[-1:]).splitlines()[-1], flush=True)
                if asked.json:
                    kept.keep(asked.json, results[-1:])
    print("\n" + table(results))


if __name__ == "__main__":
    main()
