"""A model for every key from topic to topic: the bits of separate learners, over crashes and restarts."""

import itertools
import json
import warnings

import pyarrow as pa
import pytest
from support.mock_kafka import mock_kafka
from support.spark_events import differences, events, operator, plain

from thalweg.connectors import KafkaSink, KafkaSource
from thalweg.keyed import run

names = map("keyed-{}".format, itertools.count())
N = 400


@pytest.fixture(scope="module")
def kafka():
    with mock_kafka() as cluster:
        yield cluster


class Crash(BaseException):
    """Ends a run as the end of its process would."""


class CrashingSink(KafkaSink):
    """Crashes at a batch, before or after it was written."""

    crash = None

    def write(self, outputs, batch):
        when, at = self.crash
        if (when, at) == ("before", batch):
            raise Crash
        super().write(outputs, batch)
        if (when, at) == ("after", batch):
            raise Crash


def send(kafka, topic, table):
    """Write events to a topic: those of a key into one of four partitions."""
    by_partition = {}
    for row in table.to_pylist():
        record = {name: value for name, value in row.items() if value is not None and value == value}
        record = {name: "inf" if value == float("inf") else value for name, value in record.items()}
        by_partition.setdefault(len(str(row["who"])) % 4, []).append((row["who"], record))
    for partition, sent in by_partition.items():
        kafka.send(topic, sent, partition)


def outputs(kafka, topic):
    """Return what was written to a topic, in columns that `differences` compares."""
    wanted = ["n", "status", "p_no", "p_yes"]
    return pa.Table.from_pylist([{name: each.get(name) for name in wanted} for each in kafka.records(topic)])


def source_of(kafka, topic):
    return KafkaSource(topic, kafka.servers, key_column="who", stop_at_end=True, most=90, wait=5)


def test_a_topic_to_a_topic_is_bit_equal_to_separate_learners(kafka, tmp_path):
    topic, out = next(names), next(names)
    table = events(N, 12)
    send(kafka, topic, table.slice(0, 300))
    with KafkaSink(out, kafka.servers, name=out, key_column="who") as sink:
        run(source_of(kafka, topic), sink, folder=tmp_path, operator=operator(), commit_rows=100)
    send(kafka, topic, table.slice(300))
    with KafkaSink(out, kafka.servers, name=out, key_column="who") as sink:
        done = run(source_of(kafka, topic), sink, folder=tmp_path)
    assert done.n_rows == N
    assert differences(outputs(kafka, out), plain(table)) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_around_the_writing_of_outputs_loses_and_doubles_none(kafka, tmp_path, when):
    topic, out = next(names), next(names)
    table = events(N, 12, seed=2)
    send(kafka, topic, table)
    sink = CrashingSink(out, kafka.servers, name=out)
    sink.crash = when, 1
    with pytest.raises(Crash):
        run(source_of(kafka, topic), sink, folder=tmp_path, operator=operator(), commit_rows=100)
    sink = KafkaSink(out, kafka.servers, name=out)
    run(source_of(kafka, topic), sink, folder=tmp_path, operator=operator())
    assert differences(outputs(kafka, out), plain(table)) == []


def test_batches_are_read_again_with_the_same_borders(kafka):
    topic = next(names)
    send(kafka, topic, events(N, 12, seed=3))
    source = source_of(kafka, topic)
    parts, position = [], None
    while (found := source.read(position))[0] is not None:
        parts.append((position, *found))
        position = found[1]
    kafka.send(topic, [("x", {"n": 1})], 2)  # messages beyond are not read
    for start, table, stop in parts[::-1]:
        again, after = source_of(kafka, topic).read(start, stop)
        assert after == stop
        assert again.equals(table)
    assert sum(table.num_rows for _, table, _ in parts) == N


def test_poisoned_messages_do_not_stop_a_run(kafka, tmp_path):
    topic = next(names)
    deep = {}
    for _ in range(40):
        deep = {"x": deep, "y": 1}
    kafka.send(topic, [("ann", b"{"), ("ann", {"other": 1}), ("ann", deep)])
    send(kafka, topic, events(60, 5))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = run(source_of(kafka, topic), folder=tmp_path, operator=operator())
    assert done.counts["refused"] >= 1  # no order
    assert sum(done.counts.values()) == done.n_rows == 61
    assert any("offset 0: it is not JSON" in str(each.message) for each in caught)


def test_columns_can_be_found_from_the_first_messages(kafka, tmp_path):
    topic = next(names)
    rows = [{"price": i % 7, "sold": "yes" if i % 7 > 3 else "no"} for i in range(200)]
    kafka.send(topic, [("ab"[i % 2], row) for i, row in enumerate(rows)])
    source = KafkaSource(topic, kafka.servers, key_column="shop", stop_at_end=True, wait=5)
    done = run(source, folder=tmp_path, key="shop", target="sold", learner="NaiveBayes")
    assert done.counts == {"learned": 200}
    assert done.n_keys == 2


@pytest.mark.parametrize("cell", [[1], "\ud83d"], ids=["list", "surrogate"])
def test_a_message_with_a_cell_that_is_not_one_value_is_passed_over_at_every_start(kafka, tmp_path, cell):
    topic = next(names)
    rows = [{"shop": "ab"[i % 2], "price": i % 7, "sold": "yes" if i % 7 > 3 else "no"} for i in range(40)]
    bad = rows[0] | {"price": cell}

    def send(*records):
        kafka.send(topic, [(None, json.dumps(each).encode()) for each in records])
        source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            done = run(source, folder=tmp_path, key="shop", target="sold", learner="NaiveBayes")
        assert any("column 'price'" in str(each.message) for each in caught)
        return done.counts

    assert send(*rows, bad) == {"learned": 40}
    assert send(bad) == {"learned": 40}
    assert send(rows[1], bad, rows[2] | {"other": [1]}, rows[3]) == {"learned": 43}
