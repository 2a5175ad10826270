"""`thalweg live`: look into the folder of a live model, check it, make it smaller, or open a class."""

import json as jsons
from enum import StrEnum
from typing import Annotated, Any

import typer

from thalweg.commands import options
from thalweg.commands.outputs import terminal
from thalweg.errors import first_of

PROBLEMS = 1  # exit code


class Action(StrEnum):
    """What to do."""

    inspect = "inspect"
    verify = "verify"
    compact = "compact"
    add_class = "add-class"


DO = typer.Argument(metavar="inspect|verify|compact|add-class", help="What to do.")
FOLDER = typer.Argument(metavar="FOLDER", help="The folder of a live model.")
LABEL = typer.Argument(metavar="LABEL", help="The label of add-class.", show_default=False)


def live(
    action: Annotated[Action, DO],
    folder: Annotated[str, FOLDER],
    label: Annotated[str | None, LABEL] = None,
    json: options.Json = False,
) -> None:
    """Look into the folder of a live model, check it, make it smaller, or open a class.

    `inspect` says what is in it. `verify` checks every event and checkpoint, and that the older checkpoint
    and the events after it lead to the newer one; the exit code is 1 if something is wrong. Both only read,
    also while the model is in use. `compact` removes events that no checkpoint needs, and `add-class`
    makes a label a class, so that it is no longer refused; nobody may use the model meanwhile.

    Examples:

        thalweg live inspect orders.live

        thalweg live verify orders.live --json

        thalweg live add-class orders.live returned
    """
    if (label is None) == (action is Action.add_class):
        raise ValueError(f"{action.value} takes a folder{' and a label' if label is None else ' alone'}")
    if label is None:
        found, lines, code = DOES[action](folder)
    else:
        found, lines, code = _add_class(folder, label)
    if json:
        print(jsons.dumps(found, default=str))
    else:
        console = terminal()
        for line in lines:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    if code:
        raise typer.Exit(code)


def _inspect(folder: str) -> tuple[dict[str, Any], list[str], int]:
    from thalweg.live.inspecting import inspect

    found = inspect(folder)
    log = found["log"]
    lines = [f"{found['folder']}: event {found['event']:,}"]
    if "learner" in found:
        lines.append(
            f"{found['learner']} for {found['target']!r}: {first_of(found['classes'], 10)}; "
            f"{len(found['columns'])} columns"
        )
        waiting, most = found["waiting"], found["max_waiting"]
        lines.append(f"at the last checkpoint {waiting:,} of at most {most:,} rows wait")
    for each in found["checkpoints"]:
        state = f"thalweg {each['version']}" if each["is_good"] else "DAMAGED"
        lines.append(f"checkpoint at event {each['event']:,}: {each['bytes']:,} bytes, {state}")
    span = "empty" if log["first"] is None else f"events {log['first']:,} to {log['last']:,}"
    lines.append(f"log: {span}, {log['groups']:,} groups, {log['bytes']:,} bytes")
    lines.append(f"events to replay at the next start: {found['to_replay']:,}")
    return found, lines, 0


def _verify(folder: str) -> tuple[dict[str, Any], list[str], int]:
    from thalweg.live.inspecting import verify

    checked = verify(folder)
    counts = f"{checked.groups:,} groups, {checked.replayed:,} events replayed"
    lines = [f"{folder}: event {checked.event:,}, {counts}"]
    lines += [f"PROBLEM: {problem}" for problem in checked.problems] or [f"all good; digest {checked.digest}"]
    return checked._asdict(), lines, PROBLEMS if checked.problems else 0


def _compact(folder: str) -> tuple[dict[str, Any], list[str], int]:
    from thalweg.live import LiveModel
    from thalweg.live.inspecting import inspect

    before = inspect(folder)["log"]
    with LiveModel(folder, lock_timeout=0.0) as opened:
        removed = opened.compact()
    after = inspect(folder)["log"]
    found = {"removed": removed, "before": before, "after": after}
    line = f"{removed:,} groups removed; the log has {after['bytes']:,} of {before['bytes']:,} bytes"
    return found, [line], 0


def _add_class(folder: str, label: str) -> tuple[dict[str, Any], list[str], int]:
    from thalweg.live import LiveModel

    with LiveModel(folder, lock_timeout=0.0) as opened:
        event = opened.add_class(label)
        classes = opened.model.classes_.tolist()
    line = f"{label!r} is a class since event {event:,}; the classes are {first_of(classes, 10)}"
    return {"event": event, "classes": classes}, [line], 0


DOES = {Action.inspect: _inspect, Action.verify: _verify, Action.compact: _compact}
