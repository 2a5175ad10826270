"""Topics of Kafka: records and positions, batches that are written once, on a mock cluster."""

import itertools
import sys

import pyarrow as pa
import pytest
from support.mock_kafka import mock_kafka

from thalweg.connectors import KafkaSink, KafkaSource
from thalweg.errors import ParameterError, StreamError

names = map("topic-{}".format, itertools.count())


@pytest.fixture(scope="module")
def kafka():
    with mock_kafka() as cluster:
        yield cluster


def read_all(source, position=None):
    found, refused = [], []
    source.open(position)
    while (batch := source.next_batch()) is not None:
        found += batch.messages
        refused += batch.refused
    source.close()
    return found, refused


def test_records_come_in_the_order_of_their_partition_with_key_and_offset(kafka):
    topic = next(names)
    kafka.send(topic, [(f"k{i}", {"n": i}) for i in range(50)], partition=1)
    kafka.send(topic, [("own", {"n": 0, "who": "ann", "at": 7})], partition=2)
    source = KafkaSource(
        topic, kafka.servers, key_column="who", offset_column="at", stop_at_end=True, most=20, wait=5
    )
    messages, _ = read_all(source)
    one = [each.record for each in messages if each.place == f"{topic}/1"]
    assert one == [{"n": i, "who": f"k{i}", "at": i} for i in range(50)]
    two = [each.record for each in messages if each.place == f"{topic}/2"]
    assert two == [{"n": 0, "who": "ann", "at": 7}]


def test_a_source_reads_on_exactly_at_the_position_it_is_given(kafka):
    topic = next(names)
    for partition in (0, 3):
        kafka.send(topic, [(None, {"n": i, "p": partition}) for i in range(30)], partition)
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, most=7, wait=5).open()
    seen = []
    while (batch := source.next_batch()) is not None:
        assert len(batch.messages) <= 7
        seen += batch.records
        source.close()
        source = KafkaSource(topic, kafka.servers, stop_at_end=True, most=7, wait=5).open(batch.position)
    source.close()
    assert [each["n"] for each in seen if each["p"] == 0] == [*range(30)]
    assert [each["n"] for each in seen if each["p"] == 3] == [*range(30)]


def test_messages_that_are_no_records_are_reported_and_the_others_read(kafka):
    topic = next(names)
    bad = [b"{", b"[1, 2]", b"", None, b'{"x": NaN}', b"\xff\xfe", b"[" * 100_000]
    kafka.send(topic, [("a", {"n": 0}), *((f"bad{i}", each) for i, each in enumerate(bad)), ("b", {"n": 1})])
    messages, refused = read_all(KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5))
    assert [each.record["n"] for each in messages] == [0, 1]
    assert [each.key for each in refused] == [f"bad{i}" for i in range(len(bad))]
    assert [each.offset for each in refused] == [*range(1, 1 + len(bad))]
    assert "JSON object" in refused[1].problem
    assert "empty" in refused[3].problem


def test_an_offset_that_is_gone_is_an_error_and_not_a_gap(kafka):
    topic = next(names)
    kafka.send(topic, [(None, {"n": 0})])
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5).open({f"{topic}/0": 1000})
    with pytest.raises(StreamError, match="no offset 1000 any more, or not yet"):
        source.next_batch()
    source.close()
    with pytest.raises(StreamError, match="the position names other/0"):
        KafkaSource(topic, kafka.servers).open({"other/0": 1})


def test_a_source_without_end_returns_what_came_until_now(kafka):
    topic = next(names)
    kafka.send(topic, [(None, {"n": 0})])
    with KafkaSource(topic, kafka.servers, wait=0.2).open() as source:
        found = []
        while not found:
            found += source.next_batch().records
        assert source.next_batch().messages == []
        kafka.send(topic, [(None, {"n": 1})])
        while len(found) < 2:
            found += source.next_batch().records
    assert found == [{"n": 0}, {"n": 1}]


