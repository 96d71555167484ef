"""Shengji for TextArena (0.7): four players, told and asked in words, rewards in levels of their teams.

    import shengji_textarena, textarena
    env = textarena.make("Shengji-v0", language="zh")
    env.reset(num_players=4, seed=1)

Source: docs/environments/words.md.
"""

from typing import Any

import textarena
from textarena import ObservationType
from textarena.envs.registration import register
from textarena.wrappers import LLMObservationWrapper

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.envs.words import WordsEnv

__all__ = ["ShengjiTextArena"]


class ShengjiTextArena(textarena.Env):
    """A round of four players; the arguments are those of `WordsEnv`, which tells and judges."""

    def __init__(self, rules: str = "two_deck", **options: Any) -> None:
        self._words = WordsEnv(rules, **options)

    def reset(self, num_players: int = NUM_SEATS, seed: int | None = None) -> None:
        """Begin a round."""
        if num_players != NUM_SEATS:
            raise ValueError(f"num_players={num_players}: Shengji has {NUM_SEATS} players")
        self._words.reset(seed=seed)
        self.state = textarena.State(num_players)  # given the seed, it would seed Python's `random` for everybody
        self.state.standard_resets(
            game_state={},
            player_prompt_function=lambda player_id, game_state: self._words.rules_text,
            role_mapping={seat: f"Player {seat}" for seat in range(num_players)},
        )
        self._tell()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take an answer of the player to move. Only the player sees it: the others hear what is played."""
        seat = self.state.current_player_id
        self.state.add_observation(action, ObservationType.PLAYER_ACTION, from_id=seat, to_id=seat)
        self.state.step_info = info = self._words.step(action)
        self.state.game_info[seat]["turn_count"] += 1
        self.state.game_info[seat]["invalid_move"] |= info["illegal"]
        self._tell()
        return self.state.step()

    def _tell(self) -> None:
        """Tell the player to move what is new, or everybody how the round ended."""
        words, state = self._words, self.state
        if words.seat is not None:
            state.current_player_id = words.seat
            state.add_observation(words.observe(), ObservationType.GAME_MESSAGE, to_id=words.seat)
            return
        state.done, state.rewards = True, dict(enumerate(words.rewards))
        for seat in range(NUM_SEATS):
            if text := words.ending(seat):  # nothing if the round was forfeited
                state.add_observation(text, ObservationType.GAME_MESSAGE, to_id=seat)


register("Shengji-v0", ShengjiTextArena, default_wrappers=[LLMObservationWrapper])
