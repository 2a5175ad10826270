"""Kill a stream on Spark, driver, JVM and Python workers, again and again, and check that every bit is right.

python -m tests.kill_spark --kills 5
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.spark_events import differences, events, plain

DRIVER = Path(__file__).with_name("driver.py")
LONGEST = 600  # seconds that a process may take


def members(session):
    """Return the processes of a session, which Spark's Python daemon shares with its driver."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def kill_all(session):
    """Kill every process of a session at once, and wait until none is left."""
    while left := members(session):
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.05)


def n_batches(folder, kind):
    return len([*(folder / "checkpoint" / kind).glob("[0-9]*")])


def start(folder, action):
    return subprocess.Popen(
        [sys.executable, str(DRIVER), str(folder), action], start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def killed(folder, rng, n_files):
    """Start the stream and kill it at a random moment of its batches; return where, None if it has ended."""
    process = start(folder, "stream")
    begun, deadline = n_batches(folder, "commits"), time.monotonic() + LONGEST
    batches = rng.randint(0, max(min(2, n_files - begun - 2), 0))  # that may be done before
    try:
        while n_batches(folder, "offsets") <= begun + batches and process.poll() is None:
            assert time.monotonic() < deadline, "Spark does not go on"
            time.sleep(0.02)
        end = time.monotonic() + rng.expovariate(1 / 1.5)  # within a batch, or some batches later
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.01)
        if process.poll() is not None:
            return None
    finally:
        kill_all(process.pid)
        process.wait()
    return n_batches(folder, "offsets"), n_batches(folder, "commits")


def finish(folder, action):
    process = start(folder, action)
    try:
        assert process.wait(LONGEST) == 0, f"the process that should {action} failed"
    finally:
        kill_all(process.pid)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--events", type=int, default=6000)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    n_files, rng = 3 * options.kills, random.Random(options.seed)
    table = events(options.events, options.keys, options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        size = -(-options.events // n_files)
        for i in range(n_files):
            path = folder / "in" / f"{i:03}.parquet"
            pq.write_table(table.slice(i * size, size), path)
            os.utime(path, (1e9 + i, 1e9 + i))  # Spark reads files by their age
        kills, in_batch = 0, 0
        while kills < options.kills and (found := killed(folder, rng, n_files)) is not None:
            kills += 1
            in_batch += found[0] > found[1]
            print(f"kill {kills}: {found[0]} batches begun, {found[1]} committed", flush=True)
        finish(folder, "stream")
        finish(folder, "collect")
        with pa.OSFile(str(folder / "outputs.arrow")) as file:
            outputs = pa.ipc.open_file(file).read_all()
    wrong = differences(outputs, plain(table))
    print(f"{kills} kills, {in_batch} within a batch: {options.events} events, {len(wrong)} wrong")
    return 1 if wrong or kills < options.kills else 0


if __name__ == "__main__":
    sys.exit(main())
