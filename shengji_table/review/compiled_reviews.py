"""What reviews compile: for `shengji warm-up` the part ``reviewing``, by an entry point ``shengji_env.parts``."""

import itertools

import numpy as np

from shengji_env.arena.deal_batch import DealBatch
from shengji_env.engine.rule_sets import NUM_SEATS, rule_set
from shengji_env.players.random import RandomPlayer
from shengji_env.players.search import compile_search
from shengji_env.records.reading import compile_replay
from shengji_env.records.replays import Replay
from shengji_env.records.writing import record_header, record_line
from shengji_env.support.announcing import part
from shengji_table.review.reviewing import review_replay
from shengji_table.valuing.network_valuer import compile_values
from shengji_table.valuing.valuers import as_valuer


@part("reviewing", "reviews: of a round, replay, serve")
def compile_reviewing() -> None:
    """Play a round with mistakes, read its record, and make its page with a review that says why they are mistakes."""
    players = tuple(itertools.repeat(RandomPlayer(), NUM_SEATS))
    batch = DealBatch(players, rule_set(), 0, range(1), lineup=np.arange(NUM_SEATS)[None])
    _, lines = batch.play_out(keeps_lines=True)
    replay = Replay.of([record_line(record_header(rule_set(), ["random"] * NUM_SEATS, None)), *lines])
    valuer = as_valuer(None, replay.rules)
    review_replay(replay, valuer, playouts=False)  # playouts deny most mistakes, of which then nothing is said
    review_replay(replay, valuer).html()


REVIEWS = (compile_replay, compile_search, compile_values, compile_reviewing)
"""What the first review of a process needs."""
