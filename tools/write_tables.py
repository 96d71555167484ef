"""The generated tables of the pages in docs/.

``python -m tools.write_tables`` writes them again in all `PAGES`, each between its two marks:
``<!-- NAME -->`` and ``<!-- end -->``, lines of their own; and ``llms.txt``, the list of all pages.
"""

import functools
import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from shengji_env.errors import ShengjiError
from shengji_env.players.candidates import features_table
from shengji_env.players.registry import players_table
from shengji_env.render.fields import fields_table
from shengji_env.render.presets import never_learned_table, options_table, presets_table
from shengji_env.render.view import Hand, ShownBid, Trick, View
from shengji_env.tables.observation import layout_table, rule_features_table
from shengji_env.tables.truth import truth_table
from tools import baselines, contents, exploitability, measured, reference, small_games, tracks, web_messages
from tools.protocol_messages import answers_text, messages_text

TABLES: Mapping[str, Callable[[], str]] = {
    "observation": layout_table,
    "figures": rule_features_table,
    "truth": truth_table,
    "presets": presets_table,
    "options": options_table,
    "presets_zh": functools.partial(presets_table, "zh"),
    "options_zh": functools.partial(options_table, "zh"),
    "never_learned": never_learned_table,
    "players": players_table,
    "features": features_table,
    "messages": messages_text,
    "answers": answers_text,
    **{kind.__name__.lower(): functools.partial(fields_table, kind) for kind in (View, Hand, Trick, ShownBid)},
    **web_messages.TABLES,
    **measured.TABLES,
    **small_games.TABLES,
    **tracks.TABLES,
    **baselines.TABLES,
    **exploitability.TABLES,
    **reference.TABLES,
}
"""What writes the tables, by their names."""
DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = (
    "environments/observation.md",
    "rules.md",
    "rules.zh-CN.md",
    "arena.md",
    "protocol.md",
    "rollouts.md",
    "pictures.md",
    "champion.md",
    "selfplay.md",
    "speed.md",
    "tracks.md",
    "web.md",
    "../research/small_games.md",
    "../research/baselines.md",
    "../research/exploitability.md",
    "../research/trials/ppo.md",
    "../research/trials/replaying.md",
    *(f"reference/{name.removeprefix('modules_')}.md" for name in reference.TABLES),
)
"""The pages that have such tables."""
_END = "end"
_MARK = re.compile(r"^<!-- (.*) -->$", re.MULTILINE)
_BLOCK = re.compile(rf"^<!-- (.*) -->\n[\s\S]*?^<!-- {_END} -->$", re.MULTILINE)


def with_tables(text: str, tables: Mapping[str, Callable[[], str]] = TABLES) -> str:
    """A document with its tables replaced by the present ones.

    Args:
        text: the document.
        tables: what writes them, by their names.

    Raises:
        ShengjiError: a mark names no table, or has no end.
    """
    marks = _MARK.findall(text)
    for name, end in itertools.zip_longest(marks[::2], marks[1::2]):
        if name not in tables:
            raise ShengjiError(f"<!-- {name} --> begins no table; there are {', '.join(tables)}")
        if end != _END:
            raise ShengjiError(f"<!-- {name} --> is followed by {end!r}; it must be followed by <!-- {_END} -->")
    return _BLOCK.sub(lambda block: f"<!-- {block[1]} -->\n{tables[block[1]]()}<!-- {_END} -->", text)


def main() -> None:
    """Write the tables of all pages again, and the list of pages."""
    contents.PATH.write_text(contents.llms_text(), encoding="utf-8")
    for path in map(DOCS.joinpath, PAGES):
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
