"""A person as a player: what is typed is played, a refusal gives its reason, nothing hidden is shown."""

import re
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.faults import FaultKeeper
from shengji_env.cli import main
from shengji_env.engine.cards import NUM_CARDS, RANKS, SUITS, card_text, format_cards, parse_card_list, parse_cards
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.envs.seat import SeatEnv
from shengji_env.errors import NotationError, PlayerError
from shengji_env.players import Decisions, num_plays
from shengji_env.players.answers import Decision
from shengji_env.players.human import HumanPlayer
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.typed import read_typed_cards, read_typed_trump
from shengji_env.records.writing import finished_round, round_so_far
from shengji_env.render import render_table
from shengji_env.render.view import view_table
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables
from shengji_env.vector import BatchEnv
from tests.helpers.paths import ROOT
from tests.helpers.thorough import thorough
from tests.helpers.typists import Screen, Typist, follow_hints, sit_down

ROW = np.zeros(1, np.int64)
FAST = ["--deals", "2", "--rules", "one_deck", "--seed", "3"]


def seated(*lines, then=None):
    """A person who types lines, and the screen."""
    screen = Screen()
    return HumanPlayer(terminal=Terminal(Typist(screen, *lines, then=then), screen)), screen


def table(rules, **options):
    env = shengji_v0.raw_env(rules, record=True, skip_forced=True, history=num_plays(as_rules(rules)))
    env.reset(seed=5, options=options)
    return env


def ask(env, *lines):
    """Let a person who types lines make a whole decision of an AEC environment; returns the screen's text."""
    player, screen = seated(*lines)
    while True:
        try:
            env.step(int(player.decide(Decisions.at(env.tables, ROW))[0]))
        except KeyboardInterrupt:
            pytest.fail(f"no line was accepted:\n{screen.getvalue()}")
        if env.states["taken_size"][0] == 0:
            return screen.getvalue()


