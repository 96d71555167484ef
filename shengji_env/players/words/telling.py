"""What happens in a round as sentences: from the messages that a seat is sent (`exec.bot_messages`), or from a record.

A piece that begins with a line break begins a line; the others go on with the line before: a trick is one line.
"""

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any, Literal

from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.players.exec import bot_messages as messages
from shengji_env.render.round_record import PublicRound, Round
from shengji_env.render.text import Language

ToldHistory = Literal["new", "whole"]
_SUITS: Mapping[Language, Mapping[str, str]] = {
    "en": {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades", "NT": "no trump"},
    "zh": {"C": "梅花", "D": "方块", "H": "红桃", "S": "黑桃", "NT": "无主"},
}
_TEXTS: Mapping[str, tuple[str, str]] = {
    "round": (
        "\nA round begins. You are seat {seat}, your partner is seat {partner}. Levels: your team {ours}, the others "
        "{theirs}. {declarer} Seat {first} draws first.",
        "\n新的一局。你是 {seat} 号座位，同伴是 {partner} 号。你们打 {ours}，对方打 {theirs}。"
        "{declarer}{first} 号先摸牌。",
    ),
    "you declare": ("You are declarer.", "你是庄家。"),
    "declares": ("Seat {} is declarer.", "{} 号是庄家。"),
    "bid for": ("The declarer is bid for.", "庄家由亮主定。"),
    "again": ("\nThe cards are dealt again ({}).", "\n重新发牌（第 {} 次）。"),
    "rebels": ("\nSeat {} has rebelled.", "\n{} 号造反。"),
    "draw": ("\nYou draw {}.", "\n你摸到 {}。"),
    "bid": ("\n{who} bid{s} {bid}, after {drawn} cards.", "\n摸了 {drawn} 张后，{who}亮 {bid}。"),
    "name": ("\n{who} name{s} {trump}.", "\n{who}定主：{trump}。"),
    "trumps": ("\nTrumps: {trump}. Level cards: {level}. {declarer}", "\n主：{trump}，级牌 {level}。{declarer}"),
    "turned": (" Turned up from the kitty: {}.", "翻出的底牌：{}。"),
    "takes": ("\n{who} take{s} up the kitty.", "\n{who}拿起底牌。"),
    "kitty": (" It holds {}.", "底牌是 {}。"),
    "buries": (" {who} buries.", "{who}扣底。"),
    "you bury": (" You bury {}.", "你扣下 {}。"),
    "lead": ("\nTrick {number}: {who} lead{s} {cards}", "\n第 {number} 圈：{who}领 {cards}"),
    "forced": ("; {who} choose{s}", "；{who}指定"),
    "fails": ("; the throw fails, {cards} is led{cost}", "；甩牌失败，改出 {cards}{cost}"),
    "cost": (", {} points lost", "，罚 {} 分"),
    "follow": ("; {who} {cards}", "；{who} {cards}"),
    "trick": (". {who} win{s}, {points} points.", "。{who}赢，{points} 分。"),
    "result": (
        "\nThe round is over: the attackers have {points} points; {outcome}. Buried: {buried}.",
        "\n本局结束：闲家 {points} 分，{outcome}。扣下的牌：{buried}。",
    ),
    "win": ("the {winner} win and rise {levels} levels", "{winner}赢，升 {levels} 级"),
    "draw game": ("a draw", "平局"),
    "declarers": ("declarers", "庄家方"),
    "attackers": ("attackers", "闲家"),
    "you": ("you", "你"),
    "seat": ("seat {}", "{} 号"),
}
"""Pieces of text by their names, in English and Chinese."""
_STEPS: Mapping[str, type[messages.ToBot]] = {
    "bid": messages.BotBid, "name": messages.Name, "bury": messages.Bury, "lead": messages.BotLead,
    "forced": messages.Forced, "follow": messages.Follow,
}  # fmt: skip
"""What tells the decisions of a record, field by field."""
_BEGINNINGS = ("\n", " ", ". ")
"""After these, a sentence begins."""


def piece(language: Language, name: str) -> str:
    """Return a piece of text."""
    return _TEXTS[name][language == "zh"]


def suit_name(language: Language, trump: str) -> str:
    """Return the name of trumps, C D H S or NT."""
    return _SUITS[language][trump]


class Telling:
    """A round as one seat sees it, in one language.

    Args:
        language: the language.
        seat: the seat; None: somebody who watches.

    Attributes:
        pieces: what has been told since the round began, in pieces.
    """

    def __init__(self, language: Language, seat: int | None = 0) -> None:
        self.pieces: list[str] = []
        self._language: Language = language
        self._seat = seat
        self._tricks = 0
        self._says: Mapping[type, Callable[[Any], None]] = {
            messages.BotRound: self._round,
            messages.Draw: lambda message: self._say("draw", message.cards) if message.cards else None,
            messages.BotBid: lambda message: self._of("bid", message.seat, bid=message.bid, drawn=message.drawn),
            messages.Name: lambda message: self._of("name", message.seat, trump=suit_name(language, message.name)),
            messages.Trumps: self._trumps,
            messages.Takes: lambda message: self._of("takes", message.seat),
            messages.Kitty: lambda message: self._say("kitty", message.cards),
            messages.Bury: self._bury,
            messages.BotLead: self._lead,
            messages.Forced: lambda message: self._of("forced", message.seat),
            messages.BotLed: self._led,
            messages.Follow: lambda message: self._of("follow", message.seat, cards=message.follow),
            messages.BotTrick: lambda message: self._of("trick", message.winner, points=message.points),
            messages.BotResult: self._result,
        }

    def tell(self, message: messages.ToBot) -> None:
        """Tell a message; those that say nothing of the round are left out."""
        says = self._says.get(type(message))
        if says is not None:
            says(message)

    def tell_record(self, record: Round | PublicRound, rules: RuleSet) -> None:
        """Tell a round so far, without passes and buried cards; as it goes on, pieces are only added."""
        for number in range(record["redeals"]):
            self._say("again", number + 1)
        steps: list[Any] = [step for step in record["decisions"] if step.get("bid", "") is not None]
        opening = list(takewhile(lambda step: {"bid", "name"} & set(step), steps))
        for step in opening:
            self._step(step)
        if record["trump"] is not None:
            trump = suit_name(self._language, record["trump"])
            self._say("trumps", trump=trump, level=record["level_rank"], declarer="")
        plays = [step for step in steps[len(opening) :] if "rebel" not in step]
        for step, following in zip(plays, [*plays[1:], {}], strict=False):
            self._step(step)
            trick: Any = record["tricks"][self._tricks - 1] if len(record["tricks"]) >= self._tricks > 0 else {}
            if "forced" in step or ("lead" in step and "forced" not in following):
                self._failed(step, trick.get("led"), rules)
            if "follow" in step and "winner" in trick and "follow" not in following:
                self._of("trick", trick["winner"], points=trick["points"])
        whole: Any = record
        if "result" in whole:
            self._result(messages.BotResult(whole["result"], whole["buried"], False, None))

    def _step(self, step: dict[str, Any]) -> None:
        if "bury" in step:
            self._of("takes", step["seat"])
            step = step | {"bury": None}
        kind = next(name for name in _STEPS if name in step)
        self.tell(_STEPS[kind](**{name: value for name, value in step.items() if name != "by"}))

    def _failed(self, step: dict[str, Any], led: str | None, rules: RuleSet) -> None:
        """Say what is led instead, if a throw has failed; what each card of it costs is not counted."""
        if led is not None and led != step.get("lead"):
            has_cost = rules.throw_penalty_per == "throw"
            self._led(messages.BotLed(step["seat"], led, rules.throw_penalty if has_cost else 0))

    def text(self, first: int = 0) -> str:
        """Return what has been told from a piece on; from the middle of a line, without its beginning."""
        return "".join(self.pieces[first:]).strip().removeprefix("; ").removeprefix("；").lstrip(". 。")

    def _say(self, name: str, *values: Any, **named: Any) -> None:
        self.pieces.append(piece(self._language, name).format(*values, **named))

    def _of(self, name: str, seat: int, **named: Any) -> None:
        """Say something of a seat."""
        template = piece(self._language, name)
        who = piece(self._language, "you") if seat == self._seat else self._piece("seat", seat)
        if template.partition("{who}")[0] in _BEGINNINGS:
            who = who[:1].upper() + who[1:]
        self._say(name, who=who, s="" if seat == self._seat else "s", **named)

    def _piece(self, name: str, *values: Any) -> str:
        return piece(self._language, name).format(*values)

    def _declarer(self, seat: int | None) -> str:
        if seat is None:
            return self._piece("bid for")
        return self._piece("you declare") if seat == self._seat else self._piece("declares", seat)

    def _round(self, message: messages.BotRound) -> None:
        self._seat, self._tricks = message.seat, 0
        self.pieces.clear()
        team = message.seat % NUM_TEAMS
        if message.rebel is not None:
            self._say("rebels", message.rebel)
        if message.redeals:
            self._say("again", message.redeals)
        self._say(
            "round", seat=message.seat, partner=(message.seat + NUM_TEAMS) % NUM_SEATS, ours=message.levels[team],
            theirs=message.levels[1 - team], declarer=self._declarer(message.declarer), first=message.first_drawer,
        )  # fmt: skip

    def _trumps(self, message: messages.Trumps) -> None:
        trump = suit_name(self._language, message.trump)
        self._say("trumps", trump=trump, level=message.level_rank, declarer=self._declarer(message.declarer))
        if message.turned:
            self._say("turned", message.turned)

    def _bury(self, message: messages.Bury) -> None:
        if message.bury is None:
            self._of("buries", message.seat)
        else:
            self._say("you bury", message.bury)

    def _lead(self, message: messages.BotLead) -> None:
        self._tricks += 1
        self._of("lead", message.seat, number=self._tricks, cards=message.lead)

    def _led(self, message: messages.BotLed) -> None:
        cost = self._piece("cost", message.penalty) if message.penalty else ""
        self._say("fails", cards=message.led, cost=cost)

    def _result(self, message: messages.BotResult) -> None:
        result = message.result
        winner = result["winner"]
        outcome = (
            self._piece("draw game")
            if winner is None
            else piece(self._language, "win").format(winner=self._piece(winner), levels=result["levels"])
        )
        self._say("result", points=result["attackers_points"], outcome=outcome, buried=message.buried or "–")
