"""A round from the deal to the next declarer by the oracle's rules, to check records or to make them.

`play_round` asks a `Chooser` for every decision, in the order of the rules, and writes the record. `check_round` takes
the answers from a record, and compares every figure in it. A record holds the deal that was played, and those that were
abandoned by a rebellion; deals of the same round in which nobody bid are only counted (`redeals`).

| step | decision asked for |
|---|---|
| bidding, §4 | `bid`, only of seats with a legal bid; `name`, of the declarer's partner |
| rebelling, §4 | `rebel`, only of attackers with a weak hand |
| burying, §5 | `bury`; then `bid` of seats that can overbid |
| each trick, §8 to §10 | `lead` as attempted, `forced` if there are several choices, three `follow` |

Source: docs/rules.md.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, NamedTuple

from tests.helpers import oracle
from tests.helpers.oracle import NUM_SEATS, RANKS, SUITS, Bid, Cards, Options, Trump

Record = Mapping[str, Any]
WORDS = (None, *SUITS, "NT", "rebel")
"""Answers that are no cards."""


class Question(NamedTuple):
    """One decision: of whom, and among what."""

    kind: str
    """bid, name, rebel, bury, lead, forced or follow: the decision's key in a record."""
    seat: int
    drawn: int
    """Cards dealt so far (only `bid` is written with it)."""
    hand: Cards
    choices: tuple[str | None, ...]
    """Every legal answer to bid, name, rebel and forced; None is a pass. Else empty."""
    trump: Trump | None = None
    led: Cards = ()
    """What a follow has to follow; the attempted throw for `forced`."""
    others: tuple[Cards, ...] = ()
    """The other seats' hands (for leads), in turn order."""


Chooser = Callable[[Question], str | None]
Deal = tuple[int, str]
"""How often the cards were dealt before, and the order of the cards."""


class _Table:
    """One deal of a round in play: what is known so far, and the decisions as they are made."""

    def __init__(self, setup: Record, options: Options, choose: Chooser) -> None:
        self.options = options
        self.choose = choose
        self.levels = (RANKS.index(setup["levels"][0]), RANKS.index(setup["levels"][1]))
        self.declarer: int | None = setup["declarer"]
        self.first_drawer: int = setup["first_drawer"]
        self.rebellions: int = setup["rebellions"]
        self.empty_deals: int = setup["redeals"] - self.rebellions
        self.deal = oracle.parse_in_order(setup["deal"])
        self.num_drawn = len(self.deal) - options.kitty
        self.kitty = self.deal[self.num_drawn :]
        self.hands: list[Cards] = [()] * NUM_SEATS
        self.standing: Bid | None = None
        self.bidder: int | None = None
        self.first_bidder: int | None = None
        self.trump = Trump(None, 0)
        self.penalties = 0
        self.decisions: list[dict[str, Any]] = []

    def require(self, condition: bool, message: str) -> None:
        """Refuse what the rules do not allow, naming the ply: the index of the decision last made."""
        if not condition:
            raise AssertionError(f"ply {len(self.decisions) - 1}: {message}")

    def ask(self, question: Question) -> str | None:
        """Ask for a decision, note it, and check what can be checked for every kind."""
        answer = self.choose(question)
        noted: dict[str, Any] = {"seat": question.seat}
        if question.kind == "bid":
            noted["drawn"] = question.drawn
        noted[question.kind] = answer is not None if question.kind == "rebel" else answer
        self.decisions.append(noted)
        if question.choices:
            written = [choice if choice in WORDS else _sorted_text(choice) for choice in question.choices]
            is_word = question.kind in ("name", "rebel")
            made = answer if answer is None or is_word else _sorted_text(answer)
            legal = list(question.choices) if is_word else written
            self.require(made in legal, f"{question.kind} {answer!r} is none of {legal}")
        else:
            self.require(answer is not None, f"{question.kind} cannot be passed")
        return answer

    def ask_cards(self, question: Question) -> Cards:
        """Ask for cards; they must be in the hand."""
        answer = self.ask(question)
        cards = oracle.parse(answer or "")
        self.require(
            oracle.contains(question.hand, cards),
            f"seat {question.seat} does not hold {answer}; its hand is {oracle.text(question.hand)}",
        )
        return cards

    def level_rank(self, seat: int) -> int:
        """The rank with which a seat bids: the declarer's level, or while there is none its own team's."""
        return self.levels[(seat if self.declarer is None else self.declarer) % 2]


