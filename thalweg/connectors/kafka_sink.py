"""Answers to a topic of Kafka, a batch a transaction."""

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from thalweg._parameters import real_number
from thalweg.connectors.kafka_client import kafka, partitions, settings
from thalweg.connectors.messages import encoded, key_text
from thalweg.errors import StreamError

WHO = "KafkaSink"
WRITER, NUMBER, PLACE = "thalweg-writer", "thalweg-batch", "thalweg-place"
CONTENT = "thalweg-content"
Messages = Sequence[tuple[bytes | None, bytes]]  # keys and values
TAIL = 256  # messages that are looked at first to find the last batch


class KafkaSink:
    """JSON records to a topic of Kafka, in numbered batches of which each is one transaction.

    Readers with `isolation.level=read_committed` see a batch as a whole or not at all. After a crash the last
    batch is given again, and the sink knows whether it is there: nothing is missing, nothing is there twice.
    Each message has headers: the name of the sink, the number of the batch, "place/size" within it, and a
    checksum of its content.

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
        self._last: tuple[int, str] | None = None

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
        self._producer, self._last = producer, None
        return self

    def last_batch(self) -> int:
        """Return the number of the last batch of this name in the topic; -1 if there is none."""
        return self._find_last()[0]

    def _find_last(self) -> tuple[int, str]:
        """Return the number of the last batch of this name, and the checksum of its content."""
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

    def _last_of(self, consumer: Any, spans: dict[int, tuple[int, int]]) -> tuple[int, str]:
        """Return the last batch of this name: in each partition, look further back until there is one."""
        n, last = TAIL, (-1, "")
        while spans := {number: (low, high) for number, (low, high) in spans.items() if high > low}:
            starts = {number: max(low, high - n) for number, (low, high) in spans.items()}
            place = kafka().TopicPartition
            consumer.assign([place(self.topic, number, start) for number, start in starts.items()])
            for message in self._until_end(consumer, set(starts)):
                found = _batch_of(message.headers() or (), self.name)
                if found is not None:
                    spans.pop(message.partition(), None)
                    last = max(last, found)
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

    def write(self, outputs: Any, batch: int) -> None:
        """Write a batch, a table of Arrow or a list of records; when this returns all of it is there.

        Numbers grow. The last batch may be given again, after a crash: it is not written twice. An older one,
        or the last one with another content, is an error: the writer has lost its state, or has another one.
        """
        if self._producer is None:
            self.open()
        records = outputs.to_pylist() if hasattr(outputs, "to_pylist") else list(outputs)
        messages = [(self._key(record), encoded(record)) for record in records]
        content = _checksum(messages)
        if self._is_there(batch, content) or not messages:
            return
        deadline = time.monotonic() + self.timeout
        while not self._tried(batch, messages, content):
            if time.monotonic() > deadline:
                raise StreamError(f"{WHO}: batch {batch} could not be written within {self.timeout:g} s")
        self._last = batch, content

    def _is_there(self, batch: int, content: str) -> bool:
        if self._last is None:
            self._last = self._find_last()
        number, known = self._last
        if batch > number:
            return False
        if batch == number and content == known:
            return True
        raise StreamError(
            f"{WHO}: {self.topic} has batches of {self.name!r} up to {number}, and this is another batch "
            f"{batch}: the folder of the writer is an older or another one. Give the sink another name, or "
            "take the right folder"
        )

    def _tried(self, number: int, messages: Messages, content: str) -> bool:
        """Write a batch in a transaction; return whether it was committed, False to try again."""
        producer, size = self._producer, len(messages)
        try:
            producer.begin_transaction()
            for place, (key, value) in enumerate(messages, 1):
                where = [(WRITER, self.name), (NUMBER, str(number)), (PLACE, f"{place}/{size}")]
                self._produce(key, value, [*where, (CONTENT, content)])
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
        text = None if key is None else str(key_text(key) if isinstance(key, bytes) else key)
        return None if text is None else text.encode(errors="backslashreplace")

    def close(self) -> None:
        """Leave the brokers; `open` begins again."""
        if self._producer is not None:
            self._producer.flush(self.timeout)
            self._producer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _batch_of(headers: Iterable[tuple[str, bytes | None]], name: str) -> tuple[int, str] | None:
    """Return the batch of a message of this writer, -1 if it is not the last one of it; None for others."""
    own = {WRITER, NUMBER, PLACE, CONTENT}  # others may write what they like
    texts = {key: (value or b"").decode(errors="replace") for key, value in headers if key in own}
    if texts.get(WRITER) != name:
        return None
    done, _, size = texts[PLACE].partition("/")
    return (int(texts[NUMBER]), texts[CONTENT]) if done == size else (-1, "")


def _checksum(messages: Messages) -> str:
    """Return a checksum of messages, whatever their order."""
    parts = sorted(hashlib.sha256(value).digest() for _, value in messages)
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]
