"""Translate the Cython files of one folder to C in one process, as starting Cython takes about a second.

`cythonize.py ROOT CHECKED DEPFILE SOURCE… TARGET…` writes each target that is older than its source or than
anything its source cimports or includes, and tells ninja in DEPFILE what the targets depend on.
"""

import sys
from pathlib import Path

import Cython
from Cython.Build.Dependencies import create_dependency_tree
from Cython.Compiler.Main import Context, compile
from Cython.Compiler.Options import CompilationOptions, default_options


def main(root: str, checked: str, depfile: str, *files: str) -> None:
    """Translate what is out of date."""
    directives = {
        "language_level": "3",
        "boundscheck": checked == "true",
        "initializedcheck": checked == "true",
        "wraparound": False,
        "cdivision": True,
    }
    options = CompilationOptions(
        default_options,
        include_path=[root],
        compiler_directives=directives,
        shared_utility_qualified_name="thalweg._native.memoryviews",
    )
    tree = create_dependency_tree(Context.from_options(options), quiet=True)
    settings, stamp = f"Cython {Cython.__version__} {directives}", Path(f"{depfile}.settings")
    same = stamp.exists() and stamp.read_text() == settings
    lines = []
    for source, target in zip(files[: len(files) // 2], files[len(files) // 2 :], strict=True):
        needs = sorted(tree.all_dependencies(source))
        lines.append(f"{target}: {' '.join(name.replace(' ', chr(92) + ' ') for name in needs)}")
        if same and _is_newer(Path(target), needs):
            continue
        if compile(source, options, output_file=target).num_errors:
            Path(target).unlink(missing_ok=True)
            sys.exit(1)
    Path(depfile).write_text("\n".join(lines) + "\n")
    stamp.write_text(settings)


def _is_newer(target: Path, needs: list[str]) -> bool:
    return target.exists() and target.stat().st_mtime > max(Path(name).stat().st_mtime for name in needs)


if __name__ == "__main__":
    main(*sys.argv[1:])
