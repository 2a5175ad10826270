"""The servers that `benchmarks.service` compares, each a process of its own."""

import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress

from benchmarks.service_load import free_port, wait_for_port


class Running:
    """A server that runs: its port and process."""

    def __init__(self, port, process):
        self.port, self.pid, self.process = port, process.pid, process


@contextmanager
def started(command):
    """Start a server, give it when it accepts connections, and stop it."""
    port = free_port()
    words = [str(word).replace("PORT", str(port)) for word in command]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        wait_for_port(port, process)
        yield Running(port, process)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()
        process.wait()


@contextmanager
def ours(source, *options):
    """Serve a model file or a folder by `thalweg serve`."""
    command = "import sys; sys.argv[0] = 'thalweg'; from thalweg.commands.app import main; main()"
    with started([sys.executable, "-c", command, "serve", source, "--port", "PORT", *options]) as server:
        address = f"http://127.0.0.1:{server.port}/health"
        for _ in range(600):
            with suppress(OSError):
                urllib.request.urlopen(address, timeout=5).close()
                break
            time.sleep(0.1)
        yield server


def module(name, *arguments):
    """Run a module of this folder as a server."""
    return started([sys.executable, "-m", f"benchmarks.{name}", *arguments, "--port", "PORT"])