def play_round(setup: Record, options: Options, choose: Chooser, deals: Iterator[Deal] | None = None) -> dict[str, Any]:
    """Play a round and return its record.

    Args:
        setup: the record's keys round, levels, declarer, first_drawer; redeals, deal and abandoned, unless `deals`
            are given; trump where the bidding is fixed.
        options: the rules.
        choose: answers every question; an illegal answer raises AssertionError with its ply.
        deals: the deals of the round, one after the other; one in which nobody can bid may be left out.

    Source: docs/rules.md §2 to §13.
    """
    if deals is None:
        deals = iter([(part["redeals"], part["deal"]) for part in (*setup.get("abandoned", ()), setup)])
    abandoned: list[dict[str, Any]] = []
    began = {"declarer": setup["declarer"], "first_drawer": setup["first_drawer"]}
    redeals = -1
    for index, deal in deals:
        assert index > redeals, f"deal {index} after {redeals}"
        is_empty = index > redeals + 1
        redeals = index
        due = dict(setup) | began | {"deal": deal, "redeals": index, "rebellions": len(abandoned)}
        table = _Table(due, options, choose)
        _check_redeals(table, is_empty)
        check_deal(table.deal, options)
        _deal_and_bid(table)
        declarer = _name_trump(table, setup)
        if declarer is None:
            continue
        rebel = _rebel(table, declarer)
        if rebel is None:
            return _play_on(table, declarer, setup, due | {"abandoned": abandoned})
        abandoned.append({"deal": deal, "redeals": index, "decisions": table.decisions})
        if options.rebellion == "new_declarer":
            began = {"declarer": rebel, "first_drawer": rebel}
        elif options.rebellion == "no_declarer":
            lot = sum(place * card for place, card in enumerate(table.deal, start=1))
            began = {"declarer": None, "first_drawer": lot % NUM_SEATS}
    raise AssertionError("the cards are dealt again, but no deal follows")


def _check_redeals(table: _Table, is_empty: bool) -> None:
    """Whether the deals in which nobody bid are possible; `is_empty`: some were left out before this one."""
    if table.empty_deals:
        fixed = table.options.bidding == "fixed"
        table.require(not fixed, "only first rounds are dealt again")
        table.require(table.empty_deals <= table.options.max_redeals, "dealt again too often")
    if is_empty:
        table.require(table.declarer is None, "only first rounds are dealt again")


def _play_on(table: _Table, declarer: int, setup: Record, due: Record) -> dict[str, Any]:
    """Bury, play the tricks, and write the record."""
    buried = _bury(table, declarer)
    tricks, deciding, points = _play_tricks(table, declarer)
    figures = _result(table, declarer, buried, tricks, deciding, points)
    copied = {key: setup[key] for key in ("round", "levels", "declarer", "first_drawer")}
    if due["abandoned"]:
        copied["abandoned"] = due["abandoned"]
    return copied | {
        "redeals": due["redeals"],
        "deal": due["deal"],
        "decisions": table.decisions,
        "trump": "NT" if table.trump.suit is None else SUITS[table.trump.suit],
        "level_rank": RANKS[table.trump.level],
        "kitty": oracle.text(table.kitty),
        "buried": oracle.text(buried),
        "tricks": tricks,
        "result": figures,
    }


def check_deal(deal: Cards, options: Options) -> None:
    """Every card once a deck, and a kitty that leaves four equal hands. Source: docs/rules.md §1, §2."""
    assert tuple(sorted(deal)) == oracle.cards_dealt(options), "the deal is not all cards of the decks"
    assert options.kitty > 0 or options.bidding == "fixed", "the kitty is empty"
    assert (len(deal) - options.kitty) % NUM_SEATS == 0, "the kitty does not divide the deal"


# ---- §4 bidding


