"""Players that speak the protocol without processes: what a seat is told goes straight to a `Speaker`."""

import copy
import json

import numpy as np

from shengji_env.engine.play import as_play
from shengji_env.engine.state import Phase
from shengji_env.players.decisions import tables_behind
from shengji_env.players.exec.bot_messages import PROTOCOL, BotHello, line_of
from shengji_env.players.exec.deal_feed import Cursor, DealFeed
from shengji_env.players.exec.exec_answers import question_of, read_answer
from shengji_env.players.exec.speaking import Speaker
from shengji_env.players.player import Needs, Player
from shengji_env.players.whole_plays import next_action
from tests.helpers.hidden_cards import deal_again


class Listener:
    """A seat at a table: a `Speaker`, or what handles messages like one, and what it has been told."""

    def __init__(self, speaker, rules):
        self.speaker, self.cursor, self.lines = speaker, Cursor(), []
        self.send(line_of(BotHello(PROTOCOL, "0", rules.to_json(), 1.0, None)))

    def send(self, lines):
        self.lines += lines.splitlines()
        return [self.speaker.handle(json.loads(line)) for line in lines.splitlines()][-1:]


class Conversation(Player):
    """Plays as `player` does when it is told only what its seat may know."""

    needs = Needs.RECORDS | Needs.PROCESSES

    def __init__(self, player, *, watch=None, speaker=Speaker):
        self.name, self.player, self.watch = player.name, player, watch or (lambda *_: None)
        self.make_speaker = lambda: speaker(player, seed=0)
        self.feeds, self.listeners, self.answers = {}, {}, {}

    def decide(self, decisions):
        return np.array([self._decide(decisions, index) for index in range(len(decisions))])

    def _decide(self, decisions, index):
        tables, rows = tables_behind(decisions)
        row = int(rows[index])
        seat, state = int(tables.seats[row]), tables.states[row]
        ply = int(state["round_index"]), int(tables.progress["ply"][row]) - int(state["taken_size"]), seat
        if self.answers.get(row, (None,))[0] != ply:
            feed = self._feed(tables, row)
            feed.follow(tables, row)
            listener = self._listener(tables, row, seat)
            listener.send(feed.messages_for(seat, listener.cursor))
            question = question_of(1, decisions, index, decisions.rules_record)
            self.watch(self, decisions, index, question)
            (answer,) = listener.send(line_of(question))
            self.answers[row] = ply, read_answer(answer, 1, decisions, index, decisions.rules_record)
        answer = self.answers[row][1]
        if isinstance(answer, int):
            return answer
        return int(next_action(tables.states[row : row + 1], decisions.action_mask[index], as_play(answer)))

    def _feed(self, tables, row):
        feed = self.feeds.get(row)
        if feed is None or not feed.is_at(tables, row):
            if feed is not None:
                self._finish(tables, row)
            self.feeds[row] = feed = DealFeed(tables, row)
            for (table, seat), listener in self.listeners.items():
                if table == row:
                    listener.cursor = Cursor()
                    listener.send(feed.begin(seat))
        return feed

    def _listener(self, tables, row, seat):
        if (row, seat) not in self.listeners:
            self.listeners[row, seat] = Listener(self.make_speaker(), tables.rules)
            self.listeners[row, seat].send(self.feeds[row].begin(seat))
        return self.listeners[row, seat]

    def end_rounds(self, ended):
        tables, rows = tables_behind(ended)
        for row in rows.tolist():
            self._finish(tables, row)

    def _finish(self, tables, row):
        self.feeds[row].finish(tables, row)
        for (table, seat), listener in self.listeners.items():
            if table == row:
                listener.send(self.feeds[row].messages_for(seat, listener.cursor))


def in_another_deal(feed, states):
    """A feed of the same events, at a table whose hidden cards are others."""
    other = copy.deepcopy(feed)
    other._transcript.states[:] = states
    return other


def other_world(states, seat, rules, rng):
    """A state with other hidden cards; the cards that the seat has drawn, and as declarer taken up, stay."""
    world, places = deal_again(states, seat, rules, rng), np.arange(rules.decks * 54)
    drawer = np.where(places < 4 * rules.hand, (states["first_drawer"][0] + places) % 4, states["declarer"][0])
    own = places[drawer == seat]
    others = np.setdiff1d(places, own)
    world["deal"][0, own] = states["deal"][0, own]
    if states["phase"][0] not in (Phase.BID, Phase.NAME):
        world["deal"][0, others] = rng.permutation(states["deal"][0, others])
    return world
