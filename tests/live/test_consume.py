"""A live model that reads a topic: each message once, in whatever batches, over crashes."""

import itertools
import json

import kill_kafka
import pytest
from support.live_messages import begun_model, bit_equal_answers, direct, messages
from support.mock_kafka import mock_kafka

import thalweg
from thalweg.connectors import KafkaSink, KafkaSource
from thalweg.errors import StreamError
from thalweg.live import LiveError, LiveModel, consume

names = map("live-{}".format, itertools.count())


@pytest.fixture(scope="module")
def kafka():
    with mock_kafka() as cluster:
        yield cluster


class Crash(BaseException):
    """Ends a call as the end of the process would: nothing of the live model is closed."""


class CrashingSink(KafkaSink):
    """Crashes once, at a batch, before or after it was written."""

    crash = None

    def write(self, outputs, batch):
        when, at = self.crash or (None, None)
        if at == batch and when == "before":
            raise Crash
        super().write(outputs, batch)
        if at == batch:
            raise Crash


def answers(kafka, topic):
    """Return the answers in a topic by the place of their message; fail if one is there twice."""
    found = kafka.records(topic)
    by_place = {each["source"].split("/", 1)[1]: each for each in found}
    assert len(by_place) == len(found)
    return by_place


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_messages_in_any_batches_are_the_events_in_their_order(kafka, tmp_path, most):
    topic, out = next(names), next(names)
    sent = messages(120 if most > 1 else 30)
    kafka.send(topic, sent)
    with LiveModel(tmp_path / "a", begun_model()) as live:
        source = KafkaSource(topic, kafka.servers, stop_at_end=True, most=most, wait=5)
        with KafkaSink(out, kafka.servers, name=out) as sink:
            done = consume(live, source, sink)
        digest = live.digest()
    expected, expected_digest = direct(tmp_path / "b", sent)
    assert done.n_messages == len(sent)
    assert done.n_refused == sum(each["status"] == "refused" for each in expected)
    assert digest == expected_digest
    bit_equal_answers(answers(kafka, out), expected)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_around_the_writing_of_answers_loses_and_doubles_none(kafka, tmp_path, when):
    topic, out = next(names), next(names)
    sent = messages(100)
    kafka.send(topic, sent)
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, most=30, wait=5)
    sink = CrashingSink(out, kafka.servers, name=out)
    live = LiveModel(tmp_path / "a", begun_model())
    sink.crash = when, 2
    with pytest.raises(Crash):
        consume(live, source, sink)
    live._keeper.close()  # as the end of the process does, without a checkpoint
    live._lock.release()
    sink = KafkaSink(out, kafka.servers, name=out)
    with LiveModel(tmp_path / "a") as live:
        consume(live, source, sink)
        digest = live.digest()
    expected, expected_digest = direct(tmp_path / "b", sent)
    assert digest == expected_digest
    bit_equal_answers(answers(kafka, out), expected)


def test_new_messages_are_read_on_from_the_stored_position(kafka, tmp_path):
    topic = next(names)
    sent = messages(60)
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5)
    for part in (sent[:40], sent[40:]):
        kafka.send(topic, part)
        with LiveModel(tmp_path / "a", None if (tmp_path / "a").exists() else begun_model()) as live:
            assert consume(live, source).n_messages == len(part)
            digest = live.digest()
    assert digest == direct(tmp_path / "b", sent)[1]


def test_poisoned_messages_are_answered_and_do_not_stop_the_others(kafka, tmp_path):
    topic, out = next(names), next(names)
    row = {"price": "7,50", "who": "ann"}
    bad = [
        b"{", {"event": "forget"}, {"event": "predict", "id": "a"}, {"event": "predict", "row": row},
        {"event": "label", "id": "never", "label": "yes"}, {"event": "predict", "id": "b", "row": [1]},
        {"event": "predict", "id": 1.5, "row": row}, {"event": "learn", "id": "c", "row": {}, "label": "yes"},
        {"event": "predict", "id": "d", "row": row | {"who": "w" * 513}},
        {"event": "learn", "id": "e", "row": row, "label": "w" * 513},
    ]  # fmt: skip
    good = {"event": "predict", "id": "good", "row": row}
    kafka.send(topic, [(None, each) for each in [*bad, good]])
    with LiveModel(tmp_path / "a", begun_model()) as live:
        source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5)
        consume(live, source, KafkaSink(out, kafka.servers, name=out))
        assert live.event == 1
    found = answers(kafka, out)
    statuses = [found[f"0/{i}"]["status"] for i in range(len(bad) + 1)]
    assert statuses == ["refused"] * 4 + ["unknown_id"] + ["refused"] * 4 + ["unknown_label", "predicted"]
    assert "'row'" in found["0/2"]["message"]


