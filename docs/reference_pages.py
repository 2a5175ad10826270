"""Make the pages of the reference when the site is built, and list them in its navigation.

A hook of mkdocs. The names come from `tests/surface.txt`, the list of everything public, which a test keeps
true; mkdocstrings fills in what the sources say about each. A new public package is one line in `SUBJECTS`.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import griffe
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
SURFACE = ROOT / "tests" / "surface.txt"
LEARNERS = "thalweg.learners"

# page, title, and where the sources of what it describes are: the longest that fits decides.
SUBJECTS = [
    ("model", "Model", "thalweg.model"),
    ("learners", "What every learner has", f"{LEARNERS}.base"),
    ("learners_stacking", "Stacking", f"{LEARNERS}.stacking"),
    ("learners_logistic", "Logistic regression", f"{LEARNERS}.logistic"),
    ("learners_particles", "Particle filters", f"{LEARNERS}.particles"),
    ("learners_trees", "Trees", f"{LEARNERS}.trees"),
    ("learners_ensembles", "Ensembles", f"{LEARNERS}.ensembles"),
    ("learners_chunk_ensembles", "Chunk ensembles", f"{LEARNERS}.chunk_ensembles"),
    ("learners_window_boosting", "Boosting on a window", f"{LEARNERS}.window_boosting"),
    ("learners_subspaces", "Forests on parts of the inputs", f"{LEARNERS}.subspaces"),
    ("learners_batch_trees", "Batch trees", f"{LEARNERS}.batch_trees"),
    ("learners_neighbours", "Nearest neighbours", f"{LEARNERS}.neighbours"),
    ("learners_bayes", "Naive Bayes", f"{LEARNERS}.bayes"),
    ("learners_baselines", "Baselines and encodings", f"{LEARNERS}.baselines"),
    ("trust", "Trust", "thalweg.trust"),
    ("live", "Live models", "thalweg.live"),
    ("keyed", "A model for every key", "thalweg.keyed"),
    ("spark", "Models by key on Spark", "thalweg.keyed.spark"),
    ("connectors", "Kafka", "thalweg.connectors"),
    ("preprocessing", "Preprocessing", "thalweg.preprocessing"),
    ("drift", "Drift detectors and monitors", "thalweg.drift"),
    ("streams", "Streams", "thalweg.streams"),
    ("evaluation", "Evaluation", "thalweg.evaluation"),
    ("comparison", "Comparing and tuning", "thalweg.evaluation.comparison"),
    ("metrics", "Metrics", "thalweg.evaluation.metrics"),
    ("metrics", "Metrics", "thalweg.evaluation.set_metrics"),
    ("plots", "Pages and plots", "thalweg.evaluation.plots"),
    ("plots", "Pages and plots", "thalweg.evaluation.report"),
    ("waiting", "Rows that wait for labels", "thalweg.waiting"),
    ("saving", "Saving", "thalweg.saving"),
    ("adapters", "Other libraries", "thalweg.adapters"),
    ("checks", "Checks", "thalweg.checks"),
    ("papers", "Papers", "thalweg.papers"),
    ("mlflow", "MLflow", "thalweg.mlflow"),
    ("errors", "Errors", "thalweg.errors"),
    ("compiled", "The compiled interface", "thalweg._native"),
]
# Not in the list of stable names, but described: what `thalweg reproduce` calls, and what needs Spark.
SPARK = ["session", "over_stream", "over_history"]
BESIDE = [
    "thalweg.papers.reproduce(…)", "thalweg.papers.summaries()",
    *(f"thalweg.keyed.spark.{name}(…)" for name in SPARK),
]  # fmt: skip
# Bases that are not public by themselves: what their subclasses inherit is described once, under the base.
SHARED = [
    "thalweg.preprocessing.base.Step",
    "thalweg.drift.base.Detector",
    "thalweg.drift.monitor.Monitor",
    "thalweg.streams.base.Stream",
]
MEMBER = re.compile(r"(?P<path>[\w.]+)(?P<parameters>\(.*\))?(?:, a (?P<base>[\w.]+))?")


class Entry(NamedTuple):
    """A public object of a page: its public path, and the names of its members to describe."""

    path: str
    source: str
    members: list[str]


def on_config(config):
    """Put the pages into the navigation, instead of the one line in mkdocs.yml."""
    pages = {page: title for page, title, _ in SUBJECTS}
    learners = [{t: f"reference/{p}.md"} for p, t in pages.items() if p.startswith("learners")]
    others = [{t: f"reference/{p}.md"} for p, t in pages.items() if not p.startswith("learners")]
    listed = [{"Overview": "reference/index.md"}, others[0], {"Learners": learners}, *others[1:]]
    listed.append({"Commands": "reference/commands.md"})
    for item in config.nav:
        if "Reference" in item:
            item["Reference"] = listed
    return config


def remember_inherited():
    """Let griffe find what a class inherits once, not for every line of a template: it halves the time."""
    for kind in (griffe.Class, griffe.Alias):
        kind.inherited_members = property(cache(kind.inherited_members.fget))


def on_files(files, config):
    """Add the pages to the site."""
    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


@cache
def package():
    """Return what griffe reads in the sources of thalweg, without importing them."""
    loader = griffe.GriffeLoader(search_paths=[str(ROOT)], docstring_parser="numpy")
    loaded = loader.load("thalweg")
    loader.resolve_aliases(implicit=True, external=False)
    remember_inherited()
    return loaded


@cache
def find(path):
    """Return the object with this public path, members that a class inherits included."""
    found = package()
    for name in path.split(".")[1:]:
        found = found.all_members[name]
        found = found.final_target if found.is_alias else found
    return found


@cache
def entries():
    """Return the entries of each page, in the order of the list of public names."""
    made, classes = {}, {}
    for line in [*SURFACE.read_text("utf-8").splitlines(), *BESIDE]:
        found = MEMBER.match(line)
        if line.startswith(("$", "thalweg._native")) or " is thalweg." in line:
            continue
        path = found["path"]
        owner = path.rpartition(".")[0]
        if owner in classes:
            classes[owner].members.append(path.rpartition(".")[2])
            continue
        thing = find(path)
        if thing.is_module or any(each.source == thing.path for page in made.values() for each in page):
            continue
        entry = Entry(path, thing.path, [])
        made.setdefault(page_of(thing.path), []).append(entry)
        if thing.is_class:
            classes[path] = entry
    return made


def page_of(source):
    """Return the page on which an object with this path in the sources is described."""
    fitting = [(len(place), page) for page, _, place in SUBJECTS if f"{source}.".startswith(f"{place}.")]
    if not fitting:
        raise LookupError(f"{source} is public but on no page: add its package to SUBJECTS in {__file__}")
    return max(fitting)[1]


def attributes(thing):
    """Return the names that the sections Attributes of a class and its bases describe."""
    texts = [each.docstring.parsed for each in [thing, *thing.mro()] if each.docstring]
    parts = [part for text in texts for part in text if part.kind is griffe.DocstringSectionKind.attributes]
    return {name for part in parts for item in part.value for name in item.name.split(", ")}


def pages():
    """Return the text of each page by its name."""
    described = entries()
    made = {"index": index(described), "commands": commands(), "compiled": compiled()}
    for page, title, place in SUBJECTS:
        if page not in made:
            shared = [entry for entry in map(shared_entry, SHARED) if page_of(entry.source) == page]
            listed = [directive(each) for each in [*described[page], *shared]]
            made[page] = f"# {title}\n\n{introduction(place)}\n" + "".join(listed)
    return made


@cache
def shared_entry(base):
    """Return the entry of a base class: the members that public classes inherit from it."""
    every = [each for page in entries().values() for each in page if base in bases(each.path)]
    names = {name for each in every for name in each.members if shared_base(each.path, name) == base}
    return Entry(base, base, sorted(names))


@cache
def bases(path):
    """Return the paths of all base classes in the sources, nearest first."""
    thing = find(path)
    return [each.path for each in thing.mro()] if thing.is_class else []


def shared_base(path, member):
    """Return the base in `SHARED` under which an inherited member is described, or None."""
    for base in bases(path):
        if base in SHARED and member in find(base).all_members:
            return base if parameters(f"{base}.{member}") == parameters(f"{path}.{member}") else None
    return None


def parameters(path):
    """Return the names of the parameters of an object, without self."""
    names = [each.name for each in getattr(find(path), "parameters", [])]
    return [name for name in names if name not in ("self", "cls")] or fields(path)


def fields(path):
    """Return the names of the fields of a named tuple."""
    thing = find(path)
    if not thing.is_class or "NamedTuple" not in map(str, thing.bases):
        return []
    found = {name: member for name, member in thing.members.items() if member.is_attribute}
    return [name for name, member in found.items() if "property" not in member.labels]


def introduction(place):
    """Return the docstring of a module, or nothing for a folder of learners, which is not public."""
    if place.startswith(f"{LEARNERS}.") and not place.endswith(".base"):
        base = f"[`StreamClassifier`](learners.md#{LEARNERS}.base.StreamClassifier)"
        return f"Import these learners from `{LEARNERS}`. Each has all methods of {base} too."
    return find(place).docstring.value if find(place).docstring else ""


def directive(entry):
    """Return the lines that make mkdocstrings describe an object."""
    known = attributes(find(entry.path)) if find(entry.path).is_class else set()
    members = [name for name in [*fields(entry.path), *entry.members] if name not in known]
    members = [name for name in members if not shared_base(entry.path, name)]
    chosen = f"[{', '.join(members)}]" if members else "false"
    text = f"\n::: {entry.path}\n    options:\n      members: {chosen}\n      inherited_members: {chosen}\n"
    for base in {**public_bases(), **dict.fromkeys(SHARED)}:
        if base in bases(entry.path):
            link = f"[`{base.rpartition('.')[2]}`]({page_of(base)}.md#{public_bases().get(base, base)})"
            text += f"\n`{entry.path.rpartition('.')[2]}` also has the members of {link}.\n"
    return text


@cache
def public_bases():
    """Return the public paths of all classes but the two base classes of learners, by their sources."""
    every = [each for page in entries().values() for each in page]
    return {each.source: each.path for each in every if f"{LEARNERS}.base." not in each.path}


def index(described):
    """Return the page with all public names, each with the first line of its docstring."""
    lines = ["# Reference\n", "Everything public, from the docstrings. The [commands](commands.md) have a"]
    lines += ["page of their own. [What stays the same](../stability.md) says what you may rely on.\n"]
    titles = {page: title for page, title, _ in SUBJECTS}
    for page, title in titles.items():
        lines += [f"\n## [{title}]({page}.md)\n"]
        rows = [
            f"| [`{each.path.removeprefix('thalweg.')}`]({page}.md#{each.path}) | {summary(each.path)} |"
            for each in described.get(page, [])
        ]
        none = ["What kernels of your own are compiled against."]
        lines += ["| name | what it is |\n|---|---|", *rows] if rows else none
    return "\n".join(lines) + "\n"


def summary(path):
    """Return the first sentence of a docstring in one line."""
    text = find(path).docstring
    return " ".join(text.value.split("\n\n")[0].split()).replace("|", "\\|") if text else ""


def compiled():
    """Return the page of the declarations that kernels of other packages use."""
    start = "thalweg._native."
    lines = [line for line in SURFACE.read_text("utf-8").splitlines() if line.startswith(start)]
    text = "# The compiled interface\n\nWhat a kernel of your own may use: see [add a learner]"
    text += "(../add_a_learner.md) and [when to recompile](../stability.md#the-compiled-interface).\n"
    for module in dict.fromkeys(line.split(".")[2] for line in lines):
        inside = [line.removeprefix(f"{start}{module}.") for line in lines if f"{start}{module}." in line]
        text += f"\n## {start}{module}\n\n"
        if module == "layout":  # the one in Python
            described = [line.partition("(")[0] for line in inside if "(" in line]
            text += "".join(directive(Entry(f"{start}layout.{name}", "", [])) for name in described)
            inside = [line for line in inside if "(" not in line]
        text += "```cython\n" + "\n".join(line.partition(": ")[2] or line for line in inside) + "\n```\n"
    return text


def commands():
    """Return the page of the commands and their options, as `--help` describes them."""
    from typer.main import get_command

    from thalweg.commands.app import app

    text = "# Commands\n\nWhat `thalweg COMMAND --help` says.\n"
    for name, command in get_command(app).commands.items():
        # The terminal needs an empty line between examples, a page does not.
        said = re.sub(r"(?<=\S)\n\n(?= {4}\S)(?<!:\n\n)", "\n", command.help)
        text += f"\n## thalweg {name}\n\n{said}\n\n| argument or option | meaning |\n|---|---|\n"
        text += "".join(map(_option_row, sorted(command.params, key=_is_option)))
    return text


def _is_option(parameter):
    return parameter.opts[0].startswith("-")


def _option_row(option):
    is_argument = not _is_option(option)
    name = option.opts[0].upper() if is_argument else ", ".join(option.opts)
    takes = "" if is_argument or option.is_flag else f" {(option.metavar or option.type.name).upper()}"
    default = option.default if option.default not in (None, False, (), "", []) else None
    given = "" if default is None or callable(default) else f" Default: `{default}`."
    text = " ".join((option.help or "").split()).replace("|", "\\|")
    return f"| `{name}{takes}` | {text}{given} |\n"
