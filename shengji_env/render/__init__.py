"""Tables as text for people: cards with suit symbols, who sits where, what lies on the table.

Floor: stands on `engine` only.
"""

from shengji_env.render.table import render_table

__all__ = ["render_table"]
