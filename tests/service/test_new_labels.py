"""Labels that are no class, by HTTP: each is refused alone, in every form of a request."""

import asyncio
import io
import json

import pyarrow as pa
import pytest
from live.live_rows import new_model, record, records
from support.service_app import Service
from support.service_process import running

from thalweg.live import AsyncClient, Client, LiveFollower, LiveModel, UnknownLabel
from thalweg.service import Settings

LINES, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"


@pytest.fixture
def live(tmp_path):
    with LiveModel(tmp_path / "live", new_model(), survive="process") as opened:
        opened.predict(records(0, 6), ids=["a", "b", "c", "d", "e", "f"])
        yield opened


@pytest.fixture
def service(live):
    return Service(Settings(admin=True), live)


def statuses(answer):
    assert answer.status_code == 200, answer.text
    return [each["status"] for each in answer.json()["outcomes"]]


def lines_of(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def stream(**columns):
    table, sink = pa.table(columns), io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_many_labels_as_json(service):
    body = {"ids": ["a", "b", "c", "d"], "labels": ["yes", "Yess", None, ""]}
    answer = service.post("/models/m/label", body)
    assert statuses(answer) == ["learned"] + ["unknown_label"] * 3
    found = answer.json()
    assert (found["learned"], found["refused"]) == (1, 3)
    assert "did you mean 'yes'" in found["outcomes"][1]["message"] and "event" not in found["outcomes"][1]
    again = service.post("/models/m/label", {"ids": ["b", "c", "d"], "labels": ["yes", "no", "no"]})
    assert statuses(again) == ["learned"] * 3


def test_one_label_is_a_422_that_names_the_label(service, live):
    for given in ("Yess", None, ""):
        answer = service.post("/models/m/label", {"id": "a", "label": given})
        found = answer.json()
        assert (answer.status_code, found["error"], found["field"]) == (422, "unknown_label", "label")
    assert live.n_waiting == 6
    learned = service.post("/models/m/learn", {"id": "k", "row": record(9), "label": "maybe"})
    assert (learned.status_code, learned.json()["error"]) == (422, "unknown_label")
    assert service.post("/models/m/learn", {"id": "k", "row": record(9), "label": "no"}).status_code == 200


def test_one_label_does_not_disturb_those_that_come_at_the_same_time(service):
    headers = {"content-type": "application/json"}
    answers = service.together(*(
        ("POST", "/models/m/label", {"id": key, "label": given}, headers)
        for key, given in zip("abcd", ["yes", "maybe", None, "no"], strict=True)
    ))  # fmt: skip
    assert [answer.status_code for answer in answers] == [200, 422, 422, 200]


def test_rows_to_learn_as_json(service, live):
    rows, given = records(10, 14), ["yes", None, "maybe", "no"]
    answer = service.post("/models/m/learn", {"rows": rows, "labels": given})
    assert statuses(answer) == ["learned", "unknown_label", "unknown_label", "learned"]
    assert [each.get("event") for each in answer.json()["outcomes"]] == [7, None, None, 8]
    answer = service.post("/models/m/learn", {"rows": rows, "labels": given, "ids": [1, 2, 3, 4]})
    assert statuses(answer) == ["learned", "unknown_label", "unknown_label", "learned"]
    assert live.event == 10


def test_json_lines(service):
    rows = [{"id": key, "label": given} for key, given in zip("abc", ["yes", None, "maybe"], strict=True)]
    answer = service.post("/models/m/label", lines_of(rows), LINES)
    found = [json.loads(line)["status"] for line in answer.text.splitlines()]
    assert found == ["learned", "unknown_label", "unknown_label"]


def test_arrow(service):
    body = stream(id=["a", "b", "c"], label=["yes", None, "maybe"])
    answer = service.post("/models/m/label", body, ARROW)
    found = pa.ipc.open_stream(answer.content).read_all().to_pydict()
    assert found["status"] == ["learned", "unknown_label", "unknown_label"]
    assert found["event"] == [7, None, None] and "'maybe' is not one of" in found["message"][2]


def test_the_open_inference_protocol(service):
    answer = service.post("/v2/models/m/label", {"ids": ["a", "b"], "labels": ["yes", "maybe"]})
    assert statuses(answer) == ["learned", "unknown_label"]


def test_metrics_and_the_description_know_the_status(service):
    service.post("/models/m/label", {"ids": ["a", "b"], "labels": ["maybe", None]})
    text = service.request("GET", "/metrics").text
    assert 'thalweg_model_outcomes_total{model="m",outcome="unknown_label"} 2' in text
    schemas = service.request("GET", "/openapi.json").json()["components"]["schemas"]
    assert "unknown_label" in schemas["Outcome"]["properties"]["status"]["enum"]
    assert "unknown_label" in schemas["Error"]["properties"]["error"]["enum"]


def test_an_administrator_opens_a_class(service, live):
    path = "/admin/models/m/classes"
    assert service.post(path, {"label": "maybe"}).json() == {"name": "m", "event": 7}
    assert service.post("/models/m/label", {"id": "a", "label": "maybe"}).json()["status"] == "learned"
    for body, code in (({"label": "maybe"}, "wrong_row"), ({"label": None}, "wrong_row"), ({}, "wrong_field"),
                       ({"label": []}, "wrong_field")):  # fmt: skip
        answer = service.post(path, body)
        assert (answer.status_code, answer.json()["error"]) == (422, code), answer.text
    assert live.event == 8
    assert Service(live=live).post(path, {"label": "more"}).status_code == 404
    assert path.replace("/m/", "/{name}/") in service.request("GET", "/openapi.json").json()["paths"]


@pytest.mark.parametrize(
    ("route", "body"), [("classes", {"label": "x"}), ("erase", {"id": "a"}), ("compact", {})]
)
def test_a_follower_changes_nothing(live, route, body):
    with LiveFollower(live.folder) as follower:
        answer = Service(Settings(admin=True), follower).post(f"/admin/models/m/{route}", body)
    assert (answer.status_code, answer.json()["error"]) == (403, "read_only")


def test_clients_raise_for_one_label_and_say_of_many(tmp_path):
    with running(tmp_path / "live") as server, Client(server.url, "orders") as client:
        rows = [{"price": 12, "shop": "north"}] * 3
        client.predict(rows, ids=["a", "b", "c"])
        with pytest.raises(UnknownLabel, match="did you mean 'yes'") as caught:
            client.label("a", "Yess")
        assert (caught.value.status, caught.value.code, caught.value.field) == (422, "unknown_label", "label")
        outcomes = client.label(["a", "b", "c"], ["yes", "Yess", None])
        assert [each.status for each in outcomes] == ["learned", "unknown_label", "unknown_label"]
        assert not outcomes[1].is_good

        async def ask():
            async with AsyncClient(server.url, "orders") as client:
                await client.label("b", None)

        with pytest.raises(UnknownLabel, match="missing"):
            asyncio.run(ask())
