"""The pictures of a table in docs/images: ``python -m docs.write_pictures`` draws them again."""

from pathlib import Path

from shengji_env.records.replays import Replay
from shengji_env.render.picture.sheet import Style
from shengji_env.render.picture.table import table_svg

ROOT = Path(__file__).resolve().parent.parent
_RECORD = ROOT / "tests" / "data" / "playthroughs" / "two_deck.jsonl"
_NAMES = ("Ann", "Bo", "Chen", "Dana")
_PLY = 77
STYLES = {
    "table_light": Style(),
    "table_dark": Style(theme="dark"),
}


def draw(name: str) -> str:
    """Return one of the pictures as text."""
    replay = Replay.read(_RECORD)
    named = Replay(replay.rules, _NAMES, tuple(each._replace(record=_nameless(each.record)) for each in replay.rounds))
    return table_svg(list(named.views(named.rounds[0]))[_PLY], STYLES[name]) + "\n"


def _nameless(record: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in record.items() if name != "players"}


def main() -> None:
    """Draw all pictures."""
    for name in STYLES:
        (ROOT / "docs" / "images" / f"{name}.svg").write_text(draw(name), encoding="utf-8")


if __name__ == "__main__":
    main()
