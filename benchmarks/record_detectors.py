"""Records the alarms and warnings of MOA's detectors on short losses, for the tests to compare with ours."""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import detectors, loops

OF_ERRORS = ["ADWINChangeDetector", "DDM", "EDDM", "HDDM_A_Test", "HDDM_A_Test -t One-sided", "HDDM_W_Test",
             "HDDM_W_Test -t Two-sided", "PageHinkleyDM", "PageHinkleyDM -l 3 -d 0.01"]
OF_NUMBERS = ["ADWINChangeDetector", "ADWINChangeDetector -a 0.05", "PageHinkleyDM",
              "PageHinkleyDM -l 20 -d 0.1"]


def record(cli, losses):
    """Return where MOA's detector gives alarms, and where warnings."""
    jar, classes = loops.moa_classes("DetectorLoop")
    with tempfile.TemporaryDirectory() as folder:
        losses.astype("<f8").tofile(losses_file := Path(folder) / "losses.doubles")
        path = f"{jar}{os.pathsep}{classes}"
        process = loops.Loop(["java", "-cp", path, "DetectorLoop", losses_file, cli, "warnings"])
        answer = process.run(60)
        process.close()
    return np.array(answer["alarms"], dtype=np.int32), np.array(answer["warnings"], dtype=np.int32)


def main(target):
    """Write losses, alarms and warnings to one compressed file."""
    rng = np.random.default_rng(5)
    rates = np.repeat(rng.uniform(0, 0.6, 20), 500)
    errors = (rng.random(len(rates)) < rates).astype(np.uint8)
    numbers = np.repeat(rng.normal(0, 1, 10), 400) + rng.normal(size=4000)
    kept = {"errors": errors, "numbers": np.round(64 * numbers).astype(np.int16)}
    for name, clis in (("errors", OF_ERRORS), ("numbers", OF_NUMBERS)):
        losses = kept[name] / (1 if name == "errors" else 64)
        for cli in clis:
            kept[f"{name}: {cli}: alarms"], kept[f"{name}: {cli}: warnings"] = record(cli, losses)
    million = detectors.losses(1_000_000, 1)
    kept["million: ADWINChangeDetector: alarms"] = record("ADWINChangeDetector", million)[0]
    np.savez_compressed(target, **kept)


if __name__ == "__main__":
    main(sys.argv[1])