def test_a_sink_writes_batches_and_knows_the_last_one_after_a_restart(kafka):
    topic = next(names)
    kafka.send(topic, [("other", {"n": -1})])
    last = [{"who": f"w{i}", "p": i / 7} for i in range(100)]
    with KafkaSink(topic, kafka.servers, name=f"{topic}-a", key_column="who") as sink:
        assert sink.last_batch() == -1
        sink.write([{"who": "ann", "p": 0.5}, {"who": "bob", "p": float("nan")}], 0)
        sink.write([], 2)
        sink.write(pa.Table.from_pylist(last), 3)
    with KafkaSink(topic, kafka.servers, name=f"{topic}-a", key_column="who") as sink:
        assert sink.last_batch() == 3
        sink.write(last[::-1], 3)  # again, after a crash; the order of a batch does not count
        with pytest.raises(StreamError, match=r"up to 3, and this is another batch 3: .* another name"):
            sink.write(last[1:], 3)
        with pytest.raises(StreamError, match="up to 3, and this is another batch 2"):
            sink.write(last, 2)
    assert KafkaSink(topic, kafka.servers, name=f"{topic}-b").last_batch() == -1
    found = [each for each in kafka.records(topic) if "who" in each]
    assert len(found) == 102
    assert {each["who"]: each["p"] for each in found} == {
        "ann": 0.5, "bob": None, **{f"w{i}": i / 7 for i in range(100)}
    }  # fmt: skip
    assert b"ann" in {each.key() for each in kafka.messages(topic)}


def test_the_last_batch_is_found_behind_many_messages_of_others(kafka):
    topic = next(names)
    with KafkaSink(topic, kafka.servers, name="first") as sink:
        sink.write([{"n": 1}], 5)
    for partition in range(4):
        kafka.send(topic, [(None, {"n": i}) for i in range(3000)], partition)
    assert KafkaSink(topic, kafka.servers, name="first").last_batch() == 5


def test_headers_of_others_in_the_topic_may_be_anything(kafka):
    topic = next(names)
    with KafkaSink(topic, kafka.servers, name="mine") as sink:
        sink.write([{"n": 1}], 3)
    for value in (b"\xff\xfe", None, b"1"):
        kafka._owner.produce(topic, b"{}", headers=[("trace", value), ("thalweg-batch", value)])
    kafka._owner.flush(10)
    assert KafkaSink(topic, kafka.servers, name="mine").last_batch() == 3


def test_a_batch_that_was_not_written_to_its_end_does_not_count(kafka):
    topic = next(names)
    sink = KafkaSink(topic, kafka.servers, name="half")
    sink.write([{"n": 0}], 1)
    sink._producer.begin_transaction()
    where = [("thalweg-writer", "half"), ("thalweg-batch", "2"), ("thalweg-place", "1/2")]
    sink._producer.produce(topic, b"{}", headers=[*where, ("thalweg-content", "")])
    sink._producer.flush(10)
    assert KafkaSink(topic, kafka.servers, name="half").last_batch() == 1


def test_servers_that_do_not_answer_and_wrong_parameters_are_errors(kafka):
    with pytest.raises(StreamError, match=r"no answer within 0\.3 s"):
        KafkaSource("orders", "127.0.0.1:9", timeout=0.3).open()
    with pytest.raises(StreamError, match="cannot be written"):
        KafkaSink("orders", "127.0.0.1:9", name="x", timeout=0.3).open()
    with pytest.raises(StreamError, match="there is no topic 'nowhere'"):
        KafkaSource("nowhere", kafka.servers).open()
    with pytest.raises(StreamError, match="call open first"):
        KafkaSource("orders", kafka.servers).next_batch()
    with pytest.raises(ParameterError, match="most"):
        KafkaSource("orders", kafka.servers, most=0)


def test_the_error_without_the_client_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(ImportError, match=r"pip install thalweg\[kafka\]"):
        KafkaSource("orders", "127.0.0.1:9092").open()
