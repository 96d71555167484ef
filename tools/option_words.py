"""What the tables of presets and options say, in English and in Chinese.

The English words are those of the options themselves (`engine.rule_options`); the Chinese ones stand here, under the
same names. A source without words, such as ``A1 A3``, reads alike in both.

Source: docs/rules.md §14, docs/rules.zh-CN.md §14.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from shengji_env.engine.rule_options import ABOUT, ALL_CARDS, NO_RANKS, OPTION_NAMES, Options
from shengji_env.render.fields import field_docs
from shengji_env.render.text import Language


@dataclass(frozen=True)
class OptionWords:
    """What is said of one option."""

    meaning: str
    idle: str = ""
    """Where the option changes nothing."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each value comes from, by its text in the English tables."""


@dataclass(frozen=True)
class TableWords:
    """Headings and phrases of the tables; braces are filled in."""

    option: str
    source: str
    meaning: str
    values: str
    idle: str
    value_texts: Mapping[str, str]
    """Values that are said in other words, by their text in the English tables."""
    yes_or_no: str
    ranks: str
    cards: str
    by_decks: str
    with_decks: str
    span: str
    comma: str = ", "
    semicolon: str = "; "
    colon: str = ": "


TABLE_WORDS: Mapping[Language, TableWords] = {
    "en": TableWords(
        option="option",
        source="source",
        meaning="meaning",
        values="values",
        idle="changes nothing",
        value_texts={},
        yes_or_no="`True` (yes), `False` (no)",
        ranks="ranks of {}, such as `5TK`, or no text",
        cards="suits of {}, ranks of {} and jokers, such as `HS 9TJ`, or no text",
        by_decks="with (decks): {}",
        with_decks="{} ({})",
        span="{} to {}",
    ),
    "zh": TableWords(
        option="选项",
        source="来源",
        meaning="意思",
        values="取值",
        idle="何时不起作用",
        value_texts={"yes": "是", "no": "否", NO_RANKS: "无", ALL_CARDS: "全部", "suits and ranks": "花色和点数"},
        yes_or_no="`True`（是）、`False`（否）",
        ranks="{} 里的点数，例如 `5TK`，或者不写",
        cards="{} 里的花色、{} 里的点数和王，例如 `HS 9TJ`，或者不写",
        by_decks="随副数（在括号里）：{}",
        with_decks="{}（{}）",
        span="{} 至 {}",
        comma="、",
        semicolon="；",
        colon="：",
    ),
}

_WITHOUT_BIDS = "`bidding=fixed` 时"
_WITHOUT_STRONGER_BIDS = "只有一副牌，或 `bidding=fixed` 时"
_WITHOUT_THROWS = "没有 `throws` 时"
_WITHOUT_REBELLION = "没有 `rebellion` 时"
_CONTEST = "公开的比赛"
_SERVER = "牌友的服务器"

