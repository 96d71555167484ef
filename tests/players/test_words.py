"""A round told in words, and answers in words: docs/environments/words.md."""

import random
import re

import numpy as np
import pytest

from shengji_env.engine.rule_options import CHOICES, OPTION_NAMES
from shengji_env.engine.rule_sets import PRESETS, RuleSetError, parse_rules, rule_set
from shengji_env.envs.positions import Position
from shengji_env.envs.words import WordsEnv
from shengji_env.errors import ShengjiError
from shengji_env.players.decisions import Decisions, num_plays, tables_behind
from shengji_env.players.exec.bot_messages import Words
from shengji_env.players.exec.in_words import SeatInWords
from shengji_env.players.registry import as_player
from shengji_env.players.words.answering import RefusedAnswer, answer_in, as_notation
from shengji_env.render import explain_rules
from shengji_env.render.chinese_rules import chinese_rules
from shengji_env.render.shown_values import has_effect
from shengji_env.vector import BatchEnv
from tests.helpers.conversations import Conversation, in_another_deal, other_world
from tests.helpers.thorough import thorough

LANGUAGES = "en", "zh"
MANY_RULES = (
    *PRESETS,
    "two_deck(no_bid=partner_names,max_redeals=0,failed_throw=next_seat_chooses,throw_penalty=10)",
    "two_deck(rebellion=redeal,rebellion_points=60,rebellion_trumps=12)",
)
MOST = {("en", "new"): 2400, ("en", "whole"): 4800, ("zh", "new"): 1200, ("zh", "whole"): 2400}
"""The most characters of a prompt with offered plays, with two decks at most."""


def play(env, seed, choose):
    """Play a round; return the texts that were told and asked."""
    env.reset(seed=seed)
    texts = []
    while not env.is_over:
        texts.append(env.observe())
        assert env.observe() == texts[-1]
        env.step(choose(texts[-1]))
    return texts


def first_offered(text):
    return "[A]" if re.search("^A: ", text, re.MULTILINE) else "[pass]"


def any_letter(words):
    def choose(text):
        letters = re.findall(r"^([A-Z]{1,2}): ", text, re.MULTILINE)
        example = text.rpartition("[")[2].partition("]")[0]
        return f"It may be A or B, so: [{words.choice(letters or [example])}]"

    return choose


# ---- what is told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rules", ["two_deck", *thorough(*MANY_RULES[1:])])
def test_a_round_is_told_and_answered_in_words_under_all_rules(rules, language):
    """Rewards are those of the position that has been reached; prompts keep to their lengths."""
    words = random.Random(1)
    for offer, history in (("candidates", "new"), ("candidates", "whole"), ("legal", "new"), ("free", "whole")):
        env = WordsEnv(rules, language=language, offer=offer, history=history)
        texts = play(env, 5, any_letter(words))
        position = Position.of(env._env)
        assert position.is_terminal()
        assert env.rewards == position.returns("levels")
        assert env.result["attackers_points"] == position.result["attackers_points"]
        assert not any(each.refused for each in env.counts.values())
        assert sum(each.decisions for each in env.counts.values()) == len(texts)
        assert all("[" in text and "{" not in text for text in texts)
        if parse_rules(rules).decks <= 2 and offer == "candidates":
            assert max(map(len, texts)) <= MOST[language, history]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rules", ["two_deck", "three_deck", "competition", "duplicate"])
def test_nothing_is_told_that_the_seat_may_not_know(rules, language):
    """Told of another deal that it cannot tell from this one, a seat hears the same."""
    rng, told = np.random.default_rng(1), []

    def compare(conversation, decisions, place, question):
        tables, rows = tables_behind(decisions)
        feed, seat = conversation.feeds[int(rows[place])], int(tables.seats[rows[place]])
        world = in_another_deal(feed, other_world(feed._transcript.states, seat, decisions.rules, rng))
        asked = Words(1, language, "candidates", "whole")
        here, there = (SeatInWords(decisions.rules, asked).prompt(each, seat, question) for each in (feed, world))
        assert here == there
        told.append(here)

    rules = parse_rules(rules)
    env = BatchEnv(1, rules, seed=3, start="any", skip_forced=True, record=True, history=num_plays(rules))
    player = Conversation(as_player("random"), watch=compare)
    for _ in range(60):
        env.step(player.decide(Decisions.at(env.tables, np.arange(1))))
    assert len(told) > 10


def test_each_play_is_told_once_or_in_the_whole_each_time():
    env = WordsEnv("two_deck", (1,), history="new")
    texts = play(env, 3, first_offered)
    told = "\n".join([*texts, env.ending(1)])
    tricks = int(env._env.tables.states["tricks"][0])
    assert [int(number) for number in re.findall(r"^Trick (\d+):", told, re.MULTILINE)] == list(range(1, tricks + 1))
    assert told.count("The round is over") == 1
    whole = play(WordsEnv("two_deck", (1,), history="whole"), 3, first_offered)
    assert len(whole) == len(texts)
    for new, everything in zip(texts, whole, strict=True):
        assert everything.endswith(new[-200:])
        assert everything.startswith("A round begins.")


