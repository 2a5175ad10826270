"""Write the tables and pictures of `docs/benchmarks.md` from the results kept for this version.

    python -m benchmarks.page
"""

from pathlib import Path

from benchmarks import growth, kept, overview
from benchmarks.overview import times
from benchmarks.peers import ratio, short

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- made by benchmarks/page.py: {} -->", "<!-- end -->"
BARS = {"moa": 5, "river": 50}
COLOURS = {"ours": "#0b6fa4", "moa": "#c44e00", "river": "#4d8c2b", "vw": "#7a4fa3"}
NAMES = {"ours": "thalweg", "moa": "MOA", "river": "River", "vw": "Vowpal Wabbit"}


def speed(results):
    """Yield the lines of the table of ratios; a bar that is missed is marked."""
    yield ("| learner | stream | ours % | MOA | River | VW | rows/s | × MOA | × River | × VW | bytes | MOA's "
           "| River's |")
    yield "|---|---|" + "---:|" * 11
    for result in results:
        ours = result["ours"]
        percent = [percentage(result.get(side), ours["rows"]) for side in NAMES]
        sizes = [size(result.get(side)) for side in ("ours", "moa", "river")]
        ratios = [marked(ours, result.get(side), BARS.get(side, 0)) for side in ("moa", "river", "vw")]
        cells = [result["learner"], result["stream"], *percent, short(max(ours["rates"])), *ratios, *sizes]
        yield f"| {' | '.join(cells)} |"


def percentage(side, n_rows):
    """Return the accuracy; where a peer's pass was cut, of how many rows it is, and ours on the same rows."""
    if side is None:
        return "–"
    text = f"{100 * side['accuracy']:.2f}"
    if side["rows"] == n_rows:
        return text
    beside = f", ours {100 * side['ours_then']:.2f}" if "ours_then" in side else ""
    return f"{text} @{side['rows'] // 1000}k{beside}"


def size(side):
    """Return the size of a model; a cut pass has seen fewer rows."""
    return short(side["bytes"]) if side and "bytes" in side else "–"


def marked(ours, theirs, bar):
    """Return the ratio, with a cross where it misses its bar."""
    if theirs is None:
        return "–"
    text = ratio(ours, theirs) if len(ours["rates"]) > 1 else f"{times(ours, theirs):.2f}"
    return text + " ✗" * (times(ours, theirs) < bar)


def summary(results):
    """Yield a sentence a peer: how many cases meet their bar, and which methods miss it anywhere."""
    for side, bar in BARS.items():
        pairs = [(r["learner"], times(r["ours"], r[side])) for r in results if side in r]
        missed = sorted({name for name, quotient in pairs if quotient < bar})
        met = sum(quotient >= bar for _, quotient in pairs)
        yield (f"- At least {bar} times {NAMES[side]}: {met} of {len(pairs)} cases. Missed somewhere by "
               f"{', '.join(missed) or 'none'}.")


def place(result, side):
    """Return a side's accuracy; of a pass that was cut, ours plus the difference on the rows it had."""
    found, ours = result.get(side), result["ours"]
    if found is None:
        return None
    if found["rows"] == ours["rows"]:
        return found["accuracy"]
    return ours["accuracy"] + found["accuracy"] - found["ours_then"] if "ours_then" in found else None


def point(result, side):
    """Return rows a second, percent, whether the pass was whole, and the learner."""
    found = result[side]
    whole = found["rows"] == result["ours"]["rows"]
    return max(found["rates"]), 100 * place(result, side), whole, result["learner"]


def picture(results, stream, path):
    """Draw accuracy against rows a second on one stream, a colour and a mark for each library."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "thalweg", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 6))
    for side, mark in zip(NAMES, "os^D", strict=True):
        here = [r for r in results if r["stream"] == stream and place(r, side) is not None]
        points = sorted(point(r, side) for r in here)
        for whole in (True, False):
            some = [(x, y) for x, y, is_whole, _ in points if is_whole == whole]
            fill = COLOURS[side] if whole else "none"
            label = NAMES[side] if whole else None
            axes.scatter(*zip(*some, strict=True) if some else ([], []), marker=mark, label=label,
                         facecolors=fill, edgecolors=COLOURS[side])
        for i, (x, y, _, name) in enumerate(points if side == "ours" else []):
            axes.annotate(name, (x, y), (4, 4 if i % 2 else -9), textcoords="offset points", fontsize=7)
    axes.set(xscale="log", xlabel="rows per second of one processor", ylabel="accuracy, %")
    axes.set_title(f"Accuracy and speed on {stream}, test-then-train")
    axes.legend(loc="lower left")
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def sections(found):
    """Return what stands on the page, by the name in its marks."""
    results = [line for lines in overview.by_method(found["results"]).values() for line in lines]
    return {
        "overview": "\n".join(overview.table(results)),
        "picture": "![Accuracy against rows a second on elec, ours and peers'](images/cost.svg)",
        "how": how(found, results),
        "bars": "\n".join([*summary(results), "", *overview.kinds(results)]),
        "all": "\n".join(speed(results)),
        "growth": growth.table(found.get("growth", {})),
    }


def how(found, results):
    """Return with what, and in how many turns, the results were measured."""
    turns = sorted({len(result["ours"]["rates"]) for result in results})
    files = sorted({result.get("code", "")[:10] for result in results} - {""})
    return (
        f"Version {found['thalweg']}, MOA of capymoa {found['capymoa']}, River {found['river']}, Vowpal "
        f"Wabbit {found.get('vw', '–')}, Python {found['python']}, {found['machine']}; "
        f"{' to '.join(map(str, turns[:1] + turns[1:][-1:]))} turns. "
        f"`git rev-parse HEAD:thalweg` was {', '.join(files) or 'not kept'}."
    )


def filled(text, parts):
    """Return the page with these parts between their marks."""
    for name, body in parts.items():
        before, rest = text.split(BEGIN.format(name))
        text = f"{before}{BEGIN.format(name)}\n\n{body}\n\n{END}{rest.split(END, 1)[1]}"
    return text


def main():
    """Write the sections and the picture."""
    found = kept.read(kept.current())
    page = DOCS / "benchmarks.md"
    page.write_text(filled(page.read_text("utf-8"), sections(found)), "utf-8")
    picture(found["results"], "elec", DOCS / "images" / "cost.svg")


if __name__ == "__main__":
    main()
