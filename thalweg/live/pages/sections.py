"""The parts of the live page of a model, by name, so that only those that changed are sent again."""

from collections.abc import Mapping, Sequence
from typing import Any

from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.formatting import count
from thalweg.evaluation.pages.charts import named
from thalweg.evaluation.pages.page import note, pairs, table
from thalweg.live.pages import charts
from thalweg.live.watch import words

MOST_SURPRISES = 10


def sections(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the HTML of each part of a model's page, in order; a part without content is empty."""
    made = {
        "now": _now(found),
        "accuracy": _titled("Accuracy over time", _figure(charts.accuracy(found)) + note(_about(found))),
        "beside": _titled("Beside the baselines", _baselines(found)),
        "labels": _titled("Labels", note(words.delay(found)) + _delays(found)),
        "drift": _titled("Inputs", _drift(found)),
        "members": _members(found),
        "sets": _sets(found),
        "surprises": _titled("Labels to look at", _surprises(found)),
        "traffic": _titled("Traffic", _traffic(found)),
    }
    return made


def _now(found: Mapping[str, Any]) -> str:
    said = [note(words.headline(found), "lead"), note(words.beside_baselines(found))]
    warnings = []
    if found["alarm"]["is_open"]:
        warnings.append(words.fall(found["alarm"]["episodes"][-1]))
    if found["drift"]["is_open"]:
        warnings.append(words.drift(found))
    if found["counts"]["dropped"]:
        warnings.append(f"{count(found['counts']['dropped'], 'row')} dropped before their labels came.")
    return "".join(said) + "".join(note(each, "warning") for each in warnings)


def _about(found: Mapping[str, Any]) -> str:
    if not found["accuracy"]["over_time"]["rows"]:
        return "Nothing to show before the first row that is predicted with an id."
    return (
        "A row counts where it was predicted, when its label has come. The estimate also counts rows without "
        "labels; the true accuracy lies between low and high in about 95 % of the windows. Rows without an "
        "id are not counted."
    )


def _baselines(found: Mapping[str, Any]) -> str:
    now, total = found["accuracy"]["now"], found["accuracy"]["all"]
    lately = f"latest {count(now['labels'], 'label')}"
    rows: list[list[object]] = [["", lately, count(total["labels"], "label")]]
    titles = {"learner": named("this model", "line0")}
    titles |= {name: named(each.title, name) for name, each in BASELINES.items()}
    rows += [[title, words.share(now[name]), words.share(total[name])] for name, title in titles.items()]
    estimate = found["estimate"]["now"]
    if estimate is not None:
        middle, low, high = (words.share(estimate[each]) for each in ("estimate", "low", "high"))
        said = f"{middle} ({low} to {high})"
        n = estimate["stop"] - estimate["start"]
        rows.insert(2, [named(f"estimate, latest {count(n, 'row')}", "line1"), said, ""])
    return table(rows, kind="one") + note(words.alarm(found))


def _delays(found: Mapping[str, Any]) -> str:
    late, counts, at = found["delay"], found["counts"], found["traffic"]
    entries = [
        ("rows predicted with an id", f"{found['rows']:,}"), ("labels learned", f"{found['labels']:,}"),
        ("rows that wait for labels", f"{found['waiting']:,}"),
        ("latest label", words.moment(at["last_label"])),
    ]  # fmt: skip
    entries += [(words.COUNTED[name], f"{n:,}") for name, n in counts.items() if n]
    if not late["labels"]:
        return pairs(entries)
    rows: list[list[object]] = [["delay", "median", "90 %", "99 %"]]
    rows.append(["time", *(words.duration(each) for each in late["seconds"].values())])
    rows.append(["rows", *(f"{each:,.0f}" for each in late["rows"].values())])
    return table(rows) + pairs(entries)


def _drift(found: Mapping[str, Any]) -> str:
    made = note(words.drift(found)) + _figure(charts.drift(found))
    episodes = found["drift"]["episodes"]
    if episodes:
        rows: list[list[object]] = [["since", "changed", "first row", "distance", "by chance", "until"]]
        for episode in reversed(episodes[-5:]):
            until = "now" if episode["ended"] is None else words.short_moment(episode["ended"])
            strongest = episode["changes"][0]
            numbers = [f"{strongest['distance']:.3f}", f"{strongest['expected']:.3f}"]
            began = words.short_moment(episode["began"])
            cells = [began, words.changed_inputs(episode), f"{episode['row']:,}"]
            rows.append([*cells, *numbers, until])
        made += table(rows, kind="words")
    return made + note(words.left_out(found["left_out"]))


def _members(found: Mapping[str, Any]) -> str:
    members = found["members"]
    if not members:
        return ""
    n, title = len(members["members"]), str(members["title"])
    more = f" The {n} largest of {members['of']}." if n < members["of"] else ""
    picture = _figure(charts.shares(members["members"], title))
    return _titled("Members of the learner", picture + note(f"{title[0].upper()}{title[1:]} now.{more}"))


def _sets(found: Mapping[str, Any]) -> str:
    coverage = found["coverage"]
    if not coverage:
        return ""
    if not coverage["sets"]:
        return _titled("Prediction sets", note("No label has come for a prediction set yet."))
    said = (
        f"{words.share(coverage['coverage'])} of {count(coverage['sets'], 'set')} held the label "
        f"({words.share(coverage['wanted'])} are wanted). On average {coverage['size']:.2f} classes; "
        f"{words.share(coverage['single'])} of the sets have one class."
    )
    return _titled("Prediction sets", note(said))


def _surprises(found: Mapping[str, Any]) -> str:
    listed, classes = found["surprises"]["labels"][:MOST_SURPRISES], found["classes"]
    if not listed:
        return note("No surprising label yet: all had a probability of at least 10 %.")
    rows: list[list[object]] = [["row", "label", "probability", "answer", "probability", "label came"]]
    for each in listed:
        rows.append([
            f"{each['row']:,}", _class(each["label"], classes), words.share(each["p_label"]),
            _class(each["answer"], classes), words.share(each["p_answer"]), words.short_moment(each["time"]),
        ])  # fmt: skip
    about = (
        f"The most surprising of the latest {count(found['surprises']['of'], 'label')}: the model gave them "
        "little probability. Some may be wrong. Rows predicted with ids are numbered from 0."
    )
    return table(rows) + note(about)


def _traffic(found: Mapping[str, Any]) -> str:
    rate = found["traffic"]["per_second"]
    said = f"{rate['rows']:.3g} rows and {rate['labels']:.3g} labels a second over the last minute."
    last = f"<h3>Last ten minutes</h3>{_figure(charts.throughput(found, '10 seconds'))}"
    week = f"<details><summary>Last week</summary>{_figure(charts.throughput(found, 'hour'))}</details>"
    return note(said) + last + week


def _class(code: int, classes: Sequence[Any] | None) -> str:
    return str(classes[code]) if classes is not None and code < len(classes) else f"class {code}"


def _figure(picture: str) -> str:
    return f"<figure>{picture}</figure>" if picture else ""


def _titled(title: str, content: str) -> str:
    return f"<h2>{title}</h2>{content}" if content else ""
