"""Several match-ups of which every deal must be played: what is compared deal by deal has no gaps."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.result import levels_by_deal
from shengji_env.arena.running import Resumed, play_tournament
from shengji_env.arena.store import Store
from shengji_env.arena.tournament import Tournament
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players.player import Needs
from shengji_env.support.workers.jobs import Executor

DealsWatch = Callable[[float, int], object]
"""Called now and then with the number of deals played so far, of all match-ups, and that of all."""


def refuse_persons(matchups: Iterable[Tournament]) -> None:
    """Refuse match-ups in which a person plays, who would be asked for hundreds of rounds.

    Raises:
        PlayerError: there is one.
    """
    for matchup in matchups:
        for player in matchup.made:
            if Needs.PERSON in player.needs:
                raise PlayerError(
                    f"{player.name} is a person, who would have to play every deal of every match-up: name players "
                    "that decide by themselves; persons may play in shengji arena"
                )


def play_to_the_last_deal(
    matchups: Sequence[Tournament],
    folder: Path | None,
    names: Sequence[str],
    *,
    keeps_changed: bool = False,
    executor: Executor | None = None,
    watch: DealsWatch | None = None,
    resumed: Resumed | None = None,
) -> NDArray[np.float64]:
    """Play match-ups, or what is left of them; deals that an earlier call lost are played again.

    Args:
        matchups: tournaments of two players, all with equally many deals.
        folder: where what was played is kept; None keeps nothing.
        names: of each match-up's folder in it.
        keeps_changed: whether it goes on from folders if a player has changed since.
        executor: what plays; default: this process.
        watch: called now and then; what it raises ends the work.
        resumed: called at the end of each match-up.

    Returns:
        (matchups, deals) levels a round that the first player won.

    Raises:
        RecordError: a folder belongs to something else, or a player has changed.
        ShengjiError: a deal was lost: a player raised or answered illegally; or too few of a player's decisions were
            its own. Nothing more is played.
    """
    num_deals = matchups[0].num_deals
    total = num_deals * len(matchups)
    levels = np.zeros((len(matchups), num_deals))
    for index, (matchup, name) in enumerate(zip(matchups, names, strict=True)):

        def look(store: Store, stop: list[int], unfinished: float, before: int = index * num_deals) -> None:
            _check_lost(store, is_kept=folder is not None)
            if watch is not None:
                watch(before + min(len(store.deals(0)) + unfinished, num_deals), total)

        own = None if folder is None else folder / name
        standings = play_tournament(
            matchup, own, executor=executor, retries_lost=True, keeps_changed=keeps_changed, watch=look, resumed=resumed
        )
        for player in standings.unrated:
            raise ShengjiError(standings.thinking[player].why_not(player))
        _, levels[index] = levels_by_deal(standings.rounds[0], matchup.rules)
    return levels


def _check_lost(store: Store, *, is_kept: bool) -> None:
    """Refuse to go on once a deal is lost, unless it is to be played again.

    Raises:
        ShengjiError: one is lost.
    """
    lost = store.lost[0] and store.lost[0] & store.deals(0)
    if lost:
        fault = next(each for played in store.played[0] for each in played.faults if each["deal"] in lost)
        goes_on = f"the same command goes on from {store.path.parent}, with --keep if files of it have changed"
        remedy = f"; once the player is mended, {goes_on}" if is_kept else ""
        raise ShengjiError(
            f"{' against '.join(store.tournament.names)}: a deal was lost, and every deal counts here: "
            f"{fault['error']}{remedy}"
        )
