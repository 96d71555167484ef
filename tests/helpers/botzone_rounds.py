"""Rounds as Botzone's judge plays them: the request of each turn, made from the cards alone and not by the package.

A round is a dictionary as a line of tests/data/botzone_rounds.jsonl: `draws`, `kitty`, `level`, `first_round`,
`banker`, `first_drawer`, then what happened: `calls`, `trump`, `declarer`, `buried`, and the `turns` of play, each with
`seat`, `played` as finally played, `points` so far, `leader`, and the number of the `trick`. Where a throw failed,
`attempt` is what was thrown; in the round "many failed throws", `failed` are throws that were tried besides: the cards,
what was led instead, and by how much the attackers' points changed. `result` is the round's.
"""

import json

RANKS, SUITS = "A234567890JQK", "SHCD"


def text_of(number):
    number %= 54
    if number >= 52:
        return "LJ" if number == 52 else "BJ"
    return (SUITS[number % 4] + RANKS[number // 4]).replace("0", "T")


def take(cards, ids):
    """Take ids of some cards out of a list of them."""
    taken = []
    for card in cards.split():
        taken.append(next(number for number in ids if text_of(number) == card))
        ids.remove(taken[-1])
    return taken


class JudgedRound:
    """Yields (seat, stage, request, what was answered in the round) for every turn."""

    def __init__(self, given):
        self.given = given
        self.num_requests = [0] * 4
        left = list(range(107, -1, -1))
        self.hands = [[], [], [], []]
        self.drawn = [take(" ".join(cards), left) for cards in zip(*map(str.split, given["draws"]), strict=True)]
        self.kitty = take(given["kitty"], left)
        banker = -1 if given["banker"] is None else given["banker"]
        self.banking = {"called": -1, "snatched": -1, "major": "", "banker": banker}
        self.known = {"level": given["level"].replace("T", "0"), "first_round": given["first_round"]}

    def request(self, seat, stage, **fields):
        first = {} if self.num_requests[seat] else {"playerpos": seat}
        self.num_requests[seat] += 1
        request = {"stage": stage, **fields, **first, "global": {**self.known, "banking": self.banking}}
        return json.loads(json.dumps(request))

    def turns(self):
        yield from self.draw_turns()
        given = self.given
        declarer = given["declarer"]
        major = "n" if given["trump"] == "NT" else given["trump"].lower()
        self.banking |= {"banker": declarer, "major": major}
        self.hands[declarer] += self.kitty
        yield declarer, "cover", self.request(declarer, "cover", deliver=self.kitty), given["buried"]
        take(given["buried"], self.hands[declarer])
        yield from self.plays()

    def draw_turns(self):
        calls = {call["drawn"]: call for call in self.given["calls"]}
        for drawn in range(100):
            seat = (self.given["first_drawer"] + drawn) % 4
            number = self.drawn[drawn // 4][seat]
            self.hands[seat].append(number)
            called = calls.get(drawn + 1)
            yield seat, "deal", self.request(seat, "deal", deliver=[number]), called["cards"] if called else ""
            if called:
                is_first = self.banking["called"] == -1
                major = "n" if called["cards"][1] == "J" and called["cards"][0] in "LB" else called["cards"][0].lower()
                self.banking |= {"called" if is_first else "snatched": seat, "major": major}
                if self.given["first_round"]:
                    self.banking["banker"] = seat

    def plays(self):
        declarer = self.given["declarer"]
        history, number = [[], [], declarer, declarer], 0
        for turn in self.given["turns"]:
            if turn["trick"] != number:
                history, number = [history[1], [], history[3], turn["leader"]], turn["trick"]
            self.known["total_score"] = turn["points"]
            yield turn["seat"], "play", self.request(turn["seat"], "play", history=history), turn["played"]
            history[1] = [*history[1], take(turn["played"], self.hands[turn["seat"]])]
