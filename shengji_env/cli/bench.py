"""``shengji bench``: the speed of everything, compared with other libraries."""

from shengji_env.bench.command import add_arguments, run
from shengji_env.cli.commands import Commands


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("bench", help="measure the speed, also of other libraries")
    add_arguments(parser)
    parser.set_defaults(run=run)
