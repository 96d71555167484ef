"""A recorded round as text: bids, trumps, the kitty, every trick, the result.

Source: docs/records.md.
"""

from collections import Counter
from collections.abc import Sequence

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import RANKS, parse_card_list
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.errors import printable
from shengji_env.render.round_record import PublicRound, Round
from shengji_env.render.text import (
    bold,
    card_list_text,
    card_symbol,
    dim,
    finish,
    green,
    pad,
    plural,
    suit_symbol,
    width,
)
from shengji_env.render.view import points_of

_COLUMNS = 96
_CELL = 20
"""Fewest columns that a play takes, so that short plays are aligned."""


def render_record(record: Round, rules: RuleSet, *, players: Sequence[str] = (), color: bool = True) -> str:
    """Return a round's record as text; lines are as long as their plays need.

    Args:
        record: a round in the form of a record.
        rules: its rules.
        players: who sits in the four seats, if this is to be shown.
        color: whether to write ANSI colours.
    """
    tricks = _Tricks(record, record["trump"], record["level_rank"])
    seats = " · ".join(f"{seat} {printable(name)}" for seat, name in enumerate(players))
    names = [f"seats  {seats}"] if players else []
    heading = [_title(record, rules), *names, *_substitutes(record)]
    lines = [*heading, *_opening(record, tricks), "", *tricks.lines(), "", *_result(record, rules)]
    return finish("\n".join(line.rstrip() for line in lines), color=color)


def render_tricks(record: Round | PublicRound, *, color: bool = True) -> str:
    """Return the finished tricks of a round, one line each; empty before trumps are named.

    Args:
        record: a round in the form of a record, or as far as it has been played (`Transcript.public_record`).
        color: whether to write ANSI colours.
    """
    if record["trump"] is None or record["level_rank"] is None:
        return ""
    lines = _Tricks(record, record["trump"], record["level_rank"]).lines()
    return finish("\n".join(line.rstrip() for line in lines), color=color)


class _Tricks:
    """The tricks of a record, and the trumps by which their cards are written."""

    def __init__(self, record: Round | PublicRound, trump: str, level_rank: str) -> None:
        self.record = record
        self.trump, self.level = TRUMP_TEXTS.index(trump), RANKS.index(level_rank)

    def cards(self, text: str) -> str:
        return card_list_text(text, self.trump, self.level, _COLUMNS)

    def lines(self) -> list[str]:
        """Return one line for each finished trick, with the winning play marked, and one for each failed throw."""
        lines = []
        attempts = iter([step["lead"] for step in self.record["decisions"] if "lead" in step])
        follows = iter([step for step in self.record["decisions"] if "follow" in step])
        finished = [trick for trick in self.record["tricks"] if "winner" in trick]
        for number, trick in enumerate(finished, start=1):
            attempt = next(attempts)
            if attempt != trick["led"]:
                failed = dim("the throw fails 甩牌失败")
                lines.append(f"{number:3}   {trick['leader']} {self.cards(attempt)}   {failed}")
            plays = [(trick["leader"], trick["led"])]
            plays += [(step["seat"], step["follow"]) for step in (next(follows) for _ in range(NUM_SEATS - 1))]
            cells = [self._cell(seat, cards, seat == trick["winner"]) for seat, cards in plays]
            lines.append(f"{number:3}  {' '.join(cells)} {trick['points']:3} points to seat {trick['winner']}")
        return lines

    def _cell(self, seat: int, cards: str, is_winner: bool) -> str:
        text = f"{'▸' if is_winner else ' '}{seat} {self.cards(cards)}"
        return pad(green(text) if is_winner else text, max(_CELL, width(text)))


def _title(record: Round, rules: RuleSet) -> str:
    """Return the title: rules, round, levels and declarer."""
    parts = [f"{rules}", f"round {record['round']}"]
    if "table" in record:
        parts.append(f"table {record['table']}")
    if "match_round" in record:
        parts.append(f"match round {record['match_round']}")
    levels = " : ".join(record["levels"])
    declarer = "none yet" if record["declarer"] is None else f"seat {record['declarer']}"
    return bold("升级 Shengji · " + " · ".join(parts)) + f" · levels 级 {levels} · declarer 庄家 {declarer}"


def _opening(record: Round, tricks: _Tricks) -> list[str]:
    """Return the lines about bids, trumps, kitty and buried cards."""
    lines = []
    if record["redeals"]:
        why = "a rebellion 造反 or no bid" if record.get("abandoned") else "nobody having bid"
        lines = [f"dealt {record['redeals'] + 1} times, {why} before"]
    lines.append(f"bids 亮主    {'  '.join(_bids(record)) or 'none'}")
    lines.append(f"trump 主     {suit_symbol(tricks.trump)} · level 打 {record['level_rank']}")
    lines.append(f"kitty 底牌   {tricks.cards(record['kitty'])}")
    lines.append(f"buried 扣底  {tricks.cards(record['buried'])}   ({points_of(record['buried'])} points)")
    return lines


def _substitutes(record: Round) -> list[str]:
    """Return a line that says in whose place somebody else has decided, if anybody has."""
    counts = Counter((step["seat"], step["by"]) for step in record["decisions"] if "by" in step)
    texts = [f"seat {seat}: {plural(number, 'decision')} by {printable(by)}" for (seat, by), number in counts.items()]
    return [f"substitutes 代打  {' · '.join(texts)}"] if texts else []


def _bids(record: Round) -> list[str]:
    """Return bids and the naming of trumps; passes are left out."""
    texts = []
    has_buried = False
    for decision in record["decisions"]:
        has_buried |= "bury" in decision
        if bid := decision.get("bid"):
            shown = " ".join(card_symbol(card) for card in parse_card_list(bid))
            when = dim("overbid 反底" if has_buried else f"after {decision['drawn']} cards")
            texts.append(f"seat {decision['seat']}: {shown} {when}")
        elif "name" in decision:
            texts.append(f"seat {decision['seat']} names {suit_symbol(TRUMP_TEXTS.index(decision['name']))}")
    return texts


def _result(record: Round, rules: RuleSet) -> list[str]:
    """Return the lines about the round's result."""
    result = record["result"]
    kitty = f"kitty 抠底 {result['kitty_points']} × {result['kitty_multiplier']}"
    points = f"attackers 抓分方 {result['attackers_points']} points of {rules.points} ({kitty})"
    winner = "nobody wins" if result["winner"] is None else f"the {result['winner']} win"
    next_declarer = "bid for again" if result["next_declarer"] is None else f"seat {result['next_declarer']}"
    levels = f"{result['levels']} level{'s' * (result['levels'] != 1)}"
    if result["levels"] != result["levels_nominal"]:
        levels += f" ({result['levels_nominal']} by the table)"
    if lost := result.get("levels_lost"):
        levels += f"; the declarers fall by {lost}"
    return [
        f"{points}: {bold(winner)}, {levels}",
        f"levels 级 {' : '.join(result['new_levels'])} · next declarer 庄家 {next_declarer}",
    ]
