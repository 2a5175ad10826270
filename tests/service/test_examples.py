"""The examples of the service."""

import re
import subprocess

from support.places import ROOT, needs_checkout
from support.service_process import running

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
    for name, n in (("thalweg.service", 3), ("Dockerfile", 2)):
        command = re.findall(r"^(?:ExecStart|ENTRYPOINT).*", (FOLDER / name).read_text(), re.M)[0]
        used = set(re.findall(r"--[a-z-]+", command))
        assert len(used) >= n and used <= known
