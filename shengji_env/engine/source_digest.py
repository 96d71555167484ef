"""A digest of sources that says whether compiled code must be made anew: comments, docstrings and lines have no part.

It is over the bytecode that Numba reads. Making it takes half a second for all layers, so it is noted beside the
compiled code under a digest of the files as they are.
"""

import ast
import contextlib
import hashlib
import os
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

LAYERS = ("engine", "tables", "players", "envs", "datasets")
"""Folders with compiled code, lowest first; a digest of each one's sources names a folder of what is compiled."""
_WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def layer_of(module: str | None) -> str | None:
    """Return the layer whose digest covers the source of a module of this name, or None."""
    package, layer, *_ = (*str(module).split("."), "")
    return layer if package == __name__.partition(".")[0] and layer in LAYERS else None


def digest_of_files(files: Sequence[Path], root: Path, notes: Path | None) -> str:
    """Return the digest of some Python files.

    Args:
        files: the files.
        root: their paths below this folder belong to the digest.
        notes: the folder in which digests are noted; None: nowhere.
    """
    sources = {file.relative_to(root).as_posix(): file.read_bytes() for file in files}
    raw = hashlib.sha256(b"".join(name.encode() + b"\0" + source for name, source in sources.items()))
    note = notes / f"sources-{raw.hexdigest()[:32]}" if notes else None
    if note is not None:
        with contextlib.suppress(OSError):
            noted = note.read_text(encoding="ascii")
            if len(noted) == 2 * hashlib.sha256().digest_size:
                os.utime(note)
                return noted
    digest = hashlib.sha256()
    for name, source in sources.items():
        digest.update(f"{name} {bytecode_digest(source)}\n".encode())
    if note is not None:
        with contextlib.suppress(OSError):
            note.write_text(digest.hexdigest(), encoding="ascii")
    return digest.hexdigest()


def bytecode_digest(source: bytes) -> str:
    """Return a digest of a file's bytecode, without docstrings and lines."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _WITH_DOCSTRINGS) and ast.get_docstring(node, clean=False) is not None:
            node.body[:1] = [] if len(node.body) > 1 else [ast.Pass(lineno=1, col_offset=0)]
    return code_digest(compile(tree, "", "exec", dont_inherit=True, optimize=0))


def code_digest(code: types.CodeType) -> str:
    """Return a digest of all of a code object but its places in the source, and of those inside it."""
    digest = hashlib.sha256()
    for each in codes_in(code):
        others = [_shown(constant) for constant in each.co_consts if not isinstance(constant, types.CodeType)]
        names = each.co_name, each.co_names, each.co_varnames, each.co_freevars, each.co_cellvars
        counts = each.co_argcount, each.co_posonlyargcount, each.co_kwonlyargcount, each.co_flags
        digest.update(repr((each.co_code, others, names, counts, getattr(each, "co_exceptiontable", b""))).encode())
    return digest.hexdigest()


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object, and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def _shown(constant: Any) -> str:
    """Return a constant as text; sets have no order of their own."""
    return repr(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant)
