"""docs/environment.md: its generated tables are up to date, its examples run."""

import re
from pathlib import Path

import pytest

from shengji_env.envs.document import TABLES, with_tables

PAGE = Path(__file__).parent.parent / "docs" / "environment.md"


def test_the_generated_tables_are_up_to_date():
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"<!-- {name} -->" in text for name in TABLES)
    assert text == with_tables(text), "run: python -m shengji_env.envs.document docs/environment.md"


@pytest.mark.parametrize("number", range(3))
def test_the_examples_run(number):
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(examples) == 3
    exec(examples[number].replace("1000", "10"), {})
