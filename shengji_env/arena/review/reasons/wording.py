"""Reasons in words, one sentence each, in English and 中文.

``{A}`` stands for the better play and ``{B}`` for the other one: whoever shows a sentence puts in how they are written.
"""

from collections.abc import Callable
from typing import Literal

from shengji_env.arena.review.reasons.explaining import Reason
from shengji_env.arena.review.reasons.splitting import WEIGHTS

Language = Literal["en", "zh"]

_OFTEN = 0.1
"""The least difference of how often something happens that is told."""
_ONE_OF_FIVE = 0.2
"""The least share of a difference that something kept must have to be told beside later tricks."""
_COUNTED = 0.25
"""The least difference of numbers of cards that is told."""


def words_of(reason: Reason, language: Language = "en") -> str:
    """Return why one play, ``{A}``, is better than another, ``{B}``: a sentence."""
    words = _ENGLISH if language == "en" else _CHINESE
    return words[reason.kind](reason)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _points(points: float) -> str:
    number = f"{abs(points):.0f}" if abs(points) >= 10 else f"{abs(points):.1f}"
    return number.removesuffix(".0")


def _penalty(reason: Reason) -> str:
    return f"The throw {{B}} fails, and costs {_points(reason.gain('penalty'))} points on average."


def _penalty_zh(reason: Reason) -> str:
    return f"{{B}} 甩牌会失败，平均多罚 {_points(reason.gain('penalty'))} 分。"


def _trick(reason: Reason) -> str:
    points = f"{_points(reason.gain('trick'))} points"
    one, other = reason.better["takes"], reason.worse["takes"]
    if one - other >= _OFTEN:
        often = f"in {_percent(one)} of the deals, with {{B}} in {_percent(other)}"
        return f"With {{A}} the team takes this trick {often}: {points}."
    if other - one >= _OFTEN:
        return (
            f"{{A}} lets this trick go more often ({_percent(other)} → {_percent(one)}) and still saves {points} in it."
        )
    if reason.gain("in_trick") > 0:
        return f"The team takes this trick in {_percent(one)} of the deals, and {{A}} puts {points} more into it."
    return f"The others take this trick in {_percent(1 - one)} of the deals, and {{A}} gives them {points} less."


def _trick_zh(reason: Reason) -> str:
    points = f"{_points(reason.gain('trick'))} 分"
    one, other = reason.better["takes"], reason.worse["takes"]
    if one - other >= _OFTEN:
        return f"出 {{A}}，这圈有 {_percent(one)} 归己方，出 {{B}} 只有 {_percent(other)}，差 {points}。"
    if other - one >= _OFTEN:
        return f"出 {{A}} 更常放掉这圈（{_percent(other)} → {_percent(one)}），这圈反而少丢 {points}。"
    if reason.gain("in_trick") > 0:
        return f"这圈有 {_percent(one)} 归己方，{{A}} 多垫进 {points}。"
    return f"这圈有 {_percent(1 - one)} 归对方，{{A}} 少送 {points}。"


def _last(reason: Reason) -> str:
    one, other = reason.better["takes_last"], reason.worse["takes_last"]
    points = f"{_points(reason.gain('last'))} points"
    if one - other >= _OFTEN / 2:
        often = f"in {_percent(one)} of the deals, with {{B}} in {_percent(other)}"
        return f"With {{A}} the team takes the last trick {often}: {points} with the kitty."
    return f"The last trick and the kitty bring {points} more with {{A}}."


def _last_zh(reason: Reason) -> str:
    one, other = reason.better["takes_last"], reason.worse["takes_last"]
    points = f"连底牌差 {_points(reason.gain('last'))} 分"
    if one - other >= _OFTEN / 2:
        return f"出 {{A}}，最后一圈有 {_percent(one)} 归己方，出 {{B}} 只有 {_percent(other)}，{points}。"
    return f"最后一圈出 {{A}} 更好，{points}。"


_KEPT = {
    "trumps": ("trumps", "主牌"),
    "winners": ("cards that the others cannot beat", "对方压不住的牌"),
    "pairs": ("pairs", "对子"),
}


