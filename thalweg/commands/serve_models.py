"""The live models that `thalweg serve` opens: from model files, from folders, or new ones."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.commands import model_files
from thalweg.commands.options import read_budget

if TYPE_CHECKING:
    from thalweg.model import Model

SCHEMA = ("target", "columns", "classes", "missing", "decimal", "date_parts", "n_words")


NEEDED = ("uvicorn", "starlette", "msgspec", "httptools")


def check_installed() -> None:
    """Raise ValueError if packages of the extra `serve` are missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ValueError(f"thalweg serve needs {', '.join(missing)}: pip install 'thalweg[serve]'")


@dataclass(frozen=True, slots=True)
class Plan:
    """A model to serve: its name, its folder, the file or the parameters to start with."""

    name: str
    folder: Path
    file: str | None = None
    learner: str | None = None
    schema: str | None = None
    follow: bool = False

    def has_events(self) -> bool:
        """Return whether the folder has a live model already."""
        return self.folder.is_dir() and any(self.folder.glob("checkpoint-*.tw"))

    def first_model(self) -> "Model | None":
        """Return the model to start with; None if the folder has one."""
        if self.has_events():
            return None
        if self.file is not None:
            return model_files.load(self.file)
        return None if self.schema is None else _from_schema(self.schema, self.learner)


def plans(
    sources: list[str], folder: str | None, name: str | None, learner: str | None, schema: str | None,
    follow: bool,
) -> list[Plan]:  # fmt: skip
    """Return what to serve; raise ValueError if the options do not fit together."""
    if len(sources) > 1 and (folder is not None or name is not None):
        raise ValueError("--folder and --name are for one model: leave them out, or serve one")
    if (learner is not None or schema is not None) and sources:
        raise ValueError("--learner and --schema start a new model: leave out the model file")
    if schema is None and learner is not None:
        raise ValueError("--learner needs --schema, which says what the columns are")
    if not sources:
        if folder is None:
            raise ValueError("give a model file or a folder of a live model")
        place = Path(folder)
        return [Plan(name or _stem(place), place, None, learner, schema, follow)]
    found = [_plan(source, folder, name, follow) for source in sources]
    names = [plan.name for plan in found]
    for plan in found:
        if names.count(plan.name) > 1:
            raise ValueError(f"two models are called {plan.name!r}: serve them under different file names")
    return found


def _plan(source: str, folder: str | None, name: str | None, follow: bool) -> Plan:
    path = Path(source)
    if path.is_dir():
        if folder is not None:
            raise ValueError(f"{source} is a folder: leave out --folder")
        return Plan(name or _stem(path), path, follow=follow)
    if not path.is_file():
        raise ValueError(f"{source}: there is no such model file or folder")
    place = Path(folder) if folder is not None else path.with_suffix(".live")
    return Plan(name or _stem(path), place, source, follow=follow)


def _stem(path: Path) -> str:
    return path.resolve().stem


def opened(
    plans: list[Plan], *, replace: bool = False, say: Callable[[str], object] = lambda text: None,
    **settings: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return the live models by name: each has its lock, and replays its log in its own thread.

    With `replace`, one whose file has another model goes on with that; else `say` is told of it.
    """
    for plan in plans if replace else ():
        if plan.file is None or plan.follow:
            raise ValueError("--replace puts the model of a file into its folder: give model files")
    found: dict[str, Any] = {}
    try:
        for plan in plans:
            found[plan.name] = _follower(plan) if plan.follow else _live(plan, replace, say, settings)
    except BaseException:
        for live in found.values():
            live.close()
        raise
    return found


def _live(plan: Plan, replace: bool, say: Callable[[str], object], settings: dict[str, Any]) -> Any:
    from thalweg.live import LiveModel

    given = model_files.load(plan.file) if plan.file is not None and plan.has_events() else None
    first = plan.first_model()
    live = LiveModel(plan.folder, first, wait=False, **settings)
    if given is None:
        if plan.schema is not None and first is None:
            say(f"{_runs(live)}; --learner and --schema are for a new folder")
        return live
    try:
        if live.origin.digest == given.digest():
            say(f"{_runs(live)}, that of {plan.file}")
        elif replace:
            live._wait_until_ready()
            live.replace(given)
            say(f"{plan.folder} goes on with the model of {plan.file}")
        else:
            say(f"{_runs(live)}; {_other(live, plan)} is not used: pass --replace, or PUT it")
    except BaseException:
        live.close()
        raise
    return live


def _runs(live: Any) -> str:
    origin = live.origin
    since = "" if origin.since is None else f" since {_time(origin.since)}"
    return f"{live.folder} goes on with the model that it has{since}"


def _other(live: Any, plan: Plan) -> str:
    """Return what is known about a file whose model is not the one that runs."""
    saved, since = Path(str(plan.file)).stat().st_mtime, live.origin.since
    if live.origin.digest is None:
        return f"{plan.file}, which was saved {_time(saved)},"
    age = "later" if since is None or saved > since else "earlier"
    return f"{plan.file}, another model that was saved {age}, {_time(saved)},"


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def _follower(plan: Plan) -> Any:
    from thalweg.live import LiveFollower

    return LiveFollower(plan.folder)


def _from_schema(path: str, learner: str | None) -> "Model":
    from thalweg.model import Model

    try:
        given = json.loads(Path(path).read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"--schema {path}: not JSON: {error}") from None
    if not isinstance(given, dict) or not isinstance(given.get("target"), str):
        raise ValueError(f'--schema {path}: give an object with "target" and "columns"')
    unknown = next((key for key in given if key not in SCHEMA), None)
    if unknown is not None:
        raise ValueError(f"--schema {path}: {unknown!r} is unknown; there are {', '.join(SCHEMA)}")
    return Model(learner=learner, **given)


def share(text: str | None) -> float | None:
    """Return the share of rows to ask a label for."""
    return read_budget(text)
