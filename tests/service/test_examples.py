"""The examples of the service."""

import json
import re
import subprocess

from support.places import ROOT, needs_checkout
from support.service_app import Service
from support.service_process import model, running

from thalweg.commands.app import app
from thalweg.service import Settings, Tokens

FOLDER = ROOT / "examples" / "service"


@needs_checkout
def test_the_requests_with_curl_are_answered(tmp_path):
    token = tmp_path / "token"
    token.write_text("a-token-that-is-long\n")
    with running(tmp_path / "live", Settings(tokens=Tokens.from_file(token))) as server:
        done = subprocess.run([FOLDER / "requests.sh", server.url, token], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count('"label":"yes"') == 3 and done.stdout.count('"status":"learned"') == 4


@needs_checkout
def test_the_other_examples_name_options_that_there_are():
    serve = next(each for each in app.registered_commands if each.name == "serve")
    known = {f"--{name.replace('_', '-')}" for name in serve.callback.__annotations__}
    for name, n in (("thalweg.service", 3), ("Dockerfile", 3), ("compose.yaml", 1)):
        command = re.findall(r"^(?:ExecStart|ENTRYPOINT| *command:).*", (FOLDER / name).read_text(), re.M)[0]
        used = set(re.findall(r"--[a-z-]+", command))
        assert len(used) >= n and used <= known


@needs_checkout
def test_the_containers_start_answer_probes_and_are_scraped(thalweg, tmp_path, monkeypatch):
    """The Dockerfile's command and health check, the words of compose, and Prometheus with its token."""
    docker = (FOLDER / "Dockerfile").read_text()
    compose, prometheus = ((FOLDER / name).read_text() for name in ("compose.yaml", "prometheus.yml"))
    command = json.loads(re.search(r"^ENTRYPOINT (.*)", docker, re.M)[1])
    command += json.loads(re.search(r"command: (.*)", compose)[1])
    target = json.loads(re.search(r"targets: (.*)", prometheus)[1])[0]
    assert re.search(r"credentials_file: (.*)", prometheus)[1] == command[command.index("--token-file") + 1]
    places = {"/models/": tmp_path, "/data/": tmp_path, "/run/secrets/": tmp_path}
    words = [next((str(to / each.removeprefix(at)) for at, to in places.items() if each.startswith(at)), each)
             for each in command]  # fmt: skip
    model().save(tmp_path / "orders.tw")
    (tmp_path / "token").write_text("a-token-that-is-long\n")
    probe = re.search(r"urlopen\('(.*?)'\)", docker)[1]
    path = probe.removeprefix("http://127.0.0.1:8000")

    def run(models, bound, settings, **options):
        service = Service(settings)
        assert service.request("GET", path, headers={"host": "127.0.0.1:8000"}).status_code == 200
        scrape = {"host": target, "authorization": "Bearer a-token-that-is-long"}
        assert service.request("GET", "/metrics", headers=scrape).status_code == 200
        assert service.request("GET", "/metrics", headers={"host": target}).status_code == 401

    monkeypatch.setattr("thalweg.service.server.run", run)
    monkeypatch.setattr("thalweg.service.logs.set_up_logs", lambda: None)
    code, _, said = thalweg(*words[1:], "--port", "0")
    assert code == 0, said
