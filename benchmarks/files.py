"""How fast `from_file` reads a CSV of 1,000,000 rows and 10 columns, beside pyarrow reading the same file."""

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from thalweg.streams import from_file

N_ROWS, N_INPUTS, REPEATS = 1_000_000, 9, 9


def write(path):
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.random(N_ROWS).round(6) for j in range(N_INPUTS)}
    pa.csv.write_csv(pa.table(columns | {"class": rng.integers(0, 2, N_ROWS)}), path)


def pyarrow_whole(path):
    return pa.csv.read_csv(path).num_rows


def pyarrow_stream(path):
    return sum(batch.num_rows for batch in pa.csv.open_csv(path))


def ours(path, **options):
    return sum(len(X) for X, _ in from_file(path, **options).coded_blocks(10_000))


def main():
    readers = {
        "pyarrow, in blocks (open_csv)": pyarrow_stream,
        "pyarrow, whole file, all cores (read_csv)": pyarrow_whole,
        "from_file": ours,
        "from_file, labels found by a first pass": lambda path: ours(path, scan_labels=True),
        "from_file, labels given": lambda path: ours(path, classes=[0, 1]),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write(path)
        wall, processor = ({name: [] for name in readers} for _ in range(2))
        for _ in range(REPEATS):
            for name, read in readers.items():
                start, start_processor = time.perf_counter(), time.process_time()
                assert read(path) == N_ROWS
                wall[name].append(time.perf_counter() - start)
                processor[name].append(time.process_time() - start_processor)
    _, whole, *_ = readers
    for name in readers:
        ratios = np.array(wall[name]) / wall[whole]
        print(
            f"{name:42} {np.median(wall[name]):.3f} s, {min(processor[name]):.3f} s of processor at least; "
            f"{np.median(ratios):.2f} x whole ({ratios.min():.2f} to {ratios.max():.2f}), "
            f"{min(processor[name]) / min(processor[whole]):.2f} x its processor time"
        )


if __name__ == "__main__":
    main()
