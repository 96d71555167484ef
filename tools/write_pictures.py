"""The pictures of a table in docs/images: ``python -m tools.write_pictures`` draws them again.

The film is a round that `champion` (seats 0 and 2) and `heuristic` play, from the first lead on, with what `champion`
expects of each choice. It needs the extra ``render``; without it, only the other pictures are drawn.
"""

from pathlib import Path

from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import rule_set
from shengji_env.records.replays import Replay
from shengji_env.records.writing import record_header, record_line
from shengji_env.render.decision_values import DecisionValues
from shengji_env.render.picture.raster import can_rasterise, rasterise
from shengji_env.render.picture.sheet import Style
from shengji_env.render.picture.table_picture import table_svg
from shengji_env.render.view import View
from shengji_table.review import as_valuer, review_round

ROOT = Path(__file__).resolve().parent.parent
STYLES = {"table_light": Style(), "table_dark": Style(theme="dark")}
"""Pictures and how they look."""
_IMAGES = ROOT / "docs" / "images"
_RECORD = ROOT / "tests" / "data" / "playthroughs" / "two_deck.jsonl"
_NAMES = ("Ann", "Bo", "Chen", "Dana")
_DECISION = 77
_FILM = "round.webp"
_PLAYERS = ("champion", "heuristic")
_SEED, _DEALS, _LINE = 2026, 4, 6
"""The film's round: of the rounds of these deals, the one with this number."""
_WIDTH = 760
_QUALITY, _METHOD = 80, 4
"""How hard WebP tries to make the film small."""
_MILLISECONDS, _LAST_MILLISECONDS = 900, 4000


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


def _film_round() -> Replay:
    """Let the film's round be played; return it."""
    rules, lines = rule_set("two_deck"), list[str]()
    play_matchup(*_PLAYERS, num_deals=_DEALS, rules=rules, seed=_SEED, record=lines.append)
    return Replay.of([record_line(record_header(rules, _PLAYERS * 2, _SEED)), lines[_LINE]])


def film() -> list[str]:
    """Return the frames of the film as SVG: each play as it is chosen, and the result."""
    replay = _film_round()
    (replayed,) = replay.rounds
    review = review_round(replay.rules, replayed, as_valuer("champion", replay.rules))
    values = {each["ply"]: DecisionValues.of(each) for each in review["valued"]}
    first = next(ply for ply, decision in enumerate(replayed.record["decisions"]) if "lead" in decision)
    shown = list(replay.views(replayed))
    return [table_svg(shown[ply], values=values.get(ply)) for ply in range(first, len(shown))]


def _write_film(path: Path) -> None:
    from PIL import Image

    first, *others = (Image.fromarray(rasterise(svg, width=_WIDTH)) for svg in film())
    first.save(
        path, save_all=True, append_images=others, loop=0,
        duration=[_MILLISECONDS] * len(others) + [_LAST_MILLISECONDS],
        lossless=True, quality=_QUALITY, method=_METHOD,
    )  # fmt: skip


def main() -> None:
    """Draw all pictures."""
    for name in STYLES:
        (_IMAGES / f"{name}.svg").write_text(draw(name), encoding="utf-8")
    if can_rasterise():
        _write_film(_IMAGES / _FILM)


if __name__ == "__main__":
    main()
