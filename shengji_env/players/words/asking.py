"""What a seat is asked, in words: its hand, what it owes, the plays that are offered with their letters."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal

import numpy as np

from shengji_env.engine.actions import PASS
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS, SUITS, format_cards
from shengji_env.engine.referee import Trump, demand, legal_follows, legal_leads
from shengji_env.engine.referee.values import to_slots
from shengji_env.engine.slots import TRUMP
from shengji_env.engine.state import NUM_TEAMS, Phase
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import list_all, make_candidate_scratch, make_candidates
from shengji_env.players.words.telling import suit_name
from shengji_env.render.text import Language

Offer = Literal["candidates", "legal", "free"]
"""Which plays are named: ten at most that are worth comparing, all that are legal, none."""
MOST_OFFERED = 60
"""Most legal plays that are named; where there are more, none is."""
PASS_WORD = "pass"
_KINDS: Mapping[Language, tuple[str, ...]] = {
    "en": ("card", "pair", "triple", "quad"),
    "zh": ("单张", "对子", "三张", "四张"),
}
_TRUMP = "trump"
_SUIT_ORDER = (*SUITS, _TRUMP)
_TRUMPS: Mapping[Language, str] = {"en": "trumps", "zh": "主"}
_WORDS: Mapping[str, tuple[str, str]] = {
    "hand": ("Your hand, {} cards: {}", "你的手牌，{} 张：{}"),
    "declares": (
        "Your side declares. The attackers have {} points, and win from {} on.",
        "你们是庄家方。闲家现有 {} 分，{} 分起赢。",
    ),
    "attacks": ("Your side attacks. It has {} points, and wins from {} on.", "你们是闲家，现有 {} 分，{} 分起赢。"),
    Phase.BID.name: ("Do you bid? If not, answer [pass].", "亮主吗？不亮答 [pass]。"),
    Phase.NAME.name: ("Nobody has bid: name trumps.", "无人亮主，由你定主。"),
    Phase.REBEL.name: (
        "Your hand is weak: answer [rebel] to have the cards dealt again, or [pass].",
        "你的牌弱：造反重新发牌答 [rebel]，不造反答 [pass]。",
    ),
    Phase.BURY.name: ("Bury {} cards.", "扣下 {} 张牌。"),
    Phase.LEAD.name: ("You lead.", "由你领出。"),
    Phase.FORCED.name: ("The throw has failed. Choose what is led.", "甩牌失败，由你指定领出哪一组。"),
    Phase.FOLLOW.name: ("You follow {led} with {size}.", "跟 {led}，出 {size} 张。"),
    "owes suit": ("You must play {}.", "必须出{}。"),
    "owes all": ("You have only {held} of {suit}: play all of them, and any {rest} others.",
                 "{suit}只有 {held} 张：全出，再垫 {rest} 张。"),
    "owes none": ("You have no {suit}: play any cards.", "你没有{suit}：随便出。"),
    "with": ("{suit}, among them {shapes}", "{suit}，其中有{shapes}"),
    "run": ("{length} {kind}s in a row", "{length} 连{kind}"),
    "one": ("a {kind}", "{kind}"),
    "choices": ("Choices:", "可选："),
    "answer letter": ("Answer with a letter in brackets, such as [A].", "用方括号里的字母回答，例如 [A]。"),
    "or cards": ("Or with the cards of any other legal play, such as [{}].", "也可以写别的合法牌，例如 [{}]。"),
    "answer cards": ("Answer with cards in brackets, such as [{}].", "用方括号里的牌回答，例如 [{}]。"),
    "many": ("There are more than {} legal plays.", "合法的出法多于 {} 种。"),
}  # fmt: skip


def words(language: Language, name: str) -> str:
    """Return a text of this module."""
    return _WORDS[name][language == "zh"]


def joined(language: Language, *sentences: str) -> str:
    """Return sentences as one text; empty ones are left out."""
    return (" " if language == "en" else "").join(filter(None, sentences))


def letters() -> Iterator[str]:
    """Yield A … Z, AA … ZZ."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    yield from (a + b for a in alphabet for b in alphabet)


