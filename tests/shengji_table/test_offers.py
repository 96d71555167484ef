"""Overbids and rebellions on the play server: nothing that is sent tells what its receiver cannot know."""

import asyncio
import json
from collections import Counter

import numpy as np
import pytest

from shengji_env.engine.actions import PASS
from shengji_env.engine.cards import CARD_TEXTS, parse_card_list
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.players.registry import make_player
from shengji_table.web.board import Board
from shengji_table.web.handling import handle
from shengji_table.web.messages import Accepted, BidIntent, PlayCards
from shengji_table.web.questions import ask_of, read_answer
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.shown_offers import REBEL_TEXT, offered_answers, seats_offered
from shengji_table.web.timed_offers import make_offers
from tests.helpers.web_clients import (
    PERSONS,
    WATCHER,
    FastClock,
    Listening,
    Timing,
    given_deal,
    new_table,
    run,
)  # fmt: skip

OVERBIDS = "two_deck(kitty_retake=overbid)"
REBELLIONS = "two_deck(rebellion=redeal, rebellion_trumps=7, rebellion_points=20)"
VIEWERS = (0, 1, 2, 3, WATCHER)


def has_named(board):
    return int(board.transcript.states["trump"][0]) >= 0


def has_buried(board):
    return bool(board.transcript.decisions) and "bury" in board.transcript.decisions[-1]


REACHED = {OVERBIDS: has_buried, REBELLIONS: has_named}


@pytest.mark.parametrize("rules", ["two_deck", "chaodipi"])
def test_who_takes_up_the_kitty_is_told_what_it_was(rules):
    """Whatever the hand has more of than before was the kitty, of the deal or buried by the seat before."""
    player, num_takers = make_player("heuristic"), []
    for seed in range(12):
        board = Board(as_rules(rules), seed, ("a", "b", "c", "d"))
        while board.phase != Phase.LEAD:
            board.opening.shown = board.opening.total
            is_first = not int(board.transcript.states[0]["num_takers"])
            hands = {seat: hand_of(board, seat, is_opening=is_first) for seat in range(4)}
            board.show(board.ask(player), "")
            if board.phase == Phase.BURY:
                told = ask_of(board.decision(), board.transcript.states[0], is_forced=False).kitty
                assert Counter(told.split()) == hand_of(board, board.seat) - hands[board.seat]
                num_takers.append(int(board.transcript.states[0]["num_takers"]))
    assert 1 in num_takers
    assert (max(num_takers) > 1) == (rules == "chaodipi")


def hand_of(board, seat, *, is_opening=False):
    groups = board.view(seat, is_opening=is_opening, offered=None).hands[str(seat)].cards
    return Counter(" ".join(groups.values()).split())


def offers_heard(rules, seed, executor):
    """The phase that an offer hides, when a watcher hears of it and when it ends, and what is then seen."""
    clock = FastClock()
    table = new_table(*PERSONS, rules=rules, seed=seed, executor=executor, clock=clock, timing=Timing())
    board, bot, outbox = table.board, make_player("heuristic"), Listening(clock)
    while not REACHED[rules](board):
        board.show(board.ask(bot))
    table.is_opening = False
    table.join(WATCHER, outbox)
    return table, board.phase, outbox


@pytest.mark.parametrize(
    ("rules", "offered", "hidden"),
    [(OVERBIDS, "bid", {Phase.BID, Phase.LEAD}), (REBELLIONS, "rebel", {Phase.REBEL, Phase.BURY})],
)
def test_an_offer_tells_nobody_whether_a_seat_was_asked(rules, offered, hidden):
    """Whether or not a seat could overbid or rebel: the same time, and the same to be seen."""
    phases, seen = set(), set()

    async def scenario(executor):
        for seed in range(12):
            table, phase, outbox = offers_heard(rules, seed, executor)
            began, first = table.clock.now(), len(outbox.heard)
            await make_offers(table)
            heard = [(moment - began, json.loads(text)) for moment, text in outbox.heard[first:]]
            views = [state["view"] for _, state in heard]
            phases.add(phase)
            seen.update((view["phase"], view["seat"], view["trick"]["leader"]) for view in views)
            assert all(hand["size"] == 25 for view in views for hand in view["hands"].values())
            seen.add((tuple(moment for moment, _ in heard), round(table.clock.now() - began, 6)))

    run(scenario)
    assert phases == hidden
    assert {entry for entry in seen if len(entry) == 3} == {(offered, None, None)}
    assert len(seen) == 2


def moment_of(board):
    """When a seat is asked for a bid, in terms that do not depend on others' cards."""
    drawn = int(board.transcript.states["drawn"][0])
    return (board.seat, drawn, len(board.opening.bids)) if board.phase == Phase.BID else None


def answers(rules, board):
    """Who could answer the offer that is due, and what."""
    phase = Phase.REBEL if rules == REBELLIONS else Phase.BID
    state = board.transcript.states[0]
    for seat in sorted(seats_offered(phase, state)):
        for answer in offered_answers(phase, state, board.rules, seat):
            yield seat, answer


def cards_to_bury(decision, rng):
    """Any cards of the hand; without random words, the lowest ones."""
    cards = np.repeat(np.arange(54), decision.hand)
    chosen = cards if rng is None else rng.permutation(cards)
    return " ".join(CARD_TEXTS[card] for card in chosen[: decision.rules.kitty])


