"""The notebooks of the tutorials have the code of their pages, and were executed."""

import json
import sys

import pytest
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
PAGES = [page for page in sorted(DOCS.glob("tutorial_*.md")) if "```python" in page.read_text("utf-8")]
MAKE = "run: make notebooks"


def notebook(page):
    return json.loads((DOCS / "notebooks" / f"{page.stem}.ipynb").read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_is_made_from_its_page(page):
    import make_notebooks

    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook(page)["cells"]]
    assert cells == make_notebooks.cells(page.read_text("utf-8")), MAKE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_prints_what_its_page_says(page):
    import run_pages

    code = [cell for cell in notebook(page)["cells"] if cell["cell_type"] == "code"]
    outputs = [cell["outputs"] for cell in code]
    for block, shown in zip(run_pages.blocks(page.read_text("utf-8")), outputs, strict=True):
        text = ["".join(each["text"]) for each in shown if each["output_type"] == "stream"]
        assert "".join(text) == (block.printed or ""), MAKE
        if ".svg" in block.code:
            assert any("image/svg+xml" in each.get("data", {}) for each in shown), MAKE


def test_notebooks_are_small():
    sizes = {path.name: path.stat().st_size for path in (DOCS / "notebooks").glob("*.ipynb")}
    assert len(sizes) == len(PAGES) >= 5
    assert max(sizes.values()) < 150_000
