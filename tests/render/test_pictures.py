"""Views and pictures: what a viewer may see, what a picture shows, and the environments' render modes."""

import json
import re
import xml.etree.ElementTree as ElementTree

import gymnasium
import numpy as np
import pytest

import shengji_env
from shengji_env import shengji_v0
from shengji_env.engine.actions import PASS
from shengji_env.engine.state import Phase
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.envs.seat import SeatEnv
from shengji_env.errors import ShengjiError
from shengji_env.records.replays import Replay
from shengji_env.records.writing import finished_round, record_header, record_line
from shengji_env.render.decision_values import DecisionValues
from shengji_env.render.picture.batch_picture import batch_svg
from shengji_env.render.picture.elements import group, walk
from shengji_env.render.picture.raster import can_rasterise, rasterise
from shengji_env.render.picture.sheet import Style
from shengji_env.render.picture.table_picture import svg_in_cell, table_parts, table_svg
from shengji_env.render.public_history import PLAYS_REMEMBERED, history_of_plays
from shengji_env.render.view import WATCHER, ShownBid, view_table
from shengji_env.vector import BatchEnv
from tests.helpers.hidden_cards import deal_again
from tests.helpers.thorough import thorough

needs_pixels = pytest.mark.skipif(not can_rasterise(), reason="the extra `render` is not installed")


def seen(env, state, viewer):
    """A view as the bytes that would be sent."""
    return json.dumps(view_table(state[0], env.rules, viewer=viewer, public=None).to_json())


@pytest.mark.parametrize("rules", ["two_deck", *thorough("one_deck", "competition", "three_deck")])
def test_a_view_does_not_depend_on_what_its_viewer_cannot_know(rules):
    env = BatchEnv(1, rules, seed=41, start="any")
    rng = np.random.default_rng(41)
    phases, changed = set(), 0
    for step in range(500):
        env.step(env.sample_actions() if step % 90 or env.phase[0] != Phase.BID else [PASS])
        if step % 3 and env.phase[0] != Phase.BID:
            continue
        phases.add(int(env.phase[0]))
        for seat in range(4):
            world = deal_again(env.states, seat, env.rules, rng)
            changed += seen(env, world, None) != seen(env, env.states, None)
            assert seen(env, world, seat) == seen(env, env.states, seat)
            assert seen(env, world, WATCHER) == seen(env, env.states, WATCHER)
    assert changed > 300
    assert phases >= {Phase.BID, Phase.LEAD, Phase.FOLLOW}


def test_only_the_seat_that_is_asked_hears_that_it_may_bid():
    env = shengji_v0.raw_env("two_deck")
    env.reset(seed=5)
    assert env.states["phase"][0] == Phase.BID
    asked = int(env.states["seat"][0])
    for viewer in (WATCHER, 0, 1, 2, 3):
        assert view_table(env.states[0], env.rules, viewer=viewer).seat == (asked if viewer == asked else None)


def played(seed, steps=2000, **arguments):
    """An environment after each of its steps, until the round is over."""
    env = shengji_v0.raw_env(start="any", **arguments)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        yield env
        if env.terminations[env.agent_selection]:
            return
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))


def test_records_and_environments_lead_to_the_same_views():
    views = {}
    for env in played(7, record=True, history=PLAYS_REMEMBERED, rules="two_deck(throws=False)"):
        state = env.states[0]
        view = view_table(state, env.rules, public=history_of_plays(env.tables.plays[0], state)).to_json()
        if not state["taken_size"]:
            views[(view["phase"], view["seat"], view["drawn"], view["tricks"])] = {**view, "bids": view["bids"][-1:]}
    lines = [record_line(record_header(env.rules, ["a"] * 4, None)), record_line(finished_round(env))]
    replay = Replay.of(lines)
    replayed = [{**view.to_json(), "names": ()} for view in replay.views(replay.rounds[0])]
    for view in replayed:
        view["bids"] = view["bids"][-1:]
        key = (view["phase"], view["seat"], view["drawn"], view["tricks"])
        assert cards_in_any_order(views[key]) == cards_in_any_order(view)
    assert len(replayed) > 80
    assert replayed[-1]["phase"] == "over"


