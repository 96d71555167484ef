"""The reports of a tournament: ratings, the table of rounds, the page."""

import csv
import io
import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from shengji_env.arena.html_report import html_report
from shengji_env.arena.paper_files import PAPER_FILES, _csv, latex_text, tournament_files
from shengji_env.arena.ratings import ELO, fit, is_connected, num_wins, rate, tally
from shengji_env.arena.result import ROUND_DTYPE
from shengji_env.arena.round_table import COLUMNS, write_rounds
from shengji_env.arena.running import play_tournament
from shengji_env.arena.svg import Bar, Shares, histogram, interval_chart
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.state import Winner

RULES = parse_rules("one_deck")
PLAYERS = ("random", "greedy", "tests.helpers.players_with_faults:cheats?when=1300")
OPTIONS = [{}, {"is_match": True, "num_deals": 10}]


@pytest.fixture(scope="module", params=OPTIONS, ids=["rounds", "matches"])
def standings(request):
    return play_tournament(Tournament(PLAYERS, RULES, **{"num_deals": 60, **request.param}))


def won_by_a(share, deals=50):
    """Rounds of a pair of which A wins a share, evenly spread over the deals."""
    rounds = np.zeros(2 * deals, ROUND_DTYPE)
    rounds["deal"], rounds["table"] = np.divmod(np.arange(2 * deals), 2)
    rounds["declarer"] = rounds["table"]
    is_won = np.diff(np.floor(np.arange(2 * deals + 1) * share)) > 0
    rounds["winner"] = np.where(is_won, Winner.DECLARERS, Winner.ATTACKERS)
    return rounds


def rated(names, pairs, rounds, **options):
    return rate(names, pairs, [tally(each, RULES) for each in rounds], **options)


# ---- ratings


def test_two_players_ratings_are_the_odds_of_a_round():
    ratings = rated(("a", "b"), [(0, 1)], [won_by_a(0.75)])
    # 75 and 25 rounds, plus the draw that is added.
    assert ratings[0].rating == 0.0
    assert ratings[1].rating == pytest.approx(-ELO * np.log(75.5 / 25.5))
    assert [each.win_rate for each in ratings] == [0.75, 0.25]
    assert ratings[1].interval[0] < ratings[1].rating < ratings[1].interval[1] < 0


def test_ratings_add_up_where_the_model_holds():
    odds = 3.0
    pairs = [(0, 1), (1, 2), (0, 2)]
    shares = [odds / (odds + 1), odds / (odds + 1), odds**2 / (odds**2 + 1)]
    rounds = [won_by_a(share, 20000) for share in shares]
    ratings = rated(("a", "b", "c"), pairs, rounds, anchor=2, bootstraps=2)
    assert [each.player for each in ratings] == ["a", "b", "c"]
    assert [each.rating for each in ratings] == pytest.approx([2 * ELO * np.log(3), ELO * np.log(3), 0.0], abs=1)
    leads = [each.lead for each in ratings]
    assert leads == [ratings[0].rating - ratings[1].rating, ratings[1].rating, None]
    assert ratings[0].lead_interval[0] <= ratings[0].lead_interval[1]
    assert ratings[2].lead_interval is None


@pytest.mark.parametrize(
    ("wins", "strengths"),
    [
        ([[0, 75.5], [25.5, 0]], [0, -1.0854542040905986]),
        ([[0, 20.5, 30.5], [0.5, 0, 18], [0.5, 12, 0]], [0, -3.7096167400454982, -4.11481321416572]),
        (
            [[0, 31, 0, 0], [9, 0, 20, 0], [0, 20, 0, 40], [0, 0, 0.5, 0]],
            [0, -1.236762627148927, -1.2367626271489267, -5.618789261822806],
        ),
        (
            [[0, 2872, 3478, 3804], [1178, 0, 2867, 3473], [566, 1173, 0, 2862], [290, 561, 1168, 0]],
            [0, -0.8805345132603634, -1.7834158672110658, -2.6697405507649554],
        ),
        # Newton's method with whole steps does not find this one.
        (
            [[0, 0.25, 0, 8000.25], [1.25, 0, 0.25, 0], [0, 4000.25, 0, 150.25], [0.25, 0, 0.25, 0]],
            [0, 0.6931489442250722, 9.680346940811114, -9.680345177072498],
        ),
    ],
)
def test_the_fit_is_that_of_another_implementation(wins, strengths):
    """The figures are from choix 0.4.1, `ilsr_pairwise_dense(wins, tol=1e-14)`."""
    found = fit(np.array(wins, np.float64), 0)
    assert found / ELO == pytest.approx(np.array(strengths), abs=1e-9, rel=0)
    assert fit(np.array(wins, np.float64), 1) == pytest.approx(found - found[1], abs=1e-9 * ELO, rel=0)


