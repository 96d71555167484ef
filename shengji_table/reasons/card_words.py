"""What the cards say of a play, in sentences: English and 中文 side by side.

``{A}`` stands for the better play and ``{B}`` for the other one, as in `wording.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import TRUMP
from shengji_env.players.answers import Answer
from shengji_env.render.text import SYMBOLS, Language
from shengji_table.reasons.card_facts import Fact, FactFinder

SENTENCES: Mapping[str, Mapping[Language, str]] = {
    key: {"en": english, "zh": chinese}
    for key, english, chinese in (
        ("takes_last", "Last to play, {X} takes the trick with {points}.", "最后出牌，{X} 拿下这圈，有 {points}。"),
        ("takes_safe", "Nobody can beat {X} any more; the trick has {points}.", "{X} 已没人压得过，这圈有 {points}。"),
        ("takes_ruffs", "There is no {suit}: {X} ruffs, for {points}.", "没有{suit}，{X} 毙牌，这圈有 {points}。"),
        ("takes_beats", "{X} beats what has been played; the trick has {points}.", "{X} 目前最大，这圈有 {points}。"),
        ("partner_last", "The partner has the trick; {X} adds {points}.", "这圈归对家，{X} 添 {points}。"),
        ("partner_safe", "Nobody can beat the partner now; {X} adds {points}.", "对家已没人压得过，{X} 添 {points}。"),
        ("partner", "The partner is winning so far; {X} adds {points}.", "对家目前最大，{X} 添 {points}。"),
        ("lost", "{X} cannot take the trick; it gives the others {points}.", "{X} 拿不下这圈，送对方 {points}。"),
        ("gives", "The others are winning; {X} gives them {points}.", "对方目前最大，{X} 送出 {points}。"),
        ("above", "The others may have {number} cards above {X}.", "对方可能有 {number} 张牌比 {X} 大。"),
        ("reaches", "The attackers reach {points}, which changes the result.", "闲家到 {points}，结果随之改变。"),
        ("throw_stands", "No part of the throw {X} can be beaten in its suit.", "甩牌 {X} 每一部分在这门里都最大。"),
        ("throw_risky", "A part of the throw {X} may be beaten.", "甩牌 {X} 有一部分可能被压。"),
        ("top", "The others have no card of the suit above {X}.", "这门里对方没有比 {X} 大的牌。"),
        ("top_set", "The others have nothing of this shape above {X}.", "对方没有比 {X} 大的同型牌。"),
        ("ruffer", "{seat} has no {suit} left and may ruff it.", "{seat}已没有{suit}，可能毙牌。"),
        ("partner_ruffs", "The partner has no {suit} left and may ruff {X}.", "对家已没有{suit}，可以毙 {X}。"),
        ("draws", "{X} draws trumps; one of the others may have {number}.", "{X} 吊主，别家手里最多 {number} 张主牌。"),
        ("risks", "{X} puts {points} at risk.", "{X} 有 {points} 可能丢掉。"),
        ("risks_nothing", "{X} puts no points at risk.", "{X} 不冒丢分的险。"),
        ("empties", "After {X} the hand has no {suit} left, and may ruff it.", "出 {X} 后手里没有{suit}，以后可以毙。"),
        ("breaks", "{X} breaks up equal cards.", "{X} 拆开了对子。"),
        ("buries_points", "{X} puts {points} into the kitty.", "{X} 埋下 {points}。"),
        ("buries_none", "{X} puts no points into the kitty.", "{X} 不埋分。"),
        ("buries_trumps", "{X} buries {number} of the trumps.", "{X} 埋掉 {number} 张主牌。"),
        ("passes", "No suit would make more than {number} cards trumps.", "亮哪一门，手里都不超过 {number} 张主牌。"),
        ("bids", "{X} would make {number} cards of the hand trumps.", "亮 {X}，手里有 {number} 张主牌。"),
        ("names", "{X} makes {number} cards of the hand trumps.", "定 {X}，手里有 {number} 张主牌。"),
        ("rebels", "The hand is weak enough for a new deal.", "手牌太差，可以要求重新发牌。"),
        ("forced", "The throw has failed: a beaten part must be led.", "甩牌失败，必须出被压住的一部分。"),
        ("same", "In this trick both look alike; they keep other cards.", "这一圈看起来一样，差别在留下的牌。"),
    )
}  # fmt: skip
"""By `Fact.key`, with ``{X}`` for the play."""
_SEATS: Mapping[int, tuple[str, str]] = {
    1: ("The next player", "下家"),
    2: ("The partner", "对家"),
    3: ("The player before", "上家"),
}
OPENED: Mapping[Language, str] = {"en": "All hands seen: ", "zh": "四家牌都看："}
_MOST = 2
"""Facts that are told of a play without another."""


def words_on(
    states: NDArray[Any], rules: RuleSet, better: Answer, worse: Answer | None = None, *, is_open: bool = False
) -> dict[str, str]:
    """Return what the cards say of an answer, or of how it differs from another, by language; never nothing.

    Args:
        states: (1,) STATE_DTYPE, as the decision began.
        rules: the rules.
        better: the answer.
        worse: the other one.
        is_open: whether the table holds all hands, and they are told; otherwise what the seat knows.
    """
    table, trump = FactFinder(states, rules, is_open=is_open), int(states["trump"][0])
    own = table.facts(better)
    told = [(fact, "{A}") for fact in own[:_MOST]]
    if worse is not None:
        other = table.facts(worse)
        told = [(fact, "{A}") for fact in _lacking(own, other)[:1]]
        told = told + [(fact, "{B}") for fact in _lacking(other, own)[:1]] or [(Fact("same"), "")]
    begin = OPENED if is_open else dict.fromkeys(OPENED, "")
    sentences = {language: [_sentence(fact, play, language, trump) for fact, play in told] for language in OPENED}
    return {"en": begin["en"] + " ".join(sentences["en"]), "zh": begin["zh"] + "".join(sentences["zh"])}


def _lacking(facts: Sequence[Fact], others: Sequence[Fact]) -> list[Fact]:
    """Return the facts that others lack, whatever suit they are about."""
    known = {fact._replace(suit=-1) for fact in others}
    return [fact for fact in facts if fact._replace(suit=-1) not in known]


def _sentence(fact: Fact, play: str, language: Language, trump: int) -> str:
    is_english = language == "en"
    seat = _SEATS[fact.away][not is_english] if fact.away else ""
    points = f"{fact.number or 'no'} point{'s' * (fact.number != 1)}" if is_english else f"{fact.number} 分"
    return SENTENCES[fact.key][language].format(
        X=play, points=points, number=fact.number, suit=_suit_text(fact.suit, trump, language), seat=seat
    )


def _suit_text(suit: int, trump: int, language: Language) -> str:
    if suit == TRUMP:
        return "trump" if language == "en" else "主牌"
    return SYMBOLS[suit if suit < trump else suit + 1] if suit >= 0 else ""
