"""The client of Kafka, imported on first use, and what its source and sink share."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from thalweg.errors import StreamError

logger = logging.getLogger("thalweg.connectors")


def kafka() -> Any:
    """Return the module of the client; raise ImportError if it is not installed."""
    try:
        import confluent_kafka
    except ImportError as error:
        raise ImportError("topics of Kafka need confluent-kafka: pip install thalweg[kafka]") from error
    return confluent_kafka


def settings(
    servers: str | Sequence[str], given: Mapping[str, Any] | None, ours: dict[str, Any]
) -> dict[str, Any]:
    """Return the configuration of a client: what was given, but for what must be as it is."""
    joined = servers if isinstance(servers, str) else ",".join(servers)
    return {"log_level": 3, **(given or {}), "bootstrap.servers": joined, "logger": logger, **ours}


def partitions(client: Any, topics: Sequence[str], timeout: float) -> dict[str, list[int]]:
    """Return the partitions of topics, none for unknown ones; raise StreamError if no answer comes."""
    found = {}
    for topic in topics:
        try:
            known = client.list_topics(topic, timeout).topics[topic]
        except kafka().KafkaException as error:
            raise StreamError(f"Kafka: no answer within {timeout:g} s: {error.args[0].str()}") from error
        problem = known.error
        if problem is not None and problem.code() != kafka().KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise StreamError(f"Kafka: the topic {topic!r} cannot be used: {problem.str()}")
        found[topic] = sorted(known.partitions)
    return found