# ---- what is answered


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("[B]", "B"),
        ("First [A], no: [H3 H3].", "H3 H3"),
        ('I play {"play": "B"}', "B"),
        ('{"thought": "x", "cards": ["H3", "H3"]}', "H3 H3"),
        ('[A] {"answer": "[C]"}', "C"),
        ("选 ［B］", "B"),
        (" b ", "b"),
    ],
)
def test_the_last_answer_of_a_text_counts(text, answer):
    assert answer_in(text) == answer


@pytest.mark.parametrize(
    "text",
    ["A" * 50, "one\ntwo", '{"play": 3}', "{no json}", "", " ", "[]", "[A] [ ]", '{"play": ""}', '{"play": "[]"}',
     '{"play": ' + 99_999 * "[" + 99_999 * "]" + "}"],
)  # fmt: skip
def test_a_text_without_an_answer_has_none(text):
    with pytest.raises(RefusedAnswer):
        answer_in(text)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("five of hearts, 10 of spades", "H5 ST"),
        ("Ace of Spades", "SA"),
        ("big joker, little joker", "BJ LJ"),
        ("hearts 5 5", "H 5 5"),
        ("红桃5 红桃5 大王", "H5 H5 大王"),
        ("方块A 黑桃10", "DA S10"),
        ("H3 H3", "H3 H3"),
    ],
)
def test_cards_are_read_by_their_names(text, cards):
    assert as_notation(text).replace(",", " ").split() == cards.split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_says_why_and_what_is_legal(language):
    env = WordsEnv("two_deck", (1,), language=language, offer="free", retries=20)
    env.reset(seed=3)
    while env._question.kind != "follow":
        env.step(f"[{env._question.legal or 'pass'}]")
    said = []
    for text in ("I do not know what to play, I would have to think much more", "[ZZ]", "[LJ LJ LJ LJ]"):
        info = env.step(text)
        assert info["play"] is None
        assert env.observe() == info["refused"]
        assert env._question.legal in info["refused"]
        said.append(info["refused"])
    assert len(set(said)) == len(said)
    assert {bool(re.search("[一-龥]", each)) for each in said} == {language == "zh"}
    assert env.counts[1].refused == len(said)
    for text in ("\ud83d\x1b[2J", "H" * 1_000_000, "LJ " * 300_000, "\ud83d" * 1000):
        refused = env.step(f"[{text}]")["refused"]
        assert refused.isprintable() or refused.replace("\n", "").isprintable()
        assert len(refused) < 4000
    with pytest.raises(ShengjiError, match="the answer None is no text"):
        env.step(None)
    legal = env._question.legal
    assert env.step(f"[{legal}]")["play"] == legal


@pytest.mark.parametrize("illegal", ["forfeit", "first_legal", "random"])
def test_what_becomes_of_a_decision_without_a_usable_answer(illegal):
    env = WordsEnv("two_deck", (0, 2), illegal=illegal, retries=1)
    env.reset(seed=3)
    first = env.seat
    assert env.step("[nonsense]") | {"refused": ""} == {"seat": first, "refused": "", "play": None, "illegal": False}
    info = env.step("[nonsense]")
    assert info["illegal"]
    assert (env.counts[first].refused, env.counts[first].illegal) == (2, 1)
    if illegal == "forfeit":
        assert env.is_over
        assert env.rewards == [-3.0, 3.0, -3.0, 3.0]
        assert env.result is None
        with pytest.raises(ShengjiError, match="the round is over"):
            env.step("[A]")
    else:
        assert info["play"] is not None
        play(env, 3, lambda _: "[nonsense]")
        assert env.counts[0].illegal == env.counts[0].decisions > 10


def test_the_same_seed_and_answers_give_the_same_texts():
    first, again = (play(WordsEnv("two_deck", illegal="random", retries=0), 9, lambda _: "[?]") for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"language": "fr"}, "language='fr'"),
        ({"offer": "all"}, "offer='all'"),
        ({"history": "none"}, "history='none'"),
        ({"illegal": "pass"}, "illegal='pass'"),
        ({"retries": -1}, "retries"),
        ({"seats": ()}, "seats=() must be one or more of the seats 0 to 3"),
        ({"seats": 0}, "seats=0 must be one or more of the seats 0 to 3"),
        ({"seats": "02"}, "seats='0' is not a seat"),
        ({"seats": (4,)}, "4"),
    ],
)
def test_wrong_arguments_are_refused(settings, message):
    with pytest.raises(ShengjiError, match=re.escape(message)):
        WordsEnv("two_deck", **settings)


def test_nothing_works_before_a_round_has_begun():
    env = WordsEnv("two_deck", (0,))
    for call in (env.observe, lambda: env.step("[A]"), lambda: env.rewards, lambda: env.ending(0)):
        with pytest.raises(ShengjiError, match=r"call reset\(\) first"):
            call()


# ---- the rules in Chinese


@pytest.mark.parametrize("preset", PRESETS)
def test_what_english_rules_tell_apart_chinese_rules_tell_apart(preset):
    base = rule_set(preset).options
    for option in OPTION_NAMES:
        number = (base[option], base[option] + 1) if type(base[option]) is int else ()
        texts = {}
        for value in CHOICES.get(option) or {"must_defend": ("", "TK"), "decks": ()}.get(option, number):
            try:
                rules = rule_set(preset, **{option: value})
            except RuleSetError:
                continue
            if has_effect(rules, option):
                texts[explain_rules(rules).partition("\n\n")[2]] = chinese_rules(rules)
        assert len(set(texts.values())) == len(texts), option
