"""The parts of compiled code: what each is for, and what makes it compile.

| who | compiles |
|---|---|
| `shengji warm-up` | the parts that it is told to, or all |
| `shengji play`, `train.py` | what the table or the run needs, before it begins, in two processes |
| `shengji serve` | what reviews need, in another process, while the first round is played |
| everybody else | a part when its environment or player is made (`support/announcing.py`) |
"""

import itertools
from collections.abc import Iterable
from functools import partial

import numpy as np

from shengji_env import shengji_v0
from shengji_env.arena.deal_batch import DealBatch
from shengji_env.arena.review.reviewing import review_replay
from shengji_env.arena.review.valuers import announce_review, as_valuer
from shengji_env.datasets.recorded.loading import compile_offline
from shengji_env.datasets.rollouts.expanding import compile_expanding
from shengji_env.datasets.rollouts.generating import compile_labels, compile_rollouts
from shengji_env.datasets.selfplay.label_blocks import compile_selfplay_labels
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import is_compiled
from shengji_env.engine.rule_sets import NUM_SEATS, rule_set
from shengji_env.envs.batch import BatchEnv
from shengji_env.envs.plays.play_batch import PlayBatchEnv, announce_seat_plays
from shengji_env.envs.positions import Position
from shengji_env.envs.seat import SeatVectorEnv
from shengji_env.envs.seat.answering import Answering
from shengji_env.players.candidate_player import announce_listing
from shengji_env.players.candidates.digest import candidates_digest
from shengji_env.players.compiled import announce
from shengji_env.players.exec.exec_player import compile_exec
from shengji_env.players.fast_player import announce_fast
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.human import HumanPlayer
from shengji_env.players.human.terminal import Terminal
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.compiled_network import announce_values
from shengji_env.players.networks.distilled import DistilledPlayer
from shengji_env.players.networks.policy import LayerStack, PolicyPlayer, compile_policy
from shengji_env.players.networks.selfplay.selfplay_player import next_selfplay
from shengji_env.players.networks.selfplay.valuing import next_valued_choice
from shengji_env.players.player import Player
from shengji_env.players.playing import policies_of
from shengji_env.players.random import RandomPlayer
from shengji_env.players.registry import make_player
from shengji_env.players.search import DEFAULT_WORLDS, SearchPlayer
from shengji_env.players.search.champion_search import ChampionSearch
from shengji_env.players.whole_rounds import policy_rounds
from shengji_env.records.reading import compile_replay
from shengji_env.records.replays import Replay
from shengji_env.records.writing import record_header, record_line
from shengji_env.support.announcing import Part, announce_compiling
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.random_rounds import random_rounds


def _load_snapshot() -> None:
    env = BatchEnv(1)
    env.load(env.save())


def _seat_vectors() -> None:
    SeatVectorEnv(1, "random", autoreset_mode="NextStep")  # the one that every version of Gymnasium can count


def _policy_of(name: str) -> None:
    policies_of(make_player(name), rule_set())


def _policy_of_layers() -> None:
    layer = np.zeros((OBSERVATION_SIZE, NUM_ACTIONS), np.float32), np.zeros(NUM_ACTIONS, np.float32)
    policies_of(PolicyPlayer(LayerStack((layer,)), {}, name="policy"), rule_set())


