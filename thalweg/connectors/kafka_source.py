"""Records from topics of Kafka, from a position that the reader keeps."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import pyarrow as pa

from thalweg._parameters import real_number, whole_number
from thalweg.connectors.kafka_client import kafka, logger, partitions, settings
from thalweg.connectors.messages import Batch, Message, Position, Refused, decoded, key_text
from thalweg.errors import StreamError, first_of
from thalweg.streams.files.tables import readable_table

WHO = "KafkaSource"
MOST_MESSAGES = 10  # that are kept of those about bad messages


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
        Whether to stop where all partitions end. If not, the reader waits for more.
    most : int, default=10000
        Most messages in a batch.
    wait : float, default=0.5
        Seconds to wait for more messages before a batch that is not full is returned.
    timeout : float, default=10
        Seconds to wait for the brokers when the source is opened.
    config : dict or None, default=None
        More configuration of librdkafka, such as passwords.

    Attributes
    ----------
    n_bad : int
        Messages that `read` has left out, because they are no records.
    messages : list of str
        What was wrong with the first ones.

    Examples
    --------
    >>> from thalweg.connectors import KafkaSource
    >>> source = KafkaSource("orders", "127.0.0.1:9092", key_column="customer")
    """

    replays = True  # what was read can be read again

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
        self._reached: set[str] = set()
        self._until: Position | None = None
        self._read_to: Position | None = None
        self._wanted: list[str] = []
        self._error: Any = None
        self.n_bad, self.messages = 0, list[str]()

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

    def next_batch(self, until: Position | None = None) -> Batch | None:
        """Return the next messages, partition by partition; None at the end, if the source stops there.

        A batch may be empty: nothing came within `wait` seconds. With `until`, a position that was returned
        before, all messages up to it are returned, and none beyond.
        """
        if self._consumer is None:
            raise StreamError(f"{WHO}: the source is closed: call open first")
        self._until, self._reached = until, set()
        batch = Batch()
        seconds = self.wait if until is None else self.timeout
        deadline, n = time.monotonic() + seconds, 0
        while not self._is_done(n):
            left = deadline - time.monotonic()
            found = self._consumer.consume(min(self.most - n, 10_000) or 1, max(min(left, 0.1), 0.0))
            for message in found:
                n += self._take(message, batch)
            if self._error is not None:
                raise StreamError(f"{WHO}: {self._error.str()}")
            if left <= 0:
                break
        if until is None and not n and self._is_at_end():
            return None
        batch.messages.sort(key=lambda each: (each.place, each.offset))
        batch.position = self.position
        return batch

    def _is_done(self, n: int) -> bool:
        if self._until is None:
            return n >= self.most or self._is_at_end()
        ends = self._until.items()
        return all(place in self._reached or self._position[place] >= end for place, end in ends)

    def read(self, position: Position | None, until: Position | None = None) -> tuple[Any, Position | None]:
        """Return the next records as a table of Arrow, and the position after them, for `thalweg.keyed.run`.

        If there are none, return None and the same position: nothing came within `wait` seconds, or, with
        `stop_at_end`, all partitions have ended. With `until`, a position that was returned before, all
        records up to it are returned, and none beyond.
        """
        if self._consumer is None or position != self._read_to or until is not None:
            self.open(position)
        while (batch := self.next_batch(until)) is not None:
            table = self._table(batch)
            self._report(batch)
            if until is not None:
                if not self._is_done(0):
                    raise StreamError(f"{WHO}: {until} was not reached within {self.timeout:g} s")
                self.close()
                return table, dict(until)
            if table is not None:
                self._read_to = batch.position
                return table, batch.position
            if not self.stop_at_end:
                break
        return None, position

    def head(self) -> list[dict[str, Any]]:
        """Return the first records, to find columns from; raise StreamError if there are none."""
        self.open()
        deadline = time.monotonic() + self.timeout
        found: list[dict[str, Any]] = []
        while len(found) < self.most and time.monotonic() < deadline:
            batch = self.next_batch()
            if batch is None or (found and not batch.messages):
                break
            found += batch.records
        self.close()
        if not found:
            raise StreamError(f"{WHO}: {self.topics} have no records yet to find the columns from")
        table, problems = readable_table(found)
        return table.to_pylist() if problems else found

    def want(self, wanted: Any) -> None:
        """Say which columns tables must have: those that no record has are missing values."""
        self._wanted = [*wanted.names, *wanted.kept]

    def _table(self, batch: Batch) -> Any:
        """Return the records of a batch as a table, None if there are none; refuse those that fit in none."""
        if not batch.messages:
            return None
        table, problems = readable_table(batch.records, self._wanted or None)
        wrong = {
            i: f"column {name!r}: {why}" if name else why
            for name, by_row in reversed(problems.items()) for i, why in by_row.items()
        }  # fmt: skip
        if not table.num_columns and self._wanted:
            table = pa.table({self._wanted[0]: pa.nulls(len(batch.messages), pa.string())})
        for name in self._wanted:
            if name not in table.column_names:
                table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
        if not wrong:
            return table
        good = [i for i in range(len(batch.messages)) if i not in wrong]
        for i, why in sorted(wrong.items()):
            each = batch.messages[i]
            batch.refused.append(Refused(each.key, each.place, each.offset, why))
        batch.messages = [batch.messages[i] for i in good]
        return table.take(pa.array(good, pa.int64())) if good else None

    def _report(self, batch: Batch) -> None:
        self.n_bad += len(batch.refused)
        for each in batch.refused[: max(MOST_MESSAGES - len(self.messages), 0)]:
            self.messages.append(f"{each.place}, offset {each.offset}: {each.problem}")

    def _is_at_end(self) -> bool:
        return self.stop_at_end and len(self._ended) == len(self._position)

    def _take(self, message: Any, batch: Batch) -> int:
        """Add a message to a batch; return 1, or 0 if it is only a notice of the client."""
        place = f"{message.topic()}/{message.partition()}"
        error = message.error()
        if error is not None:
            if error.code() == kafka().KafkaError._PARTITION_EOF:
                self._ended.add(place)
                self._reached.add(place)
                return 0
            raise self._failure(place, error)
        offset, key = message.offset(), key_text(message.key())
        if self._until is not None and offset >= self._until.get(place, 0):
            self._reached.add(place)
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
            "made again. To continue without them, start with a new state"
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
