"""Streams in and out: topics of Kafka as sources of records and as sinks of answers.

Needs `pip install thalweg[kafka]`. `thalweg.keyed.run` and `thalweg.live.consume` read from a source and
write to a sink, and keep the position of the source beside their state.
"""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.connectors.kafka_sink import KafkaSink as KafkaSink
    from thalweg.connectors.kafka_source import KafkaSource as KafkaSource
    from thalweg.connectors.messages import Batch as Batch
    from thalweg.connectors.messages import Message as Message
    from thalweg.connectors.messages import Refused as Refused
else:
    __getattr__ = registry.load
__dir__ = registry.public
