"""The memory of a batch environment, to compare."""

from shengji_env.tables.snapshots import SAVED


def memory_of(env):
    """The bytes of everything that its next steps depend on."""
    return {name: getattr(env.tables, name).tobytes() for name in SAVED}
