"""Bad requests get the right status, a sentence and the field."""

import numpy as np
import pytest
from support.service_app import FakeLive, Service

from thalweg.service import Limits, Settings, Tokens

P, L, N = "/models/m/predict", "/models/m/label", "/models/m/learn"
REFUSED = [  # path, body, status, error, field, a part of the sentence
    (P, b"{", 400, "not_json", None, "it ends too early"),
    (P, b"hello", 400, "not_json", None, "not JSON"),
    (P, b'{"x": [1, NaN]}', 400, "not_json", None, "not JSON"),
    (P, b'{"id": "\xff"}', 400, "not_json", None, "UTF-8"),
    (P, b'{"row": {"a": ' + b"[" * 5000, 400, "not_json", None, "nested too deeply"),
    (P, [], 422, "wrong_field", None, "Expected object"),
    (P, {}, 422, "wrong_field", "row", "give one of row, x or rows"),
    (P, {"row": {}, "x": []}, 422, "wrong_field", "x", "got row and x"),
    (P, {"x": [1, "a"]}, 422, "wrong_field", "x[1]", "Expected number or null, got text"),
    (P, {"x": [1, 2, 3]}, 422, "wrong_row", "x", "x has 3 numbers, the model takes 2"),
    (P, {"rows": [[1, 2], [1]]}, 422, "wrong_row", "x", "row 1 has 1 numbers, the model takes 2"),
    (P, {"rows": [[1, 2], {}]}, 422, "wrong_field", "rows", "row 1 and the first one differ"),
    (P, {"row": {"price": "much"}}, 422, "wrong_row", "price", "price: 'much' is not a number"),
    (P, {"rows": [{"price": 1}, {"price": None}]}, 422, "wrong_row", "price", "row 1: price"),
    (P, {"rwo": {}}, 422, "wrong_field", "rwo", "unknown field rwo"),
    (P, {"x": [1, 2], "id": 1.5}, 422, "wrong_field", "id", "got number"),
    (P, {"x": [1, 2], "id": ""}, 422, "wrong_field", "id", "1 to 512 characters"),
    (P, {"x": [1, 2], "id": "a" * 513}, 422, "wrong_field", "id", "1 to 512 characters"),
    (P, {"x": [1, 2], "id": 2**64}, 422, "wrong_field", "id", "64 bits"),
    (P, {"rows": [[1, 2]], "ids": []}, 422, "wrong_field", "ids", "got 0 ids and 1 rows"),
    (P, {"rows": [[1, 2]], "id": 1}, 422, "wrong_field", "id", "give ids"),
    (P, {"x": [1, 2], "durable": "later"}, 422, "wrong_field", "durable", "later"),
    (P + "?durable=later", {"x": [1, 2]}, 400, "wrong_query", "durable", "must be true or soon"),
    (P + "?durably=1", {"x": [1, 2]}, 400, "wrong_query", "durably", "unknown"),
    (P, {"rows": [[1, 2]] * 11}, 413, "too_many_rows", "rows", "may have 10 rows"),
    (P, b" " * 2000, 413, "too_large", None, "may have 1,000 bytes"),
    (L, {"id": 1}, 422, "wrong_field", "label", "give id and label"),
    (L, {"id": 1, "label": []}, 422, "wrong_field", "label", "got list"),
    (L, {"ids": [1], "labels": []}, 422, "wrong_field", "ids", "got 1 ids and 0 labels"),
    (N, {"row": {"price": 1}}, 422, "wrong_field", "label", "label is missing"),
    (N, {"rows": [[1, 2]], "labels": []}, 422, "wrong_field", "labels", "1 rows and 0 labels"),
    (N + "?sets=true", {"x": [1, 2], "label": 1}, 400, "wrong_query", "sets", "is for predict"),
]


@pytest.fixture(scope="module")
def service():
    return Service(Settings(Limits(max_bytes=1000, max_rows=10)))


@pytest.mark.parametrize(("path", "body", "status", "error", "field", "part"), REFUSED)
def test_a_bad_body_is_refused(service, path, body, status, error, field, part):
    if isinstance(body, bytes) and len(body) > 1000 and status != 413:
        service = Service()
    answer = service.post(path, body)
    found = answer.json()
    assert (answer.status_code, found["error"], found.get("field")) == (status, error, field)
    assert part in found["message"]


@pytest.mark.parametrize(
    ("body", "row", "part"),
    [
        (b'{"x": [1, 2]}\n{"x": 1}', 1, "line 1: Expected list"),
        (b'{"x": [1, 2]}\n{"row": {}}', 1, "row 1 and the first one differ"),
        (b'{"x": [1, 2]}\n{}', 1, "line 1: give one of row or x"),
        (b'{"x": [1, 2], "id": 1}\n{"x": [1, 2]}', 1, "line 1 has no id"),
        (b'{"x": [1, 2]}\n' * 11, None, "may have 10 rows"),
    ],
)
def test_a_bad_line_is_named(service, body, row, part):
    found = service.post(P, body, "application/x-ndjson").json()
    assert found.get("row") == row and part in found["message"]


