"""Print learners.md: learners, steps, detectors, monitors and streams, each linked to the reference."""

from itertools import groupby

from reference_pages import SUBJECTS, page_of

from thalweg import drift, learners, preprocessing, streams, trust

TITLES = {page: title for page, title, _ in SUBJECTS}
OTHERS = [
    ("Around any learner: trust", trust.registry),
    ("Trust in any model's answers", trust.tool_registry),
    ("Preprocessing", preprocessing.registry),
    ("Drift detectors", drift.registry),
    ("Monitors of inputs", drift.monitor_registry),
    ("Streams", streams.registry),
]


def table(title, names, registry):
    """Print a heading, and a row for each name: a link to its description, and its first line."""
    print(f"\n## {title}\n\n| | |\n|---|---|")
    for name in sorted(names, key=str.lower):
        page = page_of(f"{registry.package}.{registry.modules[name]}.{name}")
        link = f"reference/{page}.md#{registry.package}.{name}"
        print(f"| [`{name}`]({link}) | {registry.summary(name)} |")


def subject(name):
    """Return the page of a learner, and its place in the order of pages."""
    page = page_of(f"{learners.registry.package}.{learners.registry.modules[name]}")
    return list(TITLES).index(page), page


print("# Learners, steps, detectors, streams\n")
print("Everything that `thalweg list` and learners written as text know by name. The links lead to the")
print("[reference](reference/index.md): parameters, attributes, examples. [Which learner?](which_learner.md)")
print("helps to choose one. Written by `docs/make_learners.py`.")
for (_, page), names in groupby(sorted(learners.registry, key=subject), subject):
    table(TITLES[page], names, learners.registry)
for title, registry in OTHERS:
    table(title, registry, registry)
