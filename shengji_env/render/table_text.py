"""A table as text: who sits where, hands, the trick, points, bids, the kitty.

It is made from a view (`view.view_table`). The viewer (or seat 0) sits at the bottom, and turns go counter-clockwise,
as at a real table: the next seat is on the right, the partner opposite, the previous seat on the left. Lines are at
most `COLUMNS` wide.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import RANKS, parse_card_list
from shengji_env.engine.rule_sets import NUM_SEATS, parse_rules
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import NUM_TEAMS, Phase
from shengji_env.render.text import (
    bold,
    card_list_text,
    card_symbol,
    center,
    dim,
    finish,
    green,
    pad,
    seat_text,
    suit_symbol,
    width,
)
from shengji_env.render.view import View

COLUMNS = 96
_SIDE = COLUMNS // 3
_HAND_COLUMNS = COLUMNS - 14
TASKS: Mapping[Phase, str] = {
    Phase.BID: "bid 亮主",
    Phase.NAME: "name trumps 定主",
    Phase.REBEL: "rebel 造反",
    Phase.BURY: "bury 扣底",
    Phase.LEAD: "lead 出牌",
    Phase.FORCED: "choose what is led 指定出牌",
    Phase.FOLLOW: "follow 跟牌",
}
"""What a seat is to do."""
OVERBID = "overbid 反底"
"""What a seat is to do that is asked for a bid when trumps are named."""


def _wrapped(facts: Sequence[str]) -> list[str]:
    """Put facts on as few lines as possible."""
    lines = [facts[0]]
    for fact in facts[1:]:
        if width(lines[-1]) + width(fact) + 3 > COLUMNS:
            lines.append(fact)
        else:
            lines[-1] += f" · {fact}"
    return lines


def render_table(view: View, *, color: bool = True) -> str:
    """Return the table as text.

    Args:
        view: what is shown (`view.view_table`).
        color: whether to write ANSI colours.
    """
    table = _Table(view)
    rule = dim("─" * COLUMNS)
    lines = [*table.header(), rule, *table.seats(), rule, *table.hands(), *table.kitty(), *table.result()]
    return finish("\n".join(line.rstrip() for line in lines), color=color)


class _Table:
    """A view, with what all parts of its text need."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.rules = parse_rules(view.rules)
        self.trump = NO_TRUMP if view.trump is None else TRUMP_TEXTS.index(view.trump)

    def level_of(self, seat: int) -> int:
        """Return the level rank by which a seat's cards are sorted: the round's, or the one with which it bids."""
        view = self.view
        bidder = seat if view.declarer is None else view.declarer
        return RANKS.index(view.level_rank or view.levels[bidder % NUM_TEAMS])

    def seat_text(self, seat: int) -> str:
        return seat_text(seat, self.view.names)

    def cards(self, cards: str, seat: int, columns: int = _HAND_COLUMNS) -> str:
        return card_list_text(cards, self.trump, self.level_of(seat), columns)

    def header(self) -> list[str]:
        view = self.view
        when = f"round {view.match_round}"
        if view.phase in ("lead", "forced", "follow"):
            when += f" · trick {view.tricks + 1}"
        title = f"{bold('升级 Shengji')} · {view.rules}"
        if width(title) + width(when) + 2 > COLUMNS:
            title = f"{bold('升级 Shengji')} · {self.rules.preset} …"
        return [pad(title, COLUMNS - width(when)) + when, *_wrapped(self._facts())]

    def _facts(self) -> list[str]:
        view = self.view
        facts = [self._levels_text()]
        if view.level_rank is None:
            facts.append(f"drawn {view.drawn} of {view.to_draw}")
        else:
            facts.append(f"trump 主 {bold(suit_symbol(self.trump))}")
            facts.append(f"level 打 {bold(view.level_rank)}")
        if view.phase not in ("bid", "name", "rebel"):
            facts.append(f"points 得分 {bold(f'{view.attackers_points} / {view.threshold}')}")
        if view.bids:
            bid = view.bids[-1]
            facts.append(f"bid 亮主 {_symbols(bid.cards)} by {self.seat_text(bid.seat)}")
        elif self.rules.bidding != "fixed":
            facts.append("no bid yet" if view.phase == "bid" else "no bid")
        if view.rebellions:
            facts.append(f"rebellions 造反 {view.rebellions}")
        if len(view.takers) > 1:
            facts.append(f"kitty 反底 taken by {self.seat_text(view.takers[-1])}")
        return facts

    def _levels_text(self) -> str:
        return f"levels 级 {self.view.levels[0]} : {self.view.levels[1]}"

    def seats(self) -> list[str]:
        """Return the four seats around the table, each with what it has played to the trick."""
        bottom = 0 if self.view.viewer is None else self.view.viewer
        low, right, top, left = ([*self._seat_lines((bottom + step) % NUM_SEATS)] for step in range(NUM_SEATS))
        middle = " " * _SIDE
        lines = [middle + center(line, _SIDE) for line in top]
        lines += [center(a, _SIDE) + middle + center(b, _SIDE) for a, b in zip(left, right, strict=True)]
        return lines + [middle + center(line, _SIDE) for line in low]

    def _seat_lines(self, seat: int) -> tuple[str, str, str]:
        view = self.view
        name = self.seat_text(seat)
        if seat == view.seat:
            name = bold(f"▸ {name}")
        trick = self.cards(view.trick.plays[str(seat)], seat, _SIDE - 6)
        if seat == view.trick.winning:
            trick += green(" ★")
        if not trick:
            trick = bold(f"to {self._task()}") if seat == view.seat else dim("·")
        return name, dim(self._role(seat)), trick

    def _task(self) -> str:
        """Return what the seat to move is to do."""
        view = self.view
        return OVERBID if view.phase == "bid" and view.trump is not None else TASKS[Phase[view.phase.upper()]]

    def _role(self, seat: int) -> str:
        declarer = self.view.declarer
        if declarer is None:
            return f"team {seat % NUM_TEAMS}"
        if seat == declarer:
            return "declarer 庄家"
        return "declarers 庄家方" if seat % NUM_TEAMS == declarer % NUM_TEAMS else "attackers 抓分方"

    def hands(self) -> list[str]:
        """Return a line for each seat's hand: its cards if the viewer may see them, otherwise what it has shown."""
        view = self.view
        if view.phase == "over":
            return []
        lines = []
        for seat in range(NUM_SEATS):
            size = view.hands[str(seat)].size
            lines.append(pad(f"{f'seat {seat}':8} {size:2}", 12) + (" " if size else "") + self._hand_text(seat))
            if seat == view.seat and view.taken:
                lines.append(pad("   taken", 13) + self.cards(view.taken, seat))
        return lines

    def _hand_text(self, seat: int) -> str:
        hand = self.view.hands[str(seat)]
        if hand.cards is not None:
            return self.cards(" ".join(hand.cards.values()), seat)
        if not hand.known:
            return dim("?")
        return dim("? with ") + self.cards(hand.known, seat, _HAND_COLUMNS - 7)

    def kitty(self) -> list[str]:
        """Return kitty, cards turned up and cards buried, as far as the viewer may see them."""
        view = self.view
        lines = []
        if view.turned:
            lines.append(pad("turned 翻底", 13) + self.cards(view.turned, 0))
        if view.kitty is not None:
            lines.append(pad("kitty 底牌", 13) + _symbols(view.kitty))
        if view.buried is not None:
            text = self.cards(view.buried, 0, _HAND_COLUMNS - 14)
            lines.append(pad("buried 扣底", 13) + f"{text}   {dim(f'({view.buried_points} points)')}")
        for seat, cards in view.passed_on.items():
            lines.append(
                pad(f"by seat {seat}", 13) + f"{self.cards(cards, 0, _HAND_COLUMNS - 19)}   {dim('(passed on)')}"
            )
        return lines

    def result(self) -> list[str]:
        """Return the round's result, once the round is over."""
        result = self.view.result
        if result is None:
            return []
        points = f"attackers' points 得分 {bold(str(self.view.attackers_points))}"
        if result["kitty_multiplier"] and result["kitty_points"]:
            points += f" (kitty 抠底 {result['kitty_points']} × {result['kitty_multiplier']} of them)"
        if result["winner"] is None:
            outcome = "a draw"
        else:
            rise = f"and rise by {result['levels']}" if result["levels"] else "without rising"
            outcome = f"the {result['winner']} win {rise}"
        if result["levels_lost"]:
            outcome += f"; the declarers fall by {result['levels_lost']} 勾到底"
        return [f"{points}: {bold(outcome)}", self._next_text(result)]

    def _next_text(self, result: Mapping[str, Any]) -> str:
        if result["match_over"]:
            team = result["match_winner"]
            return bold(
                "the match is a tie" if team is None else f"team {team} (seats {team}, {team + 2}) wins the match"
            )
        following = result["next_declarer"]
        return f"{self._levels_text()} · next declarer 庄家 " + (
            "is bid for" if following is None else self.seat_text(following)
        )


def _symbols(cards: str) -> str:
    """Return cards, in the order given, as symbols."""
    return " ".join(map(card_symbol, parse_card_list(cards)))
