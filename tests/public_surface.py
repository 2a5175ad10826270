"""Write the public surface, one line for each name, to surface.txt.

    python tests/public_surface.py

Lists the names in `__all__` of the public modules: functions and classes with their parameters, methods,
properties and documented attributes, what learners of other packages may override, the compiled interface
and the options of the command. A member that a class inherits from another public class is listed there.
Types are left out, so the list is the same for all versions of Python.
"""

import functools
import importlib
import inspect
import re
from pathlib import Path
from types import FunctionType, ModuleType

import thalweg
from thalweg._native import layout

KEPT = Path(__file__).with_name("surface.txt")
MODULES = ["thalweg", "thalweg.learners.base"]  # and the modules that they list
OVERRIDABLE = {  # methods that learners of other packages may write; docs/stability.md names them
    "StreamClassifier": [
        "_begin", "_learn", "_predict", "_observe", "_flush", "_fit_block", "_grow_from", "_restore",
    ],
    "NativeClassifier": ["_make_kernel"],
}
COMPILED = {  # what kernels of other packages may use, and how they declare their arrays
    "failure": ["attempt"],
    "kernel": [
        "HEAVIEST", "learn_f", "predict_f", "predict_learn_f", "fit_block_f", "flush_f", "observe_f",
        "learner_t", "Kernel.handle", "Kernel.arrays", "Kernel.set_handle", "Kernel.allocate", "Kernel.bind",
        "Kernel.adopt", "Kernel.check", "Kernel.inherit", "fit_block", "flush", "observe", "predict_learn",
    ],
    "pointers": ["doubles", "integers", "ints", "words", "flags"],
}
LAYOUT = [
    "Array", "FLOAT", "INDEX", "INT", "WORD", "FLAG", "MOST_VALUE", "MOST_WEIGHT", "MOST_COUNTED", "require",
]
METHODS = (FunctionType, classmethod, staticmethod)
PROPERTIES = (property, functools.cached_property)


def surface() -> list[str]:
    """Return all lines in order."""
    names = public_names()
    paths = {}  # of each class
    for path, thing in sorted(names.items(), key=lambda each: (each[0].count("."), each[0])):
        if inspect.isclass(thing):
            paths.setdefault(thing, path)
    lines = []
    for path, thing in names.items():
        if inspect.isclass(thing):
            lines += class_lines(path, thing, paths)
        else:
            lines.append(path + (parameters(thing) if callable(thing) else ""))
    for name in LAYOUT:
        thing = getattr(layout, name)
        lines.append(f"thalweg._native.layout.{name}{parameters(thing) if callable(thing) else ''}")
    lines += [line for module, wanted in COMPILED.items() for line in compiled_lines(module, wanted)]
    return sorted([*lines, *command_lines()])


def public_names() -> dict[str, object]:
    """Return what the public modules list, by its path."""
    names, left = {}, [*MODULES]
    while left:
        module = left.pop()
        for name in importlib.import_module(module).__all__:
            thing = getattr(importlib.import_module(module), name)
            names[f"{module}.{name}"] = thing
            if isinstance(thing, ModuleType):
                left.append(thing.__name__)
    return names


def class_lines(path, kind, paths):
    """Return the line of a class, and those of its members that differ from those of a public base class."""
    if paths[kind] != path:
        return [f"{path} is {paths[kind]}"]
    bases = [each for each in kind.__mro__[1:] if each in paths]
    maker = next(each for each in kind.__mro__ if "__init__" in vars(each) or "__new__" in vars(each))
    known = {member for each in bases for member in members(each)}
    made = parameters(kind) if is_ours(maker) else ""
    first = f"{path}{made}, a {paths[bases[0]]}" if bases else f"{path}{made}"
    return [first, *(f"{path}.{member}" for member in members(kind) - known)]


@functools.cache
def members(kind):
    """Return the methods with their parameters, the properties and the documented attributes of a class."""
    found, allowed = documented(kind), OVERRIDABLE.get(kind.__name__, ())
    for name in dir(kind):
        maker = next((each for each in kind.__mro__ if name in vars(each)), object)
        if not is_ours(maker) or name in found or (name.startswith("_") and name not in allowed):
            continue
        member = vars(maker)[name]
        if isinstance(member, METHODS):
            found.add(name + parameters(getattr(member, "__func__", member)))
        elif isinstance(member, PROPERTIES):
            found.add(name)
    return found


def is_ours(kind):
    """Return whether a class belongs to this library."""
    return kind.__module__.partition(".")[0] == "thalweg"


def documented(kind):
    """Return the names in the section Attributes of a class's docstring."""
    _, _, section = inspect.cleandoc(kind.__doc__ or "").partition("Attributes\n----------\n")
    section = section.partition("\n\n")[0]
    return {name for line in re.findall(r"^(\w[\w, ]*) :", section, re.M) for name in line.split(", ")}


def parameters(thing):
    """Return the names, kinds and defaults of parameters, without self."""
    shown, kinds = [], []
    for each in inspect.signature(thing).parameters.values():
        if each.name in ("self", "cls") or each.name.startswith("_"):
            continue
        if each.kind is each.KEYWORD_ONLY and not {each.KEYWORD_ONLY, each.VAR_POSITIONAL} & {*kinds}:
            shown.append("*")
        kinds.append(each.kind)
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = "" if each.default is each.empty else f"={default_of(each.default)}"
        shown.append(f"{star}{each.name}{default}")
    return f"({', '.join(shown)})"


def default_of(value):
    """Return a default value as text, by name where it has one."""
    return getattr(value, "__qualname__", None) or repr(value)


def source(name):
    """Return the text of a file of `_native`; nothing if there is none."""
    path = Path(thalweg.__file__).parent / "_native" / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def compiled_lines(module, wanted):
    """Return the declarations of some names of a compiled module; a struct has one for each field."""
    found, owner = {}, None
    text = re.sub(r"#.*", "", source(f"{module}.pxd"))
    for line in re.sub(r",\s*\n\s*", ", ", text).splitlines():
        opening = re.match(r"(?:ctypedef struct|cdef class) (\w+)|cdef extern|\S", line)
        declared = line.strip().removesuffix(":")
        if opening:
            owner = opening[1] or ("" if line.startswith("cdef extern") else None)
        name = re.search(r"(\w+)\)?(\(.*\))?( noexcept.*)?$", declared)
        if name and bool(opening) == (owner is None):
            found[f"{owner}.{name[1]}" if owner else name[1]] = " ".join(declared.split())
    for kind, body in re.findall(r"^class (\w+)\b.*:\n((?:    .*\n)*)", source(f"{module}.pyi"), re.M):
        for declared, name in re.findall(r"    (def (\w+)\(.*\)) -> ", body):
            found.setdefault(f"{kind}.{name}", declared)
    wanted = [path for path in found if path in wanted or path.partition(".")[0] in wanted]
    return [f"thalweg._native.{module}.{path}: {found[path]}" for path in wanted]


def command_lines():
    """Return the arguments and the options of each subcommand of `thalweg`."""
    from typer.main import get_command

    from thalweg.commands.app import app

    lines = []
    for name, command in get_command(app).commands.items():
        for option in (each.opts[0] for each in command.params):
            lines.append(f"$ thalweg {name} {option if option.startswith('-') else option.upper()}")
    return lines


def main():
    """Write the list."""
    KEPT.write_text("\n".join([*surface(), ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
