"""Budgets of lines and words: what counts as code, and what is refused."""

from tools.count_lines import faults, rooms_of

SCRIPT = """\
/**
 * What it does.
 * @param {number} x
 */
export function twice(x) {
  // why
  return 2 * x; // the rest of a line
}

/* one line */
const text = "/* no comment */";
"""
FILES = [
    ("shengji_env/engine/rule.py", '"""What it decides."""\n\n# why\nNUMBER = 1\n'),
    ("shengji_env/errors.py", "NUMBER = (\n    1,\n)\n"),
    ("shengji_table/web/page/play.js", SCRIPT),
    ("docs/start.md", "four words of it"),
    ("docs/rules.md", "rules are counted apart"),
    ("research/trials/some.md", "tried"),
]
BUDGETS = {"shengji_env": 4, "shengji_env/engine": 1, "JavaScript": 4, "manual": 4, "rules": 4, "trials": 1}


def test_comments_and_docstrings_are_no_code():
    sizes = {row.partition(": ")[2]: room.lines.total() for row, room in rooms_of(FILES).items()}
    assert sizes == BUDGETS


def test_a_room_above_its_budget_is_named_and_so_is_one_without():
    rooms = rooms_of(FILES)
    assert faults(rooms, BUDGETS) == []
    (fault,) = faults(rooms, {**BUDGETS, "manual": 3})
    assert fault == "manual has 4 words, 1 more than its budget of 3"
    (fault,) = faults(rooms, {name: budget for name, budget in BUDGETS.items() if name != "JavaScript"})
    assert fault.startswith("JavaScript has 4 lines of code and no budget")
