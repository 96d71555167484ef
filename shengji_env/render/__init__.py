"""Tables, records and rule sets for people: as text, and as pictures.

| where | what |
|---|---|
| `table_text.py`, `record.py`, `narration.py`, `rule_words.py` | text: tables, records, rounds as they happen, rules |
| `opening_words.py`, `order_words.py`, `play_words.py`, `result_words.py` | what `rule_words.py` says, part by part |
| `chinese_rules.py` | the rules in Chinese |
| `shown_values.py`, `fields.py` | values of options; what the fields of a class mean |
| `text.py` | suit symbols, colours, widths |
| `view.py`, `public_history.py` | what one viewer may see of a table |
| `round_record.py` | the types of a recorded round |
| `decision_values.py` | what the candidates of a decision are worth |
| `picture/` | pictures of it |
| `page/` | the modules of pages in the browser |

Layer: uses `engine` only.
"""

from shengji_env.render.narration import narrate_round
from shengji_env.render.record import render_record, render_tricks
from shengji_env.render.rule_words import explain_rules, list_rules
from shengji_env.render.table_text import render_table

__all__ = ["explain_rules", "list_rules", "narrate_round", "render_record", "render_table", "render_tricks"]
