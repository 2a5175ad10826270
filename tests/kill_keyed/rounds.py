"""Kills runs at random moments, lets them go on, and compares what they leave with one that was not."""

import os
import random
import select
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from thalweg.keyed import KeyedRun, run
from thalweg.streams.files import text_files

OPTIONS: dict[str, Any] = {"key": ["shop", "customer"], "target": "paid", "id": "number"}
LEARNERS = ("LogisticMixture", "NaiveBayes", "HoeffdingTree(grace_period=20)")
MOST_SECONDS = 60.0  # that a process may take


class Failed(AssertionError):
    """A run that was killed left other outputs or states than one that was not."""


def write_events(path: Path, n: int, seed: int) -> None:
    """Write events of some keys: categories, missing keys and values, labels late or never, a bad cell."""
    draw = random.Random(seed)
    lines, late = ["shop,customer,number,price,colour,paid"], dict[int, list[str]]()
    for i in range(n):
        key = f"{draw.choice(['', 'north', 'south'])},{draw.choice(['', *'abcdefgh'])}{draw.randrange(5)}"
        price = "?" if draw.random() < 0.05 else "what" if i == n // 2 else f"{draw.gauss(0, 1):.3f}"
        label = draw.choice(["yes", "no", "no"])
        if draw.random() < 0.3:
            late.setdefault(i + draw.randrange(1, 100), []).append(f"{key},{i},,,{label}")
            label = ""
        lines.append(f"{key},{i},{price},{draw.choice(['red', 'green', 'blue'])},{label}")
        lines += late.pop(i, [])
    path.write_text("\n".join(lines) + "\n")


def left_by(folder: Path) -> tuple[Any, dict[str, Any], dict[str, int]]:
    """Return the outputs, the states of keys and the counts of a run."""
    done, found = KeyedRun(folder), dict[str, Any]()
    for name in done._paths:
        with sqlite3.connect(folder / name) as file:
            for key, *state in file.execute("SELECT key, last, state, late FROM states"):
                if key in found:
                    raise Failed(f"the key {key!r} is in two buckets")
                found[key] = state
    return pa.concat_tables(done.outputs()).combine_chunks(), found, done.counts


class Rounds:
    """One learner: runs that are killed until they are complete, one after another."""

    def __init__(self, folder: Path, learner: str, seed: int, n_events: int = 4000) -> None:
        text_files.PIECE = 1 << 13  # many small batches
        self.folder, self.learner, self.random = folder, learner, random.Random(seed)
        self.kills = self.complete = 0
        folder.mkdir()
        self.path = folder / "events.csv"
        write_events(self.path, n_events, seed)
        self._run(folder / "whole", 4, 200_000, 1, None)
        self.expected = left_by(folder / "whole")

    def _run(self, folder: Path, n_buckets: int, commit_rows: int, jobs: int, progress: Any) -> None:
        run(self.path, folder=folder, learner=self.learner, n_buckets=n_buckets, commit_rows=commit_rows,
            n_jobs=jobs, progress=progress, **OPTIONS)

    def round(self, most_kills: int) -> None:
        """Kill one run until it is complete, or as often as allowed; then let it end, and compare."""
        folder = self.folder / f"run{self.complete}"
        n_buckets, commit_rows = self.random.choice([1, 3, 8]), self.random.choice([1, 500, 2000])
        for _ in range(most_kills):
            jobs = 2 if self.random.random() < 0.05 else 1
            if self._ended(folder, n_buckets, commit_rows, jobs):
                break
            self.kills += 1
        self._run(folder, n_buckets, commit_rows, 1, None)
        self.complete += 1
        outputs, states, counts = left_by(folder)
        if not outputs.equals(self.expected[0]):
            raise Failed(f"run {self.complete}: {outputs.num_rows} outputs differ")
        if states != self.expected[1] or counts != self.expected[2]:
            raise Failed(f"run {self.complete}: the states of keys or the counts {counts} differ")

    def _ended(self, folder: Path, n_buckets: int, commit_rows: int, jobs: int) -> bool:
        """Start the run in a process and kill it at some moment; return whether it ended before."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.close(reading)
                self._run(folder, n_buckets, commit_rows, jobs, lambda n, share: os.write(writing, b"."))
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        self._wait(reading, self.random.randrange(12))
        time.sleep(self.random.random() * self.random.choice([0.001, 0.02, 0.2]))
        os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        os.close(reading)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise Failed("a run ended with an error")
        return os.WIFEXITED(status)

    def _wait(self, reading: int, n_batches: int) -> None:
        """Wait until so many batches are done, or the process ended."""
        deadline = time.monotonic() + MOST_SECONDS
        while n_batches > 0 and time.monotonic() < deadline:
            if select.select([reading], [], [], 1.0)[0]:
                said = os.read(reading, n_batches)
                if not said:
                    return
                n_batches -= len(said)
