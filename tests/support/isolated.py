"""Try many cases in another process, so that one which crashes or hangs is found and the rest go on."""

import argparse
import faulthandler
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]


def answer_cases(check, seconds):
    """Print check(case), a line of text, for each line of standard input.

    The process ends if a case takes longer than `seconds`.
    """
    faulthandler.enable()
    for line in sys.stdin:
        faulthandler.dump_traceback_later(seconds, exit=True)
        answer = check(line.rstrip("\n"))
        faulthandler.cancel_dump_traceback_later()
        print(" ".join(answer.split()), flush=True)


def run_script(description, check, seconds, run, tell):
    """Do what a script of tests/fuzz is asked for on the command line; exit with status 1 at a problem.

    The worker answers cases by `check`, in at most `seconds` each. `run(seed, limit...)` returns counts of
    (name, answer) and the problems, and `tell(counts, problems)` a line about them.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--cases", type=int, help="how many cases to try, however long it takes")
    parser.add_argument("--seed", type=int, default=0, help="the same seed damages in the same way")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        answer_cases(check, seconds)
        return
    limit = {"n_cases": options.cases} if options.cases else {"seconds": options.seconds}
    answers, problems = run(options.seed, **limit)
    print("\n".join([*problems, tell(answers, problems)]))
    sys.exit(bool(problems))


class Worker:
    """A process that answers one case at a time; it is started again after a case has ended it.

    Parameters
    ----------
    arguments : list of str
        What Python is called with: a script that calls `answer_cases`, and options.
    """

    def __init__(self, arguments):
        self.command = [sys.executable, *arguments]
        self._process = self._errors = None

    def answer(self, case):
        """Return (answer, None), or (None, how the process ended) if it did not survive the case."""
        process = self._process or self._start()
        try:
            process.stdin.write(f"{case}\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return (line.strip(), None) if line else (None, self._ending())

    def close(self):
        """End the process."""
        if self._process:
            self._process.communicate()
            self._errors.close()
            self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _start(self):
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115, close() does it
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )
        return self._process

    def _ending(self):
        status = self._process.wait()
        self._errors.seek(0)
        errors = self._errors.read()
        self.close()
        how = f"signal {-status}" if status < 0 else "time-out" if "Timeout" in errors else f"status {status}"
        return f"{how}\n{errors[-3000:]}"
