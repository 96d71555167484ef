"""`champion` under rules that it has not learned: that this is said once, and the network of a preset in its place."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

from shengji_env.arena import Tournament, make_player, play_matchup, play_tournament
from shengji_env.arena.html_report import html_report
from shengji_env.cli import main
from shengji_env.engine.play import Play
from shengji_env.engine.rule_sets import PRESETS, RULE_SETS, as_rules, rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, UnlearnedRulesWarning
from shengji_env.players.exec.bot_messages import PROTOCOL, Hello, line_of
from shengji_env.players.exec.speaking import Speaker
from shengji_env.players.networks.champion import rule_notes
from shengji_env.players.networks.champion.champion_player import named_weights, notes_on
from shengji_env.players.networks.champion.compiled_network import choose as choose_best
from shengji_env.players.networks.champion.compiled_network import values_of
from shengji_env.players.networks.champion.inputs import make_inputs
from shengji_env.players.networks.champion.rule_notes import learned_presets, note_on_champion
from shengji_env.players.whole_plays import next_action
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv
from tests.helpers.paths import ROOT
from tests.helpers.value_networks import HEURISTIC, at, decision_states, read
from tests.players.test_champion import choose, many

LEAD = "two_deck(kitty_shape=lead)"
NOTE = (
    f"no network was learned for {LEAD}, so champion decides as heuristic does. It differs from two_deck in "
    "kitty_shape=lead: champion?rules=two_deck lets the network of two_deck play"
)
OTHER_RULES = (
    LEAD, "two_deck(bidding=fixed, kitty_multiplier=pattern, kitty_shape=lead)", "two_deck(throws=False, kitty=12)",
    "two_deck(failed_throw=next_seat_chooses, throw_penalty=10)", "competition(no_trump_bids=True)", "house",
    "two_deck(kitty=20)",
)  # fmt: skip


@pytest.fixture
def warned(monkeypatch):
    """The warnings of the test, in a process that has told of nothing."""
    monkeypatch.setattr(rule_notes, "_warned", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


# ---- what is said


def test_the_note_names_the_nearest_preset_and_what_differs_from_it():
    assert note_on_champion(as_rules(LEAD)) == NOTE
    for text, preset, changes in (
        ("two_deck(bidding=fixed, kitty_shape=lead)", "two_deck", "bidding=fixed, kitty_shape=lead"),
        ("one_deck(decks=2, kitty=8, no_trump_bids=True, failed_throw=smallest)", "two_deck", "result_table=one_deck"),
        ("duplicate(bidding=streaming)", "duplicate", "bidding=streaming"),
        ("competition(bidding=fixed, no_bid=flip_kitty, throws=False)", "duplicate", "throws=False"),
        ("competition(bidding=fixed, throws=False)", "competition", "bidding=fixed, throws=False"),
        ("four_deck(kitty=12)", "four_deck", "kitty=12"),
    ):  # fmt: skip
        said = note_on_champion(as_rules(text))
        assert said.endswith(f"It differs from {preset} in {changes}: champion?rules={preset} lets the network of "
                             f"{preset} play")  # fmt: skip


def test_nothing_is_said_of_presets_with_a_network(warned):
    for preset in learned_presets():
        assert not note_on_champion(RULE_SETS[preset])
    play_matchup("champion", "random", num_deals=2, rules="one_deck")
    play_tournament(Tournament(("champion", "champion?rules=two_deck"), rule_set("two_deck"), num_deals=2))
    assert not warned


def test_every_other_preset_is_said_to_have_no_network():
    others = set(PRESETS) - set(learned_presets())
    assert others == {"small_two_ranks", "small_three_ranks", "small_four_ranks", "chaodipi", "contest"}
    for preset in others:
        said = note_on_champion(RULE_SETS[preset])
        assert said == make_player("champion").note_on(RULE_SETS[preset])
        assert said.startswith(
            f"no network was learned for {preset}, so champion decides as heuristic does. It differs"
        )


def test_only_champion_is_spoken_of():
    players = [make_player(text) for text in ("heuristic", "champion?rules=two_deck", "random")]
    assert notes_on(players, as_rules(LEAD)) == ()
    players += [make_player("champion"), make_player("champion?phases=lead")]
    assert notes_on(players, as_rules(LEAD)) == (NOTE,)


def test_python_is_warned_once_for_each_rule_set(warned):
    for rules in (LEAD, LEAD, "one_deck(throws=False)", LEAD):
        play_matchup("champion", "random", num_deals=2, rules=rules)
        choose(make_player("champion"), many(rules, steps=3))
    assert [str(each.message) for each in warned] == [NOTE, note_on_champion(as_rules("one_deck(throws=False)"))]
    assert all(each.category is UnlearnedRulesWarning for each in warned)


def test_a_warning_that_is_made_an_error_ends_the_match_up(monkeypatch):
    monkeypatch.setattr(rule_notes, "_warned", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(UnlearnedRulesWarning, match="no network was learned"):
                play_tournament(Tournament(("champion", "random"), as_rules(LEAD), num_deals=2))


def test_the_results_of_a_tournament_say_it(warned):
    standings = play_tournament(Tournament(("champion", "champion?phases=bid"), as_rules(LEAD), num_deals=2))
    assert [str(each.message) for each in warned] == [NOTE]
    assert standings.to_json()["notes"] == [NOTE]
    assert f'<p class="warning">{NOTE.replace("no network", "No network", 1)}.</p>' in html_report(standings)
    learned = play_tournament(Tournament(("champion", "random"), as_rules("one_deck"), num_deals=2))
    assert learned.to_json()["notes"] == []
    assert '<p class="warning">' not in html_report(learned)


# ---- commands


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_arena_says_it_once_and_in_all_reports(workers, tmp_path, capfd, warned):
    arguments = ["arena", "champion", "random", "--rules", LEAD, "--deals", "8", "--batch-size", "2"]
    assert main([*arguments, "--workers", workers, "--out", str(tmp_path)]) == 0
    shown, said = capfd.readouterr()
    assert said.count("no network was learned") == said.count(f"note: {NOTE}\n") == 1
    assert shown.count(f"note: {NOTE}\n") == 1
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["notes"] == [NOTE]
    assert "No network was learned" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not warned


def test_the_arena_says_nothing_under_a_preset(capfd):
    assert main(["arena", "champion", "champion?rules=one_deck", "--rules", "one_deck", "--deals", "2"]) == 0
    assert not any("no network" in each for each in capfd.readouterr())


@pytest.mark.parametrize(
    "command", [("play", *["champion"] * 4), ("collect", "champion", "--rounds", "2", "--workers", "1")]
)
def test_other_commands_say_it_once(command, tmp_path, capfd, warned):
    folder = ["--out", str(tmp_path / "rounds")] if command[0] == "collect" else []
    assert main([*command, *folder, "--rules", LEAD]) == 0
    assert capfd.readouterr().err.count(f"note: {NOTE}\n") == 1
    assert not warned


def test_a_bot_says_it_once_on_standard_error():
    hello = line_of(Hello(PROTOCOL, "0", as_rules(LEAD).to_json(), 1.0, None))
    bot = [sys.executable, "-m", "shengji_env.cli", "bot", "champion"]
    process = subprocess.run(bot, input=hello + b'{"type":"end"}\n', capture_output=True, cwd=ROOT, check=True)
    assert process.stderr.decode() == f"note: {NOTE}\n"
    assert b"ready" in process.stdout


def test_the_rules_command_says_whether_champion_knows_them(capsys):
    assert main(["rules", LEAD]) == 0
    assert NOTE[3:] + "." in " ".join(capsys.readouterr().out.split())
    assert main(["rules", "house"]) == 0
    assert "The player champion\n  It has a network that learned these rules.\n" in capsys.readouterr().out


# ---- the network of a preset


@pytest.mark.parametrize("rules", OTHER_RULES)
def test_the_network_of_a_preset_is_told_the_presets_figures_and_everything_else_as_it_is(rules):
    """Candidates and features are of the true rules; values are of observations with the preset's figures."""
    states = decision_states(rules, steps=100, tables=32)
    rows, offsets, cards, features, actions = read(states, rules)
    told = rows.copy()
    view(told)["rules"][:] = rule_set("two_deck").record()["features"]
    assert (told != rows).any()
    values = values_of(named_weights("champion", rule_set("two_deck")), make_inputs(told, offsets, cards, features))
    best = offsets[:-1] + choose_best(values.mean(axis=1), offsets)
    asked = at(states, rules)
    chosen = make_player("champion?rules=two_deck").decide(asked)
    for row, place in enumerate(best):
        wanted = actions[place]
        wanted = next_action(states[row : row + 1], asked.action_mask[row], Play(int(wanted), cards[place]))
        assert chosen[row] == wanted
    assert len(best) > 300


