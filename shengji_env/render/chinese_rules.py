"""The rules of a table in Chinese, short: what `explain_rules` says in English.

An option that changes nothing in a rule set is not mentioned; every other value changes the text.

Source: docs/rules.zh-CN.md.
"""

from collections.abc import Iterator, Mapping

from shengji_env.engine.cards import RANKS
from shengji_env.engine.result_tables import DRAW_MARGIN
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render.result_words import HALF_OF_JACK, multiplier
from shengji_env.render.shown_values import has_effect

_BIDDING: Mapping[str, str] = {
    "streaming": "摸牌时，刚摸到牌的人可以亮主；摸完后从先摸牌的人起依次再问，直到一圈无人亮。",
    "sequential": "牌摸完后，从先摸牌的人起依次问亮主，直到一圈无人亮。",
    "drawing": "只有刚摸到牌的人可以亮主，摸完后不再问。",
    "fixed": "不亮主：主和庄家由发牌定。",
}
_NO_BID: Mapping[str, str] = {
    "flip_kitty": "依次翻底牌，第一张不是王的牌的花色为主",
    "partner_names": "庄家的对家定主",
    "no_trump": "打无主",
    "random": "由抽签定主的花色",
}
_REBELLION: Mapping[str, str] = {
    "redeal": "重新发牌，庄家不变",
    "new_declarer": "重新发牌，造反的人坐庄",
    "no_declarer": "重新发牌，没有庄家，各按本队的级亮主",
}
_FAILED: Mapping[str, str] = {
    "next_seat_chooses": "下家从被大过的牌组里指定一组领出",
    "smallest": "改出被大过的牌组里最小的一组（先比张数，再比大小）",
    "lowest": "改出最大一张最小的那一组，不管它有没有被大过",
    "lowest_card": "只出被大过的牌组里最小的一张，别人看不到其余的牌",
}
_CONTEST: Mapping[str, str] = {
    "principal": "毙甩牌时，比其中最大的牌组（先宽后长）",
    "all": "毙甩牌时，比其中最大的牌组；再毙的，每一组都要更大",
    "highest": "毙甩牌时，比其中最大的牌组；两手毙牌之间，有最大一张的赢",
}
_PRIORITY: Mapping[str, str] = {
    "width_first": "先跟宽的",
    "triples_then_tractors": "先跟同样宽的，再跟有连的，再跟其余的",
    "tractors_first": "先跟有连的，再跟其余的",
}
_DEMOTION: Mapping[str, str] = {
    "jack_single": "打 J 时，闲家用一张 J 赢最后一圈，庄家方降到 2。",
    "jack_suit": f"打 J 时，闲家用一张 J 赢最后一圈，输了的庄家方降级：主 J 降到 2，副 J 降到 {RANKS[HALF_OF_JACK]}。",
    "jack_ace": "打 J 或打 A 时，闲家用一张级牌或一对级牌赢最后一圈，庄家方降到 2。",
}
_KINDS = ("单张", "对子", "三张", "四张")


def chinese_rules(rules: RuleSet) -> str:
    """Explain a rule set in Chinese, one paragraph a line."""
    paragraphs = (_cards, _bids, _nobody_bids, _weak_hands, _burying, _order, _leads, _throws, _follows, _wins, _kitty,
                  _result, _match)  # fmt: skip
    return "\n".join("".join(paragraph(rules)) for paragraph in paragraphs if any(paragraph(rules)))


def _cards(rules: RuleSet) -> Iterator[str]:
    only = f"每副只有 {rules.cards}，" if rules.cards else ""
    yield f"{rules.decks} 副牌，{only}共 {rules.total} 张：每人 {rules.hand} 张，底牌 {rules.kitty} 张。"
    yield "5 算 5 分，10（T）和 K 算 10 分。四人逆时针出牌，对家（隔一个座位）是同伴。每队有一个级，从 2 到 A；"
    yield "一局打庄家一队的级，这个点数的牌是级牌。庄家和对家是庄家方，另外两家是闲家，闲家得分定胜负。"


