"""The process that is killed: it owns the live model, sends requests, and says what was acknowledged."""

import os
import pickle
import queue
import struct
import sys
import time
import traceback
from typing import Any

from kill.stream import Sent, label, record
from thalweg.live import LiveModel
from thalweg.live.requests import LabelRequest, LearnRequest, PredictRequest

HEADER = struct.Struct("<I")


class Pipe:
    """Messages to the parent: one write each, so that a kill cuts none in two that was acknowledged."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def say(self, *message: Any) -> None:
        data = pickle.dumps(message)
        data = HEADER.pack(len(data)) + data
        while data:
            data = data[os.write(self._handle, data) :]


def as_request(sent: Sent) -> Any:
    if sent.kind == "label":
        return LabelRequest(sent.ids(), [label(i) for i in sent.rows])
    rows = [record(i) for i in sent.rows]
    if sent.kind == "learn":
        return LearnRequest(rows, [label(i) for i in sent.rows], sent.ids())
    return PredictRequest(rows, sent.ids(), durable=not sent.soon)


def run(handle: int, folder: str, mode: str, again: list[Any], new: list[Any]) -> None:
    """Open the folder, send requests again that were not acknowledged, then new ones, several at a time."""
    pipe = Pipe(handle)
    try:
        pipe.say("started")
        # Every group is followed by a checkpoint, or none is.
        live = LiveModel(folder, checkpoint_seconds=0.0 if mode == "checkpoints" else 1e9, lock_timeout=30,
                         new_labels="add")
        send(live, pipe, again, 1)
        pipe.say("state", live.event, live.model.digest(), live.digest())
        send(live, pipe, new, 1 if mode == "batches" else 8, compact=mode == "checkpoints")
        pipe.say("done")
        time.sleep(60)  # until it is killed
    except BaseException:
        pipe.say("failed", traceback.format_exc())
        sys.stderr.flush()
    os._exit(1)


def send(live: Any, pipe: Pipe, numbered: list[tuple[int, Sent]], n_open: int, compact: bool = False) -> None:
    """Send requests, of which `n_open` wait for their answers at a time; pass the answers on."""
    answers: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    waiting = 0
    for count, (number, sent) in enumerate(numbered):
        live.submit(as_request(sent), lambda result, number=number: answers.put((number, result)))
        waiting += 1
        while waiting >= n_open:
            tell(pipe, answers.get())
            waiting -= 1
        if compact and count % 10 == 9:
            live.compact()
    while waiting:
        tell(pipe, answers.get())
        waiting -= 1


def tell(pipe: Pipe, answer: tuple[int, Any]) -> None:
    number, result = answer
    if isinstance(result, BaseException):
        raise result
    p = getattr(result, "probabilities", None)
    pipe.say("answer", number, result.statuses, result.events, None if p is None else (p, result.classes))