def _deal_and_bid(table: _Table) -> None:
    for index in range(table.num_drawn):
        seat = (table.first_drawer + index) % NUM_SEATS
        table.hands[seat] = tuple(sorted((*table.hands[seat], table.deal[index])))
        if table.options.bidding in ("streaming", "drawing"):
            _ask_for_bid(table, seat, index + 1)
    if table.options.bidding in ("fixed", "drawing"):
        return
    seat = table.first_drawer  # Also the seat after the last drawer, since hands are of equal size.
    if table.options.bidding == "sequential" and table.declarer is not None:
        seat = (table.declarer + 2) % NUM_SEATS
    without_bid = 0
    while without_bid < NUM_SEATS:
        without_bid = 0 if _ask_for_bid(table, seat, table.num_drawn) else without_bid + 1
        seat = (seat + 1) % NUM_SEATS


def _ask_for_bid(table: _Table, seat: int, drawn: int) -> bool:
    return _ask_bid_of(table, seat, drawn, table.level_rank(seat))


def _ask_bid_of(table: _Table, seat: int, drawn: int, rank: int) -> bool:
    bids = oracle.legal_bids(table.hands[seat], rank, table.standing, table.bidder == seat, table.options)
    if not bids:
        return False
    by_text = {oracle.text(oracle.bid_cards(bid, rank)): bid for bid in bids}
    answer = table.ask(Question("bid", seat, drawn, table.hands[seat], (None, *by_text)))
    if answer is None:
        return False
    table.standing, table.bidder = by_text[answer], seat
    if table.first_bidder is None:
        table.first_bidder = seat
    return True


def _name_trump(table: _Table, setup: Record) -> int | None:
    """Settle trump suit, level rank and declarer; return the declarer, None if the cards are dealt again."""
    no_bid_needed = table.options.bidding == "fixed"
    declarer = table.declarer
    suit: int | None
    if no_bid_needed:
        declarer = table.first_drawer if declarer is None else declarer
        suit = None if setup["trump"] in ("NT", None) else SUITS.index(setup["trump"])
    elif table.standing is not None and table.bidder is not None:
        bidder = table.first_bidder if table.options.first_declarer == "first_bid" else table.bidder
        declarer = bidder if declarer is None else declarer
        kind = table.standing[1]
        suit = kind if isinstance(kind, int) else None
    elif declarer is None:
        if table.empty_deals < table.options.max_redeals:
            return None
        declarer = table.first_drawer
        if table.options.no_bid == "random":
            suit, declarer = oracle.kitty_lot(table.kitty, table.options)
        else:
            suit = None if table.options.no_bid == "no_trump" else oracle.flipped_trump(table.kitty)
    elif table.options.no_bid == "random":
        suit, _ = oracle.kitty_lot(table.kitty, table.options)
    elif table.options.no_bid == "no_trump":
        suit = None
    elif table.options.no_bid == "flip_kitty":
        suit = oracle.flipped_trump(table.kitty)
    else:
        suit = _partner_names(table, declarer)
    assert declarer is not None
    table.trump = Trump(suit, table.levels[declarer % 2])
    return declarer


def _partner_names(table: _Table, declarer: int) -> int | None:
    partner = (declarer + 2) % NUM_SEATS
    names = tuple(SUITS[suit] for suit in oracle.suits_dealt(table.options))
    names += ("NT",) if table.options.no_trump_bids else ()
    answer = table.ask(Question("name", partner, table.num_drawn, table.hands[partner], names))
    return None if answer is None or answer == "NT" else SUITS.index(answer)


def _rebel(table: _Table, declarer: int) -> int | None:
    """Ask the attackers whether they rebel; return the first who does."""
    options = table.options
    if options.rebellion == "none" or options.bidding == "fixed" or table.rebellions >= options.max_rebellions:
        return None
    for step in (1, 3):
        seat = (declarer + step) % NUM_SEATS
        hand = table.hands[seat]
        if not oracle.is_weak(hand, table.trump, options):
            continue
        if table.ask(Question("rebel", seat, table.num_drawn, hand, (None, "rebel"), table.trump)) is not None:
            return seat
    return None


# ---- §5 bury