CHINESE: Mapping[str, OptionWords] = {
    "decks": OptionWords("用几副牌，1..4（§1）。", sources={"4": "A1 和 B 提到"}),
    "kitty": OptionWords(
        "底牌的张数；余下的牌须能四家均分（§2）。",
        sources={"6": "A1 A2 A3 B，三副牌 A1 B", "8": "A1 A3 B，四副牌*自定*", "0": "*自定*"},
    ),
    "bidding": OptionWords(
        "什么时候亮主（§4）。", sources={"sequential": "B，庄家给定时，用在整场里*自定*", "fixed": "B，复式赛"}
    ),
    "no_trump_bids": OptionWords(
        "打不打无主：两张以上相同的王可以亮无主，对家可以定无主，发牌可以带来无主（§4）。",
        "只有一副牌时：没有两张相同的王",
        {"no": "B，有的规则如此"},
    ),
    "joker_bids": OptionWords(
        "大王能不能反同样张数的小王（§4）。",
        "不能两种王都亮时：`no_trump_bids=False`、`bidding=fixed`，或 `cards` 里缺一种王；`bid_ladder=call_snatch` 时",
    ),
    "no_bid": OptionWords(
        "无人亮主时，由什么定主（§4）。",
        _WITHOUT_BIDS,
        {"flip_kitty": "第一张依 B，其后*自定*", "no_trump": _CONTEST},
    ),
    "max_redeals": OptionWords(
        "第一局无人亮主时，最多再发几次牌，0..100（§4）。",
        _WITHOUT_BIDS,
        {"8": "*自定*，重新发牌依 B", "0": f"{_CONTEST}，Botzone"},
    ),
    "throws": OptionWords("可不可以把同一门的几个牌组一起领出（§8）。", sources={"no": "A2，其中没有甩牌"}),
    "failed_throw": OptionWords(
        "甩牌失败时，领出什么（§8）。", _WITHOUT_THROWS, {"smallest": "*自定*，常见", "lowest": _CONTEST}
    ),
    "throw_penalty": OptionWords(
        "甩牌失败罚多少分，5 的倍数（§8）。", _WITHOUT_THROWS, {"0": "*自定*，B 允许罚分，没有给出数目"}
    ),
    "follow_priority": OptionWords(
        "跟不上牌型时，按什么次序退而求其次（§9）。",
        "一副或两副牌时：宽不超过对子，各种次序都一样（§9）",
        {"triples_then_tractors": "A4，B 的第一种变通", "tractors_first": "B 的第二种变通"},
    ),
    "kitty_multiplier": OptionWords("底牌里的分乘以几（§11）。", sources={"cards": "*自定*，上海常用"}),
    "kitty_shape": OptionWords(
        "倍数看谁出的牌的拆分（§11）。",
        "只有一副牌、没有 `throws`，或倍数为 `double`、`cards`、`none` 时：两种算法一样",
        {"lead": "*自定*，常见；Botzone"},
    ),
    "last_trick_points": OptionWords(
        "最后一圈里的分算不算（§11）。", sources={"yes": "A1 A3 A4 B，没有哪一圈例外", "no": "A2"}
    ),
    "result_table": OptionWords(
        "由得分定级数的表的名称（§12）。",
        sources={
            "one_deck": "A1 A3，120 分以上 A3",
            "one_deck_45": "A2，谁升级、谁坐下一庄*自定*",
            "competition": "*自定*，通用的表，80 依 B",
            "three_deck": "A4，120 以下的 +1 *自定*",
            "four_deck": "*自定*",
            "share": "*自定*",
        },
    ),
    "match_end": OptionWords(
        "整场到什么时候结束（§13）。",
        sources={"pass_ace": "*自定*，牌友间常用", "beyond_ace": f"{_CONTEST}，{_SERVER}"},
    ),
    "match_rounds": OptionWords("按 `rounds` 结束的整场打几局（§13）。", "除非 `match_end=rounds`", {"16": "*自定*"}),
    "must_defend": OptionWords(
        "哪些级，任何一队坐庄打赢一局之前都不能越过，点数从 2 到 K（§13）。",
        sources={NO_RANKS: "A1 至 A4 B，都没有提到", "5TK": "*自定*，牌友间常用", "25TK": _CONTEST},
    ),
    "cards": OptionWords(
        "一副牌里有哪些牌：花色、点数和王，例如 `HS 9TJ` 或 `CDHS 3456789TJQKA LJ BJ`（§1）。",
        sources={ALL_CARDS: "A1 至 A4 B", "suits and ranks": "*自定*"},
    ),
    "bid_suits": OptionWords(
        "亮一门花色是不是比另一门大：两张起 D < C < H < S（§4）。",
        "只有一副牌、`bidding=fixed` 或 `bid_ladder=call_snatch` 时",
        {"equal": "A1 至 A4 B", "ranked": "炒地皮常用"},
    ),
    "overturn": OptionWords(
        "别人亮了主，可不可以反（§4）。", _WITHOUT_STRONGER_BIDS, {"yes": "A1 至 A4 B", "no": "*自定*，有的牌友如此"}
    ),
    "first_declarer": OptionWords(
        "没有庄家的局由谁坐庄（§4）。",
        "只有一副牌、`bidding=fixed`，或没有 `overturn` 时",
        {"winning_bid": "A1 至 A4 B", "first_bid": _SERVER},
    ),
    "rebellion": OptionWords(
        "定主以后，闲家的弱牌可以怎样造反（§4）。",
        _WITHOUT_BIDS,
        {"none": "A1 至 A4 B", "redeal": "牌友间常用", "new_declarer": "*自定*", "no_declarer": _CONTEST},
    ),
    "rebellion_points": OptionWords(
        "最多多少分的手牌可以造反，-1..400；-1：分不算理由（§4）。", _WITHOUT_REBELLION, {"15": _CONTEST}
    ),
    "rebellion_trumps": OptionWords(
        "最多几张主的手牌可以造反，-1..54；-1：主不算理由（§4）。", _WITHOUT_REBELLION, {"3": _CONTEST}
    ),
    "max_rebellions": OptionWords("一局里最多有几次发牌因造反作废，1..20（§4）。", _WITHOUT_REBELLION, {"3": _CONTEST}),
    "kitty_retake": OptionWords(
        "扣底以后，能不能用更大的亮主再拿底牌（§5）。",
        _WITHOUT_STRONGER_BIDS,
        {"none": "A1 至 A4 B", "overbid": "炒地皮"},
    ),
    "throw_contest": OptionWords(
        "甩牌被毙以后，再毙的要大过什么才赢（§10）。",
        _WITHOUT_THROWS,
        {"all": _SERVER, "highest": f"{_CONTEST}，{_SERVER}"},
    ),
    "last_trick_demotion": OptionWords(
        "闲家用哪些牌赢最后一圈，庄家方就要降级（§13）。",
        sources={"none": "A1 至 A4 B", "jack_single": _SERVER, "jack_suit": "*自定*", "jack_ace": "*自定*"},
    ),
    "bid_ladder": OptionWords(
        "亮了主以后还可以怎样亮：更大的都可以，或者先一张级牌、再一对（§4）。",
        _WITHOUT_STRONGER_BIDS,
        {"strength": "A1 至 A4 B"},
    ),
    "throw_penalty_per": OptionWords(
        "按什么罚分：每次甩牌失败，或被大过的牌组的每一张牌（§8）。", "没有 `throws` 或 `throw_penalty` 时"
    ),
}
"""What is said of each option in Chinese; sources that read alike in both languages are left out."""


def option_words(language: Language) -> dict[str, OptionWords]:
    """Return what is said of each option."""
    meanings = field_docs(Options)
    english = {name: OptionWords(meanings[name], ABOUT[name].idle, ABOUT[name].sources) for name in OPTION_NAMES}
    if language == "en":
        return english
    return {
        name: dataclasses.replace(CHINESE[name], sources={**english[name].sources, **CHINESE[name].sources})
        for name in OPTION_NAMES
    }
