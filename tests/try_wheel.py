"""Install a wheel in a fresh environment where nothing can be compiled, and run the tests there.

    python tests/try_wheel.py dist/thalweg-….whl          # the files in QUICK, a few minutes
    python tests/try_wheel.py dist/thalweg-….whl --all

The tests are copied, so that no file of the checkout is imported; those that need the checkout skip.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build" / "wheel-test" / str(sys.implementation.cache_tag)
COMPILERS = ("cc", "gcc", "clang", "c++", "g++", "meson", "ninja", "cython", "cython3")
NEEDED = ("thalweg/py.typed", "thalweg/_native/kernel.pxd", ".dist-info/entry_points.txt", "/LICENSE")
QUICK = (
    "test_docs", "test_exports", "adapters/test_adapters", "commands/test_app", "commands/test_model_files",
    "drift/test_detectors", "evaluation/test_report", "evaluation/test_metrics",
    "evaluation/test_protocols", "learners/base/test_one_hot", "learners/bayes/test_naive_bayes",
    "learners/trees/test_hoeffding_tree", "preprocessing/test_pipeline", "preprocessing/test_steps",
    "saving/test_files", "service/test_tutorial", "streams/columns/test_columns", "streams/files/test_open",
    "streams/files/test_tables", "streams/generators/test_generators",
)


def check_contents(wheel, build_folders):
    """Raise SystemExit if a file is missing in the wheel, or one has the name of a folder of this machine."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        kernels = {name.split(".")[0] for name in names if Path(name).suffix in (".so", ".pyd")}
        sources = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "thalweg").rglob("*.pyx")]
        wanted = {path.as_posix() for path in sources} | {"thalweg/_native/memoryviews"}
        problems = [f"no compiled {name}" for name in sorted(wanted - kernels)]
        problems += [f"no {end}" for end in NEEDED if not any(name.endswith(end) for name in names)]
        problems += [f"{name} should not be in a wheel" for name in names if "__pycache__" in name]
        for name in names:
            content = archive.read(name)
            problems += [f"{name} names {folder}" for folder in build_folders if folder.encode() in content]
    if problems:
        sys.exit(f"{wheel.name}: " + "; ".join(problems))
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(kernels)} compiled modules")


def fresh_environment(wheel):
    """Install the wheel and what the tests need; return the environment variables to use it with."""
    shutil.rmtree(PLACE, ignore_errors=True)
    venv.create(PLACE / "venv")
    programs = PLACE / "venv" / ("Scripts" if os.name == "nt" else "bin")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHONPATH")}
    variables |= {"PATH": str(programs), "CC": "false"}
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    install = [*pip, "install", "--quiet", "--only-binary", ":all:", f"{wheel}[test]"]
    subprocess.run(install, env=variables, cwd=PLACE, check=True)
    found = [name for name in COMPILERS if shutil.which(name, path=variables["PATH"])]
    if found:
        sys.exit(f"the environment has {', '.join(found)}: this would prove nothing")
    return variables


def copy_tests():
    """Copy the tests and the settings of pytest."""
    shutil.copytree(ROOT / "tests", PLACE / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", PLACE)
    (PLACE / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "tutorial_service.md", PLACE / "docs")


def run(variables, program, *arguments, **settings):
    """Run a program of the environment; return the seconds it took. Raise SystemExit if it fails."""
    start = time.perf_counter()
    whole = [str(Path(variables["PATH"]) / program), *arguments]
    done = subprocess.run(whole, env=variables, cwd=PLACE, check=False, **settings)
    if done.returncode:
        sys.exit(f"{program} {' '.join(arguments)}: status {done.returncode}")
    return time.perf_counter() - start


def try_wheel(wheel, everything):
    """Install the wheel, start its command and run its tests."""
    folders = {str(ROOT), str(Path.home()), str(Path(sys.prefix).resolve()), sys.base_prefix}
    check_contents(wheel, sorted(folder for folder in folders if len(folder) > 4))
    variables = fresh_environment(wheel)
    copy_tests()
    run(variables, "python", "-c", "import sys, thalweg; assert thalweg.__file__.startswith(sys.prefix)")
    run(variables, "thalweg", "--help", stdout=subprocess.DEVNULL)  # writes what Python compiles
    before = os.times()
    run(variables, "thalweg", "--help", stdout=subprocess.DEVNULL)
    spent = sum(os.times()[2:4]) - sum(before[2:4])
    print(f"thalweg --help takes {spent:.2f} s of processor time", flush=True)
    run(variables, "thalweg", "run", "sea", "--rows", "20000", "--learner", "LogisticMixture")
    chosen = ["tests"] if everything else [f"tests/{name}.py" for name in QUICK]
    seconds = run(variables, "python", "-m", "pytest", "-n", "2", "-q", *chosen)
    print(f"{wheel.name} passes {'all tests' if everything else 'the quick tests'} in {seconds:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--all", action="store_true", help="run all tests")
    options = parser.parse_args()
    try_wheel(options.wheel.resolve(), options.all)
