"""Make a release from a clean clone, or say what is stale: `python tools/release.py [--check]`.

Refuses if the checkout has changes that are not committed; if the version has a tag already, or is not that
of the changelog and CITATION.cff; if benchmarks/results has no run of this version, one that lacks a method
on a stream, or one that is older than the newest change of a kernel; and if tests, docs, sdist or wheels
fail in the clone. With --check only what needs no build is looked at. What it makes is in dist/: it uploads
nothing and sets no tag.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("python3.11", "python3.12", "python3.13")


def git(*arguments: str) -> str:
    """Return what git prints."""
    return subprocess.check_output(["git", *arguments], cwd=ROOT, text=True).strip()


def version() -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def problems(number: str) -> list[str]:
    """Return why this version cannot be released, as far as the files say."""
    found = ["there are changes that are not committed"] if git("status", "--porcelain") else []
    if git("tag", "--list", f"v{number}"):
        found.append(f"the tag v{number} exists: raise the version in pyproject.toml")
    heading = re.search(r"^## (\S+)(.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    if heading is None or heading[1] != number or "unreleased" in heading[2]:
        found.append(f"CHANGELOG.md does not begin with '## {number} (date)'")
    if f"\nversion: {number}\n" not in (ROOT / "CITATION.cff").read_text("utf-8"):
        found.append(f"CITATION.cff has another version than {number}")
    return found + stale_benchmarks(number)


def stale_benchmarks(number: str) -> list[str]:
    """Return what is wrong with the measured run of this version."""
    name = f"benchmarks/results/{number}.json"
    if not (ROOT / name).exists():
        return [f"there is no {name}: run make bench"]
    missing = not_measured(json.loads((ROOT / name).read_text("utf-8")))
    if missing:
        return [f"{name} has no result of {', '.join(missing)}: run make bench"]
    measured = int(git("log", "-1", "--format=%ct", "--", name) or 0)
    changed = int(git("log", "-1", "--format=%ct", "--", "thalweg/*.pyx", "thalweg/*.pxd") or 0)
    return [f"{name} is older than the newest kernel: run make bench"] if changed > measured else []


def not_measured(found: dict[str, list[dict[str, str]]]) -> list[str]:
    """Return the methods of benchmarks/methods.py that lack a result on a stream on which others have one."""
    source = (ROOT / "benchmarks" / "methods.py").read_text("utf-8")
    methods = re.findall(r'^    "([^"]+)": Method\(', source, re.M)
    measured = {(result["learner"], result["stream"]) for result in found.get("results", [])}
    streams = sorted({stream for _, stream in measured})
    if not streams:
        return ["any method"]
    return [f"{name} on {stream}" for name in methods for stream in streams if (name, stream) not in measured]


def build(clone: Path) -> None:
    """Test the clone, and make the site, the sdist and the wheels in its dist/; stop at the first failure."""
    pythons = [name for name in PYTHONS if shutil.which(name)]
    if len(pythons) < len(PYTHONS):
        raise SystemExit(f"needs {', '.join(PYTHONS)} on the path, found {', '.join(pythons) or 'none'}")
    python = [".venv/bin/python", "-m"]
    steps = [["make", "test"], ["make", "docs"], [*python, "pip", "install", "--quiet", "build", "twine"]]
    steps += [[*python, "build", "--sdist"], *(["make", "wheel", f"PYTHON={name}"] for name in pythons)]
    for step in steps:
        print("$", *step, flush=True)
        subprocess.run(step, cwd=clone, check=True)
    files = [str(path.relative_to(clone)) for path in sorted((clone / "dist").iterdir())]
    subprocess.run([*python, "twine", "check", "--strict", *files], cwd=clone, check=True)


def main() -> None:
    """Check, clone, build; copy what was made to dist/."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say what is stale")
    arguments = parser.parse_args()
    number = version()
    found = problems(number)
    for each in found:
        print(f"thalweg {number}: {each}", file=sys.stderr)
    if found:
        raise SystemExit(1)
    if arguments.check:
        print(f"thalweg {number}: nothing is stale")
        return
    with TemporaryDirectory() as folder:
        clone = Path(folder) / "thalweg"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        build(clone)
        shutil.copytree(clone / "dist", ROOT / "dist", dirs_exist_ok=True)
    print(f"dist/ has thalweg {number}. Now: git tag v{number}, and upload with twine")


if __name__ == "__main__":
    main()
