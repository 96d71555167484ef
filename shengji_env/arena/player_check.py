"""What tables rely on, checked for a player: legal, even against itself, repeatable, and blind to what is hidden."""

import numpy as np

from shengji_env.arena.matchup import play_matchup
from shengji_env.engine.rule_sets import DEFAULT_RULES, RulesLike, as_rules
from shengji_env.errors import PlayerError
from shengji_env.players import Decisions, Player, PlayerLike, as_player
from shengji_env.players.asking import ask
from shengji_env.players.fast_player import choose_all
from shengji_env.players.player import kept_for
from shengji_env.players.playing import policies_of
from shengji_env.vector import BatchEnv

_TABLES = 16
_STEPS = 160
"""Random actions after which all kinds of decisions have been met."""
_EVERY = 8
"""Actions from one comparison to the next."""


def check_player(player: PlayerLike, rules: RulesLike = DEFAULT_RULES, *, num_deals: int = 10, seed: int = 0) -> None:
    """Check a player under some rules.

    | it is checked that | how |
    |---|---|
    | its answers are legal | whole matches, and decisions after random play |
    | it is even against itself | both sides of a deal win the same |
    | its answers depend on the decision and its key alone | they are the same in another batch and order |
    | its policy, if it has one, sees nothing hidden | it answers at the whole table as where hidden cards are wiped |

    Args:
        player: the player, or its text.
        rules: what is played.
        num_deals: deals that it plays against itself.
        seed: of the deals.

    Raises:
        PlayerError: it does something wrong; the message says what.
    """
    made = as_player(player)
    result = play_matchup(made, made, num_deals=num_deals, rules=rules, seed=seed)
    if result.levels.sum(axis=1).any():
        raise PlayerError(f"{made.name} is not even against itself: its answers depend on more than decisions and keys")
    given = as_rules(rules)
    env = BatchEnv(_TABLES, given, seed=seed, start="any", skip_forced=True, **kept_for(made.needs, given))
    for step in range(_STEPS):
        if step % _EVERY == 0:
            _check_decisions(made, env)
        env.step(env.sample_actions())


def _check_decisions(player: Player, env: BatchEnv) -> None:
    """Check a player's answers at the present decisions of some tables."""
    rows = np.arange(_TABLES)
    answers = ask(player, env.tables, rows)
    turned = ask(player, env.tables, rows[::-1])[::-1]
    alone = np.concatenate([ask(player, env.tables, rows[row : row + 1]) for row in range(0, _TABLES, 5)])
    if (answers != turned).any() or (answers[::5] != alone).any():
        raise PlayerError(f"{player.name} answers the same decision in another way in another batch")
    if player.policy(env.rules) is None:
        return
    chosen, policies = np.empty(_TABLES, np.int64), policies_of(player, env.rules)
    decisions = Decisions.at(env.tables, rows)
    states, masks = env.states.copy(), decisions.action_mask
    choose_all(states, decisions.rules_record, masks, decisions.key, policies.packed, chosen)
    if (chosen != answers).any():
        raise PlayerError(
            f"the policy of {player.name} decides otherwise where hidden cards are wiped: it reads what its seat may"
            " not know, or its memory keeps something from one decision to the next"
        )