def test_other_content_types_are_refused(service):
    for given in ("application/x-www-form-urlencoded", "text/plain", ""):
        answer = service.request("POST", P, b"{}", {"content-type": given} if given else {})
        assert answer.status_code == 415 and "application/json" in answer.json()["message"]
    packed = service.post(P, b"{}", **{"content-encoding": "gzip"})
    assert packed.status_code == 415


def test_unknown_addresses_and_methods(service):
    get = service.request("GET", P)
    assert (get.status_code, get.headers["allow"], get.json()["error"]) == (405, "POST", "method_not_allowed")
    post = service.post("/models", {})
    assert post.status_code == 405 and "GET" in post.headers["allow"]
    assert service.post("/models/none/predict", {"x": [1]}).json()["error"] == "not_found"
    assert service.request("GET", "/models/none").json()["error"] == "no_such_model"
    assert service.request("GET", "/nothing").status_code == 404


def test_a_model_that_recovers_says_when_to_ask_again():
    live = FakeLive()
    live.is_recovering = True
    service = Service(live=live)
    for answer in (
        service.post(P, {"x": [1, 2]}),
        service.request("GET", "/health"),
        service.request("GET", "/models/m"),
    ):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert service.request("GET", "/models").status_code == 200
    assert service.request("GET", "/v2/health/live").status_code == 200


def test_a_model_that_failed_says_so():
    live = FakeLive()
    live.failure = OSError("disk full")
    answer = Service(live=live).post(P, {"x": [1, 2]})
    assert answer.status_code == 503 and "disk full" in answer.json()["message"]


def test_a_mistake_of_ours_is_no_riddle(caplog):
    live = FakeLive()
    live.submit = lambda request, done: done(KeyError("oops"))
    answer = Service(live=live).post(P, {"x": [1, 2]})
    assert (answer.status_code, answer.json()["error"]) == (500, "internal")
    assert "oops" in caplog.text


def test_more_rows_than_may_wait_are_refused():
    service = Service(Settings(Limits(max_pending=3)))
    answer = service.post(P, {"rows": [[1, 2]] * 4})
    assert (answer.status_code, answer.json()["error"], answer.headers["retry-after"]) == (
        429,
        "queue_full",
        "1",
    )
    assert service.post(P, {"rows": [[1, 2]] * 3}).status_code == 200


def test_a_client_that_sends_too_fast_is_told_to_wait():
    service = Service(Settings(Limits(rate=5)))
    assert service.post(P, {"rows": [[1, 2]] * 10}).status_code == 200
    answer = service.post(P, {"rows": [[1, 2]] * 5})
    assert answer.status_code == 429 and int(answer.headers["retry-after"]) >= 1


def test_a_token_is_needed_but_for_health():
    service = Service(Settings(tokens=Tokens(["a-long-enough-token", "another-good-token!"])))
    for answer in (
        service.post(P, {"x": [1, 2]}),
        service.request("GET", "/models"),
        service.post(P, {"x": [1, 2]}, authorization="Bearer a-long-enough-tokem"),
    ):
        assert answer.status_code == 401 and "Bearer" in answer.headers["www-authenticate"]
    assert service.post(P, {"x": [1, 2]}, authorization="Bearer another-good-token!").status_code == 200
    browser = {"authorization": "Basic bWU6YS1sb25nLWVub3VnaC10b2tlbg=="}
    assert service.request("GET", "/models", headers=browser).status_code == 200
    assert service.request("GET", "/health").status_code == 200
    assert not service.live.requests[1:]


@pytest.mark.parametrize(("width", "sets", "most"), [(500, False, 127), (500, True, 63), (3, False, 2314)])
def test_an_answer_that_would_be_too_large_is_refused_before_it_is_computed(width, sets, most):
    live = FakeLive()
    live.model.classes_ = np.array([f"{i:0{width}}" for i in range(1000)])
    service, row = Service(Settings(), live), [4, None]
    body = {"rows": [row] * (most + 1), "ids": [*range(most + 1)], "sets": sets}
    answer = service.post(P, body)
    found = answer.json()
    assert (answer.status_code, found["error"], found["field"]) == (413, "answer_too_large", "rows")
    assert not live.requests
    assert f"1,000 classes would have more than 64 MiB: send up to {most:,} rows" in found["message"]
    inputs = [{"name": "x", "shape": [most + 1, 2], "datatype": "FP64", "data": [4.0, 1.0] * (most + 1)}]
    body = {"inputs": inputs, "parameters": {"sets": sets}}
    assert service.post("/v2/models/m/infer", body).status_code == 413 and not live.requests
    assert service.post(P, {"rows": [row] * most, "sets": sets}).status_code == 200
