"""A dataclass as options of a command line: a program's settings, for those of one file."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import number, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.render.fields import field_docs

T = TypeVar("T")

_KINDS: Mapping[type, Callable[[str], Any]] = {int: whole_number, float: number, str: str}


def read_arguments(settings: type[T], *, prog: str, description: str) -> T:
    """Read the command line: an option for each field, which has a default and a docstring."""
    parser, docs = OnceParser(prog=prog, description=description), field_docs(settings)
    for field in dataclasses.fields(settings):  # type: ignore[arg-type]  # always a dataclass
        option, kind = f"--{field.name.replace('_', '-')}", _KINDS[type(field.default)]
        parser.add_argument(option, type=kind, default=field.default, help=f"{docs[field.name]} ({field.default})")
    return settings(**vars(parser.parse_args()))


def run_learner(learn: Callable[[T], object], settings: type[T], *, prog: str, description: str) -> int:
    """Learn with the settings of the command line; return the exit status."""
    args = read_arguments(settings, prog=prog, description=description)

    def run() -> None:
        learn(args)

    return run_command(prog, run)
