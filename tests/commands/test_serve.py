"""`thalweg serve`: what it opens, and what it says when that cannot be."""

import json
import os
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import run_command
from support.service_process import free_port, model, orders
from support.text_rows import text_model

from thalweg.commands import serve_models
from thalweg.errors import ModelFileError
from thalweg.live import Client, FolderInUse, LiveModel, NotAllowed, ServiceUnreachable
from thalweg.model import Model
from thalweg.saving import load as thalweg_load
from thalweg.saving.files import _bytes_of


@pytest.fixture
def saved(tmp_path):
    model().save(tmp_path / "orders.tw")
    return tmp_path / "orders.tw"


def plans(*sources, folder=None, name=None, learner=None, schema=None, follow=False):
    return serve_models.plans([*map(str, sources)], folder, name, learner, schema, follow)


def test_a_model_file_has_its_events_beside_it(saved):
    (plan,) = plans(saved)
    assert (plan.name, plan.folder, plan.file) == ("orders", saved.with_name("orders.live"), str(saved))
    assert isinstance(plan.first_model(), Model)
    with LiveModel(plan.folder, plan.first_model()):
        pass
    assert plan.has_events() and plan.first_model() is None
    (again,) = plans(saved.with_name("orders.live"), name="later")
    assert (again.name, again.folder, again.first_model()) == ("later", plan.folder, None)


def test_a_file_with_another_model_is_named_and_put_in_only_if_wanted(saved, tmp_path):
    def opened(**options):
        said = []
        live = serve_models.opened(plans(saved), say=said.append, **options)["orders"]
        live._wait_until_ready()
        return live, *said

    live, *said = opened()
    assert said == [] and live.origin.digest == thalweg_load(saved).digest()
    rows = orders(5)
    live.predict(rows, ids=range(5))
    live.close()
    live, said = opened()
    assert re.search(r"live goes on with the model that it has since 20\d\d-.*, that of .*orders\.tw$", said)
    live.close()
    other = model("HoeffdingTree")
    other.save(saved)
    os.utime(saved, (4e9, 4e9))
    live, said = opened()
    found = r"it has since 20.*orders\.tw, another model that was saved later, 2096-.* is not used"
    assert re.search(found, said)
    assert "--replace" in said and live.model.digest() != other.digest()
    live.close()
    live, said = opened(replace=True)
    assert "goes on with the model of" in said and live.model.digest() == other.digest()
    assert live.label([0], [rows[0]["paid"]]).statuses == ["learned"]  # rows go on waiting
    learned = live.model.digest()
    live.close()
    live, said = opened(replace=True)  # the same model is not put in twice: what it has learned stays
    assert "that of" in said and live.model.digest() == learned
    with pytest.raises(ValueError, match="--replace puts the model of a file"):
        serve_models.opened(plans(saved.with_name("orders.live")), replace=True)
    live.close()


def test_a_file_that_is_no_model_is_refused_also_beside_a_folder(saved):
    with LiveModel(saved.with_name("orders.live"), model()):
        pass
    saved.write_text("a,b\n1,2\n")
    with pytest.raises(ModelFileError, match="not a model file"):
        serve_models.opened(plans(saved))


def test_a_folder_of_an_earlier_release_does_not_say_since_when(saved):
    folder = saved.with_name("orders.live")
    with LiveModel(folder, model()):
        pass
    with sqlite3.connect(folder / "log.sqlite") as log:
        log.execute("DELETE FROM meta WHERE key = 'model'")
    log.close()
    said = []
    serve_models.opened(plans(saved), say=said.append)["orders"].close()
    assert re.search(r"the model that it has; .*orders.tw, which was saved 20.*, is not used", said[0])


def test_a_model_without_rows_has_its_columns_from_a_file(tmp_path):
    schema = tmp_path / "orders.json"
    schema.write_text(json.dumps({"target": "paid", "columns": {"price": "number", "shop": "category"}}))
    folder = tmp_path / "new.live"
    (plan,) = plans(folder=str(folder), learner="NaiveBayes", schema=str(schema))
    live = serve_models.opened([plan])["new"]
    rows = orders(100)
    live._wait_until_ready()
    assert live.learn(rows, [row.pop("paid") for row in rows]).statuses == ["learned"] * 100
    assert live.model.columns.kinds["shop"] == "category"
    live.close()
    said = []
    (plan,) = plans(folder=str(folder), learner="HoeffdingTree", schema=str(schema))
    serve_models.opened([plan], say=said.append)["new"].close()
    assert "--learner and --schema are for a new folder" in said[0]