def cards_in_any_order(value):
    if isinstance(value, dict):
        return {name: cards_in_any_order(part) for name, part in value.items()}
    return sorted(value.split()) if isinstance(value, str) else value


def test_the_last_trick_and_a_failed_throw_are_remembered():
    replay = Replay.read("tests/data/playthroughs/two_deck-failed_throw.jsonl")
    views = list(replay.views(replay.rounds[0]))
    throws = [view for view in views if view.trick.thrown]
    assert throws
    for view in throws:
        assert len(view.trick.thrown) > len(view.trick.plays[str(view.trick.leader)]) > 0
    tricks = [view.last_trick for view in views if view.last_trick is not None]
    assert [sorted(trick.plays) for trick in tricks] == [["0", "1", "2", "3"]] * len(tricks)
    assert sum(trick.points for trick in {id(trick.plays): trick for trick in tricks}.values()) > 0
    assert views[-1].result["winner"] in ("attackers", "declarers")


def test_bids_are_told_in_order():
    replay = Replay.read("tests/data/playthroughs/two_deck-overturn.jsonl")
    bids = list(replay.views(replay.rounds[0]))[-1].bids
    assert len(bids) > 1
    assert all(isinstance(bid, ShownBid) and bid.cards for bid in bids)


@pytest.mark.parametrize("style", [Style(), Style(theme="dark", language="zh", layout="narrow", four_colors=True)])
def test_a_picture_is_svg_that_needs_no_font(style):
    replay = Replay.read("tests/data/playthroughs/two_deck.jsonl")
    for view in list(replay.views(replay.rounds[0]))[::20]:
        root = ElementTree.fromstring(table_svg(view, style))
        ids = {part.get("id") for part in root.iter()}
        used = {part.get("href")[1:] for part in root.iter() if part.get("href")}
        assert used <= ids
        assert not [part for part in root.iter() if part.tag.endswith("}text")]
        assert len(used) > 10


def values_of_a_lead(view, **also):
    cards = [card for group in view.hands[str(view.seat)].cards.values() for card in group.split()]
    options = tuple((card, 0.5 - 0.1 * place) for place, card in enumerate(dict.fromkeys(cards)))
    return DecisionValues(view.seat, options, **{"played": 1, **also})


def contrast(one, other):
    """How much lighter one colour is than another, as WCAG measures it."""
    channels = [[int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)] for color in (one, other)]
    linear = [
        [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in each] for each in channels
    ]
    low, high = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in linear)
    return (high + 0.05) / (low + 0.05)


def texts_on_grounds(drawn):
    """The colours of each text of a picture and of what it stands on."""
    grounds = []
    for part in walk(drawn):
        look = part.attributes
        if part.tag == "rect" and look.get("fill", "none") != "none":
            x, y = float(look.get("x", 0)), float(look.get("y", 0))
            grounds.append((x, y, x + float(look["width"]), y + float(look["height"]), look["fill"]))
        elif part.tag == "text" or (part.tag == "g" and "stroke-linecap" in look):
            place = look.get("transform") or f"translate({look.get('x')} {look.get('y')})"
            x, y = map(float, re.search(r"translate\(([\d.-]+) ([\d.-]+)\)", place).groups())
            y += -4 if part.tag == "text" else 4
            under = [fill for left, top, right, low, fill in grounds if left <= x + 1 <= right and top <= y <= low]
            yield look.get("stroke", look.get("fill")), under[-1]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("layout", ["wide", *thorough("narrow", "low")])
def test_every_text_stands_out_from_its_ground(theme, layout):
    found = set()
    for name in ("two_deck", "two_deck-failed_throw", "one_deck_45-draw"):
        replay = Replay.read(f"tests/data/playthroughs/{name}.jsonl")
        for viewer in (None, 0, 1):
            views = list(replay.views(replay.rounds[-1], viewer=viewer))
            for view in [*views[::5], views[-1]]:
                found |= set(texts_on_grounds(group(*table_parts(view, Style(theme=theme, layout=layout)))))
    assert len(found) > 6
    assert {pair: contrast(*pair) for pair in found if contrast(*pair) < 4.5} == {}


