"""A table as text: who sits where, hands, the trick, points, bids, the kitty.

The viewer (or seat 0) sits at the bottom, and turns go counter-clockwise, as at a real table: the next seat is on the
right, the partner opposite, the previous seat on the left. Lines are at most `COLUMNS` wide.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shengji_env.engine.cards import CARD_POINTS, LITTLE_JOKER, NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, card_of_slot, slot_of_card
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase, Winner
from shengji_env.render.text import bold, card_symbol, cards_text, center, dim, finish, green, pad, suit_symbol, width

COLUMNS = 96
_SIDE = COLUMNS // 3
_HAND_COLUMNS = COLUMNS - 14
_PHASE_TEXTS = {
    Phase.BID: "to bid 亮主",
    Phase.NAME: "to name trumps 定主",
    Phase.BURY: "to bury 扣底",
    Phase.LEAD: "to lead 出牌",
    Phase.FORCED: "to choose the lead 指定出牌",
    Phase.FOLLOW: "to follow 跟牌",
}


def _wrapped(facts: Sequence[str]) -> list[str]:
    """Put facts on as few lines as possible."""
    lines = [facts[0]]
    for fact in facts[1:]:
        if width(lines[-1]) + width(fact) + 3 > COLUMNS:
            lines.append(fact)
        else:
            lines[-1] += f" · {fact}"
    return lines


def render_table(
    state: np.void | np.record,
    rules: RuleSet,
    *,
    viewer: int | None = None,
    names: Sequence[str] = (),
    color: bool = True,
) -> str:
    """Return the table as text.

    Args:
        state: one `engine.state.STATE_DTYPE` value.
        rules: the rules of the game.
        viewer: the seat whose view is shown; None shows all cards.
        names: who sits in the four seats.
        color: whether to write ANSI colours.
    """
    table = _Table(state, rules, viewer, names)
    rule = dim("─" * COLUMNS)
    lines = [*table.header(), rule, *table.seats(), rule, *table.hands(), *table.kitty(), *table.result()]
    return finish("\n".join(line.rstrip() for line in lines), color=color)


class _Table:
    """A state, with what all parts of its text need."""

    def __init__(self, state: Any, rules: RuleSet, viewer: int | None, names: Sequence[str]) -> None:
        self.state = state
        self.rules = rules
        self.viewer = viewer
        self.names = names
        self.phase = Phase(int(state["phase"]))
        self.is_over = self.phase == Phase.OVER
        self.mover = int(state["seat"])
        self.is_named = int(state["trump"]) != UNNAMED
        self.trump = int(state["trump"]) if self.is_named else NO_TRUMP
        self.declarer = int(state["result"]["declarer"] if self.is_over else state["declarer"])
        self.levels = [RANKS[level] for level in state["levels"].tolist()]

    def level_of(self, seat: int) -> int:
        """Return the level rank of a seat's slots: the round's, or the one with which the seat bids."""
        if self.is_named:
            return int(self.state["level_rank"])
        bidder = int(self.state["declarer"]) if self.state["had_declarer"] else seat
        return int(self.state["levels"][bidder % NUM_TEAMS])

    def sees(self, seat: int) -> bool:
        return self.viewer is None or self.viewer == seat or self.is_over

    def seat_text(self, seat: int) -> str:
        return f"{seat} {self.names[seat]}" if self.names else f"seat {seat}"

    def cards(self, counts: Sequence[int], seat: int, columns: int = _HAND_COLUMNS) -> str:
        return cards_text(counts, self.trump, self.level_of(seat), columns)

    def header(self) -> list[str]:
        state = self.state
        when = f"round {int(state['match_round']) + (0 if self.is_over else 1)}"
        if self.is_named and self.phase not in (Phase.BURY, Phase.OVER):
            when += f" · trick {int(state['tricks']) + 1}"
        title = f"{bold('升级 Shengji')} · {self.rules}"
        if width(title) + width(when) + 2 > COLUMNS:
            title = f"{bold('升级 Shengji')} · {self.rules.preset} …"
        return [pad(title, COLUMNS - width(when)) + when, *_wrapped(self._facts())]

    def _facts(self) -> list[str]:
        state = self.state
        facts = [f"levels 级 {self.levels[0]} : {self.levels[1]}"]
        if self.is_named:
            facts.append(f"trump 主 {bold(suit_symbol(self.trump))}")
            facts.append(f"level 打 {bold(RANKS[int(state['level_rank'])])}")
        else:
            facts.append(f"drawn {int(state['drawn'])} of {NUM_SEATS * self.rules.hand}")
        if self.phase not in (Phase.BID, Phase.NAME):
            points = f"{int(state['attackers_points'])} / {self.rules.table.threshold}"
            facts.append(f"points 得分 {bold(points)}")
        if state["bid_count"]:
            facts.append(f"bid 亮主 {self._bid_text()}")
        elif self.rules.bidding != "fixed":
            facts.append("no bid yet" if self.phase == Phase.BID else "no bid")
        return facts

    def _bid_text(self) -> str:
        kind, seat = int(self.state["bid_kind"]), int(self.state["bid_seat"])
        level = int(self.state["level_rank"]) if self.is_named else self.level_of(seat)
        card = kind * NUM_RANKS + level if kind < NUM_SUITS else LITTLE_JOKER + kind - NUM_SUITS
        return " ".join([card_symbol(card)] * int(self.state["bid_count"])) + f" by {self.seat_text(seat)}"

    def seats(self) -> list[str]:
        """Return the four seats around the table, each with what it has played to the trick."""
        bottom = 0 if self.viewer is None else self.viewer
        low, right, top, left = ([*self._seat_lines((bottom + step) % NUM_SEATS)] for step in range(NUM_SEATS))
        middle = " " * _SIDE
        lines = [middle + center(line, _SIDE) for line in top]
        lines += [center(a, _SIDE) + middle + center(b, _SIDE) for a, b in zip(left, right, strict=True)]
        return lines + [middle + center(line, _SIDE) for line in low]

    def _seat_lines(self, seat: int) -> tuple[str, str, str]:
        name = self.seat_text(seat)
        if seat == self.mover:
            name = bold(f"▸ {name}")
        trick = self.cards(self.state["trick"][seat].tolist(), seat, _SIDE - 6)
        if int(self.state["winning"]) == seat:
            trick += green(" ★")
        if not trick:
            trick = bold(_PHASE_TEXTS[self.phase]) if seat == self.mover else dim("·")
        return name, dim(self._role(seat)), trick

    def _role(self, seat: int) -> str:
        if self.declarer == NOBODY:
            return f"team {seat % NUM_TEAMS}"
        if seat == self.declarer:
            return "declarer 庄家"
        return "declarers 庄家方" if seat % NUM_TEAMS == self.declarer % NUM_TEAMS else "attackers 抓分方"

    def hands(self) -> list[str]:
        """Return a line for each seat's hand: its cards if the viewer may see them, otherwise what it has shown."""
        if self.is_over:
            return []
        lines = []
        for seat in range(NUM_SEATS):
            counts = self.state["hands"][seat]
            size = int(counts.sum()) if self.sees(seat) else self._hidden_size(seat)
            text = self.cards(counts.tolist(), seat) if self.sees(seat) else self._hidden_hand(seat)
            lines.append(pad(f"{f'seat {seat}':8} {size:2}", 12) + (" " if size else "") + text)
            if seat == self.mover and self.sees(seat) and self.state["taken_size"]:
                lines.append(pad("   taken", 13) + self.cards(self.state["taken"].tolist(), seat))
        return lines

    def _hidden_size(self, seat: int) -> int:
        """Return how many cards a seat holds, from what all have seen: a veiled state lacks the other hands."""
        state, rules = self.state, self.rules
        if not self.is_named:
            turn = (seat - int(state["first_drawer"])) % NUM_SEATS
            return (int(state["drawn"]) - turn + NUM_SEATS - 1) // NUM_SEATS
        kitty = rules.kitty if self.phase == Phase.BURY and seat == self.declarer else 0
        return rules.hand + kitty - int(state["played"][seat].sum())

    def _hidden_hand(self, seat: int) -> str:
        known = self.state["known"][seat]
        if not known.any():
            return dim("?")
        if not self.is_named:
            level = self.level_of(seat)
            slots = np.zeros_like(known)
            for card in range(NUM_CARDS):
                slots[slot_of_card(card, NO_TRUMP, level)] = known[card]
            known = slots
        return dim("? with ") + self.cards(known.tolist(), seat, _HAND_COLUMNS - 7)

    def kitty(self) -> list[str]:
        """Return kitty, cards turned up and cards buried, as far as the viewer may see them."""
        state = self.state
        lines = []
        if state["turned"].any():
            lines.append(pad("turned 翻底", 13) + self.cards(state["turned"].tolist(), 0))
        if not self.is_named and self.viewer is None:
            first = NUM_SEATS * self.rules.hand
            kitty = state["deal"][first : first + self.rules.kitty].tolist()
            lines.append(pad("kitty 底牌", 13) + " ".join(card_symbol(card) for card in kitty))
        if state["buried"].any() and self.sees(self.declarer):
            buried = state["buried"].tolist()
            level = self.level_of(self.declarer)
            points = sum(int(CARD_POINTS[card_of_slot(slot, self.trump, level)]) * n for slot, n in enumerate(buried))
            text = self.cards(buried, self.declarer, _HAND_COLUMNS - 14)
            lines.append(pad("buried 扣底", 13) + f"{text}   {dim(f'({points} points)')}")
        return lines

    def result(self) -> list[str]:
        """Return the round's result, once the round is over."""
        if not self.is_over:
            return []
        result = self.state["result"]
        winner = Winner(int(result["winner"]))
        points = f"attackers' points 得分 {bold(str(int(result['attackers_points'])))}"
        if result["kitty_multiplier"] and result["kitty_points"]:
            points += f" (kitty 抠底 {int(result['kitty_points'])} × {int(result['kitty_multiplier'])} of them)"
        if winner == Winner.DRAW:
            outcome = "a draw"
        else:
            rise = f"and rise by {int(result['levels'])}" if result["levels"] else "without rising"
            outcome = f"the {winner.name.lower()} win {rise}"
        return [f"{points}: {bold(outcome)}", self._next_text(result)]

    def _next_text(self, result: Any) -> str:
        if result["match_over"]:
            team = int(result["match_winner"])
            return bold(
                "the match is a tie" if team == NOBODY else f"team {team} (seats {team}, {team + 2}) wins the match"
            )
        following = int(result["next_declarer"])
        return f"levels 级 {self.levels[0]} : {self.levels[1]} · next declarer 庄家 " + (
            "is bid for" if following == NOBODY else self.seat_text(following)
        )