def test_a_model_whose_waiting_rows_are_damaged_is_not_served(tmp_path):
    """Once it was, and the first label ended the process."""
    state = text_model(n_waiting=6).state()
    for row in state["waiting"]["rows"]["X"]:
        row["columns"] += 10**6
    (tmp_path / "bad.tw").write_bytes(_bytes_of(state, None))
    with pytest.raises(ModelFileError, match="sparse rows are damaged"):
        serve_models.opened(plans(tmp_path / "bad.tw"))
    ended = run_command("serve", tmp_path / "bad.tw")
    assert ended.returncode == 2
    assert "sparse rows are damaged" in ended.stderr


WRONG = [
    ([], "give a model file or a folder"),
    (["nothing.tw"], "there is no such model file or folder"),
    (["orders.tw", "orders.tw"], "two models are called 'orders'"),
    (["orders.tw", "b.tw", "--name", "c"], "--folder and --name are for one model"),
    (["orders.tw", "--learner", "NaiveBayes"], "leave out the model file"),
    (["--folder", "f", "--learner", "NaiveBayes"], "--learner needs --schema"),
    (["--folder", "f", "--schema", "no.json"], "no.json"),
    (["--folder", "f", "--schema", "list.json"], 'an object with "target"'),
    (["--folder", "f", "--schema", "odd.json"], "'colums' is unknown"),
    (["orders.tw", "--token-file", "short"], "at least 16 characters"),
    (["orders.tw", "--name", "a/b"], "must be letters, digits"),
    (["orders.tw", "--label-budget", "2"], "--label-budget 2"),
    (["orders.tw", "--survive", "fire"], "survive"),
    (["orders.tw", "--host", "300.0.0.1"], "--host 300.0.0.1"),
    (["empty"], "has no live model yet"),
    (["orders.tw", "--host", "0.0.0.0"], "give --token-file FILE, or --trust-network"),
    (["orders.tw", "--trusted-proxy", "10.0.0.0/33"], "--trusted-proxy must be addresses or networks"),
    (["orders.tw", "--allowed-host", "https://a.example"], "--allowed-host must be names"),
    (["orders.tw", "--allowed-origin", "a.example"], "--allowed-origin must be origins"),
]


@pytest.mark.parametrize(("arguments", "part"), WRONG)
def test_what_does_not_fit_is_one_line(thalweg, saved, monkeypatch, arguments, part):
    monkeypatch.chdir(saved.parent)
    (saved.parent / "b.tw").write_bytes(saved.read_bytes())
    (saved.parent / "empty").mkdir()
    (saved.parent / "list.json").write_text("[]")
    (saved.parent / "odd.json").write_text('{"target": "a", "colums": {}}')
    (saved.parent / "short").write_text("short\n")
    code, _, said = thalweg("serve", *arguments)
    assert (code, said.count("\n")) == (2, 1) and part in said


@pytest.mark.parametrize("access", [["--trust-network"], ["--token-file", "token"]])
def test_a_network_is_served_if_it_is_trusted_or_tokens_are_needed(
    thalweg, saved, monkeypatch, caplog, access
):
    found = {}

    def run(models, bound, settings, **options):
        found.update(address=bound.getsockname()[0], settings=settings)

    monkeypatch.chdir(saved.parent)
    monkeypatch.setattr("thalweg.service.server.run", run)
    monkeypatch.setattr("thalweg.service.logs.set_up_logs", lambda: None)
    Path("token").write_text("a-token-that-is-long\n")
    assert thalweg("serve", "orders.tw", "--host", "0.0.0.0")[0] == 2
    assert not saved.with_name("orders.live").exists()
    names = ["--allowed-host", "a.example", "--allowed-host", "b.example", "--trusted-proxy", "10.0.0.0/8"]
    more = [*access, *names, "--allowed-origin", "https://c.example", "--admin"]
    code, _, said = thalweg("serve", "orders.tw", "--host", "0.0.0.0", "--port", "0", *more)
    assert (code, found["address"]) == (0, "0.0.0.0"), said
    settings = found["settings"]
    assert settings.allowed_hosts == ["0.0.0.0", "a.example", "b.example"]
    assert (settings.allowed_origins, settings.trusted_proxies) == (["https://c.example"], ["10.0.0.0/8"])
    who = "with a token" if settings.tokens else "who reaches this address"
    assert f"--admin: every client {who} may replace the models and erase ids" in caplog.text


