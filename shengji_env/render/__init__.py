"""Tables, records and rule sets as text for people: cards with suit symbols, who sits where, what lies on the table.

Floor: uses `engine` only.
"""

from shengji_env.render.narration import tell_round
from shengji_env.render.record import render_record, render_tricks
from shengji_env.render.rule_words import explain_rules, list_rules
from shengji_env.render.table import render_table

__all__ = ["explain_rules", "list_rules", "render_record", "render_table", "render_tricks", "tell_round"]
