"""Users' own Python code: what ``module:callable`` names, found and checked before it is called.

| it is | it is called if |
|---|---|
| a class | it has one of the methods that are asked for: whatever module it is from |
| a function | neither Python nor an installed package defines it |
| anything else | never |

Arguments follow the ``?`` of a text, as ``name=value&name=value``.

So no text reaches a function such as `os.system`. Texts that stand in files may not name code at all (`refuse_file`).
"""

import contextlib
import functools
import importlib
import inspect
import site
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from shengji_env.errors import PlayerError, show
from shengji_env.support.text_files import FileText

_MAX_NAMES = 12
"""Most callables of a module that an error lists."""
_METHODS_OF_PLAYERS = ("act", "decide")


def refuse_file(text: str, what: str) -> None:
    """Refuse a text that names code to run, and stands in a file.

    Raises:
        PlayerError: it stands in a file that nobody has said to trust.
    """
    if isinstance(text, FileText):
        raise PlayerError(
            f"{show(text)} stands in a file, and {what}: if you trust whoever wrote the file, give --trust-file"
        )


def call_named(text: str, built_in: Mapping[str, Callable[..., Any]], methods: Sequence[str]) -> Any:
    """Call what a text names, one of ``built_in`` or ``module:callable``, with the arguments after its ``?``.

    Args:
        text: the text.
        built_in: what has a name of its own.
        methods: a class that is named must have one of these.

    Raises:
        PlayerError: there is no such thing, or it raises.
    """
    head, _, query = text.strip().partition("?")
    name, colon, rest = head.partition(":")
    arguments = read_arguments(text, query)
    if not colon and name not in built_in:
        raise PlayerError(f"{show(head)} is unknown; it must be {', '.join(built_in)} or module:callable")
    make = find_callable(text, name, rest, methods=methods) if colon else built_in[name]
    with reported(f"{show(text)} cannot be made"):
        return make(**arguments)


def find_callable(
    text: str, module: str, name: str, *, methods: Sequence[str] = _METHODS_OF_PLAYERS, grammar: str = ""
) -> Callable[..., Any]:
    """Find a class or function of a module; modules of the working directory are found too.

    Args:
        text: the text that names it.
        module: the module.
        name: its name there.
        methods: a class must have one of these.
        grammar: what the error lists if there is no such module.

    Raises:
        PlayerError: there is no such thing, it may not be called, or the text stands in a file.
    """
    refuse_file(text, f"names code of the module {show(module)}")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    advice = f"; write {grammar}" if grammar else ""
    with reported(f"nobody is called {text!r}: module {module!r} cannot be imported", module, advice):
        found = importlib.import_module(module)
    made: Any = getattr(found, name, None)
    if not callable(made):
        public = [key for key, value in vars(found).items() if callable(value) and not key.startswith("_")]
        has = ", ".join([*public[:_MAX_NAMES], *["…"] * (len(public) > _MAX_NAMES)]) or "none"
        raise PlayerError(f"nobody is called {text!r}: {module} has no callable {name!r}; it has {has}")
    reason = _why_not(made, methods)
    if reason:
        raise PlayerError(f"nobody is called {text!r}: {name} {reason}")
    return made  # type: ignore[no-any-return]  # a user's module; the caller checks what it makes


def _why_not(made: Any, methods: Sequence[str]) -> str:
    """Return why a callable may not be called; no text: it may."""
    if inspect.isclass(made):
        has_one = any(callable(vars(base).get(method)) for base in made.__mro__ for method in methods)
        return "" if has_one else f"is a class which has no method `{'` or `'.join(methods)}`"
    if not inspect.isfunction(made):
        return f"is neither a class nor a function, but of type {type(made).__name__}"
    return f"is a function of {made.__module__}, which is installed: name your own" if is_installed(made) else ""


def check_takes(owner: Any, name: str, arguments: Sequence[str]) -> None:
    """Refuse an object whose method of a name cannot be called with some arguments, in this order.

    Raises:
        PlayerError: it cannot; the error says where the method stands.
    """
    method = getattr(owner, name)
    try:
        taken = inspect.signature(method)
    except (TypeError, ValueError):  # compiled code may have none
        return
    try:
        taken.bind(*arguments)
    except TypeError as error:
        said = f"it is called as {name}({', '.join(arguments)})"
        if inspect.isclass(owner):
            raise PlayerError(f"{owner.__name__} is a class: give an object of it, {owner.__name__}()") from None
        what = f"{type(owner).__name__}.{name}{taken}"
        raise PlayerError(f"{what} takes other arguments: {said}, but {error}{_defined_at(method)}") from None


def _defined_at(method: Any) -> str:
    code = getattr(inspect.unwrap(method), "__code__", None)
    return "" if code is None else f" ({code.co_filename}, line {code.co_firstlineno})"


def is_installed(made: Any) -> bool:
    """Return whether Python, this package or another installed one defines a function or class."""
    file = getattr(sys.modules.get(made.__module__), "__file__", None)
    if file is None:
        return made.__module__.partition(".")[0] in sys.stdlib_module_names
    return is_installed_file(Path(file))


def is_installed_file(file: Path) -> bool:
    """Return whether a file belongs to Python, this package or another installed one."""
    return any(file.resolve().is_relative_to(folder) for folder in _installed())


@functools.cache
def _installed() -> tuple[Path, ...]:
    """Return the folders of Python's library, of installed packages and of this one."""
    library = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    packages = [*site.getsitepackages(), site.getusersitepackages(), str(Path(__file__).parents[1])]
    return tuple(Path(folder).resolve() for folder in (*library, *packages))


@contextlib.contextmanager
def reported(what: str, module: str = "", advice: str = "") -> Iterator[None]:
    """Report what a user's code raises in the block, and where; `advice` is added if the module does not exist.

    Raises:
        PlayerError: it raises something.
    """
    try:
        yield
    except PlayerError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise PlayerError(f"{what}: {error}{advice}") from error
        raise PlayerError(f"{what}: {_message(error)}{_place(error)}") from error


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it would end the process"
    return f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"


def _place(error: BaseException) -> str:
    """Say where an error comes from, if it comes from a user's file."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f" ({error.filename}, line {error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    ours = Path(__file__).parent, Path(importlib.__file__).parent
    if not frames or any(Path(frames[-1].filename).is_relative_to(folder) for folder in ours):
        return ""
    return f" ({frames[-1].filename}, line {frames[-1].lineno})"


def read_arguments(text: str, query: str) -> dict[str, bool | int | float | str]:
    """Read the arguments of a text, ``name=value&name=value``; each is given once, and is not empty.

    Those that are texts stand where the text stands: in a file, if it is a `FileText`.

    Raises:
        PlayerError: they cannot be read.
    """
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise PlayerError(f"the arguments of {show(text)} cannot be read; write ?name=value&name=value") from None
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if names.count(name) > 1:
            raise PlayerError(f"{show(text)} says {show(name)} twice; say it once")
        if not name or not value:
            raise PlayerError(f"an argument of {show(text)} is empty: {show(f'{name}={value}')}; write name=value")
    return {name: _value(value, type(text)) for name, value in pairs}


def _value(text: str, source: type[str]) -> bool | int | float | str:
    """Read a value by its form: true or false, a whole number, a number, otherwise the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return source(text)
