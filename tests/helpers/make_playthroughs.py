"""Make `data/playthroughs/*.jsonl`: whole rounds, each showing a feature, that every later version must play the same.

Run ``python -m tests.helpers.make_playthroughs`` when deals, rules or the record format have changed on purpose. It
searches seeded tables until a round shows the feature of its case. Each file is a record (docs/records.md): a header,
and lines with ``table``, the table of a batch environment with the header's seed at which the round was played.

| case | shows |
|---|---|
| a preset's name | a round of greedy players |
| `two_deck-*` | failed throw, over-ruff, redeal, reinforced and overturned bids |
| `competition-named`, `three_deck-forced` | the partner names trumps; the next seat chooses what a failed throw leads |
| `contest-*` | a rebellion after which another team declares; no trump without a bid; the lowest component of a throw |
| `botzone-*` | trumps and declarer by lot; the lowest card of a throw |
| `one_deck_45-draw`, `one_deck-match` | a draw; a whole match |
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena import make_player
from shengji_env.engine.actions import PASS
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from shengji_env.engine.state import Phase
from shengji_env.players.random import RandomPlayer
from shengji_env.records.writing import finished_round, record_header, record_line
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv
from tests.helpers import oracle
from tests.helpers.make_perft import parse_trump
from tests.helpers.paths import DATA

PLAYTHROUGHS = DATA / "playthroughs"
SEED = 1
BATCH = 32
MAX_TABLES = 4096
MATCHES = 200
SHY = "tests.helpers.make_playthroughs:ShyPlayer"

Record = dict[str, Any]


class Case(NamedTuple):
    """A file to be made."""

    rules: RuleSet
    player: str
    shows: Callable[[Record], bool]
    """Whether a round shows what the case is about."""


class ShyPlayer:
    """Plays at random, but hardly ever bids."""

    name = "shy"

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Like the random player, or a pass."""
        passes = (view(observation)["phase"][:, Phase.BID] == 1) & (key % np.uint64(32) != 0)
        return np.where(passes, PASS, RandomPlayer().act(observation, action_mask, key))


def failed_throw(record: Record) -> bool:
    """Whether something else was led than attempted."""
    return bool(_led_instead(record))


def _led_instead(record: Record) -> list[str]:
    """What was led instead of what was attempted."""
    attempts = [decision["lead"] for decision in record["decisions"] if "lead" in decision]
    led = [trick["led"] for trick in record["tricks"]]
    return [instead for attempt, instead in zip(attempts, led, strict=True) if attempt != instead]


def over_ruff(record: Record) -> bool:
    """Whether in a trick of a plain suit a ruff was beaten by another."""
    trump = parse_trump(record["trump"] + record["level_rank"])
    follows = [oracle.parse(decision["follow"]) for decision in record["decisions"] if "follow" in decision]
    for index, trick in enumerate(record["tricks"]):
        led, plays = oracle.parse(trick["led"]), follows[3 * index : 3 * index + 3]
        if oracle.effective_suit(led[0], trump) != oracle.TRUMP_SUIT:
            best = [oracle.trick_winner([led, *plays[:size]], trump) for size in range(1, 4)]
            if len({winner for winner in best if winner}) > 1 and best[0] > 0 and _is_ruff(plays[best[0] - 1], trump):
                return True
    return False


def _is_ruff(play: oracle.Cards, trump: oracle.Trump) -> bool:
    return all(oracle.effective_suit(card, trump) == oracle.TRUMP_SUIT for card in play)


def redeal(record: Record) -> bool:
    """Whether the round was dealt again, and a bid made then."""
    return record["redeals"] > 0 and len(_bidders(record)) > 0


def _bidders(record: Record) -> list[int]:
    return [decision["seat"] for decision in record["decisions"] if decision.get("bid") is not None]


def reinforce(record: Record) -> bool:
    """Whether the standing bid was raised by its own bidder."""
    return any(before == after for before, after in itertools.pairwise(_bidders(record)))


def overturn(record: Record) -> bool:
    """Whether the standing bid was overturned by another seat."""
    return any(before != after for before, after in itertools.pairwise(_bidders(record)))


def _has(kind: str) -> Callable[[Record], bool]:
    return lambda record: any(kind in decision for decision in record["decisions"])


def draw(record: Record) -> bool:
    """Whether nobody won."""
    return record["result"]["winner"] is None