class WordsQuestion:
    """A decision, put in words.

    Args:
        decision: the decision.
        offer: which plays are named.
        example: a legal answer as text.

    Attributes:
        decision: the decision.
        example: a legal answer as text; empty for a pass.
        is_complete: whether all answers are offered.
        offers: the answers that are offered, by their letters.
    """

    def __init__(self, decision: Decision, offer: Offer, example: str) -> None:
        self.decision, self._offer, self.example = decision, offer, example
        self.is_complete = offer != "free" and (decision.phase in (Phase.BID, Phase.NAME, Phase.REBEL, Phase.FORCED))
        answers = [] if offer == "free" else self._single() if self.is_complete else self._plays()
        texts = sorted({answer_text(decision, answer): answer for answer in answers}.items())
        self.offers: dict[str, Answer] = {}
        self._texts: dict[str, str] = {}
        for letter, (text, answer) in zip(letters(), texts, strict=False):
            self.offers[letter], self._texts[letter] = answer, text

    def text(self, language: Language) -> str:
        """Return the question: Markdown is not used, a line for each choice."""
        decision = self.decision
        lines = []
        if decision.phase in (Phase.LEAD, Phase.FOLLOW, Phase.FORCED):
            declares = decision.seat % NUM_TEAMS == int(decision.state["declarer"]) % NUM_TEAMS
            points, threshold = int(decision.state["attackers_points"]), decision.rules.table.threshold
            lines.append(words(language, "declares" if declares else "attacks").format(points, threshold))
        lines.append(words(language, "hand").format(int(decision.hand.sum()), hand_text(decision, language)))
        lines.append(joined(language, self._task(language), owed_text(decision, language)))
        if self.offers:
            lines.append(words(language, "choices"))
            lines += [f"{letter}: {text}" for letter, text in self._texts.items()]
        elif self._offer == "legal":
            lines.append(words(language, "many").format(MOST_OFFERED))
        lines.append(self.form(language))
        return "\n".join(lines)

    def form(self, language: Language) -> str:
        """Return how to answer."""
        if not self.offers:
            return words(language, "answer cards").format(self.example or PASS_WORD)
        text = words(language, "answer letter")
        if self.is_complete or self._offer == "legal":
            return text
        return joined(language, text, words(language, "or cards").format(self.example))

    def _task(self, language: Language) -> str:
        decision = self.decision
        text = words(language, decision.phase.name)
        if decision.phase == Phase.FOLLOW:
            size = int(decision.state["lead_size"])
            count = f"{size} card{'s' * (size > 1)}" if language == "en" else str(size)
            return text.format(led=format_cards(decision.led), size=count)
        return text.format(decision.rules.kitty)

    def _single(self) -> list[Answer]:
        return [int(action) for action in np.flatnonzero(self.decision.mask)]

    def _plays(self) -> list[Answer]:
        decision = self.decision
        if self._offer == "candidates" or decision.phase == Phase.BURY:
            return _candidates(decision)
        trump, hand = decision.trump, decision.hand
        found = (
            legal_follows(decision.led, hand, trump, decision.rules)
            if decision.phase == Phase.FOLLOW
            else legal_leads(hand, trump, decision.rules)
        )
        plays = [to_slots(play, trump) for play in islice(found, MOST_OFFERED + 1)]
        return [*plays] if len(plays) <= MOST_OFFERED else []


def answer_text(decision: Decision, answer: Answer) -> str:
    """Return an answer as it is offered: cards, trumps, ``pass`` or ``rebel``."""
    return PASS_WORD if isinstance(answer, int) and answer == PASS else decision.text(answer)


def _candidates(decision: Decision) -> list[Answer]:
    """Return the plays worth comparing, as sets of cards; which of them is `heuristic`'s is not said."""
    candidates = make_candidates(1, DEFAULT_CANDIDATES)
    list_all(decision.states.copy(), make_candidate_scratch(decision.rules, candidates), candidates)
    return [candidates.cards[0, index].copy() for index in np.flatnonzero(candidates.mask[0])]


def hand_text(decision: Decision, language: Language) -> str:
    """Return the hand by suits, trumps last; each card in full, such as ``H3``."""
    trump = decision.trump
    by_suit: dict[str, list[int]] = {}
    for card in np.repeat(np.arange(NUM_CARDS), decision.hand).tolist():
        by_suit.setdefault(_suit_of(card, trump), []).append(card)
    parts = []
    for suit in filter(by_suit.__contains__, _SUIT_ORDER):
        cards = sorted(by_suit[suit], key=trump.slots.item)
        parts.append(" ".join([_suit_name(suit, language), *(CARD_TEXTS[card] for card in cards)]))
    return ("; " if language == "en" else "；").join(parts)


def _suit_of(card: int, trump: Trump) -> str:
    """Return the suit that a card counts as: C D H S, or trump."""
    suit = trump.effective_suit(card)
    return _TRUMP if suit == TRUMP else SUITS[suit + (suit >= trump.suit_index)]


def _suit_name(suit: str, language: Language) -> str:
    return _TRUMPS[language] if suit == _TRUMP else suit_name(language, suit)


def owed_text(decision: Decision, language: Language) -> str:
    """Return what a follower owes; nothing for other decisions."""
    if decision.phase != Phase.FOLLOW:
        return ""
    trump, led, hand = decision.trump, decision.led, decision.hand
    suit = _suit_of(int(led.argmax()), trump)
    held = sum(int(hand[card]) for card in np.flatnonzero(hand).tolist() if _suit_of(card, trump) == suit)
    size, name = int(led.sum()), _suit_name(suit, language)
    if held == 0:
        return words(language, "owes none").format(suit=name)
    if held < size:
        return words(language, "owes all").format(suit=name, held=held, rest=size - held)
    owed = demand(led, hand, trump, decision.rules)
    shapes = [_shape(language, width, length) for width, length in owed if width > 1]
    if held > size and shapes:
        name = words(language, "with").format(suit=name, shapes=(", " if language == "en" else "、").join(shapes))
    return words(language, "owes suit").format(name)


def _shape(language: Language, width: int, length: int) -> str:
    kind = _KINDS[language][width - 1]
    return words(language, "one" if length == 1 else "run").format(kind=kind, length=length)
