"""Rows by HTTP: one and many, as JSON, JSON lines and Arrow."""

import json

import pyarrow as pa
import pytest
from support.service_app import Service

JSON = {"content-type": "application/json"}


@pytest.fixture
def service():
    return Service()


def stream(**columns):
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def table_of(answer):
    return pa.ipc.open_stream(answer.content).read_all().to_pydict()


ARROW = "application/vnd.apache.arrow.stream"


def test_one_record_is_predicted_without_an_event(service):
    answer = service.post("/models/m/predict", {"row": {"price": 15, "shop": "north"}})
    assert answer.status_code == 200
    assert answer.json() == {"label": "yes", "probabilities": {"no": 0.25, "yes": 0.75}}


def test_one_row_of_numbers_with_an_id_is_an_event(service):
    answer = service.post("/models/m/predict", {"id": "o7", "x": [4, None]}).json()
    assert answer == {"id": "o7", "label": "no", "probabilities": {"no": 0.8, "yes": 0.2}, "event": 1}
    again = service.post("/models/m/predict", {"id": "o7", "x": [4, None]}).json()
    assert again["status"] == "already"


def test_prediction_sets_and_durability_are_passed_on(service):
    body = {"id": 7, "row": {"price": 1}, "sets": True, "durable": "soon"}
    assert service.post("/models/m/predict", body).json()["set"] == ["no"]
    (request,) = service.live.requests
    assert not request.durable and request.sets and request.ids == [7]


def test_a_label_is_learned_once(service):
    service.post("/models/m/predict", {"id": "a", "x": [1, 2]})
    first = service.post("/models/m/label", {"id": "a", "label": "yes"})
    assert (first.status_code, first.json()) == (200, {"id": "a", "status": "learned", "event": 2})
    assert service.post("/models/m/label", {"id": "a", "label": "yes"}).json()["status"] == "already"
    other = service.post("/models/m/label", {"id": "a", "label": "no"})
    assert (other.status_code, other.json()["error"], other.json()["field"]) == (409, "other_label", "label")
    unknown = service.post("/models/m/label", {"id": "b", "label": "no"})
    assert (unknown.status_code, unknown.json()["error"], unknown.json()["field"]) == (
        404,
        "unknown_id",
        "id",
    )


def test_many_records_are_answered_in_order(service):
    rows = [{"price": 3}, {"price": 19}, {"price": 11}]
    found = service.post("/models/m/predict", {"rows": rows, "ids": ["a", "b", "c"]}).json()["predictions"]
    assert [(each["id"], each["label"], each["event"]) for each in found] == [
        ("a", "no", 1), ("b", "yes", 2), ("c", "yes", 3),
    ]  # fmt: skip


def test_many_labels_have_a_status_each(service):
    service.post("/models/m/predict", {"rows": [[1, 1], [2, 2]], "ids": ["a", "b"]})
    answer = service.post("/models/m/label", {"ids": ["a", "x", "b"], "labels": ["no", "no", "yes"]})
    assert answer.status_code == 200
    found = answer.json()
    assert (found["learned"], found["already"], found["refused"]) == (2, 0, 1)
    assert [each["status"] for each in found["outcomes"]] == ["learned", "unknown_id", "learned"]
    assert found["outcomes"][1]["message"] == "about x: unknown_id"


def test_rows_are_learned(service):
    one = service.post("/models/m/learn", {"id": "k", "row": {"price": 4}, "label": "no"})
    assert one.json() == {"id": "k", "status": "learned", "event": 1}
    many = service.post("/models/m/learn", {"rows": [[1, 2], [3, 4]], "labels": ["no", "yes"]}).json()
    assert many["outcomes"] == [{"status": "learned", "event": 2}, {"status": "learned", "event": 3}]


