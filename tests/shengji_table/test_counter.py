"""The card counter: what a seat has not seen, where the table lets it be counted."""

import re
from collections import Counter

import pytest

from shengji_env.engine.cards import card_text
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.players.registry import make_player
from shengji_table.web.board import Board
from tests.helpers.browsing import set_up, to_choose, until
from tests.helpers.web_clients import new_table

PLAYING = (Phase.LEAD, Phase.FORCED, Phase.FOLLOW)


def held(view, seat):
    return Counter(" ".join(view.hands[str(seat)].cards.values()).split())


@pytest.mark.parametrize("rules", ["two_deck", "chaodipi"])
def test_unseen_is_the_deck_without_what_was_played_the_own_hand_and_the_own_burial(rules):
    """The naive count: whatever the views of a seat have shown in tricks is gone."""
    board, bot = Board(as_rules(rules), 5, ("Ann",) * 4), make_player("heuristic")
    total, counted = as_rules(rules).total, 0
    deck = Counter(card_text(int(card)) for card in board.transcript.states["deal"][0][:total])
    gone, tricks = Counter(), 0
    while board.phase != Phase.OVER:
        board.show(board.ask(bot))
        if board.phase not in PLAYING:
            assert board.unseen(0) == ""
            continue
        for seat in range(4):
            view = board.view(seat, is_opening=False, offered=None)
            if view.tricks > tricks:
                tricks = view.tricks
                gone += Counter(" ".join(view.last_trick.plays.values()).split())
            now = Counter(" ".join(view.trick.plays.values()).split())
            known = gone + now + held(view, seat) + Counter((view.buried or "").split())
            assert Counter(board.unseen(seat).split()) == deck - known
            counted += 1
    assert counted > 100


def test_a_host_may_forbid_it_and_who_watches_has_none():
    table = new_table("human", "heuristic", "heuristic", "heuristic", executor=None)
    assert (table.state_for(0).unseen, table.state_for(-1).unseen) == ("", None)
    table = new_table("human", "heuristic", "heuristic", "heuristic", executor=None, has_counter=False)
    assert table.state_for(0).unseen is None


@pytest.mark.parametrize(
    ("locale", "said"), [("en-US", "Cards that you have not seen: 75"), ("zh-CN", "没见过的牌：75 张")]
)
def test_the_page_shows_it_to_who_wants_it(serve, sit, locale, said):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck"), 0, locale=locale)
    to_choose(page, "Lead|Play|出牌|跟牌")
    assert page.locator("section.counter").count() == 0
    set_up(page, ".counter")
    until(page, lambda: page.locator("section.counter").count() == 1)
    shown = page.locator("section.counter").text_content()
    assert re.search(said.replace("75", r"\d\d"), shown)


def test_the_page_offers_none_where_it_is_forbidden(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5, has_counter=False), 0)
    to_choose(page)
    assert page.locator(".drawer .counter").count() == 0
