"""The local runner of keyed models: CPU time a row by keys, inputs and processes; disk; time to start again.

    python -m benchmarks.keyed_run                       # the table of docs/keyed_planning.md
    python -m benchmarks.keyed_run --keys 10000 --inputs 3 --rows 200000 --jobs 1 2

Each run is a process of its own; what it takes to start (a run over a hundred rows) is taken off. The first
file has each key at least once; `later_us` is the time a row of a second file, all of whose keys are known,
without that to read the states again and to read a file: what a run with nothing new takes, which reads over
the first file, is taken off. Keys are drawn uniformly, the worst case for the disk: nearly every event
changes another state.
"""

import argparse
import gc
import itertools
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LEARNER = "LogisticMixture"


def write_events(path, n_rows, n_keys, n_inputs, seed=1, are_new=True):
    """Write a file of events, in pieces."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng, writer = np.random.default_rng(seed), None
    for start in range(0, n_rows, 200_000):
        n = min(200_000, n_rows - start)
        X = rng.normal(size=(n, n_inputs)).round(4)
        keys = rng.integers(n_keys, size=n)
        if are_new and start + n <= n_keys:
            keys = np.arange(start, start + n)  # each key comes at least once
        y = X[:, 0] + rng.normal(size=n) > 0
        columns = {"customer": pa.array([f"c{key}" for key in keys.tolist()])}
        columns |= {f"a{j}": pa.array(X[:, j]) for j in range(n_inputs)}
        table = pa.table(columns | {"paid": pa.array(np.where(y, "yes", "no"))})
        if writer is None:
            is_csv = path.suffix == ".csv"
            writer = (pa.csv.CSVWriter if is_csv else pa.parquet.ParquetWriter)(str(path), table.schema)
        writer.write_table(table)
    writer.close()


def cpu():
    """Return the processor seconds of this process, and of processes that it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


def measure(path, folder, jobs, commit_rows):
    """Run once, once more with nothing new, and over a second file; print what each took."""
    from thalweg.keyed import run

    found = {}
    for name in ("run", "again", "later"):
        before, start = cpu(), time.monotonic()
        given = {"key": "customer", "target": "paid", "learner": LEARNER}
        source = Path(path).with_stem(f"{Path(path).stem}_later") if name == "later" else path
        done = run(source, folder=folder, n_jobs=jobs, commit_rows=commit_rows, **given)
        after = cpu()
        gc.collect()  # a bank has cycles, and its memory would count twice
        found |= {f"{name}_own": after[0] - before[0], f"{name}_workers": after[1] - before[1],
                  f"{name}_seconds": time.monotonic() - start}
    sizes = {each.name: each.stat().st_size for each in Path(folder).iterdir()}
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(who).ru_maxrss for who in kinds) * 1024
    outputs, states = _bytes(folder)
    found |= {"keys": done.n_keys, "rows": done.n_rows, "disk": sum(sizes.values()), "peak": peak}
    found["written"] = _written()
    print(json.dumps(found | {"outputs": outputs, "states": states}))


def _written():
    """Return the bytes that this process has had written to disk; 0 where the system does not say."""
    path = Path("/proc/self/io")
    said = dict(line.split(": ") for line in path.read_text().splitlines()) if path.exists() else {}
    return int(said.get("write_bytes", 0))


def _bytes(folder):
    """Return the bytes of outputs, and of states."""
    import sqlite3

    total = [0, 0]
    for path in Path(folder).glob("bucket-*.sqlite"):
        with sqlite3.connect(path) as file:
            for i, (column, table) in enumerate((("rows", "outputs"), ("state", "states"))):
                asked = f"SELECT coalesce(sum(length({column})), 0) FROM {table}"
                total[i] += file.execute(asked).fetchone()[0]
    return total


def in_process(path, jobs, commit_rows):
    """Return what `measure` prints in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.keyed_run", "--one", str(path), folder, str(jobs),
                   "--commit-rows", str(commit_rows)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(said.splitlines()[-1])


def row_of(n_keys, n_inputs, n_rows, jobs, form, commit_rows):
    """Return the figures of one run, without what it takes to start."""
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / f"events{form}", Path(folder) / f"small{form}"
        write_events(path, n_rows, n_keys, n_inputs)
        for each, rows, keys in ((path, n_rows, n_keys), (small, 100, 10)):
            write_events(each, rows, keys, n_inputs)
            write_events(each.with_stem(f"{each.stem}_later"), rows, keys, n_inputs, seed=2, are_new=False)
        start, found = in_process(small, jobs, commit_rows), in_process(path, jobs, commit_rows)
        size = path.stat().st_size
    own = found["run_own"] - start["run_own"]
    workers = found["run_workers"] - start["run_workers"]
    again = sum(found[f"again_{who}"] - start[f"again_{who}"] for who in ("own", "workers"))
    later = {who: found[f"later_{who}"] - found[f"again_{who}"] for who in ("own", "workers")}
    return {
        "keys": n_keys, "inputs": n_inputs, "rows": n_rows, "jobs": jobs, "form": form,
        "cpu_us": 1e6 * (own + workers) / n_rows, "main_us": 1e6 * own / n_rows,
        "rows_a_cpu_second": n_rows / (own + workers), "again_s": again,
        "state_bytes": found["states"] / found["keys"], "output_bytes": found["outputs"] / found["rows"],
        "disk_bytes_a_key": (found["disk"] - found["outputs"]) / found["keys"], "file_bytes": size / n_rows,
        "peak_mb": found["peak"] / 1e6, "commit_rows": commit_rows,
        "later_us": 1e6 * sum(later.values()) / n_rows, "later_main_us": 1e6 * later["own"] / n_rows,
        "written_bytes_a_row": found["written"] / found["rows"],  # of the main process: all with one job
    }  # fmt: skip


def exponents(rows, over):
    """Return the growth exponents of CPU time a row of known keys over one of keys, inputs or jobs."""
    others = [name for name in ("keys", "inputs", "jobs", "form", "commit_rows") if name != over]
    found = []
    for a, b in itertools.combinations(rows, 2):
        if all(a[name] == b[name] for name in others) and a[over] < b[over]:
            slope = math.log(b["later_us"] / a["later_us"]) / math.log(b[over] / a[over])
            found.append((a[over], b[over], {name: a[name] for name in others}, round(slope, 2)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--inputs", type=int, nargs="+", default=[3, 10, 30])
    parser.add_argument("--rows", type=int, default=400_000, help="at least; each key comes once or more")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1])
    parser.add_argument("--forms", nargs="+", default=[".csv"])
    parser.add_argument("--commit-rows", type=int, default=500_000)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--one", nargs=3, metavar=("FILE", "FOLDER", "JOBS"))
    options = parser.parse_args()
    if options.one:
        measure(options.one[0], options.one[1], int(options.one[2]), options.commit_rows)
        return
    rows = []
    lists = (range(options.turns), options.keys, options.inputs, options.jobs, options.forms)
    for _, n_keys, n_inputs, jobs, form in itertools.product(*lists):
        n_rows = max(options.rows, 3 * n_keys // 2)
        rows.append(row_of(n_keys, n_inputs, n_rows, jobs, form, options.commit_rows))
        shown = {name: round(n, 2) if isinstance(n, float) else n for name, n in rows[-1].items()}
        print(json.dumps(shown), flush=True)
    for over in ("keys", "inputs", "jobs"):
        for found in exponents(rows, over):
            print("exponent over", over, *found)


if __name__ == "__main__":
    main()
