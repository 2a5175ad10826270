"""A live model from topic to topic, on the cluster that the client plays for tests."""

import json
import tempfile

from confluent_kafka import Producer

import thalweg
from thalweg.connectors import KafkaSink, KafkaSource
from thalweg.live import LiveModel, consume

cluster = Producer({"test.mock.num.brokers": 1, "log_level": 0})  # yours has an address instead
broker = next(iter(cluster.list_topics(timeout=10).brokers.values()))
servers = f"{broker.host}:{broker.port}"
messages = [
    {"event": "predict", "id": "o7", "row": {"price": "12,50"}},
    {"event": "label", "id": "o7", "label": "yes"},
    {"event": "learn", "id": "k1", "row": {"price": "38,00"}, "label": "no"},
    {"event": "predict", "row": {"price": "3,00"}},  # without an id: refused, and the rest goes on
]
for message in messages:
    cluster.produce("orders", json.dumps(message), key=message.get("id"))
cluster.flush(10)

rows = [{"price": f"{i % 40},50", "paid": "yes" if i % 40 < 25 else "no"} for i in range(200)]
model = thalweg.Model(target="paid", learner="LogisticMixture").learn(rows)
source = KafkaSource("orders", servers, stop_at_end=True)
with LiveModel(tempfile.mkdtemp(), model) as live, KafkaSink("answers", servers, name="orders") as sink:
    print(consume(live, source, sink))
answers = KafkaSource("answers", servers, stop_at_end=True).open()
for answer in sorted(answers.next_batch().records, key=lambda each: str(each["id"])):
    print(answer["id"], answer["status"], answer.get("label") or answer.get("message"))
answers.close()