@pytest.mark.parametrize("rules", OTHER_RULES)
def test_the_network_of_a_preset_plays_legally_and_not_as_heuristic(rules):
    player, env = make_player("champion?rules=two_deck"), BatchEnv(24, rules, seed=4, start="any")
    others, asked, phases = 0, 0, set()
    for _ in range(260):
        chosen = choose(player, env)
        assert (env.action_mask[np.arange(24), chosen] | ~env.action_mask.any(axis=1)).all()
        asked += int((env.action_mask.sum(axis=1) > 1).sum())
        others += int((chosen != HEURISTIC.act(env.observation, env.action_mask, np.zeros(24, np.uint64))).sum())
        phases |= set(env.phase.tolist())
        env.step(chosen)
    assert others > 0.03 * asked
    assert {Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= phases


@pytest.mark.parametrize("preset", ["two_deck", "one_deck_45", "three_deck"])
def test_under_its_own_preset_it_decides_as_champion(preset):
    champion, named, env = make_player("champion"), make_player(f"champion?rules={preset}"), many(preset)
    for _ in range(40):
        chosen = choose(champion, env)
        assert (choose(named, env) == chosen).all()
        env.step(chosen)


def test_one_player_plays_under_one_rule_set_after_another():
    player, single = make_player("champion?rules=two_deck"), {}
    for rules in (LEAD, "house", LEAD):
        chosen = choose(player, many(rules))
        assert (single.setdefault(rules, chosen) == chosen).all()
        assert (choose(make_player("champion?rules=two_deck"), many(rules)) == chosen).all()


def test_the_option_stands_in_the_name():
    for text in ("champion?rules=house", "champion?rules=house&phases=bury+lead"):
        assert make_player(text).name == text
    assert make_player("champion?phases=lead&rules=house").name == "champion?rules=house&phases=lead"
    every = "follow+rebel+bid+name+bury+lead+forced"
    assert make_player(f"champion?rules=house&phases={every}").name == "champion?rules=house"


@pytest.mark.parametrize("rules", ["3", "tow_deck", "two_deck(kitty=12)", "true"])
def test_a_preset_without_a_network_is_refused(rules):
    message = r"is not a preset with a network; there are one_deck, one_deck_45, two_deck, competition,"
    with pytest.raises(PlayerError, match=message):
        make_player(f"champion?rules={rules}")


def test_other_decks_are_refused_before_anything_is_played(tmp_path, capsys):
    player, rules = make_player("champion?rules=two_deck"), rule_set("one_deck", throws=False)
    message = (
        r"champion\?rules=two_deck cannot play one_deck\(throws=False\), which has one deck: its network has "
        r"learned rounds with two decks; champion\?rules=PRESET may name one_deck, one_deck_45 here"
    )
    for _ in range(2):
        with pytest.raises(PlayerError, match=message):
            choose(player, many(rules, steps=3))
    with pytest.raises(PlayerError, match=message):
        Tournament(("champion?rules=two_deck", "random"), rules)
    with pytest.raises(PlayerError, match=message):
        Speaker(player, seed=0).handle({"type": "hello", "protocol": PROTOCOL, "rules": rules.to_json()})
    record = tmp_path / "evening.jsonl"
    for command in (("play", "--record", str(record)), ("serve", "--record", str(record), "--no-browser")):
        assert main([*command, *["champion?rules=two_deck"] * 4, "--rules", str(rules)]) == 2
        assert "cannot play one_deck(throws=False)" in capsys.readouterr().err
        assert not list(tmp_path.iterdir())


def test_a_tournaments_header_tells_the_players_apart_and_names_the_network():
    def header(player, rules):
        return Tournament((player, "random"), as_rules(rules)).header()

    (digest,) = header("champion", "two_deck")["policies"].values()
    for text in ("champion?rules=two_deck", "champion?rules=two_deck&phases=lead"):
        for rules in (LEAD, "two_deck", "house"):
            assert header(text, rules)["policies"] == {text: digest}
            assert header(text, rules)["players"] == [text, "random"]
    assert header("champion", LEAD)["policies"] == {}
    assert header("champion?rules=house", "house")["policies"] != {"champion?rules=house": digest}
