"""Make the notebooks of the tutorials from their pages, and execute them.

    python docs/make_notebooks.py [PAGE …]       # by default all tutorials with Python

Text becomes Markdown cells, Python becomes code cells, and a picture that a cell writes is shown below it.
What a page says is printed is left out: the executed cell prints it. Needs nbclient and ipykernel.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from run_pages import BLOCK

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "notebooks"
NOTEBOOK_LINE = re.compile(r" ?The\s+page is also a\s+\[notebook\]\([^)]*\)\.")
PICTURE = re.compile(r"!\[[^]]*\]\(images/([\w.]+)\)\n+")
WRITTEN = re.compile(r'Path\("(\w+\.svg)"\)\.write_text')


def cells(text):
    """Return the cells of a page as pairs: "markdown" or "code", and the text."""
    made, place = [], 0
    for match in BLOCK.finditer(text):
        made.append(("markdown", text[place : match.start()]))
        is_run = not (match["mark"] or "").startswith("not run:")
        made.append(("code", match["code"]) if is_run else ("markdown", match.group(0)))
        place = match.end()
    made.append(("markdown", text[place:]))
    return [(kind, _shown(kind, part).strip()) for kind, part in made if _shown(kind, part).strip()]


def _shown(kind, part):
    if kind == "code":
        pictures = WRITTEN.findall(part)
        return part + "".join(f'\nfrom IPython.display import SVG\n\nSVG("{name}")' for name in pictures)
    part = PICTURE.sub("", NOTEBOOK_LINE.sub("", part))
    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", r"](../\1)", part)


def notebook(page):
    """Return the executed notebook of a page."""
    import nbformat
    from nbclient import NotebookClient

    new = nbformat.v4
    kinds = {"markdown": new.new_markdown_cell, "code": new.new_code_cell}
    made = new.new_notebook(cells=[kinds[kind](part) for kind, part in cells(page.read_text("utf-8"))])
    for i, cell in enumerate(made.cells):
        cell["id"] = f"cell-{i}"  # not random: the same page makes the same file
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    with TemporaryDirectory() as folder:
        NotebookClient(made, timeout=300, resources={"metadata": {"path": folder}}).execute(cwd=folder)
    made.metadata.pop("language_info", None)  # names the version of Python
    for cell in made.cells:
        cell.metadata.pop("execution", None)  # times
    return made


def tutorials():
    """Return the pages that have Python; the others are for the shell."""
    return [page for page in sorted(DOCS.glob("tutorial_*.md")) if "```python" in page.read_text("utf-8")]


def main(names):
    """Write the notebooks of the pages."""
    import nbformat

    FOLDER.mkdir(exist_ok=True)
    for page in [Path(name) for name in names] or tutorials():
        nbformat.write(notebook(page), FOLDER / f"{page.stem}.ipynb")
        print(f"docs/notebooks/{page.stem}.ipynb")


if __name__ == "__main__":
    main(sys.argv[1:])
