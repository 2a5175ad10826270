"""Kill a live model that reads a topic, again and again, and check that each message counted once.

python -m tests.kill_kafka --kills 20

The cluster is the mock of librdkafka, in the parent process. It shows the messages of transactions that a
killed process left open: answers of a batch that was not written to its end are left out, as a real broker
would.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from support.live_messages import begun_model, bit_equal_answers, direct, messages
from support.mock_kafka import mock_kafka

from thalweg.connectors import KafkaSink, KafkaSource
from thalweg.live import LiveModel, consume

TOPIC, ANSWERS = "events", "answers"


def child(folder, servers):
    """Read the topic for ever."""
    with LiveModel(folder, survive="process", checkpoint_seconds=0.0, lock_timeout=30) as live:
        print("ready", flush=True)
        source = KafkaSource(TOPIC, servers, most=5, wait=0.02)
        consume(live, source, KafkaSink(ANSWERS, servers, name="answers"), should_stop=lambda: False)


def complete_answers(kafka):
    """Return the answers by the place of their message: those of batches that were written to their end."""
    found = [(dict(each.headers()), each) for each in kafka.messages(ANSWERS)]
    places = Counter()
    by_batch = {}
    for headers, message in found:
        batch, place = int(headers["thalweg-batch"]), headers["thalweg-place"].decode()
        by_batch.setdefault(batch, {})[place] = message.value()
    answers = {}
    for batch in by_batch.values():
        size = int(next(iter(batch)).split("/")[1])
        assert len(batch) == size, "a batch is not there to its end"
        for value in batch.values():
            record = json.loads(value)
            place = record["source"].split("/", 1)[1]
            places[place] += 1
            answers[place] = record
    assert not [place for place, n in places.items() if n > 1], "an answer is in two batches"
    return answers


def run(n_kills, n_messages, seed=1):
    """Kill a process so many times while it reads messages; return how many answers are there twice."""
    rng = random.Random(seed)
    sent = messages(n_messages, seed)
    with mock_kafka() as kafka, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        LiveModel(folder / "live", begun_model()).close()
        kafka.send(ANSWERS, [])
        size = -(-n_messages // (n_kills + 1))
        for kill in range(n_kills + 1):
            kafka.send(TOPIC, sent[kill * size : (kill + 1) * size])
            process = subprocess.Popen(
                [sys.executable, __file__, "--child", str(folder / "live"), kafka.servers],
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            try:
                assert process.stdout.readline() == "ready\n"
                if kill < n_kills:
                    time.sleep(0.6 + rng.expovariate(1 / 0.3))
                else:
                    wait_for(kafka, n_messages)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
        expected, digest = direct(folder / "direct", sent)
        bit_equal_answers(complete_answers(kafka), expected)
        with LiveModel(folder / "live") as live:
            assert live.digest() == digest, "the model is another one"
        return len(kafka.messages(ANSWERS)) - n_messages


def wait_for(kafka, n, seconds=60):
    """Wait until so many different answers are there."""
    deadline = time.monotonic() + seconds
    while len({each.value() for each in kafka.messages(ANSWERS)}) < n:
        assert time.monotonic() < deadline, "answers are missing"
        time.sleep(0.2)
    time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
    else:
        n = run(options.kills, options.messages, options.seed)
        print(f"{options.kills} kills: each of {options.messages} messages counted once; {n} left open")


if __name__ == "__main__":
    main()
