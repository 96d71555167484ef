"""A round told as it happens: bids, trumps, plays, throws that fail, who wins a trick, one line for each.

Source: docs/records.md.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile, zip_longest

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import RANKS, parse_card_list
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.render.round_record import PublicRound, Round, RoundDecision, RoundTrick
from shengji_env.render.text import (
    bold,
    card_list_text,
    card_symbol,
    dim,
    finish,
    green,
    pad,
    plural,
    seat_text,
    suit_symbol,
    width,
)

_COLUMNS = 96
_INDENT = " " * 10


def narrate_round(
    record: Round | PublicRound, rules: RuleSet, *, names: Sequence[str] = (), color: bool = True
) -> list[str]:
    """Tell what has happened in a round so far, in lines of text; as the round goes on, lines are only added.

    Only what everybody has seen is told: passes and buried cards are left out, even if the record has them.

    Args:
        record: a round in the form of a record, or as far as it has been played (`Transcript.public_record`).
        rules: its rules.
        names: who sits in the four seats.
        color: whether to write ANSI colours.
    """
    return [finish(line, color=color) for line in _Telling(record, rules, names).lines()]


def _shown(bid: str) -> str:
    return bold(" ".join(card_symbol(card) for card in parse_card_list(bid)))


def _is_told(step: RoundDecision) -> bool:
    """Return whether everybody sees a decision after trumps are named; passes are not seen."""
    return "rebel" not in step and ("bid" not in step or step["bid"] is not None)


class _Telling:
    """A record, with what all lines of its narration need."""

    def __init__(self, record: Round | PublicRound, rules: RuleSet, names: Sequence[str]) -> None:
        self.record = record
        self.rules = rules
        self.names = names
        self.declarer = next((step["seat"] for step in record["decisions"] if "bury" in step), None)
        if self.declarer is None:  # an empty kitty: the declarer leads
            self.declarer = next((step["seat"] for step in record["decisions"] if "lead" in step), None)
        self.tricks = record["tricks"]
        if record["trump"] is not None and record["level_rank"] is not None:
            self.trump, self.level = TRUMP_TEXTS.index(record["trump"]), RANKS.index(record["level_rank"])

    def who(self, seat: int) -> str:
        return seat_text(seat, self.names)

    def cards(self, text: str) -> str:
        return card_list_text(text, self.trump, self.level, _COLUMNS)

    def player(self, seat: int) -> str:
        """Return who plays, padded so that plays are aligned."""
        return pad(self.who(seat), max(width(self.who(other)) for other in range(NUM_SEATS)))

    def lines(self) -> Iterator[str]:
        decisions = list(self.record["decisions"])
        for _ in range(self.record["redeals"]):
            yield self._abandoned()
        opening = list(takewhile(lambda step: {"bid", "name"} & set(step), decisions))
        for step in opening:
            if bid := step.get("bid"):
                when = dim(f"after {step['drawn']} cards")
                yield f"{self.who(step['seat'])} bids 亮主 {_shown(bid)} {when}"
            elif "name" in step:
                yield f"{self.who(step['seat'])} names trumps 定主"
        if self.record["trump"] is not None:
            yield self._trumps()
            yield from self._plays([step for step in decisions[len(opening) :] if _is_told(step)])

    def _abandoned(self) -> str:
        if self.rules.rebellion == "none":
            return "nobody bids: the cards are dealt again"
        return "nobody bids, or a weak hand rebels 造反: the cards are dealt again"

    def _trumps(self) -> str:
        trump, level = suit_symbol(self.trump), RANKS[self.level]
        turned = str(self.record.get("turned", ""))
        line = f"trump 主 {bold(trump)} · level 打 {bold(level)}"
        return f"the kitty is turned up 翻底, {self.cards(turned)}: {line}" if turned else line

    def _plays(self, plays: Sequence[RoundDecision]) -> Iterator[str]:
        number = num_plays = num_buried = 0
        for step, following in zip_longest(plays, plays[1:]):
            if "bury" in step:
                buried = plural(self.rules.kitty, "card")
                role = "is declarer 庄家, takes" if num_buried == 0 else "takes"
                num_buried += 1
                yield f"{self.who(step['seat'])} {role} up the kitty 底牌 and buries {buried} 扣底"
            elif "bid" in step:
                yield f"{self.who(step['seat'])} overbids 反底 {_shown(step['bid'] or '')}"
            elif "lead" in step:
                number += 1
                num_plays = 1
                yield from self._lead(step, number, is_choice=following is not None and "forced" in following)
            elif "forced" in step:
                yield f"{_INDENT}{self.who(step['seat'])} chooses: {self.cards(step['forced'])} is led"
            elif "follow" in step:
                num_plays += 1
                yield f"{_INDENT}{self.player(step['seat'])}  {self.cards(step['follow'])}"
                if num_plays == NUM_SEATS:
                    yield self._trick_end(self.tricks[number - 1])

    def _lead(self, step: RoundDecision, number: int, *, is_choice: bool) -> Iterator[str]:
        """Yield the line of a lead; for a throw that fails, also what becomes of it."""
        led = self.tricks[number - 1]["led"] if number <= len(self.tricks) else None
        seat = step["seat"]
        yield f"{f'trick {number}':<10}{self.player(seat)}  {self.cards(step['lead'])}"
        if led != step["lead"]:
            each = " for each beaten card" if self.rules.throw_penalty_per == "card" else ""
            cost = f" and costs {self.rules.throw_penalty} points{each}" if self.rules.throw_penalty else ""
            is_open = is_choice or led is None
            what = f"{self.who((seat + 1) % NUM_SEATS)} chooses what is led" if is_open else ""
            yield f"{_INDENT}the throw fails 甩牌失败{cost}: {what or self.cards(led or '') + ' is led'}"

    def _trick_end(self, trick: RoundTrick) -> str:
        winner, points = trick["winner"], trick["points"]
        text = f"{_INDENT}{green('★')} {self.who(winner)} wins the trick"
        if points:
            is_attacker = winner % NUM_TEAMS != self._declarers
            text += f", {points} points for the {'attackers 抓分方' if is_attacker else 'declarers 庄家方'}"
        return text

    @property
    def _declarers(self) -> int:
        assert self.declarer is not None
        return int(self.declarer) % NUM_TEAMS