def test_json_lines_are_answered_by_json_lines(service):
    body = b'{"id": "a", "x": [1, 2]}\n{"id": "b", "x": [15, 2]}\n'
    answer = service.post("/models/m/predict?durable=soon&sets=true", body, "application/x-ndjson")
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [*map(json.loads, answer.text.splitlines())]
    assert [(each["id"], each["label"], each["set"]) for each in found] == [
        ("a", "no", ["no"]), ("b", "yes", ["yes"]),
    ]  # fmt: skip
    assert not service.live.requests[0].durable
    labels = b'{"id": "a", "label": "no"}\n{"id": "z", "label": "no"}'
    found = service.post("/models/m/label", labels, "application/x-ndjson").text.splitlines()
    assert [json.loads(line)["status"] for line in found] == ["learned", "unknown_id"]


def test_arrow_is_answered_by_arrow(service):
    body = stream(shop=["a", "b"], price=[3.0, 18.0], id=["u", "v"], paid=["no", "no"])
    answer = service.post("/models/m/predict", body, ARROW)
    found = table_of(answer)
    assert (found["id"], found["label"], found["event"]) == (["u", "v"], ["no", "yes"], [1, 2])
    assert found["p_yes"] == [0.15, 0.9]
    assert service.live.requests[0].rows.column_names == ["shop", "price"]
    labels = table_of(service.post("/models/m/label", stream(id=["v", "w"], label=["yes", "no"]), ARROW))
    assert labels["status"] == ["learned", "unknown_id"]


def test_arrow_of_numbers_is_an_array_in_the_order_of_the_model(service):
    body = stream(shop=[1, None], price=[3.0, 18.0], paid=["no", "yes"])
    assert table_of(service.post("/models/m/learn", body, ARROW))["status"] == ["learned", "learned"]
    (request,) = service.live.requests
    assert request.rows[:, 0].tolist() == [3.0, 18.0] and request.rows[0, 1] == 1
    assert request.labels == ["no", "yes"]


def test_requests_of_one_turn_are_asked_together(service):
    requests = [("POST", "/models/m/predict", {"x": [i, 0]}, JSON) for i in range(20)]
    answers = service.together(*requests)
    assert [answer.json()["probabilities"]["yes"] for answer in answers] == [i / 20 for i in range(20)]
    assert len(service.live.requests) < 20


def test_a_wrong_row_does_not_disturb_those_asked_together_with_it(service):
    bodies = [
        {"id": "a", "row": {"price": 1}},
        {"id": "b", "row": {"price": "?"}},
        {"id": "c", "row": {"price": 19}},
    ]
    answers = service.together(*(("POST", "/models/m/predict", body, JSON) for body in bodies))
    assert [answer.status_code for answer in answers] == [200, 422, 200]
    assert answers[1].json() == {
        "error": "wrong_row",
        "message": "price: '?' is not a number",
        "field": "price",
    }


def test_no_rows_are_no_error(service):
    assert service.post("/models/m/predict", {"rows": []}).json() == {"predictions": []}
    assert service.post("/models/m/learn", {"rows": [], "labels": []}).json()["outcomes"] == []
    assert service.post("/models/m/predict", b"", "application/x-ndjson").content == b""


@pytest.mark.parametrize("form", ["json", "arrow"])
def test_reads_are_answered_without_the_thread_of_the_model_if_it_says_so(service, form):
    def ask():
        if form == "json":
            return service.post("/models/m/predict", {"rows": [{"price": 15}, {"price": 4}]})
        return service.post("/models/m/predict", stream(price=[15.0, 4.0], shop=[1.0, 2.0]), ARROW)

    expected = ask()
    assert len(service.live.requests) == 1
    service.live.reads_now = True
    assert ask().content == expected.content and len(service.live.requests) == 1
    service.post("/models/m/predict", {"id": "a", "row": {"price": 1}})
    assert len(service.live.requests) == 2  # an event
    refused = service.post("/models/m/predict", {"row": {"price": "?"}})
    assert refused.status_code == 422 and len(service.live.requests) == 3