def _bids(rules: RuleSet) -> Iterator[str]:
    yield _BIDDING[rules.bidding]
    if rules.bidding == "fixed":
        return
    has_no_trump = has_effect(rules, "no_trump_bids") and rules.no_trump_bids
    yield "亮主出示同一门的级牌，这门为主"
    if rules.bid_ladder == "call_snatch" and has_effect(rules, "bid_ladder"):
        yield "：第一次亮一张级牌，此后只能再反一次，用一对级牌" + ("或一对王（无主）。" if has_no_trump else "。")
    elif rules.decks > 1:
        if has_no_trump:
            yield "；两张以上相同的王是无主"
        yield "。后亮的要更大：张数多的大"
        if has_no_trump:
            yield "，同样张数王比级牌大" + ("，大王比小王大" if rules.joker_bids == "ranked" else "，大小王一样大")
        yield "，两张起梅花<方块<红桃<黑桃" if rules.bid_suits == "ranked" else ""
        yield "。" if rules.overturn else "；别人亮了就不能反。"
        yield "自己亮的只能用同样的牌加固。"
    else:
        yield "。"
    if has_effect(rules, "first_declarer") and rules.first_declarer == "first_bid":
        yield "没有庄家的局，最先亮主的人坐庄。"
    else:
        yield "没有庄家的局，最后亮主的人坐庄。"


def _nobody_bids(rules: RuleSet) -> Iterator[str]:
    if rules.bidding == "fixed":
        return
    redeals = f"先重新发牌，最多 {rules.max_redeals} 次，然后" if rules.max_redeals else ""
    whose = "抽签定庄" if rules.no_bid == "random" else "先摸牌的人坐庄"
    yield f"无人亮主：{_NO_BID[rules.no_bid]}；没有庄家的局{redeals}{whose}。"


def _weak_hands(rules: RuleSet) -> Iterator[str]:
    if not has_effect(rules, "max_rebellions"):
        return
    weak = [f"至多 {rules.rebellion_points} 分"] if rules.rebellion_points >= 0 else []
    weak += [f"至多 {rules.rebellion_trumps} 张主"] if rules.rebellion_trumps >= 0 else []
    yield f"定主后，手牌{'或'.join(weak)}的闲家可以造反：{_REBELLION[rules.rebellion]}"
    yield f"；一局至多 {rules.max_rebellions} 次。"


def _burying(rules: RuleSet) -> Iterator[str]:
    if rules.kitty:
        yield f"庄家拿起 {rules.kitty} 张底牌，再扣下同样多的牌，别人看不到。"
    if has_effect(rules, "kitty_retake") and rules.kitty_retake == "overbid":
        yield "扣底后，别人可以用更大的亮主反底：主改成所亮的，由他拿起扣下的牌再扣。"


def _order(rules: RuleSet) -> Iterator[str]:
    yield "主从大到小：大王 BJ、小王 LJ、主花色的级牌、其他级牌（一样大）、主花色的其余牌 A 到 2。"
    yield "无主时，主只有王和级牌。"
    yield "其余是副，每门 A 到 2。一样大的牌，先出的大。"


def _leads(rules: RuleSet) -> Iterator[str]:
    kinds = "、".join(_KINDS[: rules.decks])
    yield f"庄家先领出，以后由赢一圈的人领出。可以领{kinds}"
    if rules.decks > 1:
        runs = "、".join(f"相邻的{kind}" for kind in _KINDS[1 : rules.decks])
        yield f"，以及{runs}（拖拉机等连牌）。相邻指在一门或主里大小紧挨着，级牌不算在原来的位置上"
    yield "。"