def test_half_a_draw_is_added_for_each_player_however_many_it_meets():
    met = [(0, 1), (0, 2), (1, 2), (2, 3)]
    added = num_wins(4, met, [tally(won_by_a(1.0), RULES)] * 4)
    for a, b in met:
        added[a, b] -= 100
    assert added == pytest.approx(added.T)
    assert added.sum() == pytest.approx(4 / 2)
    # Of the pair 2, 3: a third of half a draw from the one, all of it from the other.
    assert 2 * added[2, 3] == pytest.approx((1 / 3 + 1) / 2)


def test_players_that_met_by_way_of_others_are_connected():
    won = tally(won_by_a(0.5), RULES)
    assert is_connected(num_wins(3, [(0, 1), (1, 2)], [won, won]))
    assert not is_connected(num_wins(3, [(0, 1)], [won]))
    assert not is_connected(num_wins(3, [(0, 1), (1, 2)], [won, np.zeros((5, 2))]))


def test_a_player_that_never_loses_has_a_rating():
    ratings = rated(("a", "b"), [(0, 1)], [won_by_a(1.0)], anchor=1)
    assert ratings[0].rating == pytest.approx(ELO * np.log(100.5 / 0.5))


def test_equal_players_are_within_each_others_intervals():
    generator = np.random.default_rng(1)
    rounds = won_by_a(0.5, 300)
    rounds["winner"] = generator.integers(2, size=len(rounds))
    ratings = rated(("a", "b"), [(0, 1)], [rounds], anchor=1)
    other = next(each for each in ratings if each.player == "a")
    assert ratings[0].lead_interval[0] < 0 < ratings[0].lead_interval[1]
    assert other.interval[0] < 0 < other.interval[1]
    # The width of the interval of a share of one half, from 600 independent rounds.
    assert other.interval[1] - other.interval[0] == pytest.approx(4 * ELO * 2 * 1.96 * 0.5 / 600**0.5, rel=0.15)


def test_random_is_zero_and_greedy_above_it(standings):
    ratings = {each.player: each for each in standings.ratings}
    assert standings.ratings[0].player == "greedy"
    assert (ratings["random"].rating, ratings["random"].interval) == (0.0, (0.0, 0.0))
    low, high = ratings["greedy"].interval
    assert 50 < low < ratings["greedy"].rating < high


# ---- the table of rounds


def test_rounds_add_up_to_the_results(standings):
    file = io.StringIO()
    write_rounds(file, standings)
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert tuple(rows[0]) == COLUMNS
    tournament = standings.tournament
    for (a, b), result in zip(tournament.pairs, standings.results, strict=True):
        mine = [row for row in rows if (row["a"], row["b"]) == (tournament.names[a], tournament.names[b])]
        assert len(mine) == result.num_rounds
        assert len({row["deal"] for row in mine}) == result.num_deals
        for column, figure in (
            ("levels", result.levels_per_round),
            ("points", result.points_per_round),
            ("score", result.round_win_rate),
        ):
            assert np.mean([float(row[column]) for row in mine]) == pytest.approx(figure)
        assert sum(row["role"] == "declarers" for row in mine) == result.as_declarers.rounds
        for row in mine:
            seats = [row[f"seat_{seat}"] for seat in range(4)]
            assert row["a"] in seats
            is_of_a = row["a"] in (seats[int(row["declarer"])], seats[(int(row["declarer"]) + 2) % 4])
            assert is_of_a == (row["role"] == "declarers")
            if row["winner"] != "draw":
                assert (float(row["levels"]) > 0 or float(row["score"]) == 1) == (row["winner"] == row["role"])
            if not tournament.is_match:
                assert row["match_winner"] == ""
        if tournament.is_match:
            ends = [row["match_winner"] for row in mine if row["match_winner"]]
            assert len(ends) == 2 * result.num_deals
            assert result.win_rate == pytest.approx((ends.count("a") + ends.count("tie") / 2) / len(ends))
    assert {(row["rules"], row["seed"]) for row in rows} == {(RULES.fingerprint, "0")}


# ---- the page


class Page(HTMLParser):
    """Checks that every tag is closed, and gathers text and links."""

    VOID = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.attributes, self.tags = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_is_well_formed_names_everything_and_asks_for_nothing(standings):
    text = html_report(standings, [("Records", "my rounds.jsonl")])
    page = Page(text)
    words = " ".join(page.texts)
    for player in standings.tournament.players:
        assert player in words
    for name in standings.tournament.names:
        assert page.texts.count(name) >= 2
    for fact in (RULES.fingerprint, "one_deck", "shengji_env 0", "Ratings", "as declarers", "milliseconds"):
        assert fact in words
    assert dict(page.attributes)["href"] == "my%20rounds.jsonl"
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert not any(name == "src" for name, _ in page.attributes)
    assert text.replace("http://www.w3.org/2000/svg", "").count("http") == 0
    assert page.tags.count("svg") == 1 + 2 * len(standings.results)
    assert f"{len(standings.faults)} deals lost" in words
    assert standings.faults[0]["error"] in words