def _bury(table: _Table, declarer: int) -> Cards:
    """Let the declarer bury, then whoever overbids; return what lies in the kitty in the end."""
    if not table.kitty:
        return ()
    buried = _bury_of(table, declarer, table.kitty)
    may_overbid = table.options.kitty_retake == "overbid" and table.standing is not None
    taker = _overbid(table, declarer) if may_overbid else None
    while taker is not None:
        buried = _bury_of(table, taker, buried)
        taker = _overbid(table, taker)
    return buried


def _bury_of(table: _Table, seat: int, kitty: Cards) -> Cards:
    hand = tuple(sorted(table.hands[seat] + kitty))
    buried = table.ask_cards(Question("bury", seat, table.num_drawn, hand, (), table.trump))
    table.require(len(buried) == len(kitty), f"{len(buried)} cards are buried for {len(kitty)}")
    table.hands[seat] = oracle.without(hand, buried)
    return buried


def _overbid(table: _Table, burier: int) -> int | None:
    """Ask the seats after the one that has buried for an overbid; return who has made one."""
    for step in range(1, NUM_SEATS):
        seat = (burier + step) % NUM_SEATS
        if seat == table.bidder or not _ask_bid_of(table, seat, table.num_drawn, table.trump.level):
            continue
        assert table.standing is not None
        kind = table.standing[1]
        table.trump = Trump(kind if isinstance(kind, int) else None, table.trump.level)
        return seat
    return None


# ---- §8 to §10 tricks


def _play_tricks(table: _Table, declarer: int) -> tuple[list[dict[str, Any]], dict[str, Cards], int]:
    """Play to the last card: the tricks, what may decide the kitty, attackers' points."""
    tricks: list[dict[str, Any]] = []
    leader, captured = declarer, 0
    deciding: dict[str, Cards] = {}
    while table.hands[leader]:
        plays = [_lead(table, leader, declarer)]
        for step in range(1, NUM_SEATS):
            plays.append(_follow(table, (leader + step) % NUM_SEATS, plays[0]))
        best = oracle.trick_winner(plays, table.trump, table.options.throw_contest)
        winner = (leader + best) % NUM_SEATS
        lying = sum(oracle.points(play) for play in plays)
        counts = table.options.last_trick_points or any(table.hands)
        if _is_attacker(winner, declarer) and counts:
            captured += lying
        tricks.append({"leader": leader, "led": oracle.text(plays[0]), "winner": winner, "points": lying})
        deciding = {"lead": plays[0], "winner": plays[best]}
        leader = winner
    return tricks, deciding, captured


def _lead(table: _Table, leader: int, declarer: int) -> Cards:
    hand, options = table.hands[leader], table.options
    others = tuple(table.hands[(leader + step) % NUM_SEATS] for step in range(1, NUM_SEATS))
    attempt = table.ask_cards(Question("lead", leader, table.num_drawn, hand, (), table.trump, (), others))
    table.require(
        oracle.is_legal_lead(attempt, hand, table.trump, options.throws),
        f"seat {leader} cannot lead {oracle.text(attempt)}",
    )
    choices = [component.cards for component in oracle.forced_choices(attempt, others, table.trump)]
    choice: Cards | None = None
    if len(choices) > 1 and options.failed_throw == "next_seat_chooses":
        seat = (leader + 1) % NUM_SEATS
        texts = tuple(oracle.text(cards) for cards in choices)
        asked = Question("forced", seat, table.num_drawn, table.hands[seat], texts, table.trump, attempt)
        choice = oracle.parse(table.ask(asked) or "")
    if choices:
        price = oracle.throw_price(attempt, others, table.trump, options)
        table.penalties += price * (-1 if _is_attacker(leader, declarer) else 1)
    led = oracle.led_after_throw(attempt, others, table.trump, options.failed_throw, choice)
    table.hands[leader] = oracle.without(hand, led)
    return led


def _follow(table: _Table, seat: int, led: Cards) -> Cards:
    hand, policy = table.hands[seat], table.options.follow_priority
    play = table.ask_cards(Question("follow", seat, table.num_drawn, hand, (), table.trump, led))
    table.require(
        oracle.is_legal_follow(play, led, hand, table.trump, policy),
        f"seat {seat} cannot follow {oracle.text(led)} with {oracle.text(play)} from {oracle.text(hand)}",
    )
    table.hands[seat] = oracle.without(hand, play)
    return play