def test_values_are_drawn_at_the_seat_that_decides():
    replay = Replay.read("tests/data/playthroughs/two_deck.jsonl")
    view = next(view for view in replay.views(replay.rounds[0]) if view.phase == "lead")
    for style in (Style(), Style(layout="narrow", theme="dark", language="zh")):
        svg = table_svg(view, style, values_of_a_lead(view))
        root = ElementTree.fromstring(svg)
        (drawn,) = [part for part in root.iter() if part.get("data-values")]
        assert drawn.get("data-values") == str(view.seat)
        assert {part.get("href")[1:] for part in root.iter() if part.get("href")} <= {
            part.get("id") for part in root.iter()
        }
        assert table_svg(view, style) == table_svg(view, style, None) != svg
        assert table_svg(view, style, values_of_a_lead(view, played=2)) != svg


def test_values_are_shown_to_nobody_else():
    """Whoever looks from another seat gets the picture without them: not a byte of it changes."""
    replay = Replay.read("tests/data/playthroughs/two_deck.jsonl")
    ply, view = next((ply, view) for ply, view in enumerate(replay.views(replay.rounds[0])) if view.phase == "lead")
    values = values_of_a_lead(view)
    for viewer in (WATCHER, 0, 1, 2, 3):
        seen = list(replay.views(replay.rounds[0], viewer=viewer))[ply]
        assert (table_svg(seen, None, values) == table_svg(seen)) == (viewer != view.seat)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seat": 4}, "seat=4 is no seat"), ({"options": ()}, "0 options; a decision has 1 to"),
        ({"options": (("HK", "1"),)}, "value '1' of 'HK' must be a finite number"),
        ({"options": (("HK", float("nan")),)}, "must be a finite number"), ({"options": ("HK",)}, "is not an answer"),
        ({"options": ((3, 0.5),)}, "answer 3 must be a text"), ({"played": 2}, "played=2 is none of the 2 options"),
        ({"second": -1}, "second=-1 is none of"),
    ],
)  # fmt: skip
def test_values_that_mean_nothing_are_refused(wrong, message):
    with pytest.raises(ShengjiError, match=message):
        DecisionValues(**{"seat": 0, "options": (("HK", 0.5), (None, 0.25)), **wrong})


@pytest.mark.parametrize(("n", "columns", "expected"), [(None, None, 6), (4, None, 4), (5, 5, 5), (1, None, 1)])
def test_the_tables_of_a_batch_are_a_grid(n, columns, expected):
    env = BatchEnv(6, seed=3, start="any", history=PLAYS_REMEMBERED)
    for _ in range(200):
        env.step(env.sample_actions())
    root = ElementTree.fromstring(batch_svg(env, n, columns=columns))
    tables = [part for part in root.iter() if part.get("data-table")]
    assert len(tables) == expected
    assert len({part.get("transform") for part in tables}) == expected
    ids = [part.get("id") for part in root.iter() if part.get("id")]
    assert len(ids) == len(set(ids))
    assert {part.get("href")[1:] for part in root.iter() if part.get("href")} <= set(ids)


def test_a_grid_shows_what_its_viewer_may_see():
    env = BatchEnv(4, seed=3, start="any")
    seen = ElementTree.fromstring(batch_svg(env, viewer=WATCHER))
    assert not [part for part in seen.iter() if part.get("data-card")]
    small = PlayBatchEnv(2, seed=3)
    assert batch_svg(small).count("<svg ") == 1
    assert 'style="max-width:100%;height:auto"' in env._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 0}, "n=0 must be a whole number from 1 to 3: so many tables are there"), ({"n": 4}, "n=4 must be"),
        ({"n": True}, "n=True"), ({"n": 2.0}, r"n=2\.0"), ({"columns": 0}, "columns=0 must be"),
        ({"n": 2, "columns": 3}, "columns=3 must be a whole number from 1 to 2"), ({"viewer": 7}, "viewer=7"),
        ({"env": None}, "None has no tables to draw; batch_svg takes a batch environment"),
    ],
)  # fmt: skip
def test_a_grid_of_what_is_not_there_is_refused(wrong, message):
    with pytest.raises(ShengjiError, match=message):
        batch_svg(**{"env": BatchEnv(3, seed=1), **wrong})


