"""The page "From a CSV to a service in five minutes": its commands run as they stand, but for the port."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT
from support.service_process import free_port

PAGE = ROOT / "docs" / "tutorial_service.md"
BLOCK = re.compile(r"```(bash|json|text)\n(.*?)```", re.S)
MARK = "=== block"


def run_blocks(folder):
    """Run the commands of the page in one shell; return the output of each block."""
    page = PAGE.read_text().replace("8000", str(free_port()))
    commands = [text for kind, text in BLOCK.findall(page) if kind == "bash"]
    script = "set -eu\n" + "".join(f"echo; echo '{MARK}'\n{text}" for text in commands)
    # Where a wheel is tried the path has nothing else, not even bash and curl.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"], os.defpath])
    shell = ["bash", "-c", f"trap 'kill -9 $(jobs -p) 2> /dev/null || true' EXIT\n{script}"]
    done = subprocess.run(shell, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True,
                          timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split(f"{MARK}\n")[1:]


def is_like(shown, found):
    """Return whether the page shows what was printed; "…" stands for any number."""
    if isinstance(shown, dict):
        return shown.keys() == found.keys() and all(is_like(shown[key], found[key]) for key in shown)
    return shown == found or (shown == "…" and isinstance(found, float))


@pytest.mark.skipif(not PAGE.exists(), reason="the tests are not in a checkout")
def test_the_commands_of_the_tutorial_do_what_it_says(tmp_path):
    printed = run_blocks(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text())
    n_shown, i = 0, -1
    for kind, text in blocks:
        if kind == "bash":
            i += 1
        elif kind == "json":
            last = printed[i].strip().splitlines()[-1]
            answer = json.loads("{" + last.rsplit("}{", 1)[-1].removeprefix("{"))
            assert is_like(json.loads(text), answer), printed[i]
            n_shown += 1
        else:
            assert printed[i].strip() == text.strip()
            n_shown += 1
    assert n_shown == 4
    said = re.search(r"about\s+(\d+) %, beside three baselines at (\d+) to (\d+) %", PAGE.read_text())
    accuracy, *baselines = [float(each) for each in re.findall(r"([\d.]+) %", printed[1])[:4]]
    assert abs(accuracy - int(said[1])) < 1
    assert int(said[2]) - 3 < min(baselines) and max(baselines) < int(said[3]) + 3  # awks draw other rows
    assert (tmp_path / "orders.live" / "checkpoint-8.tw").exists()
    assert not [*tmp_path.glob("orders.live/log.sqlite-wal")]
