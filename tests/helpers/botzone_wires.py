"""Seats whose player sits behind Botzone's wire: our messages become its requests, and these messages again."""

import json

from shengji_botzone.match_seat import MatchSeat
from shengji_botzone.seat_requests import SeatRequests
from shengji_botzone.wire import cards_of, read_request
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.exec import bot_messages as messages


class WiredSeat:
    """Handles messages as a `Speaker` does; `deals` keeps the requests of each deal, and what the player answered.

    `num_made_up` counts the plays at which our protocol asks nothing.
    """

    def __init__(self, player, *, seed):
        self.player, self.seed, self.deals, self.num_made_up = player, seed, [], 0

    def handle(self, given):
        message = messages.as_message(given)
        if isinstance(message, messages.BotHello):
            self.rules = RuleSet.from_json(message.rules)
            return messages.Ready(2)
        if isinstance(message, messages.BotRound):
            self.story = SeatRequests(message, self.rules)
            self.seat = MatchSeat(self.player, seed=self.seed, rules=self.rules)
            self.answers = []
            self.deals.append((self.story, self.answers))
        else:
            before = len(self.story.requests)
            self.story.handle(message)
            is_own = message.type in ("lead", "follow") and message.seat == self.story.begun.seat
            self.num_made_up += is_own and len(self.story.requests) > before
        if not isinstance(message, messages.Decide):
            return None
        if message.kind == "bid" and message.last_call:
            return messages.BotPlay(message.move, "")
        self.story.ask(message.kind)
        while len(self.answers) < len(self.story.requests):
            request = read_request(json.dumps(self.story.requests[len(self.answers)]))
            self.answers.append(self.seat.respond(request))
        ids = self.answers[-1] if cards_of(self.answers[-1]) in message.options or message.kind != "bid" else []
        self.story.responses.append(ids)
        return messages.BotPlay(message.move, cards_of(ids))