def test_players_names_cannot_break_the_page():
    evil = "<script>&'\""
    chart = interval_chart(evil, [Bar(evil, 1.0, 0.5, 1.5), Bar("b", -1.0, -2.0, 0.0)], evil)
    assert [node.tag for node in ElementTree.fromstring(chart).iter() if "script" in node.tag] == []
    assert evil in [node.text for node in ElementTree.fromstring(chart).iter()]


def test_charts_are_drawn_to_scale():
    chart = ElementTree.fromstring(interval_chart("t", [Bar("a", 2.0, 1.0, 3.0), Bar("b", -1.0, -1.0, -1.0)], "x"))
    long, short = (node for node in chart.iter() if node.tag.endswith("rect"))
    assert float(long.get("width")) == pytest.approx(2 * float(short.get("width")), abs=0.2)
    assert float(short.get("x")) + float(short.get("width")) == pytest.approx(float(long.get("x")), abs=0.2)
    shares = [("a", np.array([0.5, 0.5])), ("b", np.array([0.0, 0.0]))]
    ElementTree.fromstring(histogram("t", Shares(shares, np.array([0.0, 10.0, 20.0]), 10.0, "x", "of x")))
    ElementTree.fromstring(interval_chart("t", [Bar("even", 0.0, 0.0, 0.0)], "x"))


def test_a_pair_without_figures_and_many_lost_deals_still_make_a_page():
    plan = Tournament(("greedy", "tests.helpers.players_with_faults:raises?when=1"), RULES, num_deals=60)
    standings = play_tournament(plan)
    page = Page(html_report(standings))
    words = " ".join(page.texts)
    assert "Fewer than two deals were played to their end" in words
    assert "60 deals lost" in words
    assert "… and 10 more." in words
    json.dumps(standings.to_json())
    write_rounds(io.StringIO(), standings)


# ---- files for papers


def table_of(content):
    """The rows of a table in LaTeX, as lists of cells."""
    text = content.decode()
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1
    return [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if line.endswith(r" \\")]


def test_tables_for_papers_have_the_figures_of_the_results(standings):
    files = tournament_files(standings)
    assert set(files) == set(PAPER_FILES)
    ratings, pairs = (
        list(csv.DictReader(io.StringIO(files[name].decode("utf-8-sig")))) for name in ("ratings.csv", "pairs.csv")
    )
    assert all(files[name].startswith("\ufeff".encode()) for name in ("ratings.csv", "pairs.csv"))  # Excel's mark
    for row, rating in zip(ratings, standings.ratings, strict=True):
        assert row["player"] == rating.player
        found = [float(row[name]) for name in ("rating", "interval_low", "interval_high", "win_rate")]
        assert found == pytest.approx([rating.rating, *rating.interval, rating.win_rate], abs=1e-6)
    for row, result in zip(pairs, standings.results, strict=True):
        assert (row["a"], row["b"], row["rules"]) == (*result.players, RULES.fingerprint)
        found = [float(row[name]) for name in ("deals", "levels_per_round", "interval_low", "level_rate_interval_high")]
        wanted = [result.num_deals, result.levels_per_round, result.interval[0], result.level_rate_interval[1]]
        assert found == pytest.approx(wanted, abs=1e-6)
    head, *rows = table_of(files["pairs.tex"])
    assert len(rows) == len(standings.results)
    assert {len(row) for row in rows} == {len(head)}
    assert [float(row[3].strip("$")) for row in rows] == pytest.approx(
        [result.levels_per_round for result in standings.results], abs=6e-4
    )
    assert [row[0] for row in table_of(files["ratings.tex"])[1:]] == [
        latex_text(standings.shown_names[rating.player]) for rating in standings.ratings
    ]


def test_no_spreadsheet_takes_a_name_for_a_formula():
    rows = [{"player": name, "rating": -1.5} for name in ("=1+1", "@x", "-y", "+z", "a=b")]
    names = [row["player"] for row in csv.DictReader(io.StringIO(_csv(rows).decode("utf-8-sig")))]
    assert names == ["'=1+1", "'@x", "'-y", "'+z", "a=b"]
    assert b",-1.5\n" in _csv(rows)


def test_two_players_have_pairs_alone():
    names = "random", "tests.helpers.players_with_faults:cheats?when=1"
    standings = play_tournament(Tournament(names, RULES, num_deals=2))
    files = tournament_files(standings)
    assert set(files) == {"pairs.csv", "pairs.tex"}
    assert table_of(files["pairs.tex"])[1][2:] == ["$0$", "--", "--", "--", "--"]
    (row,) = csv.DictReader(io.StringIO(files["pairs.csv"].decode("utf-8-sig")))
    assert (row["a"], row["deals"]) == ("random", "0")


def test_names_are_shown_by_latex_as_they_are():
    assert latex_text(r"exec:a\b_{c} $5 & 10%#^~") == (
        r"exec:a\textbackslash{}b\_\{c\} \$5 \& 10\%\#\textasciicircum{}\textasciitilde{}"
    )
    assert latex_text('<x> --y "z"\n†') == r"\textless{}x\textgreater{} -{}-y ''z''\textbackslash{}n\textdagger{}"
