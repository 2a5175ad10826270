"""Records from topics of Kafka, from a position that the reader keeps."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from thalweg._parameters import real_number, whole_number
from thalweg.connectors.kafka_client import kafka, logger, partitions, settings
from thalweg.connectors.messages import Batch, Message, Position, Refused, decoded, key_text
from thalweg.errors import StreamError, first_of

WHO = "KafkaSource"


class KafkaSource:
    """JSON records from topics of Kafka, each in a message.

    The position, an offset for each partition, belongs to the reader, who stores it in the same transaction
    as what became of the messages, and gives it to `open` after a restart. The source reads on exactly there.
    Nothing is committed to the broker, and there is no group of consumers: one reader reads all partitions.
    Of transactions only committed messages are read.

    A partition that is not in the position is read from its beginning. An offset that the topic no longer
    keeps is an error, never a gap that nobody notices. Messages that are no JSON objects are in
    `Batch.refused`.

    Parameters
    ----------
    topics : str or sequence of str
        What to read.
    servers : str or sequence of str
        `bootstrap.servers`: host:port of some brokers.
    key_column : str or None, default=None
        A column that gets the key of the message, as text, where the record does not have it.
    offset_column : str or None, default=None
        A column that gets the offset of the message where the record does not have it: an order of the events
        of a key, if all of them are in one partition.
    stop_at_end : bool, default=False
        Whether to stop where all partitions end. If not, `read` waits for messages for ever.
    most : int, default=10000
        Most messages in a batch.
    wait : float, default=0.5
        Seconds to wait for more messages before a batch that is not full is returned.
    timeout : float, default=10
        Seconds to wait for the brokers when the source is opened.
    config : dict or None, default=None
        More configuration of librdkafka, such as passwords.

    Examples
    --------
    >>> from thalweg.connectors import KafkaSource
    >>> source = KafkaSource("orders", "127.0.0.1:9092", key_column="customer")
    """

    def __init__(
        self, topics: str | Sequence[str], servers: str | Sequence[str], *, key_column: str | None = None,
        offset_column: str | None = None, stop_at_end: bool = False, most: int = 10_000, wait: float = 0.5,
        timeout: float = 10.0, config: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        whole_number(WHO, "most", most, 1)
        real_number(WHO, "wait", wait, above=0)
        real_number(WHO, "timeout", timeout, above=0)
        self.topics = [topics] if isinstance(topics, str) else list(topics)
        self.servers, self.config = servers, config
        self.key_column, self.offset_column = key_column, offset_column
        self.stop_at_end, self.most, self.wait, self.timeout = stop_at_end, most, wait, timeout
        self._consumer: Any = None
        self._position: Position = {}
        self._ended: set[str] = set()
        self._error: Any = None

    def open(self, position: Position | None = None) -> Self:
        """Read on from a position, or from the beginning of all partitions; return self."""
        self.close()
        self._consumer = kafka().Consumer(settings(self.servers, self.config, {
            "group.id": "thalweg", "enable.auto.commit": False, "enable.auto.offset.store": False,
            "auto.offset.reset": "error", "isolation.level": "read_committed", "enable.partition.eof": True,
            "error_cb": self._note_error,
        }))  # fmt: skip
        try:
            self._position = self._begin(dict(position or {}))
        except BaseException:
            self.close()
            raise
        return self

    def _begin(self, position: Position) -> Position:
        found = partitions(self._consumer, self.topics, self.timeout)
        missing = [topic for topic, numbers in found.items() if not numbers]
        if missing:
            raise StreamError(f"{WHO}: there is no topic {missing[0]!r}")
        known = {f"{topic}/{number}": (topic, number) for topic in found for number in found[topic]}
        lost = sorted(set(position) - set(known))
        if lost:
            there = first_of(sorted(known), 10)
            raise StreamError(f"{WHO}: the position names {lost[0]}, and the topics have only {there}")
        start = {place: position.get(place, self._low(*known[place])) for place in known}
        self._ended = set()
        self._consumer.assign([
            kafka().TopicPartition(topic, number, start[place]) for place, (topic, number) in known.items()
        ])  # fmt: skip
        return start

    def _low(self, topic: str, number: int) -> int:
        """Return the first offset that a partition has."""
        asked = kafka().TopicPartition(topic, number)
        try:
            return int(self._consumer.get_watermark_offsets(asked, timeout=self.timeout)[0])
        except kafka().KafkaException as error:
            raise StreamError(f"{WHO}: {topic}/{number} cannot be read: {error.args[0].str()}") from error

    def _note_error(self, error: Any) -> None:
        logger.warning("Kafka: %s", error.str())
        if error.fatal():
            self._error = error

    @property
    def position(self) -> Position:
        """The offset to read next, for each "topic/partition"."""
        return dict(self._position)

    def read(self) -> Batch | None:
        """Return the next messages; None at the end, if the source stops there.

        A batch may be empty: nothing came within `wait` seconds.
        """
        if self._consumer is None:
            raise StreamError(f"{WHO}: the source is closed: call open first")
        batch = Batch()
        deadline = time.monotonic() + self.wait
        n = 0
        while n < self.most and not self._is_at_end():
            left = deadline - time.monotonic()
            found = self._consumer.consume(min(self.most - n, 10_000), max(min(left, 0.1), 0.0))
            for message in found:
                n += self._take(message, batch)
            if self._error is not None:
                raise StreamError(f"{WHO}: {self._error.str()}")
            if left <= 0:
                break
        if not n and self._is_at_end():
            return None
        batch.position = self.position
        return batch

    def _is_at_end(self) -> bool:
        return self.stop_at_end and len(self._ended) == len(self._position)

    def _take(self, message: Any, batch: Batch) -> int:
        """Add a message to a batch; return 1, or 0 if it is only a notice of the client."""
        place = f"{message.topic()}/{message.partition()}"
        error = message.error()
        if error is not None:
            if error.code() == kafka().KafkaError._PARTITION_EOF:
                self._ended.add(place)
                self._position[place] = max(self._position[place], message.offset())
                return 0
            raise self._failure(place, error)
        offset, key = message.offset(), key_text(message.key())
        if offset < self._position[place]:
            return 0
        self._ended.discard(place)
        try:
            record = decoded(message.value())
        except ValueError as problem:
            logger.warning("%s, offset %d is left out: %s", place, offset, problem)
            batch.refused.append(Refused(key, place, offset, str(problem)))
        else:
            if self.key_column is not None:
                record.setdefault(self.key_column, key)
            if self.offset_column is not None:
                record.setdefault(self.offset_column, offset)
            batch.messages.append(Message(record, key, place, offset))
        self._position[place] = offset + 1
        return 1

    def _failure(self, place: str, error: Any) -> StreamError:
        if error.code() != kafka().KafkaError._AUTO_OFFSET_RESET:
            return StreamError(f"{WHO}: {place} cannot be read: {error.str()}")
        topic, number = place.rsplit("/", 1)
        return StreamError(
            f"{WHO}: {place} has no offset {self._position[place]} any more, or not yet; it begins at "
            f"{self._low(topic, int(number))}: messages were deleted before they were read, or the topic was "
            "made anew. To go on without them, start with a new state"
        )

    def close(self) -> None:
        """Leave the brokers; `open` begins again."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