def deal_of(rules, *hands, first_drawer=0):
    """A deal in which the seats draw these cards first; the rest is clubs for seat 0, diamonds, spades, hearts."""
    rules = as_rules(rules)
    named = [parse_card_list(hand) for hand in (*hands, "", "", "")[:4]]
    left = [card for card in range(NUM_CARDS) for _ in range(rules.decks)]
    for card in (card for hand in named for card in hand):
        left.remove(card)
    left.sort(key=lambda card: (card >= 52 or card % 13 == 0, (0, 1, 3, 2, 4)[card // 13], card))
    for hand in named:
        while len(hand) < rules.hand:
            hand.append(left.pop(0))
    order = [named[(first_drawer + place) % 4][place // 4] for place in range(4 * rules.hand)]
    return " ".join(card_text(card) for card in order + left)


FIXED = "two_deck(bidding=fixed)"


def fixed_table(*hands, rules=FIXED):
    """Seat 0 is to bury, spades are trumps, twos the level."""
    return table(rules, deal=deal_of(rules, *hands), declarer=0, trump="S", levels=["2", "2"])


def bury_low(env):
    """Bury clubs and diamonds."""
    decision = Decision(Decisions.at(env.tables, ROW), 0)
    cards = [card for card in np.repeat(np.arange(NUM_CARDS), decision.hand).tolist() if card < 26]
    ask(env, " ".join(card_text(card) for card in cards[: env.rules.kitty]))


# ---- what people type


@pytest.mark.parametrize(
    ("typed", "cards"),
    [
        ("H3 H3", "H3 H3"), ("h3,h3", "H3 H3"), ("h33", "H3 H3"), ("♥ 3 3   ♠ A", "H3 H3 SA"),
        ("HT h10 ♥10", "HT HT HT"), ("lj BJ", "LJ BJ"), ("dj", "DJ"), ("d j bj j", "DJ DJ BJ"),
        ("♦ 4 5 ♥K LJ", "D4 D5 HK LJ"), ("小王,大王", "LJ BJ"),
        ("h3h4s2", "H3 H4 S2"), ("", ""),
    ],
)  # fmt: skip
def test_cards_are_read_as_people_type_them(typed, cards):
    assert (read_typed_cards(typed) == parse_cards(cards)).all()


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("banana", "'BANANA' is not a card"), ("3 3", "'3' has no suit"), ("H3 x", "'X' is not a card"),
        ("h3h", "ends with a suit"), ("hh3", None), ("H1", "'H1' is not a card"), ("H3 H3 H3 H3 H3", "5 copies"),
    ],
)  # fmt: skip
def test_what_is_no_card_is_said(typed, why):
    if why is None:
        assert (read_typed_cards(typed) == parse_cards("H3")).all()
    else:
        with pytest.raises(NotationError, match=why):
            read_typed_cards(typed)


def test_every_card_is_read_back_from_its_text_and_from_how_tables_draw_it():
    for card in range(NUM_CARDS):
        assert read_typed_cards(card_text(card).lower())[card] == 1
    for suit, symbol in zip(SUITS, "♣♦♥♠", strict=True):
        assert format_cards(read_typed_cards(f"{symbol} {' '.join(RANKS)}")).split() == [suit + rank for rank in RANKS]


def test_trumps_are_read_as_people_type_them():
    assert [read_typed_trump(text) for text in ("c", "♦", "Hearts", "s", "nt", "no trump")] == [0, 1, 2, 3, 4, 4]
    with pytest.raises(NotationError, match="names no trumps; write one of C, D, H, S, NT"):
        read_typed_trump("x")


# ---- what is typed is played


def in_some_form(text, rng):
    if text == "pass":
        return "wait"  # a pass would apply to the next decision too
    forms = [text, text.lower(), text.replace(" ", ""), text.replace(" ", ", ")]
    return forms[rng.integers(len(forms))]


def random_decision(env, decision, rng):
    """A random legal answer to a decision, and the actions that it is made of."""
    tables = Tables(TableSettings(rules=env.rules), ROW)
    tables.states[:], tables.masks[:] = env.states, env.action_mask
    cards, actions = decision.now["taken"][0].copy(), []
    while True:
        actions.append(int(rng.choice(np.flatnonzero(tables.masks[0]))))
        if actions[-1] >= len(cards) or decision.phase == Phase.FORCED:
            return (actions[-1] if len(actions) == 1 and decision.phase != Phase.LEAD else cards), actions
        cards[actions[-1]] += 1
        size = tables.states["taken_size"][0]
        tables.step(np.array(actions[-1:]))
        if tables.states["taken_size"][0] != size + 1:
            return cards, actions


def log_of(env, round_index):
    """The actions of a round since it was last dealt."""
    log = env.tables.logs[0]
    if env.states["round_index"][0] == round_index:
        return log["actions"][: env.tables.progress["logged"][0]].tolist()
    return log["finished_actions"][: log["finished_size"]].tolist()


@pytest.mark.parametrize("is_forced_skipped", [True, False])
@pytest.mark.parametrize(
    "rules",
    [
        "two_deck", *thorough("one_deck", "three_deck", "competition", "two_deck(throws=False)"),
        "two_deck(failed_throw=next_seat_chooses, throw_penalty=10)",
    ],
)  # fmt: skip
def test_a_typed_play_is_the_play(rules, is_forced_skipped):
    """Random legal decisions, typed, are the actions that they are made of."""
    env = BatchEnv(
        1, rules, seed=8, start="any", record=True, skip_forced=is_forced_skipped, history=num_plays(as_rules(rules))
    )
    rng = np.random.default_rng(8)
    typed = []
    player, screen = seated(then=lambda _: typed.pop())
    phases = set()
    while env.states["round_index"][0] < 1:
        round_index, redeals = int(env.states["round_index"][0]), int(env.states["redeals"][0])
        decision = Decision(Decisions.at(env.tables, ROW), 0)
        phases.add(decision.phase)
        answer, actions = random_decision(env, decision, rng)
        expected = log_of(env, round_index) + actions
        typed[:] = [in_some_form(decision.text(answer), rng)]
        while True:
            env.step(player.decide(Decisions.at(env.tables, ROW)))
            made = log_of(env, round_index)
            if len(made) >= len(expected) or env.states["redeals"][0] != redeals:
                break
        assert env.states["redeals"][0] != redeals or made[: len(expected)] == expected
    assert {Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= phases
    assert "refused" not in screen.getvalue()


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "three_deck", "four_deck", "competition"])
def test_hints_are_what_the_heuristic_player_does(rules):
    def records(player):
        batch = DealBatch((player,), as_rules(rules), 2, range(1), lineup=np.zeros((1, 4), np.int64))
        for _, finished in batch.play():
            if len(finished):
                return finished_round(batch.env)

    person, screen = seated(then=follow_hints)
    assert records(person) == records(make_player("heuristic"))
    assert "heuristic: " in screen.getvalue()


# ---- reasons


def test_a_bury_is_refused_for_number_and_cards_not_held():
    env = fixed_table("C3 C4 C5 C6 C7 C8 C9 CT HA HA")
    text = ask(env, "c3", "C3 C4 C5 C6 C7 C8 C9 CT CT CT", "h a a a", "C3 C4 C5 C6 C7 C8 C9 CT")
    assert "8 cards are to be buried, these are 1" in text
    assert re.search(r"the hand holds \d CT, not 3", text)
    assert "the hand holds 2 HA, not 3" in text
    assert env.states["phase"][0] == Phase.LEAD


def test_a_lead_is_refused_for_mixed_suits_and_for_throws_where_there_are_none():
    env = fixed_table("HA HA HK S2 D9", rules="two_deck(bidding=fixed, throws=False)")
    bury_low(env)
    text = ask(env, "HA S2", "HA HK", "ha s3 x", "HA HA")
    assert "'S2' is of trumps, 'HA' of hearts" in text
    assert "and throws is off" in text
    assert "'X' is not a card" in text
    assert env.states["lead_size"][0] == 2


def test_a_follow_is_refused_with_what_is_owed():
    env = fixed_table("H3 H3 HA", "H9 H9 HT HT HK HA D4 D4")
    bury_low(env)
    ask(env, "H3 H3")
    text = ask(env, "hk ha", "h9", "d4 d4", "h9 h9 h9", "pass", "h9 h9")
    assert "the hand owes a pair of hearts" in text
    assert "it has 1 card, the lead 'H3 H3' has 2" in text
    assert "leaves no room for that; for example: H9 H9" in text
    assert "the hand holds 2 H9, not 3" in text
    assert "only bids and rebellions can be passed on" in text
    assert env.states["seat"][0] == 2


def test_a_bid_is_refused_for_what_it_shows_and_what_stands():
    hands = "C3 H2 H2 S5", "S2 C4 C5", "C6 C7 C8", "C9 CT CJ"
    env = table("two_deck", deal=deal_of("two_deck", *hands), first_drawer=0, levels=["2", "2"])
    assert "bid 亮主 · S2 · Enter: pass" in ask(env, "S2")
    text = ask(env, "h2", "s5", "lj lj", "c3 h2", "h2 h2")
    assert "it is not stronger than the standing bid of seat 1; possible: H2 H2" in text
    assert "a bid shows 2s of one suit, or two or more equal jokers" in text
    assert "the hand holds no LJ" in text
    assert "seat 1 bids 亮主 ♠2 after 2 cards" in text
    assert (env.states["bid_seat"][0], env.states["bid_count"][0]) == (0, 2)


def test_the_holder_of_the_standing_bid_may_only_reinforce_it():
    hands = "S2 H2 H2 S2", "C3", "C4", "C5"
    env = table("two_deck", deal=deal_of("two_deck", *hands), first_drawer=0, levels=["2", "2"])
    ask(env, "S2")
    text = ask(env, "h2 h2", "s2 s2")
    assert "this seat's own: it may only be reinforced 加固" in text
    assert env.states["bid_count"][0] == 2


def test_trumps_are_named_where_the_partner_names_them():
    env = table("competition", deal=deal_of("competition", "C3"), declarer=2, levels=["5", "5"])
    while env.states["phase"][0] == Phase.BID:
        ask(env, "pass")
    assert (env.states["phase"][0], env.states["seat"][0]) == (Phase.NAME, 0)
    text = ask(env, "x", "hearts")
    assert "'x' names no trumps" in text
    assert env.states["trump"][0] == 2


def test_no_trump_is_not_named_where_nobody_bids_it():
    rules = "competition(no_trump_bids=False)"
    env = table(rules, deal=deal_of(rules, "C3"), declarer=2, levels=["5", "5"])
    while env.states["phase"][0] == Phase.BID:
        ask(env, "pass")
    text = ask(env, "NT", "S")
    assert "these rules have no bid of no trump; possible: C | D | H | S" in text


# ---- what is reported


def test_a_failed_throw_is_told_with_its_cost():
    rules = "two_deck(bidding=fixed, throw_penalty=10)"
    env = fixed_table("HA HK HQ D3", "HA H3 H4", "H5", "H6", rules=rules)
    bury_low(env)
    ask(env, "ha hk hq")
    text = ask(env, "h3")
    assert "trick 1   seat 0  ♥ Q K A\n" in text
    assert "the throw fails 甩牌失败 and costs 10 points: ♥ Q is led" in text
    assert env.states["attackers_points"][0] == 10


def test_the_next_seat_chooses_what_a_failed_throw_leads():
    rules = "two_deck(bidding=fixed, failed_throw=next_seat_chooses)"
    env = fixed_table("HQ HQ HT D3", "HA HA", "HK HK HJ", "H6", rules=rules)
    bury_low(env)
    ask(env, "hq hq ht")
    assert env.states["phase"][0] == Phase.FORCED
    text = ask(env, "ha", "hq ht", "hq hq")
    assert "seat 1 chooses what is led" in text
    assert "choose what is led 指定出牌 · HQ HQ | HT >" in text
    assert text.count("it is none of the throw's beaten components") == 2
    assert "seat 1 chooses: ♥ Q Q is led" in ask(env, "h 3 3")


def test_what_was_told_is_not_told_again_and_a_new_round_begins_anew():
    player, screen = seated(then=follow_hints)
    for _ in DealBatch((player, make_player("greedy")), as_rules("one_deck"), 4, range(1)).play():
        pass
    text = screen.getvalue()
    assert len(re.findall(r"  trick 1  ", text)) == 2
    assert text.count("wins the trick") == 2 * 12
    assert text.count("next declarer") == 2


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_telling_is_never_taken_back(language):
    """What is told of a longer round begins with what was told of it before, to its record at the end."""
    terminal = Terminal()
    terminal.language = language
    for rules in ("two_deck", "competition", "two_deck(failed_throw=next_seat_chooses)", "one_deck_45", "duplicate"):
        env = BatchEnv(1, rules, seed=6, start="any", record=True)
        told, redeals = [], 0
        for _ in range(900):
            if env.states["redeals"][0] != redeals:
                told, redeals = [], env.states["redeals"][0]
            lines = terminal._lines(round_so_far(env.tables, 0).public_record(), env.rules)
            assert lines[: len(told)] == told
            told = lines
            env.step(env.sample_actions())
            if env.states["round_index"][0]:
                lines = terminal._lines(finished_round(env), env.rules)
                assert lines[: len(told)] == told or any("turned up" in line for line in told)
                break
        else:
            raise AssertionError("the round has no end")


def test_hidden_hands_have_their_sizes():
    env = BatchEnv(1, "two_deck", seed=9, start="any", record=True)
    for _ in range(250):
        hidden_state = Decisions.at(env.tables, ROW).states[0]
        seat = int(env.seat[0])
        for_seat, of_all = (view_table(state, env.rules, viewer=seat) for state in (hidden_state, env.states[0]))
        assert render_table(for_seat) == render_table(of_all)
        env.step(env.sample_actions())


def with_swapped_cards(env, seat, rng):
    """The same round so far in a world in which two other seats have exchanged cards that nobody has seen; or None.

    Level cards stay: with others, others would be asked to bid.
    """
    state, trump = env.states[0], Decision(Decisions.at(env.tables, ROW), 0).trump
    deal = state["deal"][: env.rules.decks * NUM_CARDS].copy()
    holders = rng.permutation([other for other in range(4) if other != seat])[:2]
    places = []
    for holder in holders:
        unseen = (state["hands"][holder] - state["known"][holder])[trump.slots]
        plain = [card for card in np.flatnonzero(unseen > 0) if card < 52 and card % 13 not in state["levels"]]
        drawn = np.arange(holder - state["first_drawer"], 4 * env.rules.hand, 4)
        places.append(next((place for place in drawn[drawn >= 0] if deal[place] in plain), None))
    if None in places:
        return None
    deal[places] = deal[places[::-1]]
    world = shengji_v0.raw_env(env.rules, record=True, history=num_plays(env.rules))
    options = {"levels": [RANKS[level] for level in state["levels"]], "first_drawer": int(state["first_drawer"])}
    world.reset(seed=0, options={**options, "deal": deal.tolist()})
    for action in log_of(env, int(state["round_index"])):
        if world.terminations["player_0"] or not world.tables.masks[0][action]:
            return None  # a play that the new cards do not allow
        world.step(action)
    is_same = (world.states["known"] == env.states["known"]).all() and world.states["seat"][0] == seat
    return world if is_same and (world.states["hands"] != env.states["hands"]).any() else None


@pytest.mark.parametrize("rules", ["two_deck", "one_deck", "three_deck"])
def test_nothing_printed_depends_on_what_the_seat_cannot_know(rules):
    rng = np.random.default_rng(12)
    compared = 0
    for seed in range(40):
        env = shengji_v0.raw_env(rules, record=True, history=num_plays(as_rules(rules)))
        env.reset(seed=seed)
        for _ in range(int(rng.integers(20, 100))):
            if not env.terminations["player_0"]:
                env.step(int(rng.choice(np.flatnonzero(env.tables.masks[0]))))
        if env.states["redeals"][0] or env.tables.masks[0].sum() < 2:
            continue
        world = with_swapped_cards(env, int(env.states["seat"][0]), rng)
        if world is not None:
            screens = []
            for each in (env, world):
                player, screen = seated("?", "hint", "hand", "table", "tricks", "c3 c3 c3 c3", "quit")
                with pytest.raises(KeyboardInterrupt):
                    player.decide(Decisions.at(each.tables, ROW))
                screens.append(screen.getvalue())
            assert screens[0] == screens[1]
            compared += 1
    assert compared >= 10


# ---- when it is asked


def test_a_pass_holds_until_the_options_change_or_all_cards_are_drawn():
    hands = "S2 C3 C4 H2 C5", "C6", "C7", "C8"
    env = table("two_deck", deal=deal_of("two_deck", *hands), first_drawer=0, levels=["2", "2"])
    player, screen = seated("pass", "wait", "", then=lambda _: "pass")
    while env.states["phase"][0] == Phase.BID and env.states["redeals"][0] == 0:
        if env.states["seat"][0] == 0:
            env.step(int(player.decide(Decisions.at(env.tables, ROW))[0]))
        else:
            env.step(54)
    drawn = [int(number) for number in re.findall(r"drawn (\d+) of 100", screen.getvalue())]
    assert drawn[:3] == [1, 13, 17]
    assert drawn[-1] == 100


def test_a_play_that_is_the_only_one_is_made_by_enter_where_it_is_asked_for():
    env = shengji_v0.raw_env(FIXED, record=True, history=25 * 4)
    env.reset(seed=5, options={"deal": deal_of(FIXED, "H3 H3 HA", "H9 H9"), "declarer": 0, "trump": "S"})
    player, screen = seated(then=follow_hints)
    seen = 0
    while not env.terminations["player_0"]:
        decision = Decision(Decisions.at(env.tables, ROW), 0)
        only = decision.only_play()
        if only is not None and not env.states["taken_size"][0]:
            enter, screen = seated("")
            env.step(int(enter.decide(Decisions.at(env.tables, ROW))[0]))
            assert f"Enter: {decision.text(only)} >" in screen.getvalue()
            seen += 1
        else:
            env.step(int(player.decide(Decisions.at(env.tables, ROW))[0]))
    assert seen > 4


@pytest.mark.parametrize("line", ["quit", "q", "exit", None])
def test_leaving_is_an_interrupt(line):
    env = fixed_table("HA")
    player, _ = seated(*([] if line is None else [line]))
    with pytest.raises(KeyboardInterrupt):
        player.decide(Decisions.at(env.tables, ROW))
    assert env.states["taken_size"][0] == 0


@pytest.mark.parametrize(("language", "rules"), [("en", "Trumps and their order 主牌"), ("zh_CN", "主从大到小")])
def test_commands_show_rules_hand_tricks_and_help(language, rules, monkeypatch):
    monkeypatch.setenv("LANGUAGE", language)
    env = fixed_table("HA HA H3")
    player, screen = seated("?", "", "rules", "tricks", "hand", "HAND", "quit")
    with pytest.raises(KeyboardInterrupt):
        player.decide(Decisions.at(env.tables, ROW))
    text = screen.getvalue()
    for word in ("a throw 甩牌", rules, "no trick has been played", "HA HA"):
        assert word in text


def test_an_empty_line_without_a_default_is_answered_by_a_hint():
    env = fixed_table("HA HA H3")
    player, screen = seated("", "quit")
    with pytest.raises(KeyboardInterrupt):
        player.decide(Decisions.at(env.tables, ROW))
    assert "\n  type cards such as h 3 3 (a whole play on one line), or ? for help\n" in screen.getvalue()
    assert "leave (Ctrl-C" not in screen.getvalue()


def test_a_person_sits_at_the_single_agent_environment():
    player, screen = seated(then=follow_hints)
    env = SeatEnv([player, "greedy", "greedy"], rules="one_deck")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    done = False
    while not done:
        _, _, done, _, _ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
    assert "seat 1, " in screen.getvalue()


def test_the_same_round_played_again_is_asked_for_again():
    asked = []
    player, screen = seated(then=follow_hints)
    env = SeatEnv([player, "greedy", "greedy"], rules="one_deck")
    for _ in range(2):
        env.reset(seed=1)
        rng = np.random.default_rng(0)
        done = False
        while not done:
            _, _, done, _, _ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        asked.append(screen.getvalue().count("heuristic: ") - sum(asked))
    assert asked[0] == asked[1] > 0


def test_a_person_is_no_player_of_observations():
    env = BatchEnv(1, "one_deck", seed=1)
    with pytest.raises(PlayerError, match="needs RECORDS"):
        make_player("human").decide(Decisions.at(env.tables, ROW))
    assert make_player("human?name=Ann").name == "Ann"


# ---- in the arena


def test_a_person_is_asked_at_one_table_after_another(monkeypatch, tmp_path):
    screen = sit_down(monkeypatch, then=follow_hints)
    assert main(["arena", "human", "greedy", *FAST, "--out", str(tmp_path)]) == 0
    text = screen.getvalue()
    asked = [int(seat) for seat in re.findall(r"seat (\d), (?:bid|bury|lead|follow)", text)]
    turns = [seat % 2 for seat in asked]
    assert sum(before != after for before, after in pairwise(turns)) <= 3
    assert text.count("next declarer") == 4


def test_a_person_may_think_for_as_long_as_it_takes():
    def slowly(text):
        time.sleep(0.03)
        return follow_hints(text)

    keeper = FaultKeeper(0.01)
    person, _ = seated(then=slowly)
    lineup = np.zeros((1, 4), np.int64)
    batch = DealBatch((person,), as_rules("one_deck"), 1, range(1), asker=keeper, lineup=lineup)
    for _ in range(10):
        next(batch.play())
    assert keeper.faults == []
    assert keeper.thinking[0][0] > 0.1


def test_leaving_keeps_the_deals_that_were_played(monkeypatch, tmp_path, capsys):
    def until_second_deal(text):
        return "quit" if text.count("next declarer") == 2 else follow_hints(text)

    sit_down(monkeypatch, then=until_second_deal)
    command = ["arena", "human", "greedy", *FAST, "--out", str(tmp_path)]
    assert main(command) == 130
    assert "holds what was played: the same command resumes from there" in capsys.readouterr().err
    assert len((tmp_path / "deals.jsonl").read_text().splitlines()) == 1 + 1
    screen = sit_down(monkeypatch, then=follow_hints)
    assert main(command) == 0
    assert screen.getvalue().count("next declarer") == 2


@pytest.mark.parametrize("option", [["--workers", "2"], ["--ray"]])
def test_a_person_plays_in_this_process(option, capsys):
    assert main(["arena", "human", "greedy", *FAST, *option]) == 2
    assert "a person plays in this process" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["play", "--rules", "one_deck"], *thorough(["arena", "human", "greedy", *FAST])])
def test_where_nobody_reads_the_output_the_command_ends_quietly(command):
    program = [sys.executable, "-m", "shengji_env.cli", *command]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(program, **pipes, cwd=ROOT) as process:
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait() == 0
    assert b"error" not in said
    assert b"Traceback" not in said


def test_two_people_are_called_by_name_and_told_the_result_once(monkeypatch, capsys):
    screen = sit_down(monkeypatch, then=follow_hints)
    assert main(["arena", "human?name=Ann", "human?name=Bo", *FAST]) == 0
    text = screen.getvalue()
    assert text.count("next declarer") == 4
    assert re.search(r"seat 0 Ann, (lead|follow)", text)
    assert re.search(r"seat 0 Bo, (lead|follow)", text)
    assert "note: nothing is kept if you leave" in capsys.readouterr().err
