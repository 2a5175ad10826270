"""What a call costs does not grow with the categories or inputs that a model has."""

import pandas as pd
import pytest

import thalweg
from thalweg.streams.columns import codes

N = 2000


@pytest.fixture
def spelled(monkeypatch):
    """Return a list that gets each value whose canonical text is asked for."""
    found, spelling = [], codes.spelling

    def counted(value):
        found.append(value)
        return spelling(value)

    monkeypatch.setitem(codes.MATCHES, "exact", counted)
    return found


def test_known_categories_are_not_read_again_by_later_calls(spelled):
    frame = pd.DataFrame({"town": [f"t{i % N}" for i in range(2 * N)], "x": range(2 * N)})
    frame["y"] = [["no", "yes"][i % 7 > 3] for i in range(2 * N)]
    model = thalweg.Model("y", "NaiveBayes", columns={"town": "category"}).learn(frame)
    assert len(spelled) >= N
    spelled.clear()
    rows = [{"town": "t3", "x": 4, "y": "yes"}, {"town": "new", "x": 5, "y": "no"}]
    model.learn(rows).predict(rows)
    model.predict(pd.DataFrame(rows), ids=["a", "b"])
    model.label(["a"], ["no"])
    model.learn(rows[0])
    assert 0 < len(spelled) < 100
    town = model.schema()["columns"][0]
    assert town["values"] == [*(f"t{i}" for i in range(N)), "new"]
    assert thalweg.from_bytes(thalweg.to_bytes(model)).digest() == model.digest()


@pytest.mark.parametrize("values", [["a", 1, True], ["a", 1, True, "b", 2.5], ["b", "a"], []])
def test_grown_codes_are_those_made_of_all_values_at_once(values):
    known = codes.Codes(["a", 1, True], grows=True)
    found, whole = known.grown(values), codes.Codes(values, grows=True)
    asked = ["a", "1.0", "TRUE", "b", 2.5, None, "z"]
    assert found.of(asked).tolist() == whole.of(asked).tolist()
    assert found.values == whole.values and known.values == ["a", 1, True]
    assert known.of(["z"]).tolist() == [3] and known.copy().of(["z", "y"]).tolist() == [3, 4]


def test_names_of_many_inputs_are_made_once():
    rows = [{"note": f"w{i % 31} w{i % 17} word {i}", "y": i % 2} for i in range(200)]
    model = thalweg.Model("y", "LinearLogistic", columns={"note": "text"}, n_words=10_000).learn(rows)
    before = model.stream(rows).names
    assert len(before) == 10_000
    model.learn(rows[:2])
    assert model.stream(rows[:1]).names is before
