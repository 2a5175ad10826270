"""The libraries as processes that hold the rows in memory and run one pass over them when asked."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
CAPYMOA = "0.15.1"
RIVER = "0.26.1"
VW = "9.11.9"
AGENT = "sizeof.agent.SizeOfAgent"
OPEN = ("lang", "util", "util.concurrent", "util.concurrent.atomic", "util.random", "math", "text", "io")


def cache():
    """Return the folder for downloads and compiled classes: THALWEG_PEERS, else ~/.cache/thalweg-peers."""
    folder = Path(os.environ.get("THALWEG_PEERS") or Path.home() / ".cache" / "thalweg-peers")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Loop:
    """A process that answers each line with one test-then-train pass, cut after the CPU seconds it says."""

    def __init__(self, command):
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.command = [str(part) for part in command]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True, env=one_thread)
        self.ready = self._answer()

    def run(self, seconds, seed=""):
        """Run one pass; return its rows, correct predictions and CPU seconds."""
        return self.ask(f"{seconds} {seed}")

    def ask(self, line):
        """Return the answer to a line."""
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self):
        """End the process."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def _answer(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        code = self.process.wait()
        raise RuntimeError(f"{' '.join(self.command)} ended with code {code}; its error is above")


def thalweg(rows_file, method, block):
    """Return our learner's loop: the whole array in one call (block 0), or in blocks of that many rows."""
    return Loop([sys.executable, "-m", "benchmarks.thalweg_loop", rows_file, method.ours, block])


def moa(rows_file, method):
    """Return the loop of MOA's classifier in a warm Java process."""
    with np.load(rows_file) as rows:
        table = np.column_stack([rows["X"], rows["codes"]]).astype("<f8")
        counts = [*rows["n_categories"], rows["n_classes"]]
    table.tofile(cells := rows_file.with_suffix(".doubles"))
    jar, classes = moa_classes()
    path = f"{jar}{os.pathsep}{classes}"
    java = ["java", "-Xss10M", *measuring(jar), "-cp", path]
    return Loop([*java, "MoaLoop", cells, ",".join(map(str, counts)), method.moa])


def river(rows_file, method):
    """Return the loop of River's classifier, in an environment of its own."""
    return Loop([river_python(), HERE / "river_loop.py", rows_file, method.river])


def vw(rows_file, method):
    """Return the loop of Vowpal Wabbit's own driver, in an environment of its own."""
    return Loop([vw_python(), HERE / "vw_loop.py", rows_file, method.vw])


def moa_classes(name="MoaLoop"):
    """Return MOA's jar and the folder of our compiled loop, fetching and compiling what is not there yet."""
    folder = cache()
    jar, source = folder / f"moa-{CAPYMOA}.jar", HERE / f"{name}.java"
    classes = folder / "classes" / hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    if not jar.exists():
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*pip, "-d", folder, f"capymoa=={CAPYMOA}"], check=True)
        with zipfile.ZipFile(next(folder.glob(f"capymoa-{CAPYMOA}*.whl"))) as wheel:
            jar.write_bytes(wheel.read("capymoa/jar/moa.jar"))
    if not (classes / f"{name}.class").exists():
        subprocess.run(["javac", "-nowarn", "-cp", jar, "-d", classes, source], check=True)
    return jar, classes


def measuring(jar):
    """Return the options that let Java measure objects, with the class that MOA's own jar brings for that."""
    path, member = cache() / "agent.jar", AGENT.replace(".", "/") + ".class"
    if not path.exists():
        with zipfile.ZipFile(path, "w") as made, zipfile.ZipFile(jar) as moa:
            made.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nPremain-Class: {AGENT}\n")
            made.writestr(member, moa.read(member))
    return [f"-javaagent:{path}", *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in OPEN)]


def river_python():
    """Return the Python that has River."""
    return environment_with("river", RIVER)


def vw_python():
    """Return the Python that has Vowpal Wabbit."""
    return environment_with("vowpalwabbit", VW)


def environment_with(package, version):
    """Return the Python of an environment that has a package, making it if it is not there yet."""
    environment = cache() / f"{package}-{version}"
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"{package}=={version}", "numpy"], check=True)
    return python
