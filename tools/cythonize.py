"""Translate the Cython files of one folder to C in one process, as starting Cython takes about a second.

`cythonize.py ROOT CHECKED DEPFILE SOURCE… TARGET…` writes each target that is older than its source or than
anything its source cimports or includes, and tells ninja in DEPFILE what the targets depend on. With a folder
in THALWEG_C_CACHE, C files are kept there by the contents of all that they depend on: another checkout need
not translate the same sources.
"""

import gzip
import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

import Cython
from Cython.Build.Dependencies import create_dependency_tree
from Cython.Compiler.Main import Context, compile
from Cython.Compiler.Options import CompilationOptions, default_options

MOST_KEPT = 1000  # about 80 MB


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
        kept = _place(settings, root, needs)
        if kept and kept.exists():
            Path(target).write_bytes(gzip.decompress(kept.read_bytes()))
            kept.touch()
            continue
        if compile(source, options, output_file=target).num_errors:
            Path(target).unlink(missing_ok=True)
            sys.exit(1)
        if kept:
            _keep(Path(target), kept)
    Path(depfile).write_text("\n".join(lines) + "\n")
    stamp.write_text(settings)


def _is_newer(target: Path, needs: list[str]) -> bool:
    return target.exists() and target.stat().st_mtime > max(Path(name).stat().st_mtime for name in needs)


def _place(settings: str, root: str, needs: list[str]) -> Path | None:
    """Return where the C file of sources with these contents is kept; None if no folder is named."""
    folder = os.environ.get("THALWEG_C_CACHE")
    if not folder:
        return None
    digest = hashlib.sha256(f"{settings} NumPy {version('numpy')}".encode())
    for name in needs:
        content = Path(name).read_bytes()
        digest.update(f"{os.path.relpath(name, root)} {len(content)} ".encode() + content)
    return Path(folder) / f"{digest.hexdigest()}.gz"


def _keep(target: Path, kept: Path) -> None:
    """Keep a C file, whole or not at all, and at most `MOST_KEPT` files, those that were used last."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    part.write_bytes(gzip.compress(target.read_bytes(), 3))
    part.replace(kept)
    known = sorted(kept.parent.glob("*.gz"), key=lambda path: path.stat().st_mtime)
    for path in known[:-MOST_KEPT]:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