def _throws(rules: RuleSet) -> Iterator[str]:
    if not rules.throws:
        yield "不能甩牌。"
        return
    yield "同一门副牌或主里的几组可以一起领出（甩牌）；别人（同伴也算）手里有同门、同型、更大的，就失败："
    yield _FAILED[rules.failed_throw]
    yield "，也看不出失败了。" if rules.failed_throw == "lowest_card" and not rules.throw_penalty else "。"
    if rules.throw_penalty:
        each = "被大过的牌组每张牌" if rules.throw_penalty_per == "card" else "每次"
        yield f"甩牌失败{each}罚 {rules.throw_penalty} 分。"


def _follows(rules: RuleSet) -> Iterator[str]:
    yield "跟牌张数要一样，先跟领出的那一门（主是一门）；不够就全出，再垫别的。"
    if rules.decks > 1:
        yield "够的话要按牌型跟：对子跟对子，拖拉机跟一样长的，没有就跟短的，再跟对子，其余随便"
        yield f"；{_PRIORITY[rules.follow_priority]}。" if has_effect(rules, "follow_priority") else "。"


def _wins(rules: RuleSet) -> Iterator[str]:
    yield "同型的牌才能赢：全是领出的那一门，或全是主（毙），大的赢。"
    if rules.throws:
        yield f"{_CONTEST[rules.throw_contest]}。"
    yield "赢家一方得这一圈的分。"


def _kitty(rules: RuleSet) -> Iterator[str]:
    yield "" if rules.last_trick_points else "最后一圈里的分不算。"
    if rules.kitty_multiplier == "none":
        yield "扣下的分不算。"
        return
    yield "闲家赢最后一圈，还得扣下的分乘以倍数（抠底）："
    if rules.kitty_multiplier == "cards":
        yield "每人在这一圈出的张数的两倍。"
        return
    figures = [f"{kind} {multiplier(rules, width, 1)}" for width, kind in enumerate(_KINDS[: rules.decks], start=1)]
    if rules.decks > 1:
        figures.append(f"两对的拖拉机 {multiplier(rules, 2, 2)}，三对的 {multiplier(rules, 2, 3)}")
    yield "、".join(figures)
    if has_effect(rules, "kitty_shape"):
        which = "赢牌的人" if rules.kitty_shape == "winner" else "领出的人"
        part = "先看宽的牌组" if rules.kitty_multiplier == "pattern" else "看张数最多的牌组"
        yield f"；按{which}出的牌，{part}"
    yield "。"


def _result(rules: RuleSet) -> Iterator[str]:
    table = rules.table
    if table.last_trick_wins:
        yield f"闲家满 {table.threshold} 分或赢最后一圈就赢，升一级，两样都有升两级；"
        yield f"正好 {table.threshold - DRAW_MARGIN} 分又没赢最后一圈是平局；否则庄家方升 {table.declarers[0][1]} 级。"
    else:
        below = ((f"不到 {bound} 分" if bound > 1 else " 0 分", levels) for bound, levels in table.declarers)
        lost = [f"{points}升 {levels} 级" for points, levels in below]
        won = [f"{points} 分起{f'升 {levels} 级' if levels else '上台不升级'}" for points, levels in table.attackers]
        yield f"按闲家得分：庄家方{'，'.join(lost)}；闲家 {'，'.join(won)}"
        yield f"，此后每 {table.step} 分多升一级。" if table.step else "。"
    yield "庄家方赢，下一局对家坐庄；闲家赢，庄家的下家坐庄。"


def _match(rules: RuleSet) -> Iterator[str]:
    yield {
        "reach_ace": "先到 A 的一队赢整场。",
        "pass_ace": "级到 A 为止，在 A 坐庄打赢的一队赢整场。",
        "beyond_ace": "先升过 A 的一队赢整场，坐庄不坐庄都行。",
        "rounds": f"打 {rules.match_rounds} 局，级高的一队赢整场，一样高是平局。",
    }[rules.match_end]
    if rules.must_defend:
        yield f"{'、'.join(rules.must_defend)} 必打：坐庄打赢一局才能越过。"
    yield _DEMOTION.get(rules.last_trick_demotion, "")
