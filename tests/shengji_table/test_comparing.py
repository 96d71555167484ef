"""Two players on one deal: the first difference is where it is, and both plays have their values."""

import json

import numpy as np
import pytest

from shengji_env.arena import make_player
from shengji_env.cli import main
from shengji_env.engine.rule_sets import rule_set
from shengji_env.errors import PlayerError, RecordError, ShengjiError
from shengji_env.players.player import Needs, Player
from shengji_env.records.replays import Replay
from shengji_table.review import as_valuer
from shengji_table.review.comparing import compare_tables, compare_with_player, first_difference
from shengji_table.valuing.valuers import DealValuer
from tests.helpers.paths import DATA

PLAYTHROUGHS = DATA / "playthroughs"


def hindsight():
    return DealValuer(rule_set("one_deck"))


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The record of two deals, each at two tables."""
    file = tmp_path_factory.mktemp("records") / "tables.jsonl"
    arguments = ["--deals", "2", "--rules", "one_deck", "--seed", "3"]
    assert main(["arena", "greedy", "heuristic", *arguments, "--record", str(file)]) == 0
    return file


def test_both_tables_of_a_deal_stand_side_by_side(tables):
    replay = Replay.read(tables)
    compared = compare_tables(replay, None, hindsight())
    assert len(replay.rounds) == 4
    assert len(compared.rounds) == 2
    for replayed in compared.rounds:
        beside = compared.beside[replayed.line]
        (ply,) = beside.differences
        decisions, others = replayed.record["decisions"], beside.table["decisions"]
        assert decisions[:ply] == others[:ply]
        assert decisions[ply] != others[ply]
        here, there = (find(review, ply) for review in (compared.reviews[replayed.line], beside.table["review"]))
        assert here["second"] != here["played"]
        assert here["options"] == there["options"]
        assert (here["played"], here["second"]) == (there["second"], there["played"])
        rest = [each for each in compared.reviews[replayed.line]["valued"] if each["ply"] != ply]
        assert not [each for each in rest if "second" in each]
    page = compared.to_json()
    assert page["settings"] == {"round": 0, "ply": page["rounds"][0]["beside"]["differences"][0]}
    json.dumps(page)


def find(review, ply):
    (valued,) = [each for each in review["valued"] if each["ply"] == ply]
    return valued


def test_tables_of_two_records_are_paired_by_their_deals(tables, tmp_path):
    header, *rounds = tables.read_text().splitlines()
    first, second = (tmp_path / name for name in ("first.jsonl", "second.jsonl"))
    first.write_text("\n".join([header, rounds[0], rounds[2]]))
    second.write_text("\n".join([header, rounds[3], rounds[1]]))
    compared = compare_tables(Replay.read(first), Replay.read(second), hindsight())
    alone = compare_tables(Replay.read(tables), None, hindsight())
    assert [each.table["start"]["names"] for each in compared.beside.values()] == [
        each.table["start"]["names"] for each in alone.beside.values()
    ]
    assert [each.differences for each in compared.beside.values()] == [
        each.differences for each in alone.beside.values()
    ]
    with pytest.raises(RecordError, match="no deal of the first record is in the second"):
        compare_tables(Replay.read(first), Replay.read(PLAYTHROUGHS / "one_deck.jsonl"), hindsight())
    with pytest.raises(RecordError, match="the records are of different rules: one_deck and two_deck"):
        compare_tables(Replay.read(first), Replay.read(PLAYTHROUGHS / "two_deck.jsonl"), hindsight())
    with pytest.raises(RecordError, match="no deal was played at two tables; name another record"):
        compare_tables(Replay.read(first), None, hindsight())


def test_cards_in_another_order_are_no_difference(tables):
    (one, *_) = Replay.read(tables).rounds
    turned = [
        {name: " ".join(reversed(value.split())) if isinstance(value, str) else value for name, value in each.items()}
        for each in one.record["decisions"]
    ]
    assert first_difference(one, one._replace(record={**one.record, "decisions": turned})) is None


def test_a_player_differs_from_others_but_not_from_itself():
    replay = Replay.read(PLAYTHROUGHS / "one_deck.jsonl")
    (name,) = set(replay.names_of(replay.rounds[0]))
    assert name == "greedy"
    (same,) = compare_with_player(replay, make_player("greedy"), hindsight()).beside.values()
    assert same.differences == ()
    compared = compare_with_player(replay, make_player("heuristic"), hindsight())
    ((line, other),) = compared.beside.items()
    assert other.name == "heuristic"
    assert other.table is None
    assert len(other.differences) > 2
    valued = compared.reviews[line]["valued"]
    assert {each["ply"] for each in valued if each["second"] != each["played"]} == set(other.differences)
    # The first candidate is what the heuristic player does, whoever finds it.
    assert all(each["second"] is not None for each in valued)


def test_a_player_is_asked_about_some_only():
    replay = Replay.read(PLAYTHROUGHS / "one_deck.jsonl")
    compared = compare_with_player(replay, make_player("heuristic"), hindsight(), whose=[1, 3])
    ((line, other),) = compared.beside.items()
    decisions = replay.rounds[0].record["decisions"]
    assert {decisions[ply]["seat"] for ply in other.differences} <= {1, 3}
    assert compared.reviews[line]["seats"] == [1, 3]
    with pytest.raises(ShengjiError, match="'Ann' sits nowhere here"):
        compare_with_player(replay, make_player("heuristic"), hindsight(), whose=["Ann"])


def test_a_player_learns_nothing_that_its_seat_cannot_know():
    """It is asked as in the arena: hidden cards are wiped."""
    seen = []

    class Looking(Player):
        name = "looking"
        needs = Needs.POSITIONS

        def decide(self, decisions):
            seen.append(decisions.states.copy())
            return np.array([int(np.flatnonzero(decisions.action_mask[0])[0])])

    replay = Replay.read(PLAYTHROUGHS / "one_deck.jsonl")
    compare_with_player(replay, Looking(), hindsight())
    for state in seen:
        others = [seat for seat in range(4) if seat != state["seat"][0]]
        assert not state["hands"][0][others].any()
    assert len(seen) > 20


@pytest.mark.parametrize("needs", [Needs.PERSON, Needs.PROCESSES])
def test_persons_and_programs_are_not_asked(needs):
    player = make_player("greedy")
    player.needs = needs
    replay = Replay.read(PLAYTHROUGHS / "one_deck.jsonl")
    with pytest.raises(PlayerError, match="greedy follows only rounds that it plays"):
        compare_with_player(replay, player, as_valuer("heuristic", replay.rules))


@pytest.mark.thorough
def test_the_command_writes_a_page_and_says_how_many_differ(tables, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["compare", str(tables), "--html", str(page), "--review", "heuristic"]) == 0
    assert "2 deals compared: the tables differ in 2" in capsys.readouterr().out
    assert '"beside":{"name":' in page.read_text(encoding="utf-8")
    assert main(["compare", str(tables), str(tables), "--html", str(page), "--review", "heuristic"]) == 0
    assert "4 deals compared: the tables differ in 0" in capsys.readouterr().out
    assert main(["compare", str(tables), "heuristic", "--of", "greedy", "--html", str(page)]) == 0
    assert "decisions differ, in 4 of them" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "no player is called 'nobody'"), (["--of", "2"], "--of says about whose decisions a player is"),
        (["greedy", "--of", "Ann"], "'Ann' sits nowhere here"), (["--review", "human"], "values nothing"),
        (["human"], "human follows only rounds that it plays"), ([], "no deal was played at two tables"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(arguments, message, tmp_path, capsys):
    record = str(PLAYTHROUGHS / "one_deck.jsonl")
    page = tmp_path / "page.html"
    assert main(["compare", record, *arguments, "--html", str(page)]) == 2
    assert message in capsys.readouterr().err
    assert not page.exists()
    assert main(["compare", record, "greedy", "--html", record]) == 2
    assert "the page would replace a record" in capsys.readouterr().err