def test_ids_that_cannot_be_written_as_they_came_are_answered_at_every_start(kafka, tmp_path):
    topic, out = next(names), next(names)
    row = {"price": "7,50", "who": "ann"}
    deep = 0
    for _ in range(700):
        deep = [deep]
    odd = [
        json.dumps({"event": "predict", "id": "\ud83d", "row": row}).encode(),
        json.dumps({"event": "forget\ud83d", "id": "\ud83d"}).encode(),
        {"event": "predict", "id": deep, "row": row},
        {"event": "predict", "id": "x" * 999_000, "row": {}},  # an answer may have up to a million bytes
    ]
    good = {"event": "predict", "id": "good", "row": row}
    kafka.send(topic, [(None, each) for each in [*odd, good]])
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5)
    with LiveModel(tmp_path / "a", begun_model(), survive="process") as live:
        for start in range(2):  # the second one begins with the stored answers
            sink = KafkaSink(out, kafka.servers, name=out, key_column="id")
            assert consume(live, source, sink).n_messages == (0 if start else 5)
    found = answers(kafka, out)
    statuses = [found[f"0/{i}"]["status"] for i in range(5)]
    assert statuses == ["predicted", "refused", "refused", "refused", "predicted"]
    assert found["0/0"]["id"] == "\ud83d"


def test_a_learner_that_raises_costs_its_own_message_only(kafka, tmp_path, monkeypatch):
    topic = next(names)
    sent = messages(40)
    kafka.send(topic, sent)
    with LiveModel(tmp_path / "a", begun_model()) as live:
        from thalweg.live.block import Block

        finish = Block.finish

        def failing(block):
            if "m7" in json.dumps(list(map(str, block.ids))):
                raise RuntimeError("a failing learner")
            return finish(block)

        monkeypatch.setattr(Block, "finish", failing)
        done = consume(live, KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5))
        monkeypatch.undo()
        digest = live.digest()
    assert done.n_messages == len(sent)
    kept = [(key, each) for key, each in sent if each["id"] != "m7"]
    assert digest == direct(tmp_path / "b", kept)[1]


def test_a_folder_that_is_older_than_its_sink_and_a_model_without_columns_are_errors(kafka, tmp_path):
    topic, out = next(names), next(names)
    kafka.send(topic, messages(5))
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5)
    sink = KafkaSink(out, kafka.servers, name=out)
    with LiveModel(tmp_path / "a", begun_model()) as live:
        consume(live, source, sink)
    with LiveModel(tmp_path / "b", begun_model()) as live, pytest.raises(StreamError, match="another name"):
        kafka.send(topic, messages(6)[5:])
        consume(live, source, sink)
    empty = thalweg.Model(target="paid", learner="NaiveBayes")
    with LiveModel(tmp_path / "c", empty) as live, pytest.raises(LiveError, match="no columns"):
        consume(live, source)


def test_a_process_that_is_killed_while_it_reads_goes_on_where_it_was():
    kill_kafka.run(n_kills=2, n_messages=60, seed=5)  # python -m tests.kill_kafka: many more


@pytest.mark.parametrize("when", ["delivered", "before", "after"])
def test_an_erased_id_is_in_no_file_and_its_last_batch_is_there_once(kafka, tmp_path, when):
    topic, out, key = next(names), next(names), "a person's name"
    row = {"price": "7,50", "who": "ann"}
    sent = [{"event": "predict", "id": each, "row": row} for each in (key, "b")]
    kafka.send(topic, [(None, each) for each in sent])
    source = KafkaSource(topic, kafka.servers, stop_at_end=True, wait=5)
    sink = CrashingSink(out, kafka.servers, name=out)
    live = LiveModel(tmp_path, begun_model(), watch=False)
    if when == "delivered":
        consume(live, source, sink)
    else:
        sink.crash = when, 1
        with pytest.raises(Crash):
            consume(live, source, sink)
    live.erase(key)
    live.close()
    for path in tmp_path.iterdir():
        assert key.encode() not in path.read_bytes(), path.name
    sent = {"event": "predict", "id": "c", "row": row}
    kafka.send(topic, [(None, sent)])
    with LiveModel(tmp_path, watch=False) as live:
        consume(live, source, KafkaSink(out, kafka.servers, name=out))
    found = answers(kafka, out)
    first = (None, "erased") if when == "before" else (key, "predicted")
    assert [(found[f"0/{i}"]["id"], found[f"0/{i}"]["status"]) for i in range(3)] == [
        first, ("b", "predicted"), ("c", "predicted")
    ]  # fmt: skip
