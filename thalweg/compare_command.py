"""What `thalweg compare` and `thalweg tune` do: run, show tables, write the page."""

import itertools
import json as jsons

from thalweg.command import make_learner, read_delay, read_share
from thalweg.learner_text import read_value
from thalweg.progress_bar import Bar


def run(learners, sources, seeds, jobs, delay, labels, rows, limit, data, fresh, quiet):
    """Return the Comparison of learners on streams, all given as a person writes them."""
    from thalweg.evaluation import compare

    made = {_short(text, learners): make_learner(text, [], 0) for text in learners}
    with Bar("comparing", "{}", "", quiet) as bar:
        return compare(
            made,
            {_name(source, sources): source for source in sources},
            seeds=seeds,
            delay=read_delay(delay),
            labels=read_share(labels, None),
            rows=rows,
            limit=limit,
            jobs=jobs,
            fresh=fresh,
            data=data,
            progress=bar.show,
        )


def show(found, report, json):
    """Print a Comparison as tables or as JSON, and write its page if asked."""
    if report:
        found.write(report)
    if json:
        print(jsons.dumps(found.summary()))
        return
    from rich.console import Console

    from thalweg.evaluation.comparison_page import accuracy_rows, pair_rows, verdict

    console = Console()
    console.print(_grid("Accuracy, per cent", _turned(accuracy_rows(found))))
    console.print(_grid("Cost", _costs(found)))
    tests = found.tests()
    if tests["wins"] is not None:
        console.print(_grid("Pairs, by streams", pair_rows(found, tests)))
    console.print(verdict(found), highlight=False)
    for name, message in found.errors().items():
        console.print(f"{name} failed: {message}", highlight=False, markup=False)
    if report:
        console.print(f"Page with pictures: {report}", highlight=False)


def tune(source, learner, parameters, grid, n, share, seed, delay, labels, rows, jobs, data, quiet):
    """Return what a search for parameters found, all given as a person writes them."""
    from thalweg import evaluation

    with Bar("searching", "{}", "", quiet) as bar:
        return evaluation.tune(
            make_learner(learner, parameters, seed),
            read_grid(grid),
            source,
            share=share,
            n=n,
            seed=seed,
            delay=read_delay(delay),
            labels=read_share(labels, None),
            rows=rows,
            jobs=jobs,
            data=data,
            progress=bar.show,
        )


def read_grid(texts):
    """Return {parameter: values} from texts such as `n_members=5,10,20`; a comma in brackets parts nothing."""
    grid = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise ValueError(f"--try {text}: give a parameter and values, such as n_members=5,10,20")
        if name in grid:
            raise ValueError(f"--try {name} is given twice: give all its values at once")
        grid[name] = [read_value(value) for value in _parts(values)]
    return grid


def show_tuned(found, json):
    """Print what a search found."""
    if json:
        said = {
            "parameters": {name: str(value) for name, value in found.parameters.items()},
            "tried": [[{name: str(v) for name, v in each.items()}, score] for each, score in found.tried],
            "rows_searched": found.n_rows_searched,
            "rows_judged": found.n_rows_judged,
            "accuracy": found.accuracy,
            "accuracy_before": found.accuracy_before,
            "difference": found.difference._asdict(),
        }
        print(jsons.dumps(said))
        return
    from rich.console import Console

    console, difference = Console(), found.difference
    rows = [["parameters", "accuracy"]]
    rows += [[_settings(each), f"{100 * score:.2f}"] for each, score in itertools.islice(found.tried, 20)]
    console.print(_grid(f"On the first {found.n_rows_searched:,} rows, per cent", rows))
    console.print(
        f"On the {found.n_rows_judged:,} rows after them, which the search has not seen: "
        f"{100 * found.accuracy:.2f} % with {_settings(found.parameters)}, "
        f"{100 * found.accuracy_before:.2f} % without; the difference is "
        f"{100 * difference.mean:+.2f} ± {100 * difference.standard_error:.2f} points "
        f"({'more than' if difference.p_value < 0.05 else 'may be'} chance, p = {difference.p_value:.2g}).",
        highlight=False,
    )


def _settings(parameters):
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def _parts(text):
    depth, start = 0, 0
    for i, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def _short(text, texts):
    """Return the name of a learner without its arguments, if no other has it."""
    name = text.partition("(")[0].strip()
    return name if sum(other.partition("(")[0].strip() == name for other in texts) == 1 else text


def _name(source, sources):
    """Return the file name of a path, if no other source has it."""
    name = source.replace("\\", "/").rpartition("/")[2]
    return name if sum(other.replace("\\", "/").endswith(name) for other in sources) == 1 else source


def _turned(rows):
    """Return a table with learners as rows, which fits a terminal better."""
    return [list(cells) for cells in zip(*rows, strict=True)]


def _costs(found):
    speed, memory = found.table("rows_per_second"), found.table("memory")
    rows = [["", "rows/s, slowest", "fastest", "memory, most, kB"]]
    for m, name in enumerate(found.learners):
        figures = speed[:, m].min(), speed[:, m].max(), memory[:, m].max() / 1e3
        rows.append([name, *(f"{value:,.0f}" for value in figures)])
    return rows


def _grid(title, rows):
    from rich.table import Table

    grid = Table(title=title, title_justify="left")
    for i, cell in enumerate(rows[0]):
        grid.add_column(cell, justify="left" if i == 0 else "right")
    for row in rows[1:]:
        grid.add_row(*row)
    return grid
