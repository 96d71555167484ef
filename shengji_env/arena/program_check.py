"""Rounds with a bot, and what it does wrong, in plain sentences.

| what is tried | why |
|---|---|
| a round that is broken off | a deal may be lost by another player's fault |
| rounds under several rule sets, the bot in all seats | throws that fail, trumps that are named, all sizes of plays |
| a match, under the first of them | levels and declarers follow from what was played |
| the end | a process must end by itself |
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.faults import FaultKeeper, Thinking
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.exec.bot_process import GRACE
from shengji_env.players.exec.exec_player import ExecPlayer
from shengji_env.players.player import Player

CHECKED = ("two_deck", "one_deck", "three_deck", "competition", "duplicate")
"""Rule sets that differ in how trumps are found, in the size of plays and in what follows a failed throw."""
_MATCH_ROUNDS = 2
"""Rounds of the match: a short one."""
_BROKEN_OFF = 30
"""Steps after which the first round is broken off."""


@dataclass(frozen=True)
class Finding:
    """What was found."""

    text: str
    is_fault: bool = False


def check_bot(bot: ExecPlayer, rules: tuple[RuleSet, ...], *, deals: int, seed: int) -> Iterator[Finding]:
    """Play with a bot, and yield what is found; its processes are ended.

    Args:
        bot: the bot.
        rules: rule sets to play under.
        deals: deals under each of them; each is played at two tables.
        seed: seed of the deals.
    """
    for each in rules:
        yield from _check_rules(bot, each, deals, seed)
    match = replace(rules[0], match_end="rounds", match_rounds=_MATCH_ROUNDS)
    yield from _check_rules(bot, match, 1, seed, is_match=True)
    pools = bot.pools
    bot.close()
    killed, started = (sum(getattr(pool, name) for pool in pools) for name in ("num_killed", "num_started"))
    if killed:
        text = f"{killed} of {started} processes had not ended {GRACE:g} s after the message end, and were killed"
        yield Finding(f"the end: {text}; end when it comes, or when standard input ends", is_fault=True)


def _check_rules(
    bot: ExecPlayer, rules: RuleSet, deals: int, seed: int, *, is_match: bool = False
) -> Iterator[Finding]:
    players: tuple[Player, Player] = (bot, bot)
    for _ in islice(DealBatch(players, rules, seed, range(1), asker=FaultKeeper()).play(), _BROKEN_OFF):
        pass
    keeper, before = FaultKeeper(), bot.num_decisions
    batch = DealBatch(players, rules, seed, range(1, 1 + deals), is_match=is_match, asker=keeper)
    rounds, _ = batch.play_out()
    for fault in keeper.faults:
        what = fault["error"].partition("): ")[2]
        where = f"deal {fault['deal']}, seat {fault['seat']}, {fault['phase'].lower()}"
        yield Finding(f"{rules}, {where}: {what}", is_fault=True)
    decisions = bot.num_decisions - before
    done = keeper.thinking.get(0, Thinking()).plus(keeper.thinking.get(1, Thinking()))
    pace = f", {1000 * done.seconds / decisions:.1f} ms each" if decisions else ""
    share = f"; {done.share_not_own:.1%} were not its own" if done.not_own else ""
    yield Finding(f"{rules}{', a match' * is_match}: {len(rounds)} rounds, {decisions} decisions{pace}{share}")
