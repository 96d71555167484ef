"""The generated tables of docs/environment.md.

``python -m shengji_env.envs.document docs/environment.md`` writes them anew, each between its two marks.
"""

import re
import sys
from pathlib import Path

from shengji_env.envs.observation import layout_table
from shengji_env.envs.truth import truth_table

TABLES = {"observation": layout_table, "truth": truth_table}


def with_tables(text: str) -> str:
    """A document with the tables between ``<!-- NAME -->`` and ``<!-- end -->`` replaced by the present ones."""
    for name, table in TABLES.items():
        block = f"<!-- {name} -->\n{table()}<!-- end -->"
        present = re.search(rf"<!-- {name} -->\n.*?<!-- end -->", text, flags=re.DOTALL)
        if present is not None:
            text = text.replace(present[0], block)
    return text


def main(paths: list[str]) -> None:
    """Rewrite the documents."""
    for path in map(Path, paths):
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