def rebellion(record: Record) -> bool:
    """Whether a rebellion has ended a deal, and somebody declares for a team that had not."""
    declarer, abandoned = record["tricks"][0]["leader"], record.get("abandoned", ())
    return bool(abandoned) and record["declarer"] is not None and (declarer - record["declarer"]) % 2 == 1


def no_bid(record: Record) -> bool:
    """Whether nobody has bid, and there is no trump."""
    return record["trump"] == "NT" and not _bidders(record)


def lot(record: Record) -> bool:
    """Whether nobody was declarer, nobody has bid, and the seat drawn by lot is not the first drawer."""
    return (
        record["declarer"] is None and not _bidders(record) and record["tricks"][0]["leader"] != record["first_drawer"]
    )


def lowest_throw(record: Record) -> bool:
    """Whether of a throw that fails the lowest component is led, and it is not a single card."""
    return any(" " in instead for instead in _led_instead(record))


def anything(record: Record) -> bool:
    """Every round does."""
    return True


MATCH = "one_deck-match"
CASES = {
    **{name: Case(rules, "greedy", anything) for name, rules in RULE_SETS.items()},
    "two_deck-failed_throw": Case(rule_set("two_deck"), "random", failed_throw),
    "two_deck-over_ruff": Case(rule_set("two_deck"), "random", over_ruff),
    "two_deck-redeal": Case(rule_set("two_deck"), SHY, redeal),
    "two_deck-reinforce": Case(rule_set("two_deck"), "random", reinforce),
    "two_deck-overturn": Case(rule_set("two_deck"), "random", overturn),
    "competition-named": Case(rule_set("competition"), "random", _has("name")),
    "three_deck-forced": Case(rule_set("three_deck"), "random", _has("forced")),
    "contest-rebellion": Case(rule_set("contest"), "random", rebellion),
    "contest-no_bid": Case(rule_set("contest"), SHY, no_bid),
    "contest-failed_throw": Case(rule_set("contest"), "random", lowest_throw),
    "botzone-no_bid": Case(rule_set("botzone"), SHY, lot),
    "botzone-failed_throw": Case(rule_set("botzone"), "random", failed_throw),
    "one_deck_45-draw": Case(rule_set("one_deck_45"), "random", draw),
}


def rounds(case: Case) -> Iterator[tuple[int, Record]]:
    """Table numbers and records of the first round at one table after another."""
    player, words = ShyPlayer() if case.player == SHY else make_player(case.player), np.random.default_rng(SEED)
    for first in range(0, MAX_TABLES, BATCH):
        numbers = np.arange(first, first + BATCH)
        env = BatchEnv(BATCH, case.rules, seed=SEED, start="any", tables=numbers, record=True)
        live = np.ones(BATCH, np.bool_)
        while live.any():
            keys = words.integers(2**64, size=BATCH, dtype=np.uint64)
            env.step(np.where(live, player.act(env.observation, env.action_mask, keys), STAND_STILL))
            live &= ~env.terminated
        for table, number in enumerate(numbers.tolist()):
            yield number, finished_round(env, table)


def match_rounds() -> Iterator[Record]:
    """The rounds of the shortest of some matches."""
    matches = [list(_match(table)) for table in range(MATCHES)]
    return iter(min(matches, key=len))


def _match(table: int) -> Iterator[Record]:
    env = BatchEnv(1, "one_deck", seed=SEED, episode="match", tables=[table], record=True)
    while not env.terminated[0]:
        size = int(env.states["match_round"][0])
        env.step(env.sample_actions())
        if env.terminated[0] or int(env.states["match_round"][0]) > size:
            yield {"table": table, **finished_round(env, 0)}


def _write(name: str, rules: RuleSet, player: str, lines: list[Record]) -> None:
    header = record_header(rules, [player] * 4, SEED)
    text = "".join(record_line(line) for line in (header, *lines))
    (PLAYTHROUGHS / f"{name}.jsonl").write_text(text, encoding="utf-8")
    print(f"{name}: {len(lines)} rounds from table {lines[0]['table']}, {len(text)} bytes")


def main() -> None:
    """Write the files."""
    PLAYTHROUGHS.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        found = next(((table, record) for table, record in rounds(case) if case.shows(record)), None)
        if found is None:
            raise SystemExit(f"no round of {MAX_TABLES} tables shows {name}")
        _write(name, case.rules, make_player(case.player).name, [{"table": found[0], **found[1]}])
    _write(MATCH, RULE_SETS["one_deck"], "random", list(match_rounds()))


if __name__ == "__main__":
    main()
