"""TextArena: rounds in words for four players, here a player that answers by letters (integrations/textarena)."""

import json
import re
import time

import shengji_textarena  # noqa: F401  # registers Shengji-v0
import textarena

from shengji_env.envs.words import WordsEnv

ROUNDS = 10


def answer(text: str) -> str:
    """Choose one of the plays that are offered last; a language model would be asked here."""
    offered = text.rpartition("Choices:")[2]
    letters = re.findall(r"^([A-Z]): ", offered, re.MULTILINE)
    return f"I play [{letters[len(offered) % len(letters)]}]."


def play(seed: int) -> tuple[list[float], int]:
    """Play a round in TextArena; return the rewards by seat, and how many decisions were made."""
    env = textarena.make("Shengji-v0")
    env.reset(num_players=4, seed=seed)
    done, decisions = False, 0
    while not done:
        _, text = env.get_observation()
        done, _ = env.step(answer(text))
        decisions += 1
    rewards, _ = env.close()
    return [rewards[seat] for seat in range(4)], decisions


def play_here(seed: int) -> list[float]:
    """Play the same round without TextArena."""
    words = WordsEnv()
    words.reset(seed=seed)
    while not words.is_over:
        words.step(answer(words.observe()))
    return words.rewards


def main() -> None:
    """Play rounds, and print how many decisions there were."""
    play_here(0)  # compiles
    began, decisions = time.process_time(), 0
    for seed in range(ROUNDS):
        rewards, number = play(seed)
        decisions += number
        print(f"round {seed}: {rewards}")
        if rewards != play_here(seed):
            raise SystemExit(f"round {seed} is worth {rewards} here and {play_here(seed)} without TextArena")
    seconds = time.process_time() - began
    print(json.dumps({"steps": decisions, "seconds": round(seconds, 1)}))


if __name__ == "__main__":
    main()
