"""The results kept for each version in `results/<version>.json`: speed beside peers, and growth."""

import json
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from benchmarks import loops

FOLDER = Path(__file__).parent / "results"
GIT = ["git", "-C", str(Path(__file__).parents[1])]


def current():
    """Return the file of the version that is installed."""
    return FOLDER / f"{version('thalweg')}.json"


def read(path):
    """Return what is kept, or the frame for it."""
    if path.exists():
        return json.loads(path.read_text())
    return {"results": [], "growth": {}}


def keep(path, results=(), growth=()):
    """Add results; they replace those of the same method and stream, and growth that of the same learner."""
    kept = read(path)
    kept.update(machine=platform.machine(), python=platform.python_version(), thalweg=version("thalweg"))
    kept.update(capymoa=loops.CAPYMOA, river=loops.RIVER, vw=loops.VW)
    by_pair = {(result["learner"], result["stream"]): result for result in kept["results"]}
    for result in results:
        by_pair[result["learner"], result["stream"]] = lean(result)
    kept["results"] = list(by_pair.values())
    kept["growth"] = {**kept.get("growth", {}), **dict(growth)}
    path.write_text(json.dumps(kept, indent=1) + "\n")


def code():
    """Return what git calls the library's files; nothing if they were changed or there is no git."""
    try:
        subprocess.run([*GIT, "diff", "--quiet", "HEAD", "--", "thalweg"], check=True)
        return subprocess.check_output([*GIT, "rev-parse", "HEAD:thalweg"], text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def has(results, learner, stream, sides, repeat):
    """Return whether the code as it is now has been measured in as many turns, with all sides."""
    now = code()
    return any(
        (result["learner"], result["stream"], result.get("code", "")) == (learner, stream, now)
        and all(len(result.get(side, {"rates": ()})["rates"]) >= repeat for side in sides)
        for result in results if now
    )


def lean(result):
    """Return a result without our counts after each thousand rows; a peer that was cut has ours beside it."""
    counts = result.get("ours", {}).get("correct_after")
    found = {}
    for name, part in result.items():
        found[name] = part
        if isinstance(part, dict):
            found[name] = {key: value for key, value in part.items() if key != "correct_after"}
            if counts and 1000 <= part["rows"] < result["ours"]["rows"]:
                found[name]["ours_then"] = counts[part["rows"] // 1000 - 1] / part["rows"]
    return found
