"""The pictures of a table in docs/images: ``python -m tools.write_pictures`` draws them again.

The film needs the extra ``render``; without it, only the other pictures are drawn.
"""

from itertools import islice
from pathlib import Path

from shengji_env.records.replays import Replay
from shengji_env.render.picture.raster import can_rasterise, rasterise
from shengji_env.render.picture.sheet import Style
from shengji_env.render.picture.table_picture import table_svg
from shengji_env.render.view import View

ROOT = Path(__file__).resolve().parent.parent
STYLES = {"table_light": Style(), "table_dark": Style(theme="dark")}
"""Pictures and how they look."""
_IMAGES = ROOT / "docs" / "images"
_RECORD = ROOT / "tests" / "data" / "playthroughs" / "two_deck.jsonl"
_NAMES = ("Ann", "Bo", "Chen", "Dana")
_DECISION = 77
_FILM, _FIRST, _LAST = "replay.gif", 37, 70
"""The film, and the decisions at which it begins and ends."""
_WIDTH, _MILLISECONDS, _COLORS = 760, 700, 200


def views() -> list[View]:
    """Return the views of the round that is drawn, with all hands open."""
    replay = Replay.read(_RECORD)
    (replayed,) = replay.rounds
    record = replayed.record.copy()
    record.pop("players", None)
    named = Replay(replay.rules, _NAMES, (replayed._replace(record=record),))
    return list(named.views(named.rounds[0]))


def draw(name: str) -> str:
    """Return one of the pictures as text."""
    return table_svg(views()[_DECISION], STYLES[name]) + "\n"


def _write_film(path: Path) -> None:
    from PIL import Image

    frames = [Image.fromarray(rasterise(table_svg(view), width=_WIDTH)) for view in islice(views(), _FIRST, _LAST)]
    palette = frames[len(frames) // 2].quantize(_COLORS)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=_MILLISECONDS, loop=0, optimize=True)


def main() -> None:
    """Draw all pictures."""
    for name in STYLES:
        (_IMAGES / f"{name}.svg").write_text(draw(name), encoding="utf-8")
    if can_rasterise():
        _write_film(_IMAGES / _FILM)


if __name__ == "__main__":
    main()
