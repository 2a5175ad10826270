"""What `thalweg run` does: opens the stream, makes the learner, evaluates, shows the result."""

import json as jsons
import re
import sys

from thalweg import model_files
from thalweg.evaluation import notable
from thalweg.evaluation.figures import BASELINES, FIGURES, percentage, shown
from thalweg.evaluation.permutation import TITLES
from thalweg.learner_text import read_learner, read_value
from thalweg.options import command_line, in_options
from thalweg.progress_bar import Bar
from thalweg.streams.named import open_stream

# If the rows are wide, and if not: the quick choice, and how far it was behind (docs/stacking.md).
QUICK = {
    True: ("LinearLogistic", "24 points lower on the one public stream tried that is as wide as this"),
    False: (
        "LogisticMixture",
        "0.1 to 7 points lower on public streams, far more where labels follow each other by a rule",
    ),
}
MOST_ROWS_IN_A_HURRY = 200_000  # whose figures take less than half a second


def evaluate(
    source, learner, parameters, rows, seed, delay, labels, chunk, data, file_options, quiet, save=None,
    totals=False, explain=False, importance=False,
):
    """Return the Run of a learner on a stream, all given as a person writes them; save the learner if asked.

    If it is interrupted, a line on standard error says how far it came.
    """
    from thalweg.evaluation import Explanations, PermutationImportance, chunked, prequential

    if save:
        model_files.check_writable(save)
    made = learner and make_learner(learner, parameters, seed)
    late, share = read_delay(delay), read_share(labels, chunk)
    if chunk and late != 0:
        raise ValueError("--delay and --chunk exclude each other: a chunk's labels come at its end")
    stream = open_stream(source, rows=rows, seed=seed, data=data, **file_options)
    is_default = made is None
    made = default_learner(parameters, seed) if is_default else made
    if is_default and not quiet:
        print(about_default(made, stream), file=sys.stderr)
    title, unknown = f"{type(made).__name__} on {source}", percentage(float("nan"))
    with Bar(title, "accuracy {}", unknown, quiet) as bar:

        def progress(done, total, accuracy):
            bar.show(done, total, percentage(accuracy))

        settings = {"labels": share, "seed": seed, "rows": rows, "progress": progress}
        settings["keep"] = "totals" if totals else "rows"
        settings["watch"] = [*explain * [Explanations()], *importance * [PermutationImportance(seed=seed)]]
        if chunk:
            run = chunked(stream, made, chunk, **settings)
        else:
            run = prequential(stream, made, delay=late, **settings)
    run.command = command_line()
    if is_default and not quiet:
        print(f"Of its answers now: {made.describe()}", file=sys.stderr)
    if save:
        model_files.save(made, save, run, stream.schema(), source)
    if run.interrupted:
        far = f"{run.n_rows:,} rows, accuracy so far {bar.figure}"
        print(f"thalweg: interrupted after {far}", file=sys.stderr, flush=True)
    return run


def default_learner(parameters, seed):
    """Return the learner to use if none is named."""
    if not any(text.startswith("n_jobs=") for text in parameters):
        parameters = [*parameters, "n_jobs=-1"]
    return make_learner("AdaptiveStacking", parameters, seed)


def about_default(made, stream):
    """Return in words what the default learner is made of for this stream, the quick choice and its cost."""
    made.begin(stream.n_features, n_categories=stream.n_categories)
    names = ", ".join(made.member_names_)
    quick, loss = QUICK["LogisticMixture" not in names]
    return (
        f"AdaptiveStacking weighs {len(made.members_)} learners: {names}. Quick choice: --learner {quick}, "
        f"5 to 50 times faster; its accuracy was {loss}."
    )


def make_learner(text, parameters, seed):
    """Return the learner that `text` describes, with more parameters given as key=value texts."""
    chosen = {}
    for pair in parameters:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set {pair}: expected key=value")
        if key in chosen:
            raise ValueError(f"--set {key}=…: given twice")
        chosen[key] = read_value(value)
    return read_learner(text, chosen, seed)