def _kept(name: str) -> tuple[Callable[[Reason], str], Callable[[Reason], str]]:
    """Return what is said of something kept: the team's own, or the others' that are drawn, by what counts more."""
    english, chinese = _KEPT[name]

    def is_own(reason: Reason) -> bool:
        own, theirs = WEIGHTS[name]
        return own * reason.gain(name) >= theirs * reason.gain(f"their {name}")

    def in_english(reason: Reason) -> str:
        if is_own(reason):
            return f"{{A}} keeps {_cards(reason.gain(name))} more {english} on average in the team's hands."
        return f"{{A}} leaves the others with {_cards(reason.gain(f'their {name}'))} fewer {english} on average."

    def in_chinese(reason: Reason) -> str:
        if is_own(reason):
            return f"出 {{A}}，己方平均多留 {_cards(reason.gain(name))} 张{chinese}。".replace("张对子", "个对子")
        return f"出 {{A}}，对方平均少剩 {_cards(reason.gain(f'their {name}'))} 张{chinese}。".replace(
            "张对子", "个对子"
        )

    return in_english, in_chinese


def _cards(number: float) -> str:
    return f"{abs(number):.1f}"


def _helper(reason: Reason) -> str | None:
    """Return what is kept and explains a part of what later tricks bring; None: nothing that could be told."""
    name = max(WEIGHTS, key=lambda each: reason.parts[each])
    gaps = abs(reason.gain(name)), abs(reason.gain(f"their {name}"))
    told = reason.parts[name] >= _ONE_OF_FIVE * reason.difference and max(gaps) >= _COUNTED
    return name if told else None


def _later(reason: Reason) -> str:
    tricks = "The tricks after this one" if reason.is_play else "The tricks"
    text = f"{tricks} bring {_points(reason.gain('later'))} points more with {{A}}."
    if name := _helper(reason):
        return f"{text} {_kept(name)[0](reason)}"
    one, other = reason.better["takes"], reason.worse["takes"]
    leads = f" The team leads next in {_percent(one)} of the deals, with {{B}} in {_percent(other)}."
    return text + leads if one - other >= _OFTEN else text


def _later_zh(reason: Reason) -> str:
    tricks = "后面几圈" if reason.is_play else "打下来"
    text = f"{tricks} {{A}} 多得 {_points(reason.gain('later'))} 分。"
    if name := _helper(reason):
        return text + _kept(name)[1](reason)
    one, other = reason.better["takes"], reason.worse["takes"]
    leads = f"下一圈有 {_percent(one)} 由己方领出，出 {{B}} 只有 {_percent(other)}。"
    return text + leads if one - other >= _OFTEN else text


def _declarer(reason: Reason) -> str:
    one, other = 1 - reason.better["is_attacker"], 1 - reason.worse["is_attacker"]
    return f"With {{A}} the team declares in {_percent(one)} of the deals, with {{B}} in {_percent(other)}."


def _declarer_zh(reason: Reason) -> str:
    one, other = 1 - reason.better["is_attacker"], 1 - reason.worse["is_attacker"]
    return f"{{A}} 有 {_percent(one)} 由己方坐庄，{{B}} 有 {_percent(other)}。"


_ENGLISH: dict[str, Callable[[Reason], str]] = {
    "penalty": _penalty,
    "trick": _trick,
    "last": _last,
    "later": _later,
    "declarer": _declarer,
    **{name: _kept(name)[0] for name in WEIGHTS},
    "many": lambda _: "Several small things add up; none explains half of it.",
    "unsure": lambda _: "Played out in sampled deals, the two hardly differ: no reason shows.",
    "against": lambda _: "Played out in sampled deals, {B} does better: the two ways to value them disagree.",
}
_CHINESE: dict[str, Callable[[Reason], str]] = {
    "penalty": _penalty_zh,
    "trick": _trick_zh,
    "last": _last_zh,
    "later": _later_zh,
    "declarer": _declarer_zh,
    **{name: _kept(name)[1] for name in WEIGHTS},
    "many": lambda _: "好几处小差别加在一起，没有哪一处占到一半。",
    "unsure": lambda _: "在抽样的牌局里两种打法几乎没有差别，看不出原因。",
    "against": lambda _: "在抽样的牌局里反而是 {B} 好：两种估法意见不一。",
}
