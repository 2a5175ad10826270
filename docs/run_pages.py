"""Run the Python blocks of a page, in order and in one namespace, and renew what the page says they print.

    python docs/run_pages.py docs/tutorial_csv.md …

A block after `<!-- not run: why -->` is left out. A block of text after `<!-- printed -->` is what the block
above it prints. A picture that a block writes, and that the page shows from `images/`, is renewed too.
"""

import io
import re
import shutil
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>[^\n]*?) -->\n)?```python\n(?P<code>.*?)```\n"
    r"(?P<below>\n<!-- printed -->\n```text\n(?P<printed>.*?)```\n)?",
    re.S,
)


class Block(NamedTuple):
    """A block of Python on a page: its code, what the page says it prints (or None), and its line."""

    code: str
    printed: str | None
    line: int


def blocks(text):
    """Return the blocks of a page that run; those shown from `examples/` run by themselves."""
    made = []
    for match in BLOCK.finditer(text):
        if not (match["mark"] or "").startswith(("not run:", "examples/")):
            line = text.count("\n", 0, match.start("code")) + 1
            made.append(Block(match["code"], match["printed"], line))
    return made


def run(page, given=""):
    """Run the blocks of a page in the current folder; yield each with what it printed.

    `given` is code that runs first: it defines what the page takes for granted.
    """
    names = {"__name__": "__main__"}
    with redirect_stdout(io.StringIO()):
        exec(compile(given, f"what {page.name} is given", "exec"), names)
    for block in blocks(page.read_text("utf-8")):
        code = "\n" * (block.line - 1) + block.code  # errors then name the line of the page
        with redirect_stdout(io.StringIO()) as out:
            exec(compile(code, str(page), "exec"), names)
        yield block, out.getvalue()


def renew(page):
    """Write what the blocks of a page print, and the pictures that they make."""
    text = page.read_text("utf-8")
    with TemporaryDirectory() as folder, chdir(folder):
        for block, printed in run(page):
            if block.printed is not None:
                text = text.replace(f"```text\n{block.printed}```", f"```text\n{printed}```", 1)
        for name in re.findall(r"\]\(images/([\w.]+)\)", text):
            if Path(name).exists():
                shutil.copy(name, DOCS / "images" / name)
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        renew(Path(name).resolve())
