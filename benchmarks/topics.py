"""What a message of Kafka costs: read only, by a live model, by a model for every key.

    python -m benchmarks.topics --messages 20000 --repeats 3

Processor time of the reading process alone; brokers are the mock of librdkafka in this process, so figures
have no network and no disk of a broker in them.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import thalweg
from thalweg.connectors import KafkaSink, KafkaSource
from thalweg.keyed import Bank, Operator, run
from thalweg.learners import LogisticMixture
from thalweg.live import LiveModel, consume

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
INPUTS = [f"x{i}" for i in range(10)]


def rows(n, seed=1):
    X = np.random.default_rng(seed).normal(size=(n, 10))
    labels = np.where(X[:, 0] > 0, "yes", "no").tolist()
    return [dict(zip(INPUTS, x, strict=True)) for x in X.tolist()], labels


def live_messages(n):
    """Return predictions and labels by turns."""
    found = []
    for i, (row, label) in enumerate(zip(*rows(n // 2), strict=True)):
        found.append((f"o{i}", {"event": "predict", "id": f"o{i}", "row": row}))
        found.append((f"o{i}", {"event": "label", "id": f"o{i}", "label": label}))
    return found


def keyed_messages(n):
    return [
        (f"c{i % 500}", row | {"n": i, "paid": label})
        for i, (row, label) in enumerate(zip(*rows(n), strict=True))
    ]


def read_only(servers, topic, folder):
    source = KafkaSource(topic, servers, stop_at_end=True, wait=5).open()
    while source.next_batch() is not None:
        pass
    source.close()


def live(servers, topic, folder):
    data, labels = rows(500, seed=2)
    model = thalweg.Model(target="paid", learner="LogisticMixture").learn(data, labels)
    with LiveModel(folder, model) as opened, KafkaSink("live-out", servers, name=str(folder)) as sink:
        start = time.process_time()
        consume(opened, KafkaSource(topic, servers, stop_at_end=True, wait=5), sink)
        return time.process_time() - start


def keyed(servers, topic, folder):
    operator = Operator(Bank(LogisticMixture()), key="customer", order="n", target="paid")
    operator.begin(inputs=INPUTS, classes=["no", "yes"])
    source = KafkaSource(topic, servers, key_column="customer", stop_at_end=True, wait=5)
    with KafkaSink("keyed-out", servers, name=str(folder)) as sink:
        start = time.process_time()
        run(source, sink, folder=folder, operator=operator)
        return time.process_time() - start


WAYS = {
    "read only": (read_only, live_messages), "live": (live, live_messages), "keyed": (keyed, keyed_messages),
}  # fmt: skip


def child(name, servers, topic):
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        seconds = WAYS[name][0](servers, topic, Path(folder))
        print(json.dumps(seconds or time.process_time() - start))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    from support.mock_kafka import mock_kafka

    with mock_kafka() as kafka:
        for name, (_, made) in WAYS.items():
            topic = f"in-{made.__name__}"
            if name != "live":  # which reads what "read only" has read
                kafka.send(topic, made(options.messages))
            command = [sys.executable, "-m", "benchmarks.topics", "--child", name, kafka.servers, topic]
            found = [
                1e6 * json.loads(subprocess.check_output(command, timeout=600)) / options.messages
                for _ in range(options.repeats)
            ]
            middle = statistics.median(found)
            print(f"{name:10} {middle:6.1f} µs a message ({min(found):.1f} to {max(found):.1f})")


if __name__ == "__main__":
    main()