class Story:
    """A deal up to an offer, the answer that one seat gives to it, and what follows until the next lead or deal.

    Told again with other cards in all places that a viewer has not seen, it must sound the same to that viewer.
    """

    def __init__(self, rules, seed, executor):
        self.rules, self.seed, self.executor, self.bids = rules, seed, executor, {}
        board, bot = self.table().board, make_player("heuristic")
        self.deal, self.first_drawer = board.opening.deal.copy(), int(board.transcript.states["first_drawer"][0])
        while not REACHED[rules](board):
            moment, actions = moment_of(board), board.ask(bot)
            if moment is not None:
                self.bids[moment] = actions[0]
            board.show(actions)
        self.shown = [(bid.seat, bid.cards) for bid in board.opening.bids]
        self.declarer, self.buried = int(board.transcript.states["declarer"][0]), board.transcript.buried
        self.seat, self.answer = next(answers(rules, board), (None, ""))

    def table(self):
        return new_table(
            *PERSONS, rules=self.rules, seed=self.seed, executor=self.executor, clock=FastClock(), timing=Timing()
        )

    def other_deal(self, viewer, rng):
        """The deal with other cards in the places that a viewer has not seen, nor sees when it takes up the kitty."""
        rules = as_rules(self.rules)
        places = np.arange(4 * rules.hand + rules.kitty)
        is_kitty = places >= 4 * rules.hand
        holder = np.where(is_kitty, self.declarer, (self.first_drawer + places) % 4)
        is_known = (holder == viewer) & (~is_kitty | bool(self.buried))
        shown = [*self.shown, (self.seat, "" if self.answer == REBEL_TEXT else self.answer)]
        if viewer == self.seat:
            shown.append((self.declarer, self.buried))
        for seat, cards in shown:
            is_known |= (holder == seat) & np.isin(self.deal[places], parse_card_list(cards))
        hidden, deal = np.flatnonzero(~is_known), self.deal.copy()
        deal[hidden] = deal[rng.permutation(hidden)]
        return deal

    async def tell(self, viewer, deal, rng):
        """Return what a viewer is sent and when, and whom the engine asks first; None if there is no such answer."""
        table = self.table()
        given_deal(table, deal)
        board = table.board
        while not REACHED[self.rules](board):
            if board.phase == Phase.BID:
                board.show(board.actions_of(self.bids.get(moment_of(board), PASS)))
            else:
                is_seen = viewer in (self.declarer, self.seat)
                cards = self.buried if is_seen else cards_to_bury(board.decision(), rng)
                board.show(board.actions_of(read_answer(board.decision(), cards)))
        if (self.seat, self.answer) not in answers(self.rules, board):
            return None
        asked, table.is_opening, outbox = (board.phase, board.seat), False, Listening(table.clock)
        table.people.join(viewer, outbox)  # nothing is shown before the offer is
        return await self.go_on(table, viewer, outbox, rng), asked

    async def go_on(self, table, viewer, outbox, rng):
        """Let the table go on until cards are led or dealt again, while the seats say what they have to say."""
        publish, speaking, ends = table.publish, [], []

        async def say(seat, message):
            reply = await handle(table, seat, message, None, None)
            assert isinstance(reply, Accepted), reply

        def publish_and_answer():
            publish()
            decision = table.decision
            if table.is_opening or (decision is not None and decision.phase == Phase.LEAD):
                ends.append(len(outbox.heard))
            elif table.window is not None and not speaking:
                speaking.append(asyncio.ensure_future(say(self.seat, BidIntent(table.move, 0, self.answer))))
            elif decision is not None and decision.phase == Phase.BURY:
                cards = cards_to_bury(decision, None if decision.seat == viewer else rng)
                speaking.append(asyncio.ensure_future(say(decision.seat, PlayCards(table.move, cards))))

        table.publish = publish_and_answer
        playing = asyncio.ensure_future(play_rounds(table))
        while not ends and not playing.done():
            await asyncio.sleep(0)
        playing.cancel()
        await asyncio.gather(*speaking)
        return outbox.heard[: ends[0]]


@pytest.mark.parametrize(("rules", "ends_with"), [(OVERBIDS, "lead"), (REBELLIONS, "bid")])
def test_no_message_of_an_offer_that_is_taken_depends_on_hidden_cards(rules, ends_with):
    """One seat overbids or rebels, and then other cards are where a viewer cannot see them: the same bytes, in time."""
    told, asked = 0, set()

    async def scenario(executor):
        nonlocal told
        rng = np.random.default_rng(4)
        for seed in range(40):
            story = Story(rules, seed, executor)
            if story.seat is None or not story.bids or told >= 4 * len(VIEWERS) * 3:
                continue
            for viewer in VIEWERS:
                expected, first = await story.tell(viewer, story.deal, rng)
                phases = [json.loads(text)["view"]["phase"] for _, text in expected]
                assert phases[-1] == ends_with
                asked.add((seed, viewer, first))
                for _ in range(3):
                    other = await story.tell(viewer, story.other_deal(viewer, rng), rng)
                    if other is not None:
                        assert other[0] == expected
                        asked.add((seed, viewer, other[1]))
                        told += 1

    run(scenario)
    assert told > 40
    assert len(asked) > len({entry[:2] for entry in asked})  # the engine goes elsewhere, and nobody hears of it
