"""What the other routes show, and what the admin routes do."""

import json
import logging
import os
import re

import pytest
from support.service_app import Service
from support.service_process import model, running

import thalweg
from thalweg.errors import ParameterError
from thalweg.saving.container import pack
from thalweg.saving.plain import to_json
from thalweg.service import Settings, Tokens
from thalweg.service.logs import JsonLines
from thalweg.service.metrics import sample
from thalweg.service.rates import Rates
from thalweg.service.request_error import RequestError

SAMPLE = re.compile(r'[a-z_]+(\{([a-z_]+="[^"]*",?)*\})? -?[0-9.e+-]+$')


def test_metrics_count_requests_and_never_show_ids():
    service = Service()
    service.post("/models/m/predict", {"id": "secret", "x": [1, 2]})
    service.post("/models/m/predict", {"rows": [[1, 2]] * 3})
    service.post("/models/m/predict", b"{")
    service.request("GET", "/secret")
    text = service.request("GET", "/metrics").text
    assert all(line.startswith("# ") or SAMPLE.match(line) for line in text.splitlines())
    assert 'thalweg_requests_total{model="m",route="predict",status="200"} 2' in text
    assert 'thalweg_requests_total{model="m",route="predict",status="400"} 1' in text
    assert 'thalweg_request_rows_total{model="m",route="predict"} 4' in text
    assert 'thalweg_request_duration_seconds_bucket{model="m",route="predict",le="+Inf"} 3' in text
    assert 'thalweg_model_state{model="m",state="ready"} 1' in text
    assert "secret" not in text
    assert len(re.findall(r"^# TYPE (\S+)", text, re.M)) == len(set(re.findall(r"^# TYPE (\S+)", text, re.M)))


def test_values_of_labels_are_escaped():
    assert sample("a", {"b": 'c"\\\n'}, 1) == 'a{b="c\\"\\\\\\n"} 1'


def test_openapi_describes_every_route():
    service = Service(Settings(admin=True, tokens=Tokens(["x" * 20])))
    found = service.request("GET", "/openapi.json", headers={"authorization": "Bearer " + "x" * 20}).json()
    routes = {route.path for route in service.application._rest.routes}
    shown = {path for path in routes if path != "/" and not path.endswith(("/page", "/events"))}
    rows = {f"/models/{{name}}/{kind}" for kind in ("predict", "label", "learn")}
    assert set(found["paths"]) == shown | rows
    refs = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(found)))
    assert refs and refs <= set(found["components"]["schemas"])
    assert "token" in found["components"]["securitySchemes"]


def test_lists_show_models_and_their_states():
    service = Service()
    assert service.request("GET", "/models").json()["models"] == [
        {"name": "m", "state": "ready", "event": 0, "waiting": 0}
    ]
    assert service.request("GET", "/models/m").json()["classes"] == ["no", "yes"]


def test_admin_routes_are_there_only_if_wanted():
    service = Service()
    assert service.post("/admin/models/m/erase", {"id": "a"}).status_code == 404
    service = Service(Settings(admin=True))
    assert service.post("/admin/models/m/erase", {"id": "a"}).json() == {"id": "a", "status": "erased"}
    assert service.live.erased == ["a"]
    assert service.post("/admin/models/m/erase", {"ids": "a"}).status_code == 422
    assert service.post("/admin/models/m/compact", {}).status_code == 200
    headers = {"content-type": "application/octet-stream"}
    broken = service.request("PUT", "/admin/models/m", b"no model", headers)
    assert broken.status_code == 422 and "not a model file" in broken.json()["message"]
    state = model("NaiveBayes").state() | {"part": {"format": 1, "learner": []}}
    strange = to_json({"about": {}, "notes": {}, "state": state}, arrays := [])
    broken = service.request("PUT", "/admin/models/m", pack({"content": strange}, arrays), headers)
    assert broken.status_code == 422 and "unhashable" in broken.json()["message"]