def read_delay(text):
    """Return a number of rows, or the frozen scipy.stats distribution that e.g. `poisson(50)` names."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    found = re.fullmatch(r"(\w+)\(([-\d.eE, ]*)\)", text)
    if found:
        import scipy.stats

        law = getattr(scipy.stats, found[1], None)
        if isinstance(law, scipy.stats.rv_continuous | scipy.stats.rv_discrete):
            return law(*[float(part) for part in found[2].split(",") if part.strip()])
    raise ValueError(f"--delay {text}: give a whole number of rows or a scipy.stats law such as poisson(50)")


def read_share(text, chunk):
    """Return the share of labels that come, as a number, or `all` or `first` for chunks."""
    if chunk and text in ("all", "first"):
        return text
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        words = ", all or first" if chunk else ""
        raise ValueError(f"--labels {text}: give a share from 0 to 1{words}")
    return share


def show(run, report, json, save=None):
    """Print a Run as a table or as JSON, and write its page if asked.

    After Ctrl-C, only if that does not take long.
    """
    if run.interrupted and run.keeps_rows and run.n_rows > MOST_ROWS_IN_A_HURRY:
        return
    if report:
        from thalweg.evaluation import report as pages

        pages.write(run, report)
    if json:
        print(jsons.dumps(run.summary()))
        return
    from rich.console import Console

    console = Console()
    console.print(table(run))
    console.print(sentence(run), highlight=False)
    for line in notable.in_words(run):
        console.print(line, highlight=False, markup=False)
    for line in column_lines(run.columns, run.pipeline):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in input_lines(run):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for message in run.messages:
        console.print(f"skipped   {in_options(message)}", highlight=False, markup=False, soft_wrap=True)
    if report:
        console.print(f"Page with pictures: {report}", highlight=False)
    if save:
        console.print(f"Model: {save}; see thalweg predict, continue and inspect", highlight=False)
    sys.stdout.flush()


def table(run):
    """Return the figures of the learner and of the trivial ones side by side."""
    from rich.table import Table

    columns = [[figure.title for figure in FIGURES], shown(run), *(shown(run, name) for name in BASELINES)]
    result = Table(title=f"{run.learner} on {run.stream}")
    result.add_column("")
    for title in (run.learner, *BASELINES.values()):
        result.add_column(title, justify="right")
    for title, *cells in zip(*columns, strict=True):
        figures, errors = zip(*(cell.partition(" ± ")[::2] for cell in cells), strict=True)
        result.add_row(title, *figures)
        if any(errors):
            result.add_row("± std. error", *errors)
    return result


def sentence(run):
    """Return the size and speed of a run, and the classes it found, in one line."""
    parts = [f"{run.n_rows:,} rows in {run.seconds:.2f} s ({run.rows_per_second:,.0f} rows/s)", found(run)]
    if len(run.drifts):
        parts.append(f"known drifts at rows {_places(run.drifts)}")
    if len(run.alarms):
        parts.append(f"the learner saw drift at rows {_places(run.alarms)}")
    if run.skipped:
        parts.append(f"{run.skipped:,} unreadable rows skipped")
    if run.interrupted:
        parts.append("interrupted: this is the result so far")
    return "; ".join(parts)


def column_lines(columns, pipeline=None):
    """Return what the columns of a file were taken for, a line for each kind, and warnings."""
    if columns is None:
        return []
    lines = [f"{kind:9} {names}" for kind, names in columns.in_words()]
    lines += [f"pipeline  {pipeline}"] if pipeline else []
    return lines + [f"warning   {in_options(warning)}" for warning in columns.warnings]


def input_lines(run, most=10):
    """Return what shuffling the values of a column cost lately, for the `most` needed columns, if asked."""
    lines = []
    for each in run.explanations:
        if each.title == TITLES["accuracy"]:
            needed = list(each.wholes().latest())[:most]
            listed = ", ".join(_with_parts(each, name) for name in needed)
            lines.append(f"inputs    {each.title}: {listed}")
    return lines


def _with_parts(history, name):
    """Return a name with its latest figure, and those of its parts in brackets."""
    latest = history.latest()
    parts = [part for part in latest if part in history.parts.get(name, ())]
    inside = ", ".join(f"{part.removeprefix(f'{name}: ')} {percentage(latest[part])}" for part in parts)
    return f"{name} {percentage(latest[name])}" + (f" ({inside})" if inside else "")


def found(run, most=10):
    """Return the classes that were found and their shares, in words: all, or the `most` frequent."""
    shares = run.class_shares
    listed = list(shares) if len(shares) <= most else sorted(shares, key=shares.get, reverse=True)[:most]
    words = ", ".join(f"{label} {percentage(shares[label])}" for label in listed)
    more = f" and {len(shares) - most} more" if len(shares) > most else ""
    return f"{len(shares)} class{'es' if len(shares) > 1 else ''}: {words}{more}"


def _places(rows):
    shown = ", ".join(f"{row:,}" for row in rows[:10])
    return shown + (f" and {len(rows) - 10} more" if len(rows) > 10 else "")