def _is_attacker(seat: int, declarer: int) -> bool:
    return seat % 2 != declarer % 2


# ---- §11 to §13 the result


def _result(
    table: _Table,
    declarer: int,
    buried: Cards,
    tricks: Sequence[Record],
    deciding: Mapping[str, Cards],
    captured: int,
) -> dict[str, Any]:
    options = table.options
    took_last = _is_attacker(tricks[-1]["winner"], declarer)
    multiplier = 0
    if took_last:
        shown = deciding[options.kitty_shape]
        multiplier = oracle.kitty_multiplier(shown, table.trump, options.kitty_multiplier)
    kitty_points = oracle.points(buried)
    total = captured + multiplier * kitty_points + table.penalties
    winner, nominal = oracle.settle(options.result_table, total, took_last, oracle.points(table.deal))
    fallen: int | None = None
    if took_last:
        fallen = oracle.fallen_level(options.last_trick_demotion, deciding["winner"], table.trump, winner)
    levels, risen = oracle.raise_levels(
        table.levels, declarer, winner, nominal, options.match_end, options.must_defend, fallen
    )
    return {
        "attackers_points": total,
        "kitty_points": kitty_points,
        "kitty_multiplier": multiplier,
        "winner": winner,
        "levels": risen,
        "levels_lost": 0 if fallen is None else table.levels[declarer % 2] - fallen,
        "levels_nominal": nominal,
        "next_declarer": oracle.next_declarer(declarer, winner),
        "new_levels": [RANKS[level] for level in levels],
    }


# ---- records


def options_of(rules: Mapping[str, Any]) -> Options:
    """The options of a record's header, or of any mapping with the names of docs/rules.md §14."""
    named = rules.get("options", rules)
    known = {field.name for field in fields(Options)}
    assert set(named) <= known, f"unknown options: {sorted(set(named) - known)}"
    base = asdict(oracle.PRESETS[rules["preset"]]) if rules.get("preset") in oracle.PRESETS else {}
    return Options(**(base | dict(named)))


def check_round(record: Record, options: Options | Mapping[str, Any]) -> None:
    """Replay a recorded round and check every step and figure.

    Raises:
        AssertionError: naming the ply (index of the decision) or the figure that is wrong.

    Source: docs/rules.md §2 to §13.
    """
    if not isinstance(options, Options):
        options = options_of(options)
    recorded = [step for part in (*record.get("abandoned", ()), record) for step in part["decisions"]]
    asked = 0

    def answer(question: Question) -> str | None:
        nonlocal asked
        expected = {"seat": question.seat}
        if question.kind == "bid":
            expected["drawn"] = question.drawn
        assert asked < len(recorded), f"ply {asked}: missing; seat {question.seat} is to {question.kind}"
        decision = recorded[asked]
        rest = {key: value for key, value in decision.items() if key != question.kind}
        due = f"ply {asked}: {decision} where {question.kind} of {expected} is due"
        assert question.kind in decision, due
        assert rest == expected, due
        asked += 1
        answer: str | None = decision[question.kind]
        if question.kind == "rebel":
            assert answer is True or answer is False, f"ply {asked - 1}: {answer!r} is not true or false"
            return "rebel" if answer else None
        return answer

    replayed = play_round(record, options, answer)
    assert asked == len(recorded), f"ply {asked}: {recorded[asked]} after the end of the round"
    assert [part["redeals"] for part in record.get("abandoned", ())] == [
        part["redeals"] for part in replayed.get("abandoned", ())
    ], "abandoned: other deals than by the rules"
    for key, value in replayed.items():
        if key not in ("decisions", "abandoned"):
            assert _normal(key, record[key]) == _normal(key, value), f"{key}: {record[key]} is not {value}"


def check_match(records: Sequence[Record], options: Options | Mapping[str, Any]) -> None:
    """Check the rounds of a whole match, and that each follows from the one before.

    Source: docs/rules.md §13.
    """
    if not isinstance(options, Options):
        options = options_of(options)
    for index, record in enumerate(records):
        check_round(record, options)
        assert record["round"] == index, f"round {index} is numbered {record['round']}"
        if index:
            before = records[index - 1]["result"]
            assert record["levels"] == before["new_levels"], f"round {index}: levels"
            assert record["declarer"] == before["next_declarer"], f"round {index}: declarer"
        if index and record["declarer"] is not None:
            assert record["first_drawer"] == record["declarer"], f"round {index}: first drawer"
        is_over = ends_match(record, index + 1, options)
        assert is_over == (index == len(records) - 1), f"round {index}: the match is {'' if is_over else 'not '}over"


