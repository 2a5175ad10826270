"""One pass of a detector, ours or River's, over losses held in memory, for every line read."""

import importlib
import json
import sys
import time

import numpy as np


def ours(drift, expression, losses):
    """Return the alarms and CPU seconds of one `update_many`."""
    detector = eval(expression, {"drift": drift, "binary": getattr(drift, "binary", None)})
    start = time.process_time()
    alarms = detector.update_many(losses)
    return alarms.tolist(), time.process_time() - start


def river(drift, expression, losses):
    """Return the alarms and CPU seconds of one loop of `update`."""
    detector, alarms = eval(expression, {"drift": drift, "binary": getattr(drift, "binary", None)}), []
    start = time.process_time()
    for i, loss in enumerate(losses):
        detector.update(loss)
        if detector.drift_detected:
            alarms.append(i)
    return alarms, time.process_time() - start


def main(losses_file, library, expression, most):
    """Answer every line read with one pass over the first `most` losses."""
    drift = importlib.import_module(f"{library}.drift")
    losses = np.fromfile(losses_file)[: int(most)]
    one_pass, losses = (ours, losses) if library == "thalweg" else (river, losses.tolist())
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        alarms, seconds = one_pass(drift, expression, losses)
        print(json.dumps({"rows": len(losses), "seconds": seconds, "alarms": alarms}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
