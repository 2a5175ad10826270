"""Answers to a topic of Kafka, a batch a transaction."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from thalweg._parameters import real_number
from thalweg.connectors.kafka_client import kafka, partitions, settings
from thalweg.connectors.messages import encoded, key_text
from thalweg.errors import StreamError

WHO = "KafkaSink"
WRITER, NUMBER, PLACE = "thalweg-writer", "thalweg-batch", "thalweg-place"
TAIL = 256  # messages that are looked at first to find the last batch


class KafkaSink:
    """JSON records to a topic of Kafka, in numbered batches of which each is one transaction.

    Readers with `isolation.level=read_committed` see a batch as a whole or not at all. After a crash the
    writer asks `last_batch` whether its last one was written, and writes it if not: nothing is missing,
    nothing is there twice. Each message has headers: the name of the sink, the number of the batch, and
    "place/size" within it.

    Parameters
    ----------
    topic : str
        Where to write.
    servers : str or sequence of str
        `bootstrap.servers`: host:port of some brokers.
    name : str
        Who writes, the same after each restart: the `transactional.id`. A second sink of this name shuts out
        the first one.
    key_column : str or None, default=None
        The column of a record that is the key of its message.
    timeout : float, default=30
        Seconds to wait for the brokers.
    config : dict or None, default=None
        More configuration of librdkafka, such as passwords.

    Examples
    --------
    >>> from thalweg.connectors import KafkaSink
    >>> sink = KafkaSink("answers", "127.0.0.1:9092", name="orders-1", key_column="customer")
    """

    def __init__(
        self, topic: str, servers: str | Sequence[str], *, name: str, key_column: str | None = None,
        timeout: float = 30.0, config: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        real_number(WHO, "timeout", timeout, above=0)
        self.topic, self.servers, self.name, self.config = topic, servers, name, config
        self.key_column, self.timeout = key_column, timeout
        self._producer: Any = None

    def open(self) -> Self:
        """Shut out older sinks of this name, end what they left open, and be ready to write; return self."""
        self.close()
        producer = kafka().Producer(settings(self.servers, self.config, {
            "transactional.id": self.name, "linger.ms": 5,
            "transaction.timeout.ms": max(int(1000 * self.timeout), 1000),
        }))  # fmt: skip
        try:
            producer.init_transactions(self.timeout)
        except kafka().KafkaException as error:
            raise StreamError(f"{WHO}: {self.topic} cannot be written: {error.args[0].str()}") from error
        self._producer = producer
        return self

    def last_batch(self) -> int:
        """Return the number of the last batch of this name in the topic; 0 if there is none."""
        consumer = kafka().Consumer(settings(self.servers, self.config, {
            "group.id": "thalweg", "enable.auto.commit": False, "auto.offset.reset": "earliest",
            "isolation.level": "read_committed", "enable.partition.eof": True,
        }))  # fmt: skip
        try:
            places = partitions(consumer, [self.topic], self.timeout)[self.topic]
            return self._last_of(consumer, {number: self._span(consumer, number) for number in places})
        finally:
            consumer.close()

    def _span(self, consumer: Any, number: int) -> tuple[int, int]:
        """Return the first offset of a partition and the one after its last."""
        partition = kafka().TopicPartition(self.topic, number)
        try:
            low, high = consumer.get_watermark_offsets(partition, timeout=self.timeout)
        except kafka().KafkaException as error:
            raise StreamError(f"{WHO}: {self.topic} cannot be read: {error.args[0].str()}") from error
        return int(low), int(high)

    def _last_of(self, consumer: Any, spans: dict[int, tuple[int, int]]) -> int:
        """Return the last batch of this name: in each partition, look further back until there is one."""
        n, last = TAIL, 0
        while spans := {number: (low, high) for number, (low, high) in spans.items() if high > low}:
            starts = {number: max(low, high - n) for number, (low, high) in spans.items()}
            place = kafka().TopicPartition
            consumer.assign([place(self.topic, number, start) for number, start in starts.items()])
            for message in self._until_end(consumer, set(starts)):
                headers = {name: value.decode() for name, value in message.headers() or ()}
                if headers.get(WRITER) == self.name:
                    spans.pop(message.partition(), None)
                    done, _, size = headers[PLACE].partition("/")
                    last = max(last, int(headers[NUMBER]) if done == size else 0)
            spans = {number: (low, starts[number]) for number, (low, _) in spans.items()}
            n *= 8
        return last

    def _until_end(self, consumer: Any, places: set[int]) -> Any:
        """Yield the messages of the assigned partitions, up to their ends."""
        deadline = time.monotonic() + self.timeout
        while places and time.monotonic() < deadline:
            for message in consumer.consume(1000, 0.1):
                error = message.error()
                if error is None:
                    deadline = time.monotonic() + self.timeout
                    yield message
                elif error.code() == kafka().KafkaError._PARTITION_EOF:
                    places.discard(message.partition())
                else:
                    raise StreamError(f"{WHO}: {self.topic} cannot be read: {error.str()}")
        if places:
            raise StreamError(f"{WHO}: the end of {self.topic} was not reached within {self.timeout:g} s")

    def write(self, number: int, records: Sequence[Mapping[str, Any]]) -> None:
        """Write a batch, with a number above all before; when this returns all of it is there."""
        if self._producer is None:
            raise StreamError(f"{WHO}: the sink is closed: call open first")
        if not records:
            return
        messages = [(self._key(record), encoded(dict(record))) for record in records]
        deadline = time.monotonic() + self.timeout
        while not self._tried(number, messages):
            if time.monotonic() > deadline:
                raise StreamError(f"{WHO}: batch {number} could not be written within {self.timeout:g} s")

    def _tried(self, number: int, messages: Sequence[tuple[bytes | None, bytes]]) -> bool:
        """Write a batch in a transaction; return whether it was committed, False to try again."""
        producer, size = self._producer, len(messages)
        try:
            producer.begin_transaction()
            for place, (key, value) in enumerate(messages, 1):
                headers = [(WRITER, self.name), (NUMBER, str(number)), (PLACE, f"{place}/{size}")]
                self._produce(key, value, headers)
            self._committed()
        except kafka().KafkaException as failure:
            error = failure.args[0]
            if error.txn_requires_abort():
                producer.abort_transaction(self.timeout)
                return False
            is_shut_out = error.code() == kafka().KafkaError._FENCED
            said = "another sink of this name was opened" if is_shut_out else error.str()
            raise StreamError(f"{WHO}: batch {number} was not written: {said}") from failure
        return True

    def _produce(self, key: bytes | None, value: bytes, headers: Any) -> None:
        while True:
            try:
                self._producer.produce(self.topic, value, key, headers=headers)
                return
            except BufferError:  # the queue of the client is full
                self._producer.poll(0.1)

    def _committed(self) -> None:
        """Commit the open transaction; what may be tried again is."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                self._producer.commit_transaction(self.timeout)
                return
            except kafka().KafkaException as failure:
                if not failure.args[0].retriable() or time.monotonic() > deadline:
                    raise

    def _key(self, record: Mapping[str, Any]) -> bytes | None:
        key = None if self.key_column is None else record.get(self.key_column)
        return None if key is None else str(key_text(key) if isinstance(key, bytes) else key).encode()

    def close(self) -> None:
        """Leave the brokers; `open` begins again."""
        if self._producer is not None:
            self._producer.flush(self.timeout)
            self._producer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
