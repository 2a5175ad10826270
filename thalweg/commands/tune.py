"""`thalweg tune`: a search for parameters on the first part of a stream, judged on the rest."""

import itertools
import json as jsons
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thalweg._learner_text import make_learner, read_value
from thalweg.commands import options
from thalweg.commands.costs_file import read_costs
from thalweg.commands.file_options import with_file_options
from thalweg.commands.outputs import columns_are_shown, terminal
from thalweg.commands.progress import Bar

if TYPE_CHECKING:
    from thalweg.evaluation import Tuned


@with_file_options(order=True)
def tune(
    source: Annotated[str, options.SOURCE],
    learner: Annotated[str, typer.Option(help="Learner, with arguments if need be.")],
    try_: Annotated[
        list[str] | None,
        typer.Option(
            "--try", metavar="NAME=A,B,C", help="Values of a parameter; NAME alone: usual ones; repeatable."
        ),
    ] = None,
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="What is best: see `thalweg list metrics`.")
    ] = "accuracy",
    n: Annotated[int | None, typer.Option(min=1, help="Try this many choices at random, not all.")] = None,
    share: Annotated[float, typer.Option(help="Share of the rows to search on.")] = 0.3,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A fixed parameter; repeatable.")
    ] = None,
    rows: options.Rows = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the stream, the learner and the labels.")] = 0,
    delay: options.Delay = "0",
    label_share: options.LabelShare = "1",
    label_budget: options.LabelBudget = None,
    jobs: options.Jobs = -1,
    costs: options.Costs = None,
    positive: options.Positive = None,
    json: options.Json = False,
    data: options.Data = None,
    file_options: Any = None,
) -> None:
    """Search for parameters of a learner on the first part of a stream, and judge them on the rest.

    The search sees nothing of the rows it is judged on. SOURCE is as for `thalweg run`. Without `--try`, 20
    choices among the usual values of the learner's parameters are tried.

    Examples:

        thalweg tune elec2 --learner LeveragingBagging --try n_members=5,10 --try poisson_mean --metric kappa

        thalweg tune prices.csv --learner HoeffdingTree

        thalweg tune prices.csv --learner NearestNeighbours --try n_neighbours=1,5 --try window=500,5000 --n 3
    """
    from thalweg import evaluation

    made = make_learner(learner, set_ or [], seed)
    grid, n = _without_fixed(made, read_grid(try_) if try_ else None, n, set_ or [])
    with columns_are_shown(), Bar("searching", "{}", "", json, unit="runs") as bar:
        tuned = evaluation.tune(
            made,
            source,
            grid=grid,
            share=share,
            n=n,
            seed=seed,
            delay=options.read_delay(delay),
            label_share=options.read_share(label_share),
            label_budget=options.read_budget(label_budget),
            rows=rows,
            n_jobs=jobs,
            data=data,
            file_options=file_options,
            progress=bar.show,
            metric=metric,
            costs=read_costs(costs),
            positive=positive,
        )
    show(tuned, json)


def _without_fixed(
    learner: Any, grid: dict[str, list[Any] | None] | None, n: int | None, pairs: Sequence[str]
) -> tuple[dict[str, list[Any] | None] | None, int | None]:
    """Return the values to try and how many choices, without the parameters that --set fixes."""
    fixed = [pair.partition("=")[0] for pair in pairs]
    both = next((name for name in fixed if name in (grid or {})), None)
    if both is not None:
        raise ValueError(f"--set {both} fixes it and --try {both} tries values of it: give one of them")
    if not fixed or grid is not None:
        return grid, n
    from thalweg.evaluation.comparison.ranges import usual_values
    from thalweg.evaluation.comparison.tune import USUAL_CHOICES

    rest: dict[str, list[Any] | None] = {
        name: values for name, values in usual_values(learner).items() if name not in fixed
    }
    if not rest:
        raise ValueError(f"--set {', '.join(fixed)} leaves nothing to try: name values with --try")
    return rest, USUAL_CHOICES if n is None else n


def read_grid(texts: Sequence[str]) -> dict[str, list[Any] | None]:
    """Return {parameter: values} from texts such as `n_members=5,10,20`; None for the values of `n_members`.

    What is in brackets is one value.
    """
    grid = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if equals and not values:
            raise ValueError(f"--try {text}: give a parameter and values, such as n_members=5,10,20")
        if name in grid:
            raise ValueError(f"--try {name} is given twice: give all its values at once")
        grid[name] = [read_value(value) for value in _parts(values)] if equals else None
    return grid


def show(tuned: "Tuned", json: bool) -> None:
    """Print the result of a search, as tables or as JSON."""
    if json:
        print(jsons.dumps(to_plain(tuned)))
        return
    from thalweg.commands.compare import grid
    from thalweg.evaluation.formatting import percentage, plus_minus, points, without_label
    from thalweg.evaluation.stretches import ACCURACY, about_sorted
    from thalweg.evaluation.summary import metric_text, metric_title

    console, difference = terminal(), tuned.difference
    title, shown = metric_title(tuned.metric, tuned.positive), partial(metric_text, tuned.metric)
    rows = [["parameters", title]]
    rows += [[_settings(each), shown(score)] for each, score in itertools.islice(tuned.tried, 20)]
    console.print(grid(f"On the first {tuned.n_rows_searched:,} rows", rows))
    for each, message in tuned.failed:
        console.print(f"{_settings(each)} failed: {message}", soft_wrap=True)
    best = _settings(tuned.parameters)
    lines = [f"On the {tuned.n_rows_judged:,} rows after them, which the search has not seen:"]
    given = "with the given parameters"
    if tuned.metric != "accuracy":
        lines.append(f"{title} {shown(tuned.score)} with {best}, {shown(tuned.score_before)} {given};")
    lines.append(f"accuracy {percentage(tuned.accuracy)} with {best},")
    if difference.mean == difference.standard_error == 0:
        lines.append(f"the same as {given}.")
    else:
        gap = plus_minus(points(difference.mean, "+.2f"), difference.standard_error)
        lines.append(f"{percentage(tuned.accuracy_before)} {given}; the difference is {gap} points,")
        lines.append(f"{difference.in_words()}.")
    if tuned.n_unlabelled:
        lines.append(f"{without_label(tuned.n_unlabelled)}, not scored.")
    lines += [f"But {about_sorted(ACCURACY)}."] if tuned.sorted_by_label else []
    console.print(" ".join(lines))


def to_plain(tuned: "Tuned") -> dict[str, Any]:
    """Return the result of a search as plain data for JSON; None where a metric is not defined."""
    from thalweg.evaluation.summary import plain_number

    return {
        "parameters": _texts(tuned.parameters),
        "metric": tuned.metric,
        "positive": tuned.positive,
        "sorted_by_label": tuned.sorted_by_label,
        "tried": [[_texts(each), plain_number(score)] for each, score in tuned.tried],
        "failed": [[_texts(each), message] for each, message in tuned.failed],
        "rows_searched": tuned.n_rows_searched,
        "rows_judged": tuned.n_rows_judged,
        "unlabelled": tuned.n_unlabelled,
        "score": plain_number(tuned.score),
        "score_before": plain_number(tuned.score_before),
        "accuracy": tuned.accuracy,
        "accuracy_before": tuned.accuracy_before,
        "difference": tuned.difference._asdict(),
    }


def _texts(parameters: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in parameters.items()}


def _settings(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def _parts(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for i, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]
