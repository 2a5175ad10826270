"""Processor time of a service for each row: ours beside River behind FastAPI and Vowpal Wabbit's daemon.

    python -m benchmarks.service --repeat 3 --json out.json

Only the process of the server counts. The sides take turns, as a busy machine changes its speed.
Each case is warmed up by a tenth of its requests. Rows have 20 numbers of four decimals.
"""

import argparse
import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa

import thalweg
from benchmarks import service_servers as servers
from benchmarks.service_load import Lines, measure, post, repeated

N_FEATURES, N_ROWS, BATCH = 20, 4000, 1000
NAMES = [f"f{j}" for j in range(N_FEATURES)]
JSON_LINES, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"


def rows(seed=0):
    """Return rows of 20 numbers and their labels, which two of them decide."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, N_FEATURES)).round(4)
    return X, X[:, 0] + X[:, 1] / 2 + 0.3 * rng.normal(size=N_ROWS) > 0


def model(learner, folder):
    """Return the path of a model that has learned the rows."""
    X, y = rows()
    records = [dict(zip(NAMES, x, strict=True)) for x in X.tolist()]
    path = folder / f"{learner.split('(')[0].lower()}.tw"
    labels = ["yes" if each else "no" for each in y]
    thalweg.Model(target="y", learner=learner).learn(records, labels).save(path)
    return path


def lines_of(bodies):
    return b"\n".join(json.dumps(each).encode() for each in bodies)


def stream_of(X, **more):
    table = pa.table({name: X[:, j] for j, name in enumerate(NAMES)} | more)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


class Requests:
    """The requests of each case, with new ids for each call."""

    def __init__(self, name):
        self.X, self.y = rows(1)
        self.labels = ["yes" if each else "no" for each in self.y]
        self.base, self.count = f"/models/{name}", 0

    def one(self, n):
        bodies = [post(f"{self.base}/predict", json.dumps({"x": x}).encode()) for x in self.X.tolist()]
        return repeated(bodies, n)

    def one_with_id(self, n):
        self.count += n
        return [
            post(f"{self.base}/predict", json.dumps({"id": f"r{self.count + i}", "x": x}).encode())
            for i, x in enumerate(repeated(self.X.tolist(), n))
        ]

    def many(self, n, kind="predict"):
        def line(i):
            return {"x": self.X[i].tolist()} | ({"label": self.labels[i]} if kind == "learn" else {})

        parts = [lines_of(map(line, range(at, at + BATCH))) for at in range(0, N_ROWS, BATCH)]
        return repeated([post(f"{self.base}/{kind}", part, JSON_LINES) for part in parts], n)

    def many_arrow(self, n, kind="predict"):
        def part(at):
            labels = {"label": pa.array(self.labels[at : at + BATCH])} if kind == "learn" else {}
            return stream_of(self.X[at : at + BATCH], **labels)

        parts = [part(at) for at in range(0, N_ROWS, BATCH)]
        return repeated([post(f"{self.base}/{kind}", part, ARROW) for part in parts], n)

    def river(self, n, kind):
        rows_ = [dict(zip(NAMES, x, strict=True)) for x in self.X.tolist()]
        bodies = [{"row": row, "label": bool(label)} for row, label in zip(rows_, self.y, strict=True)]
        return repeated([post(f"/{kind}", json.dumps(body).encode()) for body in bodies], n)

    def vw(self, n):
        found = []
        for at in range(0, N_ROWS, BATCH):
            part = zip(self.X[at : at + BATCH].tolist(), self.y[at : at + BATCH], strict=True)
            cells = [(" ".join(f"{j}:{x}" for j, x in enumerate(row)), label) for row, label in part]
            found.append("".join(f"{1 if label else -1} |f {row}\n" for row, label in cells).encode())
        return repeated(found, n)


def cost(server, requests, connections, rows_each=1, **options):
    """Return microseconds of processor time for each row, after a warm-up."""
    n_warm = max(len(requests) // 10, 1)
    measure(server, requests[:n_warm], min(connections, n_warm), **options)
    spent, _ = measure(server, requests[n_warm:], connections, **options)
    return spent / (len(requests) - n_warm) / rows_each


def block_cost(path):
    """Return the microseconds that a model takes for each row of a block of 1,000, in this process."""
    learner, (X, _) = thalweg.load(path).learner_, rows(1)
    learner.predict_proba_block(X[:BATCH])
    start = time.process_time()
    for at in range(0, N_ROWS, BATCH):
        learner.predict_proba_block(X[at : at + BATCH])
    return (time.process_time() - start) * 1e6 / N_ROWS


def turn(folder, sizes, sides):
    """Return the cost of each case, measured once."""
    found, n = {}, sizes
    with ExitStack() as stack:
        if "ours" in sides:
            path = model("LogisticMixture", folder)
            server = stack.enter_context(servers.ours(path, "--max-waiting", "1000000"))
            ask = Requests(path.stem)
            found["one row"] = cost(server, ask.one(n["one"]), 64)
            found["one row, with id"] = cost(server, ask.one_with_id(n["id"]), n["connections"])
            found["1,000 rows, JSON lines"] = cost(server, ask.many(n["many"]), 4, BATCH)
            found["1,000 rows, Arrow"] = cost(server, ask.many_arrow(n["many"]), 4, BATCH)
            found["learn 1,000 rows, JSON lines"] = cost(server, ask.many(n["many"], "learn"), 4, BATCH)
            found["learn 1,000 rows, Arrow"] = cost(server, ask.many_arrow(n["many"], "learn"), 4, BATCH)
        if "bare" in sides:
            server = stack.enter_context(servers.module("service_bare"))
            found["bare uvicorn, one row"] = cost(server, Requests("m").one(n["one"]), 64)
        if "stack" in sides:
            path = model("AdaptiveStacking", folder)
            server, ask = stack.enter_context(servers.ours(path)), Requests(path.stem)
            found["stack, in a block"] = block_cost(path)
            found["stack, one row"] = cost(server, ask.one(n["stack"]), 64)
            found["stack, 1,000 rows, Arrow"] = cost(server, ask.many_arrow(n["stack_many"]), 4, BATCH)
        if "river" in sides:
            server = stack.enter_context(servers.module("service_river", folder / "river.pickle"))
            ask = Requests("m")
            found["River behind FastAPI, predict"] = cost(server, ask.river(n["river"], "predict"), 64)
            found["River behind FastAPI, learn"] = cost(server, ask.river(n["river"], "learn"), 64)
        if "vw" in sides:
            server = stack.enter_context(servers.module("service_vw"))
            requests = Requests("m").vw(n["many"])
            found["Vowpal Wabbit's daemon, learn 1,000 rows"] = cost(
                server, requests, 1, BATCH, kind=Lines, lines=BATCH
            )
    return found


SIZES = {"one": 10_000, "id": 20_000, "connections": 1000, "many": 400, "stack": 4000, "stack_many": 20,
         "river": 2000}  # fmt: skip
SHORT = {"one": 1000, "id": 1000, "connections": 100, "many": 10, "stack": 300, "stack_many": 5, "river": 200}
SIDES = ("ours", "bare", "stack", "river", "vw")


def main(arguments=None):
    """Measure all cases, print a table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="few requests: whether it runs, not how fast")
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=SIDES)
    parser.add_argument("--json")
    given = parser.parse_args(arguments)
    turns = []
    for _ in range(given.repeat):
        with tempfile.TemporaryDirectory() as folder:
            turns.append(turn(Path(folder), SHORT if given.short else SIZES, given.sides))
    found = {case: [each[case] for each in turns] for case in turns[0]}
    print(f"{'microseconds of processor time a row':45} {'least':>8} {'median':>8} {'most':>8}")
    for case, values in found.items():
        print(f"{case:45} {min(values):8.2f} {median(values):8.2f} {max(values):8.2f}")
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1) + "\n")
    return found


if __name__ == "__main__":
    main()
