"""Reasons in words, one sentence or two each, in English and 中文.

``{A}`` stands for the better play and ``{B}`` for the other one: whoever shows a sentence puts in how they are written.
"""

from collections.abc import Iterator, Mapping

from shengji_env.render.text import Language
from shengji_table.reasons.explaining import Reason
from shengji_table.reasons.splitting import WEIGHTS

_OFTEN, _SELDOM = 0.1, 0.05
"""The least differences of how often something happens that are told: of tricks, of the last one."""
_ONE_OF_FIVE = 0.2
"""The least share of a difference that something kept must have to be told beside later tricks."""
_COUNTED = 0.25
"""The least difference of numbers of cards that is told."""

_TEXTS: Mapping[str, Mapping[Language, str]] = {
    key: {"en": english, "zh": chinese}
    for key, english, chinese in (
        (
            "penalty",
            "The throw {B} fails, and costs {points} points on average.",
            "{B} 甩牌会失败，平均多罚 {points} 分。",
        ),
        (
            "trick_won",
            "With {A} the team takes this trick in {often} of the deals, with {B} in {seldom}, worth {points} points.",
            "出 {A}，这圈有 {often} 归己方，出 {B} 只有 {seldom}，差 {points} 分。",
        ),
        (
            "trick_left",
            "{A} lets this trick go more often ({seldom} → {often}) and still saves {points} points in it.",
            "出 {A} 更常放掉这圈（{seldom} → {often}），这圈反而少丢 {points} 分。",
        ),
        (
            "trick_fed",
            "The team takes this trick in {often} of the deals, and {A} puts {points} points more into it.",
            "这圈有 {often} 归己方，{A} 多垫进 {points} 分。",
        ),
        (
            "trick_starved",
            "The others take this trick in {theirs} of the deals, and {A} gives them {points} points less.",
            "这圈有 {theirs} 归对方，{A} 少送 {points} 分。",
        ),
        (
            "last_won",
            "With {A} the team takes the last trick in {often} of the deals, with {B} in {seldom}, worth {points} "
            "points with the kitty.",
            "出 {A}，最后一圈有 {often} 归己方，出 {B} 只有 {seldom}，连底牌差 {points} 分。",
        ),
        (
            "last",
            "The last trick and the kitty bring {points} points more with {A}.",
            "最后一圈出 {A} 更好，连底牌差 {points} 分。",
        ),
        (
            "later",
            "The tricks after this one bring {points} points more with {A}.",
            "后面几圈 {A} 多得 {points} 分。",
        ),
        ("tricks", "The tricks bring {points} points more with {A}.", "打下来 {A} 多得 {points} 分。"),
        (
            "leads",
            "The team leads next in {often} of the deals, with {B} in {seldom}.",
            "下一圈有 {often} 由己方领出，出 {B} 只有 {seldom}。",
        ),
        (
            "trumps",
            "{A} keeps {points} more trumps on average in the team's hands.",
            "出 {A}，己方平均多留 {points} 张主牌。",
        ),
        (
            "their trumps",
            "{A} leaves the others with {points} fewer trumps on average.",
            "出 {A}，对方平均少剩 {points} 张主牌。",
        ),
        (
            "winners",
            "{A} keeps {points} more cards that the others cannot beat on average in the team's hands.",
            "出 {A}，己方平均多留 {points} 张对方压不住的牌。",
        ),
        (
            "their winners",
            "{A} leaves the others with {points} fewer cards that the team cannot beat on average.",
            "出 {A}，对方平均少剩 {points} 张己方压不住的牌。",
        ),
        (
            "pairs",
            "{A} keeps {points} more pairs on average in the team's hands.",
            "出 {A}，己方平均多留 {points} 个对子。",
        ),
        (
            "their pairs",
            "{A} leaves the others with {points} fewer pairs on average.",
            "出 {A}，对方平均少剩 {points} 个对子。",
        ),
    )
}
"""What is said, with ``{points}`` for points or cards, and shares of the deals with either play."""


def words_of(reason: Reason, language: Language = "en") -> str:
    """Return why one play, ``{A}``, is better than another, ``{B}``; no text if no part explains it in a few words."""
    sentences = (_TEXTS[key][language].format(A="{A}", B="{B}", **facts) for key, facts in _told(reason))
    return (" " if language == "en" else "").join(sentences)


def in_both_languages(reason: Reason) -> dict[str, str]:
    """Return `words_of` by language."""
    return {"en": words_of(reason, "en"), "zh": words_of(reason, "zh")}


def joined(cards: Mapping[str, str], measured: Mapping[str, str]) -> dict[str, str]:
    """Return what the cards say, and after it what playouts have shown, by language."""
    return {"en": f"{cards['en']} {measured['en']}".strip(), "zh": cards["zh"] + measured["zh"]}


def _told(reason: Reason) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the keys of what is said, each with the facts in it."""
    kind = reason.kind
    if kind == "trick":
        yield _key_of_trick(reason), _facts(reason, "takes", "trick")
    elif kind == "last":
        is_won = reason.gain("takes_last") >= _SELDOM
        yield "last_won" if is_won else "last", _facts(reason, "takes_last", "last")
    elif kind == "later":
        yield "later" if reason.is_play else "tricks", _facts(reason, "takes", "later")
        yield from _beside_later(reason)
    elif kind in WEIGHTS:
        yield _kept(reason, kind)
    elif kind == "penalty":
        yield kind, _facts(reason, "takes", "penalty")


def _key_of_trick(reason: Reason) -> str:
    more_often = reason.gain("takes")
    if abs(more_often) >= _OFTEN:
        return "trick_won" if more_often > 0 else "trick_left"
    return "trick_fed" if reason.gain("in_trick") > 0 else "trick_starved"


def _beside_later(reason: Reason) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what explains a part of what later tricks bring, if anything does that could be told."""
    name = max(WEIGHTS, key=lambda each: reason.parts[each])
    key, facts = _kept(reason, name)
    if reason.parts[name] >= _ONE_OF_FIVE * reason.difference and abs(reason.gain(key)) >= _COUNTED:
        yield key, facts
    elif reason.gain("takes") >= _OFTEN:
        yield "leads", _facts(reason, "takes", "later")


def _kept(reason: Reason, name: str) -> tuple[str, dict[str, str]]:
    """Return what is said of something kept: the team's own, or the others' that are drawn, by what counts more."""
    own, theirs = WEIGHTS[name]
    key = name if own * reason.gain(name) >= theirs * reason.gain(f"their {name}") else f"their {name}"
    return key, {"points": f"{abs(reason.gain(key)):.1f}"}


def _facts(reason: Reason, event: str, points: str) -> dict[str, str]:
    """Return how often something happens with either play, and the points between them."""
    often, seldom = reason.better[event], reason.worse[event]
    gain = abs(reason.gain(points))
    number = f"{gain:.0f}" if gain >= 10 else f"{gain:.1f}".removesuffix(".0")
    shares = {"often": often, "seldom": seldom, "theirs": 1 - often}
    return {"points": number} | {name: f"{100 * share:.0f} %" for name, share in shares.items()}
