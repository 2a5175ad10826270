"""Who does the work of buckets: this process, or others that get events and commands through a pipe.

A worker process is `python -m thalweg.keyed.workers`. It reads messages: a header in JSON, and a table. It
ends when the pipe does, so that none is left if the main process is killed; its files are free when it is
gone.
"""

import json
import signal
import struct
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from thalweg.errors import StateError, ThalwegError
from thalweg.keyed.bucket_file import BucketFile, from_ipc, to_ipc
from thalweg.keyed.operator import Operator

LENGTH = struct.Struct("<II")


def bucket_path(folder: Path, bucket: int) -> Path:
    """Return the file of a bucket."""
    return folder / f"bucket-{bucket:03}.sqlite"


class LocalWorker:
    """Buckets in this process."""

    def __init__(self, folder: Path, operator: bytes, buckets: list[int]) -> None:
        made = Operator.from_bytes(operator)
        self._files: dict[int, BucketFile] = {}
        try:
            for bucket in buckets:
                self._files[bucket] = BucketFile(bucket_path(folder, bucket), made)
        except BaseException:
            self.close()
            raise

    def ready(self) -> dict[int, int]:
        """Return the last batch of each bucket."""
        return {bucket: file.batch for bucket, file in self._files.items()}

    def process(self, bucket: int, batch: int, events: Any) -> None:
        """Let a bucket have events, unless it has them already."""
        if batch > self._files[bucket].batch:
            self._files[bucket].process(batch, events)

    def commit(self, batch: int) -> None:
        """Let all that was done last."""
        for file in self._files.values():
            if batch > file.batch:
                file.commit(batch)

    def wait(self) -> dict[str, int]:
        """Wait until all is done; return how many events had each status, since the run began."""
        found: dict[str, int] = {}
        for file in self._files.values():
            for status, n in file.counts.items():
                found[status] = found.get(status, 0) + n
        return found

    def outputs(self, bucket: int, batch: int) -> list[Any]:
        """Return the outputs of a bucket in a batch."""
        return self._files[bucket].outputs(batch)

    def forget_outputs(self, until: int) -> None:
        """Remove outputs of batches up to a number."""
        for file in self._files.values():
            file.forget_outputs(until)

    def close(self) -> None:
        """Close the files; what was not committed is forgotten."""
        for file in self._files.values():
            file.close()


class WorkerProcess:
    """The same in a process of its own."""

    def __init__(self, folder: Path, operator: bytes, buckets: list[int]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._send({"folder": str(folder), "buckets": buckets}, operator)

    def ready(self) -> dict[int, int]:
        """Return the last batch of each bucket."""
        return {int(bucket): batch for bucket, batch in self._answer()[0].items()}

    def process(self, bucket: int, batch: int, events: Any) -> None:
        """Let a bucket have events, unless it has them already."""
        self._send({"do": "process", "bucket": bucket, "batch": batch}, to_ipc(events, None))

    def commit(self, batch: int) -> None:
        """Let all that was done last."""
        self._send({"do": "commit", "batch": batch})

    def wait(self) -> dict[str, int]:
        """Wait until all is done; return how many events had each status."""
        self._send({"do": "wait"})
        found: dict[str, int] = self._answer()[0]
        return found

    def outputs(self, bucket: int, batch: int) -> list[Any]:
        """Return the outputs of a bucket in a batch."""
        self._send({"do": "outputs", "bucket": bucket, "batch": batch})
        return [from_ipc(self._answer()[1], is_own=True) for _ in range(self._answer()[0]["n"])]

    def forget_outputs(self, until: int) -> None:
        """Remove outputs of batches up to a number."""
        self._send({"do": "forget_outputs", "until": until})

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, header: dict[str, Any], data: bytes = b"") -> None:
        try:
            _write(self._pipe(self._process.stdin), header, data)
        except OSError:
            self._answer()  # says what happened
            raise

    def _answer(self) -> tuple[Any, bytes]:
        found = _read(self._pipe(self._process.stdout))
        if found is None:
            raise RuntimeError(f"keyed: a worker process ended with code {self._process.wait(10)}")
        if isinstance(found[0], dict) and "error" in found[0]:
            raise StateError(found[0]["error"])
        return found

    @staticmethod
    def _pipe(pipe: Any) -> BinaryIO:
        found: BinaryIO = pipe
        return found


def _write(pipe: BinaryIO, header: Any, data: bytes = b"") -> None:
    text = json.dumps(header).encode()
    pipe.write(LENGTH.pack(len(text), len(data)) + text)
    pipe.write(data)
    pipe.flush()


def _read(pipe: BinaryIO) -> tuple[Any, bytes] | None:
    """Return the next message, None if the pipe ended."""
    start = pipe.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    n_text, n_data = LENGTH.unpack(start)
    text, data = pipe.read(n_text), pipe.read(n_data)
    return (json.loads(text), data) if len(text) + len(data) == n_text + n_data else None


def main() -> None:
    """Do what messages on standard input say."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process decides
    warnings.simplefilter("ignore")  # it says them
    reading, writing = sys.stdin.buffer, sys.stdout.buffer
    first = _read(reading)
    if first is None:
        return
    try:
        worker = LocalWorker(Path(first[0]["folder"]), first[1], first[0]["buckets"])
        _write(writing, worker.ready())
        while (found := _read(reading)) is not None:
            _do(worker, writing, *found)
        worker.close()
    except BrokenPipeError:
        return
    except (ThalwegError, OSError, ValueError, MemoryError) as error:
        _write(writing, {"error": f"{type(error).__name__}: {error}"})


def _do(worker: LocalWorker, writing: BinaryIO, header: dict[str, Any], data: bytes) -> None:
    action = header.pop("do")
    if action == "process":
        worker.process(**header, events=from_ipc(data, is_own=True))
    elif action == "wait":
        _write(writing, worker.wait())
    elif action == "outputs":
        tables = worker.outputs(**header)
        _write(writing, {"n": len(tables)})
        for table in tables:
            _write(writing, {}, to_ipc(table))
    elif action in ("commit", "forget_outputs"):
        getattr(worker, action)(**header)


if __name__ == "__main__":
    main()
