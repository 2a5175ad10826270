"""A cluster of Kafka that librdkafka plays within this process; other processes may connect to it.

It keeps messages and offsets in memory. It accepts transactions, but shows messages of aborted and open ones,
does not shut out an older producer, and forgets offsets sent to a transaction: none of that is tested with
it.
"""

import json
import time
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition


class MockKafka:
    """Some brokers; topics have `n_partitions` partitions and are made when first written to."""

    def __init__(self, n_brokers=1):
        # `logger` keeps the notices of the client from standard error.
        self._owner = Producer({"test.mock.num.brokers": n_brokers, "log_level": 0})
        brokers = self._owner.list_topics(timeout=10).brokers.values()
        self.servers = ",".join(f"{each.host}:{each.port}" for each in brokers)

    def send(self, topic, messages, partition=0):
        """Write (key, value) pairs: values are bytes, or become JSON."""
        for key, value in messages:
            value = value if isinstance(value, bytes | None) else json.dumps(value).encode()
            while True:
                try:
                    self._owner.produce(topic, value, key, partition=partition)
                    break
                except BufferError:
                    self._owner.poll(0.05)
        assert self._owner.flush(30) == 0

    def messages(self, topic, n_partitions=4):
        """Return all messages of a topic, partition by partition."""
        consumer = Consumer({
            "bootstrap.servers": self.servers, "group.id": "tests", "enable.partition.eof": True,
            "isolation.level": "read_committed", "auto.offset.reset": "earliest", "log_level": 0,
        })  # fmt: skip
        consumer.assign([TopicPartition(topic, number, 0) for number in range(n_partitions)])
        found, ended, deadline = [], set(), time.monotonic() + 30
        while len(ended) < n_partitions and time.monotonic() < deadline:
            for message in consumer.consume(1000, 0.1):
                if message.error() is None:
                    found.append(message)
                else:
                    assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                    ended.add(message.partition())
        consumer.close()
        assert len(ended) == n_partitions
        return sorted(found, key=lambda each: (each.partition(), each.offset()))

    def records(self, topic):
        """Return all records of a topic."""
        return [json.loads(each.value()) for each in self.messages(topic)]

    def close(self):
        del self._owner


@contextmanager
def mock_kafka():
    cluster = MockKafka()
    try:
        yield cluster
    finally:
        cluster.close()