def ends_match(record: Record, rounds_played: int, options: Options) -> bool:
    levels = tuple(RANKS.index(level) for level in record["levels"])
    raised = tuple(RANKS.index(level) for level in record["result"]["new_levels"])
    # The declarer leads the first trick.
    declarer, winner = record["tricks"][0]["leader"], record["result"]["winner"]
    lost, risen = record["result"].get("levels_lost", 0), record["result"]["levels"]
    return oracle.is_match_over(
        (levels[0], levels[1]), (raised[0], raised[1]), declarer, winner, rounds_played, options, lost, risen
    )


def _normal(key: str, value: Any) -> Any:
    """A record's figure without what may differ: the order in which sets of cards are written."""
    if key in ("kitty", "buried"):
        return oracle.parse(value)
    if key == "tricks":
        return [{**trick, "led": oracle.parse(trick["led"])} for trick in value]
    if key == "trump":
        return value or "NT"
    if key == "result":
        return {"levels_lost": 0} | dict(value)
    return value


def _sorted_text(notation: str) -> str:
    return oracle.text(oracle.parse(notation))


# ---- random rounds


def random_setup(generator: random.Random, options: Options, declarer: int | None = None) -> dict[str, Any]:
    """What `play_round` needs, drawn at random: levels, first drawer, deal."""
    deal = list(oracle.cards_dealt(options))
    generator.shuffle(deal)
    first_drawer = generator.randrange(NUM_SEATS) if declarer is None else declarer
    return {
        "round": 0,
        "levels": [generator.choice(RANKS[:-1]) for _ in range(2)],
        "declarer": declarer,
        "first_drawer": first_drawer,
        "redeals": 0 if options.bidding == "fixed" or declarer is not None else options.max_redeals,
        "deal": oracle.text(deal),
        "trump": SUITS[generator.choice(oracle.suits_dealt(options))],
    }


def random_chooser(generator: random.Random, options: Options) -> Chooser:
    """Answers at random: any legal answer may come, though not all are equally likely."""

    def choose(question: Question) -> str | None:
        if question.choices:
            return generator.choice(question.choices)
        hand, size = list(question.hand), options.kitty
        if question.kind == "bury":
            return oracle.text(generator.sample(hand, size))
        if question.kind == "lead":
            return oracle.text(_random_lead(generator, question, options))
        return oracle.text(_random_follow(generator, question, options))

    return choose


def _random_lead(generator: random.Random, question: Question, options: Options) -> Cards:
    assert question.trump is not None
    suit = oracle.effective_suit(generator.choice(question.hand), question.trump)
    cards = oracle.of_suit(question.hand, suit, question.trump)
    if options.throws and generator.random() < 0.3:
        return tuple(generator.sample(cards, generator.randint(1, len(cards))))
    components = oracle.all_components(cards, question.trump)
    shape = generator.choice(sorted({component.shape for component in components}))
    return generator.choice([component.cards for component in components if component.shape == shape])


def _random_follow(generator: random.Random, question: Question, options: Options) -> Cards:
    assert question.trump is not None
    trump, led, hand = question.trump, question.led, question.hand
    suit = oracle.effective_suit(led[0], trump)
    held = oracle.of_suit(hand, suit, trump)
    if len(held) <= len(led):
        return held + tuple(generator.sample(oracle.without(hand, held), len(led) - len(held)))
    for _ in range(20):
        play = tuple(sorted(generator.sample(held, len(led))))
        if oracle.is_legal_follow(play, led, hand, trump, options.follow_priority):
            return play
    shapes = oracle.demand(led, hand, trump, options.follow_priority)
    wide = [shape for shape in shapes if shape[0] > 1]
    served = oracle.packing(held, wide, trump)
    assert served is not None
    return served + tuple(generator.sample(oracle.without(held, served), len(led) - len(served)))
