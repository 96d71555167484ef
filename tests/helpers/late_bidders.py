"""Players that bring about what random play hardly ever does: overbids, and rebellions that are let pass."""

import numpy as np

from shengji_env.engine.actions import PASS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv

RETAKE_RULES = (
    "two_deck(kitty_retake=overbid)",
    "two_deck(kitty_retake=overbid, bid_suits=ranked)",
    "three_deck(kitty_retake=overbid, bid_suits=ranked, rebellion=redeal, rebellion_points=40)",
)
"""Rule sets in which the kitty is taken up again."""
REBEL_RULES = (
    "two_deck(rebellion=redeal, rebellion_points=50)",
    "two_deck(rebellion=new_declarer, rebellion_points=50, max_rebellions=2, kitty_retake=overbid)",
    "competition(rebellion=redeal, rebellion_points=60, max_redeals=3)",
)
"""Rule sets in which hands are often weak."""
LATE_RULES = (*RETAKE_RULES, *REBEL_RULES)


class LateBidder:
    """Bids as little as it can, seldom before trumps are named, often over others; otherwise it plays at random."""

    name = "late"

    def act(self, observation, action_mask, key):
        chances = np.random.default_rng(key).random(action_mask.shape) * action_mask
        is_bid = (action_mask[:, :NUM_SLOTS] == 0).all(axis=1) & (action_mask[:, PASS] == 1)
        is_named = view(np.ascontiguousarray(observation))["trump"][:, -1] == 0
        passes = np.random.default_rng(key + np.uint64(1)).random(len(action_mask)) < np.where(is_named, 0.3, 0.9)
        chances[:, PASS] += (is_bid & passes) * 2
        for row in np.flatnonzero(is_bid & ~passes):
            legal = np.flatnonzero(action_mask[row])
            chances[row, legal[legal > PASS][:1]] += 3
        return chances.argmax(axis=1)


def late_rounds(rules, num_rounds, *, num_tables=8, seed=3, start="any", on_end=None, **arguments):
    """Play rounds with `LateBidder` in all seats; return what `on_end(env, table)` returns at the end of each."""
    env, player = BatchEnv(num_tables, rules, seed=seed, start=start, record=True, **arguments), LateBidder()
    ended = []
    while len(ended) < num_rounds:
        keys = np.arange(num_tables, dtype=np.uint64) + np.uint64(1000 * env.tables.progress["ply"].sum())
        env.step(player.act(env.observation, env.action_mask, keys))
        ended += [on_end(env, int(table)) for table in np.flatnonzero(env.terminated)]
    return ended
