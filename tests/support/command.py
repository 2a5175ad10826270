"""The command run in this process, which saves the time that imports take in another."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from thalweg.commands import app as cli


def run_command(*arguments, env=None, stdin=None):
    """Run `thalweg` with these arguments; return what subprocess.run would."""
    words = ["thalweg", *map(str, arguments)]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with (
        mock.patch.object(sys, "argv", words),
        mock.patch.object(sys, "stdin", stdin or sys.stdin),
        mock.patch.dict(os.environ, env or {}, clear=env is not None),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code or 0
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(words, code, printed, said)