PARTS = {
    "batch": Part("the batch environment: play, serve, arena, learners", lambda: BatchEnv(1)),
    "heuristic": Part("the player; hints; play, serve", HeuristicPlayer, "players"),
    "human": Part("a person at the terminal: play", lambda: announce_human(), "players"),
    "table": Part("the AEC and the single-seat environment", shengji_v0.raw_env),
    "seats": Part("one seat among other players: gymnasium.make", lambda: Answering((), rule_set())),
    "threads": Part("the batch environment with threads=2 and more", lambda: BatchEnv(2, threads=2)),
    "replay": Part("records read back: replay", compile_replay, "datasets"),
    "snapshots": Part("load() of the batch environment", _load_snapshot),
    "rollout": Part("random_rounds", lambda: random_rounds(seed=0, count=1)),
    "rollout-threads": Part("random_rounds with threads=2 and more", lambda: random_rounds(seed=0, count=2, threads=2)),
    "greedy": Part("the player", GreedyPlayer, "players"),
    "rounds": Part("policy_rounds", lambda: policy_rounds(seed=0, count=1), "players"),
    "search": Part("the player", SearchPlayer, "players"),
    "distilled": Part("the player", DistilledPlayer, "players"),
    "champion": Part("the player, and values:PATH", ValuePlayer.champion, "players"),
    "searching champion": Part("the player champion:N", partial(ChampionSearch, DEFAULT_WORLDS), "players"),
    "values": Part("a network's values of many decisions: learning values", announce_values, "players"),
    "selfplay": Part("selfplay:PATH", partial(announce_fast, "selfplay", next_selfplay), "players"),
    "selfplay-values": Part(
        "selfplay:PATH with a value network", partial(announce_fast, "selfplay-values", next_valued_choice), "players"
    ),
    "policy": Part("policy:PATH", lambda: announce("policy", compile_policy), "players"),
    "exec": Part("exec:COMMAND", lambda: announce("exec", compile_exec), "players"),
    "candidates": Part("digests of candidates: rollouts", lambda: candidates_digest(num_positions=1), "players"),
    "review": Part("a network's values of a record's decisions: reviews, compare", announce_review, "players"),
    "reviewing": Part("a review of a round: replay, serve", lambda: announce_reviewing(), "players"),
    "listing": Part("your own players of candidates", announce_listing, "players"),
    **{
        f"policy-{name}": Part(f"{name} inside the step, and in playouts", partial(_policy_of, name), "players")
        for name in ("random", "greedy", "heuristic")
    },
    "policy-layers": Part("policy:PATH of layers, likewise", _policy_of_layers, "players"),
    "seat-vectors": Part("many tables of one seat: gymnasium.make_vec", _seat_vectors, "envs"),
    "plays": Part("the batch environment of whole plays", lambda: PlayBatchEnv(1), "envs"),
    "seat-plays": Part("one seat's whole plays", announce_seat_plays, "envs"),
    "positions": Part("positions, the game of OpenSpiel", Position.new, "envs"),
    "rollouts": Part("rollout values: rollouts, learning values", compile_rollouts, "datasets"),
    "labels": Part("rollout values of tables: label()", compile_labels, "datasets"),
    "expanding": Part("rollout values read back: learning values", compile_expanding, "datasets"),
    "selfplay-labels": Part("labels of self-play: learning by it", compile_selfplay_labels, "datasets"),
    "offline": Part("records as arrays: learning from records", compile_offline, "datasets"),
}
"""All parts by name: first those that others need too."""


REVIEWS = ("replay", "search", "review", "reviewing")
"""What the first review of a process needs."""


def is_ready(name: str) -> bool:
    """Return whether a part has been compiled."""
    return is_compiled(name, PARTS[name].layer)


def parts_of_table(players: Iterable[str]) -> dict[str, Part]:
    """Return what a table with these players needs."""
    kinds = {text.strip().partition("?")[0].partition(":")[0] for text in players}
    needed = {"batch", *kinds} | ({"heuristic"} if "human" in kinds else set())
    return {name: part for name, part in PARTS.items() if name in needed}


def announce_human() -> None:
    """Compile what a person's table needs, with a note, unless a process has done so before."""
    announce_compiling("human", _play_by_hints, layer="players", what="a person's table")


def _play_by_hints() -> None:
    """Play a round with a person who does what the hints say."""
    players: tuple[Player, ...] = (HumanPlayer(terminal=_Obedient()), *itertools.repeat(HeuristicPlayer(), 3))
    _play_round(players)


def announce_reviewing() -> None:
    """Compile what the review of a round needs, with a note, unless a process has done so before."""
    announce_compiling("reviewing", _review_round, layer="players", what="reviews")


def _review_round() -> None:
    """Play a round with mistakes, read its record, and make its page with a review that says why they are mistakes."""
    lines = _play_round(tuple(itertools.repeat(RandomPlayer(), NUM_SEATS)))
    replay = Replay.of([record_line(record_header(rule_set(), ["random"] * NUM_SEATS, None)), *lines])
    review_replay(replay, as_valuer(None, replay.rules)).html()


def _play_round(players: tuple[Player, ...]) -> list[str]:
    """Play a round; return its line of a record."""
    batch = DealBatch(players, rule_set(), 0, range(1), lineup=np.arange(NUM_SEATS)[None])
    _, lines = batch.play_out(keeps_lines=True)
    return lines


class _Obedient(Terminal):
    """A terminal without a screen, at which every hint is followed."""

    _PREFIX = "  heuristic: "

    def __init__(self) -> None:
        super().__init__()
        self._hint = ""

    @property
    def color(self) -> bool:
        """No colours."""
        return False

    def say(self, text: str) -> None:
        """Remember a hint."""
        if text.startswith(self._PREFIX):
            self._hint = text.removeprefix(self._PREFIX)

    def ask(self, prompt: str) -> str:
        """Ask for a hint, then do what it says; a pass holds for once only."""
        said, self._hint = self._hint, ""
        return {"": "hint", "pass": "wait"}.get(said, said)
