"""What happened in rounds of engine and oracle: counts of what a comparison must have met.

`WANTED` are those that must not be 0 in a long run of random games.

Source: docs/rules.md §4, §5, §10, §12 and §13.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tests.helpers import oracle, oracle_rounds
from tests.helpers.oracle import NUM_SEATS, RANKS, SUITS, Cards, Options, Trump

WANTED = (
    "overbid",
    "overbid to no trump",
    "retake by the same seat",
    "retake by the declarer",
    "kitty taken three times or more",
    "rebellion (redeal)",
    "rebellion (new_declarer)",
    "rebellion (no_declarer)",
    "deal without a bid after a rebellion",
    "no trump without a bid",
    "lowest component that is not the shortest",
    "risen beyond the ace",
    "rebellion in a first round",
    "rebellion after a deal without a bid",
    "all rebellions used",
    "rebellion refused",
    "first bidder declares for another",
    "first bidder declares for an opponent",
    "bid over a bid of another suit and as many cards",
    "fallen (jack_single)",
    "fallen (jack_suit) to 2",
    "fallen (jack_suit) to 6",
    "fallen (jack_ace) from J",
    "fallen (jack_ace) from A",
    "fallen though the level was held",
    "ruff of a ruffed throw",
    "ruff that loses by all alone",
    "share",
    "share, attackers",
    "empty kitty",
    "fewer cards",
    "failed throw",
    "dealt again without a bid",
)


def features_of(record: Mapping[str, Any], options: Options) -> Counter[str]:
    """What happened in a round, by the oracle's record."""
    seen: Counter[str] = Counter(rounds=1)
    seen["share"] += options.result_table == "share"
    seen["share, attackers"] += options.result_table == "share" and record["result"]["winner"] == "attackers"
    seen["empty kitty"] += options.kitty == 0
    seen["fewer cards"] += options.cards != ""
    has_bid = any(step.get("bid") for step in record["decisions"])
    seen["no trump without a bid"] += options.no_bid == "no_trump" and record["trump"] == "NT" and not has_bid
    is_beyond = options.match_end == "beyond_ace" and oracle_rounds.ends_match(record, 1, options)
    seen["risen beyond the ace"] += is_beyond
    seen["dealt again without a bid"] += record["redeals"] > len(record.get("abandoned", ()))
    for part in (_of_bids(record, options), _of_rebellions(record, options), _of_falls(record, options)):
        seen += part
    return seen + _of_tricks(record, options)


def _of_bids(record: Mapping[str, Any], options: Options) -> Counter[str]:
    seen: Counter[str] = Counter()
    steps = record["decisions"]
    takers = [step["seat"] for step in steps if "bury" in step]
    buried = next((index for index, step in enumerate(steps) if "bury" in step), len(steps))
    overbids = [step["bid"] for step in steps[buried:] if step.get("bid")]
    bids = [(step["seat"], step["bid"].split()) for step in steps[:buried] if step.get("bid")]
    seen["overbid asked"] += any("bid" in step for step in steps[buried:])
    seen["overbid"] += len(overbids)
    seen["overbid to no trump"] += sum("J" in bid.split()[0][1:] and bid[0] in "LB" for bid in overbids)
    seen["retake by the same seat"] += len(takers) > len(set(takers))
    seen["retake by the declarer"] += takers.count(_declarer(record)) > 1
    seen["kitty taken three times or more"] += len(takers) > 2
    for (_, one), (_, other) in pairwise(bids):
        seen["bid over a bid of another suit and as many cards"] += (
            len(one) == len(other) and one[0][0] in SUITS and other[0][0] in SUITS
        )
    if record["declarer"] is None and bids and options.first_declarer == "first_bid" and "abandoned" not in record:
        steps_between = (bids[-1][0] - _declarer(record)) % NUM_SEATS
        seen["first bidder declares for another"] += steps_between != 0
        seen["first bidder declares for an opponent"] += steps_between % 2
    return seen


def _declarer(record: Mapping[str, Any]) -> int:
    """The declarer leads the first trick."""
    return int(record["tricks"][0]["leader"])


def _of_rebellions(record: Mapping[str, Any], options: Options) -> Counter[str]:
    seen: Counter[str] = Counter()
    abandoned = record.get("abandoned", ())
    asked = [step["rebel"] for part in (*abandoned, record) for step in part["decisions"] if "rebel" in step]
    seen["rebellion refused"] += asked.count(False)
    seen[f"rebellion ({options.rebellion})"] += len(abandoned)
    seen["all rebellions used"] += len(abandoned) == options.max_rebellions
    seen["rebellion in a first round"] += record["declarer"] is None and len(abandoned) > 0
    passed = [part["redeals"] - index for index, part in enumerate((*abandoned, record))]
    seen["deal without a bid after a rebellion"] += passed[0] < passed[-1]
    seen["rebellion after a deal without a bid"] += any(part["redeals"] > index for index, part in enumerate(abandoned))
    return seen


def _of_falls(record: Mapping[str, Any], options: Options) -> Counter[str]:
    seen: Counter[str] = Counter()
    result, kind = record["result"], options.last_trick_demotion
    lost = result["levels_lost"]
    if not lost:
        return seen
    target = RANKS[RANKS.index(record["level_rank"]) - lost]
    ends = {"jack_suit": f" to {target}", "jack_ace": f" from {record['level_rank']}"}
    seen[f"fallen ({kind}){ends.get(kind, '')}"] += 1
    seen["fallen though the level was held"] += result["winner"] == "declarers"
    return seen


def tricks_of(record: Mapping[str, Any]) -> Iterator[tuple[Cards, tuple[Cards, ...]]]:
    """Each trick: the lead as attempted, and the four plays in turn order."""
    leads = [oracle.parse(step["lead"]) for step in record["decisions"] if "lead" in step]
    follows = [oracle.parse(step["follow"]) for step in record["decisions"] if "follow" in step]
    for index, (lead, trick) in enumerate(zip(leads, record["tricks"], strict=True)):
        yield lead, (oracle.parse(trick["led"]), *follows[3 * index : 3 * index + 3])


def _of_tricks(record: Mapping[str, Any], options: Options) -> Counter[str]:
    seen: Counter[str] = Counter()
    suit = None if record["trump"] == "NT" else SUITS.index(record["trump"])
    trump = Trump(suit, RANKS.index(record["level_rank"]))
    for lead, plays in tricks_of(record):
        seen["failed throw"] += lead != plays[0]
        if options.failed_throw == "lowest" and lead != plays[0]:
            sizes = [len(component.cards) for component in oracle.decompose(lead, trump)]
            seen["lowest component that is not the shortest"] += len(plays[0]) > min(sizes)
        if options.throw_contest == "all" and len(oracle.decompose(plays[0], trump)) > 1:
            winners = [oracle.trick_winner(plays, trump, contest) for contest in ("principal", "all")]
            seen["ruff of a throw"] += winners[1] != 0
            seen["ruff that loses by all alone"] += winners[0] != winners[1]
            best = [oracle.trick_winner(plays[:count], trump, "all") for count in range(1, NUM_SEATS + 1)]
            seen["ruff of a ruffed throw"] += len(set(best) - {0}) > 1
    return seen
