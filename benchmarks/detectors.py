"""Detectors of ours, MOA and River on the same million losses in one run, taking turns."""

import argparse
import json
import os
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import loops
from benchmarks.peers import ratio, short, turn

DETECTORS = {
    "ADWIN": ("drift.ADWIN(as_moa=True)", "ADWINChangeDetector", "drift.ADWIN()"),
    "DDM": ("drift.DDM()", "DDM", "binary.DDM()"),
    "EDDM": ("drift.EDDM()", "EDDM", "binary.EDDM()"),
    "HDDM_A": ("drift.HDDM_A()", "HDDM_A_Test", "binary.HDDMA(two_sided_test=True)"),
    "HDDM_W": ("drift.HDDM_W()", "HDDM_W_Test", "binary.HDDMW()"),
    "PageHinkley": (
        "drift.PageHinkley(decay=0.9999, from_lowest=False)",
        "PageHinkleyDM",
        "drift.PageHinkley(mode='up')",
    ),
    "KSWIN": ("drift.KSWIN()", None, "drift.KSWIN(seed=0)"),
}
SLOW = {("river", "KSWIN"): 20_000}


def losses(n, seed):
    """Return n errors: rate 0.2 in the first half, 0.4 in the second."""
    rng = np.random.default_rng(seed)
    return (rng.random(n) < np.where(np.arange(n) < n // 2, 0.2, 0.4)).astype(float)


def loop(side, name, losses_file):
    """Return the process of one side, or None where it has no such detector."""
    ours, moa, river = DETECTORS[name]
    script, most = loops.HERE / "detector_loop.py", SLOW.get((side, name), 10**9)
    if side == "ours":
        return loops.Loop([loops.sys.executable, script, losses_file, "thalweg", ours, most])
    if side == "river":
        return loops.Loop([loops.river_python(), script, losses_file, "river", river, most])
    if moa is None:
        return None
    jar, classes = loops.moa_classes("DetectorLoop")
    return loops.Loop(["java", "-cp", f"{jar}{os.pathsep}{classes}", "DetectorLoop", losses_file, moa])


def measure(name, losses_file, repeat):
    """Return the alarms and losses a CPU second of every side; the sides take turns `repeat` times."""
    result = {"detector": name}
    for _ in range(repeat):
        for side in ("ours", "moa", "river"):
            process = loop(side, name, losses_file)
            if process:
                last, rate = turn(process, 60)
                found = result.setdefault(side, {"rates": []})
                found.update(rows=last["rows"], alarms=last["alarms"])
                found["rates"].append(rate)
    return result


def row(result):
    """Return a line of the table: ns a loss (median), ratios as median [least, most], alarms."""
    sides = [result.get(side) for side in ("ours", "moa", "river")]
    times = ["–" if side is None else f"{1e9 / median(side['rates']):.1f}" for side in sides]
    rates = [short(median(sides[0]["rates"]))]
    ratios = [ratio(sides[0], sides[1]), ratio(sides[0], sides[2])]
    alarms = ["–" if side is None else str(len(side["alarms"])) for side in sides]
    same = "–" if sides[1] is None else "yes" if sides[0]["alarms"] == sides[1]["alarms"] else "no"
    return f"| {' | '.join([result['detector'], *rates, *times, *ratios, ' / '.join(alarms), same])} |"


def main():
    """Measure every detector and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detectors", description=__doc__)
    parser.add_argument("detectors", nargs="*", default=list(DETECTORS), help=", ".join(DETECTORS))
    parser.add_argument("--losses", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="turns of every side (default 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="file to write the results to")
    asked = parser.parse_args()
    print("| detector | losses/s | ours ns | MOA ns | River ns | ours/MOA | ours/River | alarms | as MOA |")
    print("|---|" + "---:|" * 8)
    with tempfile.TemporaryDirectory(dir=loops.cache()) as folder:
        losses_file = Path(folder) / "losses.doubles"
        losses(asked.losses, asked.seed).astype("<f8").tofile(losses_file)
        results = [measure(name, losses_file, asked.repeat) for name in asked.detectors]
    print("\n".join(row(result) for result in results))
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
