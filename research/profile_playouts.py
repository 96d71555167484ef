"""Where a playout's time goes: the same playouts, replayed with more and more of what choosing their plays takes.

`make profile` prints microseconds a playout. A playout begins somewhere in a round, and `heuristic` plays it to the end
in all seats, as for search and rollout values. Its actions are recorded first. Then they are made again, alone and with
one part more each time; a part is the difference to the time before. Processor time is measured, the fastest of some
repetitions, since other programs disturb it less.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players.candidates.scratch import choose_alone, make_scratch
from shengji_env.players.heuristic import plan_cards
from shengji_env.players.heuristic.counting import count_cards
from shengji_env.players.heuristic.seeing import write_view
from shengji_env.players.playing import HEURISTIC, play_out, player_with_policy, policies_of
from shengji_env.players.whole_plays import next_of_plan
from shengji_env.tables.observing import write_observation
from shengji_env.tables.policies import PackedPolicies
from shengji_env.vector import BatchEnv
from tools.bench.ours import choice_of, pace_of, spread

PLAYOUTS = 256
MAX_ACTIONS = 400
REPETITIONS = 15
NOTHING, FOLLOW, LEAD, ALONE = range(4)
"""What is chosen at an action: nothing new, the cards of a play, or a single action such as a bid."""
PARTS = ("making the actions", "legal actions", "observations", "counting cards", "leads", "follows, burials")


@jit
def record(
    states: NDArray[Any],
    scratch: NDArray[Any],
    numbers: NDArray[Any],
    actions: NDArray[Any],
    kinds: NDArray[Any],
    starts: NDArray[Any],
) -> None:
    """Play all rounds out; write down every action, what is chosen at it, and where each round's actions start."""
    x = scratch[0]
    place = 0
    for table in range(states.size):
        starts[table] = place
        x.state = states[table]
        s, r, w = x.state, x.rules, x.work
        is_planned = False
        while s.phase != Phase.OVER:
            slots, others = legal_actions(s, r, w)
            kinds[place] = NOTHING
            if others == 0 and slots & (slots - 1) == 0:
                action = lowest_slot(slots)
            elif slots == 0 and others & (others - 1) == 0:
                action = NUM_SLOTS + lowest_slot(others)
            else:
                if not is_planned:
                    is_planned = True
                    write_observation(s, r, s.seat, x.observation)
                    if s.phase <= Phase.NAME or s.phase == Phase.FORCED:
                        kinds[place] = ALONE
                    else:
                        kinds[place] = LEAD if s.phase == Phase.LEAD else FOLLOW
                        plan_cards(x.observation, x.plan)
                if kinds[place] == ALONE:
                    action = choose_alone(x)
                else:
                    action = next_of_plan(s.taken, slots, others != 0, x.plan.want, x.plan.charge)
            apply_action(s, r, w, Deals(np.uint64(0), numbers[table]), action)
            actions[place] = action
            place += 1
            if s.taken_size == 0:
                is_planned = False
    starts[states.size] = place


@jit
def replay(
    states: NDArray[Any],
    scratch: NDArray[Any],
    numbers: NDArray[Any],
    actions: NDArray[Any],
    kinds: NDArray[Any],
    starts: NDArray[Any],
    last: int,
) -> int:
    """Make the actions of all rounds again, with the first parts up to `last`."""
    x = scratch[0]
    seen = 0
    for table in range(states.size):
        x.state = states[table]
        s, r, w = x.state, x.rules, x.work
        for place in range(starts[table], starts[table + 1]):
            kind = kinds[place]
            if last >= 1:
                seen += legal_actions(s, r, w)[0]
            is_play = kind in (LEAD, FOLLOW)
            if last >= 2 and is_play:
                write_view(s, r, x.observation)
            elif last >= 2 and kind == ALONE:
                write_observation(s, r, s.seat, x.observation)
            if is_play and ((last >= 4 and kind == LEAD) or (last >= 5 and kind == FOLLOW)):
                plan_cards(x.observation, x.plan)
            elif is_play and last >= 3:
                count_cards(x.observation, x.plan)
            apply_action(s, r, w, Deals(np.uint64(0), numbers[table]), actions[place])
    return seen


@jit
def play_all(states: NDArray[Any], scratch: NDArray[Any], numbers: NDArray[Any], policies: PackedPolicies) -> None:
    """Play all rounds out as search and rollouts do."""
    for table in range(states.size):
        x, deals = scratch[0], Deals(np.uint64(0), numbers[table])
        x.state = states[table]
        play_out(x.state, x.rules, x.work, deals, policies, 0, deals.seed)


def microseconds(part: Callable[[], object]) -> float:
    """Least processor time of one playout."""
    part()
    times = []
    for _ in range(REPETITIONS):
        began = time.process_time_ns()
        part()
        times.append(time.process_time_ns() - began)
    return min(times) / PLAYOUTS / 1000


def main() -> None:
    """Print the profile."""
    choose = choice_of("heuristic")
    env = BatchEnv(PLAYOUTS, DEFAULT_RULES, seed=0, skip_forced=True)
    spread(env, choose, round(pace_of(DEFAULT_RULES, choose, skip_forced=True).steps))
    states, numbers = env.states.copy(), env.tables.progress["number"].copy()
    scratch = make_scratch(env.tables.shared["rules"], 1)
    actions = np.zeros(PLAYOUTS * MAX_ACTIONS, np.int64)
    kinds, starts = np.zeros_like(actions), np.zeros(PLAYOUTS + 1, np.int64)
    record(states, scratch, numbers, actions, kinds, starts)
    counts = np.bincount(kinds[: starts[-1]], minlength=4) / PLAYOUTS
    title = (
        f"µs a playout of {DEFAULT_RULES}: {starts[-1] / PLAYOUTS:.0f} actions, {counts[LEAD]:.0f} leads, "
        f"{counts[FOLLOW]:.0f} follows, with a choice"
    )
    table = Table("part", "µs", title=title)
    before = 0.0
    for last, name in enumerate(PARTS):
        spent = microseconds(partial(replay, states, scratch, numbers, actions, kinds, starts, last))
        table.add_row(name, f"{spent - before:.1f}")
        before = spent
    policies = policies_of(player_with_policy(HEURISTIC), env.rules)
    spent = microseconds(lambda: play_all(states, scratch, numbers, policies.packed))
    table.add_row("a whole playout", f"{spent:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
