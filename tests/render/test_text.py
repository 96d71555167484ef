"""Tables as text: widths, what a viewer may see, what every phase shows."""

import re
import unicodedata

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine.state import Phase
from shengji_env.render import render_table
from shengji_env.render.view import WATCHER, view_table


def columns(line):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def positions(rules, seed, steps=600):
    env = shengji_v0.raw_env(rules, start="any")
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        yield env
        if env.terminations[env.agent_selection]:
            return
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))


@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45", "competition", "duplicate", "four_deck"])
def test_no_line_is_wider_than_a_hundred_columns(rules):
    for step, env in enumerate(positions(rules, seed=3)):
        if step % 7 and not env.terminations["player_0"]:
            continue
        for viewer in (None, 2):
            view = view_table(env.states[0], env.rules, viewer=viewer)
            text = render_table(view, color=False)
            assert max(map(columns, text.splitlines())) <= 100
            assert not re.search(r"[\x1b\ue000-\ue0ff]", text)
            assert text == re.sub(r"\x1b\[\d+m", "", render_table(view))


def test_a_viewer_sees_only_its_own_cards():
    for env in positions("two_deck", seed=4, steps=500):
        state = env.states[0]
        if state["phase"] in (Phase.OVER, Phase.BID):
            continue
        lines = render_table(view_table(state, env.rules, viewer=1), color=False).splitlines()
        hands = [line for line in lines if re.match(r"seat \d +\d+", line)]
        for seat, line in enumerate(hands):
            if seat != 1:
                assert re.fullmatch(r"seat \d +\d+( +\?.*)?", line)
        assert not any("kitty" in line for line in lines)
        assert any("buried" in line for line in lines) == (state["declarer"] == 1 and state["buried"].any())


def test_only_the_seat_that_is_asked_reads_that_it_may_bid():
    env = shengji_v0.raw_env("two_deck")
    env.reset(seed=5)
    state = env.states[0]
    assert state["phase"] == Phase.BID
    asked = int(state["seat"])
    for viewer in (None, WATCHER, 0, 1, 2, 3):
        text = render_table(view_table(state, env.rules, viewer=viewer), color=False)
        assert ("▸" in text) == ("to bid 亮主" in text) == (viewer in (None, asked))


def test_every_phase_says_what_is_to_be_done():
    seen = set()
    for seed, rules in enumerate(["two_deck", "one_deck", "competition"] * 3):
        for env in positions(rules, seed=seed, steps=300):
            phase = Phase(int(env.states["phase"][0]))
            if phase in seen:
                continue
            seen.add(phase)
            text = render_table(view_table(env.states[0], env.rules), color=False)
            if phase == Phase.OVER:
                assert "next declarer" in text or "match" in text
            else:
                assert f"▸ seat {env.agent_selection[-1]}" in text
    assert seen >= {Phase.BID, Phase.BURY, Phase.LEAD, Phase.FOLLOW, Phase.OVER}


def test_cards_suits_and_names():
    env = shengji_v0.raw_env("duplicate", render_mode="ansi")
    env.reset(seed=6, options={"declarer": 0, "trump": "H", "levels": ["T", "3"]})
    view = view_table(env.states[0], env.rules, names=["Ann", "Bob", "Cao", "Dan"])
    text = render_table(view, color=False)
    assert "trump 主 ♥ · level 打 T" in text
    assert "▸ 0 Ann" in text
    assert "declarer 庄家" in text
    assert "\x1b[31m♥" in env.render()


def test_without_a_mode_rendering_warns():
    env = shengji_v0.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
