"""The rules of play in words: leads and throws, follows, who wins a trick.

Each function takes a rule set and returns paragraphs; those that begin with `BULLET` are points of a list. The
components of a throw are called its parts; with one deck they are cards.

Source: docs/rules.md §7–§10.
"""

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.render.order_words import neighbours
from shengji_env.render.text import BULLET, number

KINDS = (
    ("single card", "", ""),
    ("pair", "tractor", "tractor of {} pairs"),
    ("triple", "Titanic", "Titanic of {} triples"),
    ("quad", "run of quads", "run of {} quads"),
)
"""What a component is called, by width from 1: alone, as a run, as a run of some length."""
_CHINESE = {"pair": "对, ", "tractor": "拖拉机, ", "triple": "三张, ", "Titanic": "泰坦尼克, "}

TITANIC_WAYS = {
    "width_first": ("two triples", "a triple and a pair", "a triple", "a tractor", "two pairs", "a pair"),
    "triples_then_tractors": ("two triples", "a tractor", "a triple and a pair", "a triple", "two pairs", "a pair"),
    "tractors_first": ("a tractor", "two triples", "a triple and a pair", "a triple", "two pairs", "a pair"),
}
"""What a hand without a Titanic plays to a Titanic of two: by `follow_priority`, the best first, singles left out."""
_LONGER_WAYS = {
    "width_first": "the widest first",
    "triples_then_tractors": "first what is all as wide as the lead, then what has a run in it, then the rest",
    "tractors_first": "first what has a run in it, then the rest",
}


def leading(rules: RuleSet) -> list[str]:
    """Explain what may be led, and what becomes of a throw that fails (§7, §8)."""
    lead = "The declarer leads to the first trick (圈), whoever wins a trick to the next. A lead is "
    if rules.decks == 1:
        paragraphs = [f"{lead}a {KINDS[0][0]}."]
    else:
        paragraphs = [f"{lead}a {_kinds_text(rules)}.", neighbours(rules)]
    if not rules.throws:
        return [*paragraphs, "Throws (甩牌), several at once, are not allowed."]
    return [*paragraphs, _throws(rules), _failed_throws(rules)]


def _kinds_text(rules: RuleSet) -> str:
    """Return the kinds of components, each with its meaning."""
    kinds = [KINDS[0][0]]
    for width in range(2, rules.decks + 1):
        kind, run, _ = KINDS[width - 1]
        kinds.append(f"a {kind} ({_CHINESE.get(kind, '')}{number(width)} identical cards)")
        kinds.append(f"a {run} ({_CHINESE.get(run, '')}{kind}s of neighbouring cards)")
    return f"{', '.join(kinds[:-1])} or {kinds[-1]}"


def _throws(rules: RuleSet) -> str:
    if rules.decks == 1:
        several, higher = "Several cards", "a higher card of that suit than one of them"
    else:
        several, higher = "Several of these", "in that suit a higher one of the same kind as one of its parts"
    return (
        f"{several}, all of one plain suit or all trumps, may be led together: a throw (甩牌). It stands if no other "
        f"player, the partner included, holds {higher}."
    )


def _failed_throws(rules: RuleSet) -> str:
    part = "card" if rules.decks == 1 else "part"
    if rules.failed_throw == "lowest" and rules.decks > 1:
        instead = "the part whose highest card is the lowest is led instead, beaten or not"
    elif rules.failed_throw == "lowest_card":
        weakest = "cards" if rules.decks == 1 else "part whose highest card is the lowest"
        instead = f"only the lowest card of the beaten {weakest} is led instead"
    elif rules.failed_throw != "next_seat_chooses":
        size = "lowest" if rules.decks == 1 else "smallest (the fewest cards, then the lowest)"
        instead = f"the {size} of the beaten {part}s is led instead"
    else:
        instead = f"a beaten {part} is led instead; if there are several, the next player chooses which"
    if rules.failed_throw != "lowest_card":
        seen = "All have seen"
    else:
        seen = "Nobody has seen" if rules.throw_penalty else "Nobody has seen that it failed, nor"
    text = f"If it fails, {instead}. {seen} the other cards, which go back to the hand."
    if rules.throw_penalty:
        each = f" for each card of the beaten {part}s" if rules.throw_penalty_per == "card" else ""
        text += (
            f" The thrower's side also pays {rules.throw_penalty} points{each}: the attackers' points rise by them or "
            "fall, even below 0."
        )
    return text


def following(rules: RuleSet) -> list[str]:
    """Explain what a follower owes (§9)."""
    paragraphs = [
        "Everybody plays as many cards as were led. Cards of the suit led come first, and trumps are a suit of their "
        "own; whoever has too few plays all of these and any others."
    ]
    if rules.decks == 1:
        return paragraphs
    throws = " In a throw, the widest part is answered first, of equal width the longest." if rules.throws else ""
    paragraphs.append(
        "Whoever has more of the suit than were led must match the lead as well as the hand can, even if that breaks "
        f"something up, and fills in with any cards of the suit.{throws}"
    )
    return [*paragraphs, *(BULLET + duty for duty in _duties(rules))]


def _duties(rules: RuleSet) -> list[str]:
    """Return what must be played to each kind of lead, the best first."""
    duties = ["To a pair: a pair.", "To a tractor: one as long, else shorter ones, the longest first, then pairs."]
    if rules.decks > 2:
        ways = ", else ".join(TITANIC_WAYS[rules.follow_priority])
        duties += [
            "To a triple: a triple, else a pair.",
            f"To a Titanic of two triples: a Titanic, else {ways}. To longer ones in the same manner: "
            f"{_LONGER_WAYS[rules.follow_priority]}.",
        ]
    if rules.decks > 3:
        duties.append("To a quad: a quad, else a triple, else two pairs, else a pair. To runs of quads as to Titanics.")
    return duties


def winning(rules: RuleSet) -> list[str]:
    """Explain who wins a trick (§10)."""
    if rules.decks == 1:
        wins = "The highest card of the suit led wins a trick; any trump beats it (毙), and a higher trump that one."
        if rules.throws:
            wins += f" A throw is beaten only by as many trumps; {_second_ruff(rules)}."
    else:
        kind = "the same parts as the lead" if rules.throws else "the same kind as the lead"
        wins = (
            f"Only a play of {kind} can win a trick: all of the suit led, or all trumps, which beat the suit led (毙). "
            "The higher one wins, of equal ones the earlier."
        )
        if rules.throws:
            wins += f" In a throw, the widest part decides, of equal width the longest{_second_ruff_of_parts(rules)}."
    return [f"{wins} Anything else is a discard (垫). The winner's side takes the points that lie in the trick."]


def _second_ruff(rules: RuleSet) -> str:
    """Return which of two ruffs of a throw wins with one deck."""
    if rules.throw_contest == "all":
        return "another such play beats them only if each of its cards is higher, from the highest to the lowest"
    return "of two such plays the one with the highest card wins"


def _second_ruff_of_parts(rules: RuleSet) -> str:
    if rules.throw_contest == "principal":
        return ""
    if rules.throw_contest == "highest":
        return "; but of two ruffs the one with the highest card wins"
    return "; but a ruff beats another ruff only if every part of it is higher"
