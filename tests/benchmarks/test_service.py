"""The benchmark of the service runs; its numbers are not compared here, as the machine may be busy."""

import pytest

service = pytest.importorskip("benchmarks.service")


def test_the_short_form_measures_every_case_of_ours(monkeypatch, capsys):
    sizes = {"one": 200, "id": 200, "connections": 50, "many": 4}
    monkeypatch.setattr(service, "SHORT", sizes)
    found = service.main(["--short", "--repeat", "1", "--sides", "ours"])
    assert len(found) == 6
    assert all(value > 0 for (value,) in found.values())
    assert "1,000 rows, Arrow" in capsys.readouterr().out