def test_the_name_that_is_bound_is_a_name_of_the_service(thalweg, saved, monkeypatch):
    monkeypatch.setattr("thalweg.service.server.resolve", lambda host: "127.0.0.1")
    found = []

    def run(models, bound, settings, **options):
        found.extend(settings.allowed_hosts)

    monkeypatch.setattr("thalweg.service.server.run", run)
    code, _, said = thalweg("serve", saved, "--host", "orders.internal", "--port", "0")
    assert (code, found) == (0, ["orders.internal"]), said


def test_missing_packages_are_named(thalweg, saved, monkeypatch):
    monkeypatch.setattr(serve_models, "NEEDED", ("uvicorn", "no_such_package"))
    code, _, said = thalweg("serve", saved)
    assert code == 2 and "needs no_such_package: pip install 'thalweg[serve]'" in said


def test_a_port_that_is_taken_is_said_and_the_folder_is_free_again(thalweg, saved):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, said = thalweg("serve", saved, "--port", port)
    assert code == 2 and f"127.0.0.1:{port} cannot be bound: Address already in use" in said
    LiveModel(saved.with_name("orders.live")).close()


def start(*arguments):
    """Start the command; return the process and the address it prints."""
    code = "import sys; sys.argv[0] = 'thalweg'; from thalweg.commands.app import main; main()"
    words = [sys.executable, "-c", code, "serve", *map(str, arguments)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    found = re.search(r"https?://\S+", line)
    assert found, process.communicate()
    return process, found[0]


def test_the_owner_by_https_and_a_follower(saved):
    """The owner holds its lock, ends cleanly at SIGTERM; a follower predicts the same and learns nothing.

    One file has the certificate and its key; a client that does not trust it sends nothing.
    """
    token, certificate = saved.with_name("token"), Path(__file__).with_name("localhost.pem")
    token.write_text("a-token-that-is-long\n")
    secure = "--token-file", token, "--ssl-certfile", certificate
    owner, address = start(saved, "--port", 0, *secure, "--access-log", "--survive", "process")
    follower, other = start(saved.with_name("orders.live"), "--follow", "--port", 0)
    trusted = ssl.create_default_context(cafile=certificate)
    try:
        assert address.startswith("https://127.0.0.1:")
        with (
            Client(address, "orders", token_file=token, ssl_context=trusted) as client,
            Client(other, "orders") as copy,
        ):
            row = {"price": 24, "shop": "north"}
            assert client.predict(row, ids="a").event == 1
            assert client.label("a", "no").event == 2
            expected = client.predict(row).probabilities
            while copy.describe()["event"] < 2:
                os.sched_yield()
            assert copy.predict(row).probabilities == expected
            with pytest.raises(NotAllowed):
                copy.label("a", "no")
            assert copy.describe()["is_read_only"]
        for url, part in ((address, "certificate verify failed"), (address.replace("https", "http"), ".")):
            with (
                Client(url, "orders", token_file=token, attempts=1) as client,
                pytest.raises(ServiceUnreachable, match=part),
            ):
                client.predict(row)
        with pytest.raises(FolderInUse):
            LiveModel(saved.with_name("orders.live"), lock_timeout=0)
    finally:
        for process in (owner, follower):
            process.send_signal(signal.SIGTERM)
        said = [process.communicate(timeout=60) for process in (owner, follower)]
    assert (owner.returncode, follower.returncode) == (0, 0), said
    logged = [json.loads(line) for line in said[0][1].splitlines()]
    routes = [each["route"] for each in logged if each["message"] == "request"]
    assert routes == ["predict", "label", "predict"]
    assert saved.with_name("orders.live").joinpath("checkpoint-2.tw").exists()


def test_a_certificate_that_is_not_there_is_said(thalweg, saved, tmp_path):
    code, _, said = thalweg("serve", saved, "--ssl-certfile", tmp_path / "none.pem", "--port", free_port())
    assert code == 2 and "No such file" in said
    LiveModel(saved.with_name("orders.live")).close()


def test_labels_that_are_no_class_are_refused_unless_told_otherwise(thalweg, saved, monkeypatch):
    found = []

    def run(models, bound, settings, **options):
        live = models["orders"]
        live._worker.is_ready.wait()
        found.append(live.learn([{"price": 3, "shop": "north"}], ["new"]).statuses)

    monkeypatch.setattr("thalweg.service.server.run", run)
    for more in ([], ["--new-labels", "refuse"], ["--new-labels", "add"]):
        assert thalweg("serve", saved, "--port", "0", *more)[0] == 0
    assert found == [["unknown_label"], ["unknown_label"], ["learned"]]
    code, _, said = thalweg("serve", saved, "--port", "0", "--new-labels", "ad")
    assert code == 2 and "did you mean 'add'" in said