def test_a_name_with_other_letters_is_left_to_the_viewers_fonts():
    env = next(played(3))
    svg = table_svg(view_table(env.states[0], env.rules, names=["a<b>", "Ünal", "王小明", "d"]))
    texts = [part.text for part in ElementTree.fromstring(svg).iter() if part.tag.endswith("}text")]
    assert set(texts) == {"a<b>", "Ünal", "王小明"}


def test_names_that_occur_twice_get_the_seats_number():
    replay = Replay.read("tests/data/playthroughs/two_deck.jsonl")
    assert len(set(replay.names_of(replay.rounds[0]))) == 1
    assert "greedy" in replay.html()


def test_what_xml_cannot_hold_is_replaced():
    env = next(played(3))
    svg = table_svg(view_table(env.states[0], env.rules, names=["\x00\x1b", "\ud800", "b", "c"]))
    assert "\ufffd\ufffd" in svg
    ElementTree.fromstring(svg)


@pytest.mark.parametrize("wrong", [{"viewer": 4}, {"viewer": -2}, {"viewer": "0"}, {"names": ["a"]}])
def test_a_view_needs_a_viewer_and_four_names(wrong):
    env = next(played(3))
    with pytest.raises(ShengjiError, match=r"^(viewer|names)="):
        view_table(env.states[0], env.rules, **wrong)


@pytest.mark.parametrize("wrong", [{"theme": "blue"}, {"language": "fr"}, {"layout": 3}])
def test_unknown_styles_are_refused(wrong):
    with pytest.raises(ShengjiError, match="is unknown; it is one of"):
        Style(**wrong)


def test_svg_is_what_render_returns():
    env = shengji_v0.env(render_mode="svg", viewer=1)
    env.reset(seed=2)
    assert env.render().startswith("<svg")
    assert env._repr_html_() == f'<div style="max-width:960px">{svg_in_cell(env.render())}</div>'
    single = SeatEnv("random", render_mode="svg")
    single.reset(seed=2)
    assert svg_in_cell(single.render()) in single._repr_html_()


def test_a_render_mode_does_not_change_the_observation():
    plain, drawn = (shengji_v0.raw_env(history=2, render_mode=mode) for mode in (None, "svg"))
    for env in (plain, drawn):
        env.reset(seed=9)
    for _ in range(150):
        action = int(np.flatnonzero(plain.last()[0]["action_mask"])[0])
        for name, value in plain.last()[0].items():
            assert np.array_equal(value, drawn.last()[0][name])
        plain.step(action)
        drawn.step(action)
    assert drawn.observation_space("player_0") == plain.observation_space("player_0")


def test_an_environment_that_has_not_begun_has_no_picture():
    assert shengji_v0.raw_env()._repr_html_() is None
    assert shengji_v0.env()._repr_html_() is None
    assert SeatEnv("random")._repr_html_() is None


@pytest.mark.web
@needs_pixels
def test_pixels_are_red_green_and_blue():
    env = gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="random", render_mode="rgb_array")
    env.reset(seed=3)
    frame = env.render()
    assert frame.shape == (800, 1280, 3)
    assert frame.dtype == np.uint8
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 50


@pytest.mark.web
@needs_pixels
def test_a_picture_is_sharp_at_any_width():
    svg = table_svg(view_table(next(played(3)).states[0], next(played(3)).rules))
    assert rasterise(svg, width=320).shape == (200, 320, 3)


@pytest.mark.web
@needs_pixels
def test_wrappers_collect_frames():
    env = gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="random", render_mode="rgb_array")
    env = gymnasium.wrappers.RenderCollection(env)
    env.reset(seed=3)
    env.step(env.action_space.sample(env.unwrapped.action_masks().astype(np.int8)))
    assert [frame.shape for frame in env.render()] == [(800, 1280, 3)] * 2


@pytest.mark.web
@needs_pixels
def test_films_are_recorded(tmp_path):
    pytest.importorskip("moviepy", reason="moviepy, which writes films, is not installed: `make web-test`")
    env = gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="random", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda _: True)
    env.reset(seed=3)
    for _ in range(5):
        env.step(env.action_space.sample(env.unwrapped.action_masks().astype(np.int8)))
    env.close()
    assert list(tmp_path.glob("*.mp4"))
