"""What a seat's answer in words means, and why one is refused.

The last ``[...]`` or JSON object of a text counts, or the whole text if it is short and has neither. What a model has
thought before is dropped, and a thought without an end is no answer.

| in brackets | means |
|---|---|
| ``B`` | the play with this letter, if any are offered |
| ``H3 H3``, ``h 3 3``, ``♥3 ♥3`` | cards, as people type them |
| ``five of hearts``, ``红桃5 大王`` | cards by their names |
| ``pass``, ``rebel``; ``过``, ``造反`` | no bid, or a rebellion |

Of a JSON object, the value of `KEYS` counts.
"""

import re
from collections.abc import Mapping

from shengji_env.engine.actions import PASS, REBEL
from shengji_env.engine.cards import format_cards
from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError, NotationError, ShengjiError, printable
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.typed import read_typed_cards
from shengji_env.players.words.asking import WordsQuestion, joined, owed_text
from shengji_env.render.text import Language
from shengji_env.support.text_files import parse_json

KEYS = ("play", "answer", "cards", "move", "choice", "action")
_SHORT = 40
"""Longest text that counts as an answer without brackets."""
_MOST_QUOTED = 200
"""Most characters that a refusal quotes of an answer."""
_BRACKETS = re.compile(r"\[([^\[\]]*)\]|(\{[^{}]*\})|［([^［］]*)］")
_PASSES = ("pass", "no bid", "none", "过", "不亮", "不叫", "不反", "不造反")
_REBELS = ("rebel", "造反")
_NAMES: Mapping[str, str] = {
    "红桃": "H", "红心": "H", "黑桃": "S", "梅花": "C", "草花": "C", "方块": "D", "方片": "D",
    "无主": "NT", "no trump": "NT",
    "big joker": "BJ", "red joker": "BJ", "large joker": "BJ", "little joker": "LJ", "small joker": "LJ",
    "black joker": "LJ",
}  # fmt: skip
_RANKS: Mapping[str, str] = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "T",
    "jack": "J", "queen": "Q", "king": "K", "ace": "A", "10": "T",
}  # fmt: skip
_RANK_OF_SUIT = re.compile(
    rf"\b({'|'.join(_RANKS)}|[2-9tjqka])s?\s+of\s+(clubs?|diamonds?|hearts?|spades?)\b", re.IGNORECASE
)
_SUIT_WORD = re.compile(r"\b(club|diamond|heart|spade)s?\b", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>|\[/THINK\]|<channel\|>|final<\|message\|>|assistantfinal(?!<)")
_THOUGHT_BEGINS = re.compile(r"<think(?:ing)?>|\[THINK\]|<\|channel\|?>|analysis<\|message\|>|\Aanalysis(?=\w)")
"""How models mark what they think; where special tokens are not written, only the names of channels are left."""
_REFUSALS: Mapping[str, tuple[str, str]] = {
    "no answer": ("there is no answer in brackets", "没有方括号里的回答"),
    "unread": ("[{}] cannot be read: {}", "看不懂 [{}]"),
    "refused": ("[{}] is not legal: {}", "[{}] 不合规则：{}"),
    "legal": ("Legal, for example: {}.", "合法的例如：{}。"),
    "held": ("", "手里没有这么多 {}"),
    "size": ("", "要出 {} 张"),
    "one suit": ("", "一次领出的牌须是同一门，不能甩牌的规则里还须是一组"),
    "not now": ("", "现在不能这样"),
}


class RefusedAnswer(ShengjiError):
    """An answer that cannot be used; the message, in the seat's language, says why and what is legal."""


def answer_in(text: str) -> str:
    """Return what counts of a text.

    Raises:
        RefusedAnswer: it has no answer; there is no message.
    """
    text = _spoken(text)
    *_, found = None, *_BRACKETS.finditer(text)
    answer = ""
    if found is not None:
        square, curly, wide = found.groups()
        answer = _of_object(curly) if curly else (square or wide or "").strip()
    elif len(text.strip()) <= _SHORT and "\n" not in text.strip():
        answer = text.strip()
    if not answer:
        raise RefusedAnswer()
    return answer


def _spoken(text: str) -> str:
    """Return what follows the thoughts in a text."""
    *_, end = 0, *(found.end() for found in _THOUGHT_ENDS.finditer(text))
    if _THOUGHT_BEGINS.search(text, end):
        raise RefusedAnswer()
    return text[end:]


def _of_object(text: str) -> str:
    given = parse_json(text, RefusedAnswer)
    texts = {str(key).lower(): value for key, value in given.items()}
    value = next((texts[key] for key in KEYS if key in texts), None)
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if not isinstance(value, str):
        raise RefusedAnswer()
    return value.strip().strip("[]").strip()


def read_answer(text: str, question: WordsQuestion, language: Language) -> Answer:
    """Return what a text answers to a question.

    Raises:
        RefusedAnswer: it has no answer, or one that is not legal; the message says why and what is legal.
    """
    decision = question.decision
    try:
        given = answer_in(text)
    except RefusedAnswer:
        raise RefusedAnswer(_sentence(language, question, _say(language, "no answer"))) from None
    letter = given.upper().rstrip(".:)")
    if letter in question.offers:
        return question.offers[letter]
    try:
        return _read(given, decision)
    except IllegalActionError as error:
        why = error.reason if language == "en" else _chinese_reason(given, decision)
        reason = _say(language, "refused").format(_quoted(given), why)
        raise RefusedAnswer(_sentence(language, question, reason, error.legal)) from error
    except (NotationError, ShengjiError) as error:
        reason = _say(language, "unread").format(_quoted(given), _quoted(str(error)))
        raise RefusedAnswer(_sentence(language, question, reason)) from error


def _read(given: str, decision: Decision) -> Answer:
    lowered = given.lower()
    if decision.phase in (Phase.BID, Phase.REBEL) and lowered in _PASSES:
        return PASS
    if decision.phase == Phase.REBEL and lowered in _REBELS:
        return REBEL
    return decision.read(as_notation(given))


def as_notation(text: str) -> str:
    """Return a text with names of cards in English or Chinese as ranks and suits."""
    text = _RANK_OF_SUIT.sub(
        lambda found: f"{found[2][0].upper()}{_RANKS.get(found[1].lower(), found[1].upper())} ", text
    )
    for name, notation in _NAMES.items():
        text = re.sub(name, f" {notation}", text, flags=re.IGNORECASE)
    return _SUIT_WORD.sub(lambda found: found[1][0].upper(), text)


def _quoted(text: str) -> str:
    """Return a text that may be long, and hold anything, as a refusal quotes it."""
    return printable(text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}…")


def _say(language: Language, name: str) -> str:
    return _REFUSALS[name][language == "zh"]


def _sentence(language: Language, question: WordsQuestion, reason: str, legal: tuple[str, ...] = ()) -> str:
    """Return a refusal: why, what is legal, how to answer."""
    stop = "." if language == "en" else "。"
    examples = [] if question.offers else list(legal[:3]) or [question.example]
    sentences = [reason[:1].upper() + reason[1:].rstrip(".。") + stop]
    if examples and examples[0]:
        sentences.append(_say(language, "legal").format(" | ".join(examples)))
    sentences += [owed_text(question.decision, language), question.form(language)]
    return joined(language, *sentences)


def _chinese_reason(given: str, decision: Decision) -> str:
    """Return in Chinese why cards that could be read may not be played."""
    if decision.phase not in (Phase.BURY, Phase.LEAD, Phase.FOLLOW):
        return _say("zh", "not now")
    cards = read_typed_cards(as_notation(given))
    missing = cards > decision.hand
    if missing.any():
        return _say("zh", "held").format(format_cards(missing.astype(cards.dtype)))
    size = {Phase.BURY: decision.rules.kitty, Phase.FOLLOW: int(decision.state["lead_size"])}.get(decision.phase)
    if size is not None and cards.sum() != size:
        return _say("zh", "size").format(size)
    if decision.phase == Phase.FOLLOW:
        return owed_text(decision, "zh").rstrip("。")
    return _say("zh", "one suit")
