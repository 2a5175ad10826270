"""What a model for every key costs on Spark: buckets of keys, a state per key, and Spark alone.

python -m benchmarks.keyed_spark --records 200000 --keys 1000 --batches 10

Processor time of driver, JVM and Python workers together, in one session, after a warm-up that is left out.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import thalweg
from thalweg.keyed import Bank, Operator
from thalweg.keyed import spark as keyed_spark
from thalweg.learners import LogisticMixture

INPUTS, CLASSES = ["a", "b", "c"], ["no", "yes"]
PER_KEY = "who STRING, n LONG, prediction STRING, p_no DOUBLE, p_yes DOUBLE"
TICK = os.sysconf("SC_CLK_TCK")


def processor_time():
    """Return the seconds of this process, its JVM and its Python workers: (of the JVM, of all others)."""
    found, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields, process = rest.split(), int(path.parent.name)
        parents[process] = int(fields[1])
        own, waited = (sum(map(int, fields[i : i + 2])) / TICK for i in (11, 13))
        found[process] = (own, waited) if name == "java" else (0.0, own + waited)
    jvm, others = 0.0, 0.0
    for process, (in_jvm, elsewhere) in found.items():
        ancestor = process
        while ancestor not in (os.getpid(), 0):
            ancestor = parents.get(ancestor, 0)
        if ancestor:
            jvm, others = jvm + in_jvm, others + elsewhere
    return np.array([jvm, others])


def write_events(folder, n, n_keys, n_batches, seed):
    """Write events in as many files as there are to be batches."""
    rng = np.random.default_rng(seed)
    keys, X = rng.integers(n_keys, size=n), rng.normal(size=(n, 3))
    rules = rng.normal(size=(n_keys, 3))
    y = (X * rules[keys]).sum(axis=1) + rng.logistic(size=n) > 0
    columns = {"who": [f"customer {key}" for key in keys.tolist()], "n": np.arange(n)}
    columns |= dict(zip(INPUTS, X.T, strict=True)) | {"paid": np.where(y, "yes", "no")}
    table, size = pa.table(columns), -(-n // n_batches)
    folder.mkdir(parents=True)
    for i in range(n_batches):
        path = folder / f"{i:03}.parquet"
        pq.write_table(table.slice(i * size, size), path)
        os.utime(path, (1e9 + i, 1e9 + i))
    return table


def operator():
    made = Operator(Bank(LogisticMixture()), key="who", order="n", target="paid")
    return made.begin(inputs=INPUTS, classes=CLASSES)


def over_keys(events):
    """Return what one writes without buckets: a state for each key, and a learner in it."""
    from pyspark.sql.streaming import StatefulProcessor

    class KeyProcessor(StatefulProcessor):
        def init(self, handle):
            self._state = handle.getValueState("learner", "state BINARY")

        def handleInputRows(self, key, rows, timerValues):
            import pandas as pd

            found = self._state.get()
            new = LogisticMixture().begin(3, CLASSES) if found is None else None
            learner = new or thalweg.from_bytes(bytes(found[0]))
            frame = pd.concat(list(rows)).sort_values("n")
            p = learner.test_then_train(frame[INPUTS].to_numpy(), frame["paid"].to_numpy(dtype=object))
            self._state.update((thalweg.to_bytes(learner),))
            said = np.array(CLASSES, dtype=object)[p.argmax(axis=1)]
            columns = {"who": frame["who"], "n": frame["n"], "prediction": said}
            yield pd.DataFrame(columns | {"p_no": p[:, 0], "p_yes": p[:, 1]})

        def close(self):
            pass

    with keyed_spark._quiet():
        return events.groupBy("who").transformWithStateInPandas(KeyProcessor(), PER_KEY, "Append", "None")


def designs(n_buckets):
    """Return what is measured: functions of a stream, which return a stream."""
    return {
        "buckets": lambda events: keyed_spark.over_stream(operator(), events, n_buckets=n_buckets),
        "state per key": over_keys,
        "shuffle only": lambda events: events.repartition("who"),
    }


def run(spark, made, folder, source):
    """Run a stream from its first file to its last, a file a batch; return the processor time."""
    shutil.rmtree(folder, ignore_errors=True)
    schema = spark.read.parquet(str(source)).schema
    events = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(source))
    before = processor_time()
    writer = made(events).writeStream.format("parquet").option("path", str(folder / "out"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
    writer.start().awaitTermination()
    return processor_time() - before


def run_history(spark, source, n_buckets):
    before = processor_time()
    keyed_spark.over_history(operator(), spark.read.parquet(str(source)), n_buckets=n_buckets).write.format(
        "noop"
    ).mode("overwrite").save()
    return processor_time() - before


def own_time(table, n_batches, n_buckets):
    """Return the processor time of the operator alone: bytes in, bytes out, on Arrow, without Spark."""
    made, states = operator(), {}
    buckets = np.array([hash(who) % n_buckets for who in table.column("who").to_pylist()])
    parts = np.array_split(np.arange(len(buckets)), n_batches)
    batches = [[table.take(part[buckets[part] == b]) for b in range(n_buckets)] for part in parts]
    start = time.process_time()
    for batch in batches:
        for b, events in enumerate(batch):
            _, states[b] = made(events, states.get(b))
    return time.process_time() - start


def equal_bits(spark, folders):
    """Return whether buckets and a state per key gave the same probabilities."""
    tables = [
        spark.read.parquet(str(folder / "out")).select("n", "p_no", "p_yes").toArrow().sort_by("n")
        for folder in folders
    ]
    return tables[0].equals(tables[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--buckets", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="a file for the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = options.records, options.keys, options.batches
        table = write_events(folder / "in", *sizes, options.seed)
        write_events(folder / "warm", 2000, 50, 2, options.seed)
        spark = keyed_spark.session(spark_driver_memory="1g")
        spark.sparkContext.setLogLevel("ERROR")
        made = designs(options.buckets)
        found = {name: [] for name in [*made, "history"]}
        for each in made.values():
            run(spark, each, folder / "warming", folder / "warm")
        run_history(spark, folder / "warm", options.buckets)
        for _ in range(options.repeats):
            for name, each in made.items():
                found[name].append(run(spark, each, folder / name, folder / "in").tolist())
                print(name, found[name][-1], flush=True)
            found["history"].append(run_history(spark, folder / "in", options.buckets).tolist())
        is_equal = equal_bits(spark, [folder / "buckets", folder / "state per key"])
        spark.stop()
    own = own_time(table, options.batches, options.buckets)
    show(options, found, own, is_equal)
    if options.json:
        figures = {**vars(options), "seconds": found, "operator": own, "is_equal": is_equal}
        Path(options.json).write_text(json.dumps(figures, indent=1))


def show(options, found, own, is_equal):
    print(
        f"{options.records:,} records, {options.keys:,} keys, {options.batches} batches, {options.buckets} "
        f"buckets, LogisticMixture with 3 inputs, {options.repeats} runs; CPU seconds, median (least to most)"
    )
    middle = {}
    for name, runs in found.items():
        totals = [sum(each) for each in runs]
        middle[name] = statistics.median(totals)
        jvm = statistics.median(each[0] for each in runs)
        print(
            f"{name:14} {middle[name]:6.1f} ({min(totals):.1f} to {max(totals):.1f}), of it JVM {jvm:.1f}, "
            f"Python {middle[name] - jvm:.1f}"
        )
    print(f"the operator alone, from bytes to bytes: {own:.2f}")
    print(f"buckets / state per key: {middle['buckets'] / middle['state per key']:.2f}")
    print(f"shuffle only / buckets: {middle['shuffle only'] / middle['buckets']:.2f}")
    print(f"operator alone / buckets: {own / middle['buckets']:.3f}")
    print(f"bit-equal: {is_equal}")


if __name__ == "__main__":
    main()
