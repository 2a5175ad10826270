"""The Open Inference Protocol."""

import pytest
from support.service_app import FakeLive, Service


@pytest.fixture
def service():
    return Service()


def tensor(name="price", data=(3, 18), shape=None, datatype="FP64"):
    return {"name": name, "shape": shape or [len(data)], "datatype": datatype, "data": [*data]}


def infer(service, *inputs, **more):
    return service.post("/v2/models/m/infer", {"inputs": [*inputs]} | more)


def outputs(answer):
    return {each["name"]: each for each in answer.json()["outputs"]}


def test_server_and_model_say_what_they_are(service):
    assert service.request("GET", "/v2").json()["name"] == "thalweg"
    assert service.request("GET", "/v2/health/live").json() == {"live": True}
    assert service.request("GET", "/v2/health/ready").status_code == 200
    assert service.request("GET", "/v2/models/m/ready").json() == {"name": "m", "ready": True}
    about = service.request("GET", "/v2/models/m").json()
    assert [each["name"] for each in about["inputs"]] == ["price", "shop"]
    assert about["outputs"][1] == {"name": "probabilities", "datatype": "FP64", "shape": [-1, 2]}


def test_columns_are_tensors(service):
    answer = infer(service, tensor(), tensor("shop", ["a", "b"], datatype="BYTES"), id="r1")
    assert (answer.json()["model_name"], answer.json()["id"]) == ("m", "r1")
    found = outputs(answer)
    assert found["label"]["data"] == ["no", "yes"]
    assert found["probabilities"]["shape"] == [2, 2]
    assert found["probabilities"]["data"] == pytest.approx([0.85, 0.15, 0.1, 0.9])
    assert service.live.requests[0].rows == [{"price": 3, "shop": "a"}, {"price": 18, "shop": "b"}]


@pytest.mark.parametrize("data", [[3, 0, 18, 1], [[3, 0], [18, 1]]])
def test_one_tensor_is_rows_of_numbers(service, data):
    found = outputs(infer(service, tensor("x", data, [2, 2]), outputs=[{"name": "label"}]))
    assert [*found] == ["label"] and found["label"]["data"] == ["no", "yes"]


def test_rows_with_ids_wait_for_their_labels(service):
    found = outputs(infer(service, tensor(), parameters={"ids": ["a", 7], "sets": True, "durable": "soon"}))
    assert found["event"]["data"] == [1, 2]
    assert found["set"]["data"] == [True, False, False, True]
    assert not service.live.requests[0].durable
    labels = service.post("/v2/models/m/label", {"ids": ["a", "z"], "labels": ["no", "no"]}).json()
    assert [each["status"] for each in labels["outcomes"]] == ["learned", "unknown_id"]


REFUSED = [
    ([], {}, 422, "1 to 10,000 inputs"),
    ([tensor(shape=[3])], {}, 422, "has 2 values, its shape says 3"),
    ([tensor(), tensor()], {}, 422, "two inputs are called 'price'"),
    ([tensor(), tensor("shop", ["a"], datatype="BYTES")], {}, 422, "has the shape [1]"),
    ([tensor(datatype="FP65")], {}, 422, "the datatype 'FP65' is unknown"),
    ([tensor(data=["a", "b"])], {}, 422, "is FP64, but has str"),
    ([tensor("x", [1, 2, 3], [1, 3])], {}, 422, "rows have 3 numbers, the model takes 2"),
    ([tensor()], {"parameters": {"ids": ["a"]}}, 422, "a list of 2 texts"),
    ([tensor()], {"parameters": {"idz": 1}}, 422, "'idz' is unknown"),
    ([tensor()], {"outputs": [{"name": "zz"}]}, 422, "there is no output 'zz'"),
    ([tensor(data=["?"], datatype="BYTES")], {}, 422, "price: '?' is not a number"),
]


@pytest.mark.parametrize(("inputs", "more", "status", "part"), REFUSED)
def test_errors_are_those_of_the_protocol(service, inputs, more, status, part):
    answer = infer(service, *inputs, **more)
    assert answer.status_code == status
    assert [*answer.json()] == ["error"] and part in answer.json()["error"]


@pytest.mark.parametrize("name", ["durable", "sets"])
@pytest.mark.parametrize("value", ["true", "false", [5], 1, None, {}])
def test_a_parameter_that_is_no_truth_value_is_refused(service, name, value):
    answer = infer(service, tensor(), parameters={"ids": ["a", 7], name: value})
    assert answer.status_code == 422 and name in answer.json()["error"]
    assert not service.live.requests


def test_a_model_that_recovers_is_not_ready():
    live = FakeLive()
    live.is_recovering = True
    service = Service(live=live)
    assert service.request("GET", "/v2/models/m/ready").status_code == 503
    assert service.request("GET", "/v2/health/ready").status_code == 503
    assert infer(service, tensor()).status_code == 503