def test_a_model_is_replaced_while_it_serves(tmp_path):
    other = model("HoeffdingTree")
    with running(tmp_path / "live", Settings(admin=True)) as server:
        server.predict({"id": "w", "row": {"price": 3, "shop": "north"}})
        headers = {"content-type": "application/octet-stream"}
        status, found = server.ask("PUT", "/admin/models/orders", thalweg.to_bytes(other), headers)
        assert (status, found["event"]) == (200, 2)
        assert server.ask("GET", "/models/orders")[1]["learner"] == "HoeffdingTree"
        row = {"price": 3, "shop": "north"}
        found = server.predict({"row": row})[1]["probabilities"]
        assert found == pytest.approx(other.predict_proba_one(row))
        label = {"id": "w", "label": "yes"}
        assert server.ask("POST", "/models/orders/label", label)[1]["status"] == "learned"
        assert server.ask("POST", "/admin/models/orders/erase", {"id": "w"})[0] == 200
        assert server.ask("POST", "/models/orders/label", label)[0] == 404
        server.predict({"id": "v", "row": row})
        narrow = thalweg.to_bytes(thalweg.Model("paid", "NaiveBayes").learn(
            [{"price": i % 9, "paid": "yes" if i % 7 else "no"} for i in range(50)]
        ))  # fmt: skip
        put = "/admin/models/orders"
        status, found = server.ask("PUT", put, narrow, headers)
        assert status == 409 and "'shop'" in found["message"]
        assert server.ask("PUT", f"{put}?drop_waiting=yes", narrow, headers)[0] == 422
        assert server.ask("PUT", f"{put}?drop_waiting=true", narrow, headers)[0] == 200
        assert server.ask("POST", "/models/orders/label", {"id": "v", "label": "yes"})[0] == 404


def test_tokens_are_read_from_a_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# comment\n\n  a-long-enough-token \n")
    Tokens.from_file(path).check([(b"authorization", b"Bearer a-long-enough-token")])
    for given in (b"Bearer a-long-enough-toke", b"Bearer", b"Basic !!!", b"Digest a", b""):
        with pytest.raises(RequestError):
            Tokens.from_file(path).check([(b"authorization", given)])
    for text, part in (("# nothing\n", "has none"), ("short\n", "at least 16")):
        path.write_text(text)
        with pytest.raises(ParameterError, match=part):
            Tokens.from_file(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_token_file_that_others_may_read_is_a_warning(tmp_path, caplog):
    path = tmp_path / "tokens"
    path.write_text("a-long-enough-token\n")
    for mode, n_warnings in ((0o600, 0), (0o400, 0), (0o640, 1), (0o604, 2)):
        path.chmod(mode)
        Tokens.from_file(path)
        assert len(caplog.messages) == n_warnings
    assert "chmod 600" in caplog.text


def test_rates_refill_and_forget_old_clients():
    now = [0.0]
    rates = Rates(10, lambda: now[0])
    rates.spend("a", 20)
    with pytest.raises(RequestError) as caught:
        rates.spend("a", 5)
    assert caught.value.retry_after == pytest.approx(0.5)
    rates.spend("b", 20)
    now[0] = 0.5
    rates.spend("a", 5)
    now[0] = 100.0
    rates.spend("a", 1000)  # more than a full bucket: allowed, and then the client waits
    with pytest.raises(RequestError):
        rates.spend("a", 1)
    for i in range(10_001):
        rates.spend(f"c{i}", 1)
    assert len(rates._buckets) == 10_000


def test_logs_are_json_lines():
    record = logging.LogRecord("thalweg.x", logging.INFO, "", 0, "a\n%s", ("b",), None)
    record.data = {"rows": 3}
    found = json.loads(JsonLines().format(record))
    assert (found["message"], found["rows"], found["level"]) == ("a\\nb", 3, "info")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["time"])
