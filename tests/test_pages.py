"""Pages are true: their Python runs and prints what they say, their commands and links exist, code fits."""

import re
import shlex
import sys

import pytest
from support.page_names import GIVEN
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md")), ROOT / "benchmarks" / "README.md"]
OPTIONS = {tuple(line.split()[2:]) for line in (ROOT / "tests" / "surface.txt").read_text().splitlines()
           if line.startswith("$")}  # fmt: skip
COMMANDS = {command for command, _ in OPTIONS}
# To be wrapped when their pages are next edited.
WIDEST = {"drift.md": 120, "stacking.md": 120, "trust_labels.md": 120}
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def pages_with_python():
    import run_pages

    return [page for page in PAGES if run_pages.blocks(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", pages_with_python() if DOCS.exists() else [], ids=name_of)
def test_python_of_a_page_runs(page, tmp_path, monkeypatch):
    import run_pages

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "tracking").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    for block, printed in run_pages.run(page, GIVEN.get(page.name, "")):
        if block.printed is not None:
            words, numbers = split(printed)
            said_words, said_numbers = split(block.printed)
            assert words == said_words, f"run: make notebooks ({name_of(page)})"
            assert numbers == pytest.approx(said_numbers, rel=0.1, abs=0.05), "run: make notebooks"


def split(text):
    """Return the words of a text, and its numbers, which may differ a little from machine to machine."""
    number = re.compile(r"\d[\d,]*(?:\.\d+)?")
    return number.sub("#", text).split(), [float(each.replace(",", "")) for each in number.findall(text)]


def test_what_is_not_run_says_why():
    mark = re.compile(r"<!-- not run:(.*?)-->\n```python")
    marks = [each for page in PAGES for each in mark.findall(page.read_text("utf-8"))]
    assert all(len(mark.split()) > 2 for mark in marks)
    assert len(marks) <= 5


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_fits_its_box(page):
    found, widest = FENCE.findall(page.read_text("utf-8")), WIDEST.get(page.name, 110)
    lines = [line for kind, code in found if kind in ("python", "shell") for line in code.splitlines()]
    assert not [line for line in lines if len(line) > widest]


def shell_lines(page):
    """Return the commands of a page, without comments; a line that ends in a backslash goes on."""
    blocks = [code for language, code in FENCE.findall(page.read_text("utf-8")) if language in ("", "shell")]
    for block in blocks:
        for line in block.replace("\\\n", " ").splitlines():
            for part in line.split(" | "):
                yield part.strip().removeprefix("$ ")


def test_commands_on_pages_exist():
    seen, wrong = 0, []
    for page in PAGES:
        for line in shell_lines(page):
            if re.match(r"(\.venv/bin/)?thalweg ", line):
                seen += 1
                words = shlex.split(line, comments=True)
                wrong += [f"{name_of(page)}: {line}" for _ in range(not is_known(words[1:]))]
    assert seen > 40
    assert not wrong


def is_known(words):
    """Return whether a command of `thalweg` and its options exist."""
    if words[0].startswith("--"):
        return words[0] in ("--help", "--version")
    named = [word.partition("=")[0] for word in words[1:] if word.startswith("--")]
    return words[0] in COMMANDS and all((words[0], name) in OPTIONS or name == "--help" for name in named)


def test_commands_within_sentences_exist():
    """As in `thalweg run sea --report page.html`; a name in capitals stands for any."""
    wrong = []
    for page in PAGES:
        for line in re.findall(r"`thalweg ([a-z-][^`\n]*)`", page.read_text("utf-8")):
            words = line.replace("…", "").split()
            wrong += [f"{name_of(page)}: thalweg {line}" for _ in range(not is_known(words))]
    assert not wrong


def test_make_targets_on_pages_exist():
    lines = re.findall(r"^([\w -]+):(?!=)", (ROOT / "Makefile").read_text(), re.M)
    targets = {name for line in lines for name in line.split()}
    named = {(name_of(page), name) for page in PAGES for name in
             re.findall(r"(?:`|^)make ([a-z][\w-]*)", page.read_text("utf-8"), re.M)}  # fmt: skip
    assert len(named) > 10
    assert not {each for each in named if each[1] not in targets}


def test_modules_run_on_pages_exist():
    named = {(name_of(page), name) for page in PAGES for name in
             re.findall(r"python -m (benchmarks[\w.]*)", page.read_text("utf-8"))}  # fmt: skip
    assert named
    assert not {each for each in named if not (ROOT / f"{each[1].replace('.', '/')}.py").exists()}


def anchors(text):
    """Return the anchors of a page: its headings, as the site and hosts of repositories spell them."""
    from markdown.extensions.toc import slugify

    plain = FENCE.sub("", text)
    titles = [re.sub(r"[`*]|\[(.*?)\]\(.*?\)", r"\1", each) for each in re.findall(r"^#+ (.*)$", plain, re.M)]
    return {slugify(title, "-") for title in titles}


def test_links_lead_somewhere():
    import reference_pages

    made = {DOCS / "reference" / f"{name}.md": text for name, text in reference_pages.pages().items()}
    known = {path: anchors(text) | set(re.findall(r"^::: (\S+)", text, re.M)) for path, text in made.items()}
    broken, seen = [], 0
    for page in PAGES:
        text = FENCE.sub("", page.read_text("utf-8"))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            if "://" in target:
                continue
            seen += 1
            place = (page.parent / path).resolve() if path else page
            if place not in known and place.suffix == ".md" and place.exists():
                known[place] = anchors(place.read_text("utf-8"))
            exists = place in known or place.exists()
            if not exists or (anchor and anchor not in known[place]):
                broken.append(f"{name_of(page)}: {target}")
    assert seen > 200
    assert not broken
