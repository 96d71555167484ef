"""Snapshots: everything that the next steps of some tables depend on, copied, checked and put back.

Compiled code trusts what it is given: a wrong count could make it write beyond an array. So a snapshot, which may come
from a file, is checked as a whole before any of it takes effect; if something is wrong, nothing changes.

| array | how it is checked |
|---|---|
| `states` | equal to the states that the engine rebuilds (`engine/validation.py`) |
| `masks`, `observations`, `seats`, `phases` | equal to those computed from the states |
| `logs`, `progress` | the round under way and the last finished one, played again, lead to these states |
| `plays` | as many as have been made, among the cards that the seats have played |
| `rewards`, `terminated`, results | ranges; the teams' rewards are opposite |
| `shared` | as in the environment that loads it, except for the seed |

This takes 9 ms for 1,024 tables, 25 ms with logs, whose rounds are played again as a whole. Pickled and copied
environments are not checked: a pickle may run any code anyway.

Source: docs/environments/batch.md.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.actions import PASS, REBEL
from shengji_env.engine.cards import ACE, MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.flaws import FLAWS, SOUND
from shengji_env.engine.masks import write_mask
from shengji_env.engine.rule_options import MAX_REBELLIONS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY, NUM_TEAMS, Phase, Winner
from shengji_env.engine.validation import rebuild, replay
from shengji_env.errors import ShengjiError
from shengji_env.tables.abandoned import MAX_CHOSEN
from shengji_env.tables.arrays import MASK_DTYPE, MAX_LOG, Arrays
from shengji_env.tables.observing import write_observation
from shengji_env.tables.tables import Tables

Snapshot = dict[str, NDArray[Any]]

SAVED = (
    "states", "progress", "shared", "masks", "seats", "phases", "rewards", "terminated", "observations", "logs",
    "plays",
)  # fmt: skip
MAX_NAMED = 5
"""Most fields that an error names."""
_RESULT_RANGES = {
    "kitty_points": (0, 2**15 - 1),
    "kitty_multiplier": (0, 2**31 - 1),
    "winner": (Winner.DECLARERS, Winner.DRAW),
    "levels": (0, ACE + 1),
    "levels_lost": (0, ACE),
    "levels_nominal": (0, 2**31 - 1),
    "declarer": (NOBODY, NUM_SEATS - 1),
    "next_declarer": (NOBODY, NUM_SEATS - 1),
    "new_levels": (0, ACE),
    "match_over": (0, 1),
    "match_winner": (NOBODY, NUM_TEAMS - 1),
    "round_index": (0, 2**31 - 1),
}


def take_snapshot(tables: Tables) -> Snapshot:
    """Return a copy of everything that the next steps depend on."""
    return {name: _copy_of(getattr(tables, name)) for name in SAVED}


def put_back(tables: Tables, snapshot: Mapping[str, NDArray[Any]]) -> None:
    """Restore what `take_snapshot` copied.

    Raises:
        ShengjiError: the snapshot is of another number of tables, of other rules or arguments, or of a state that no
            table can reach; nothing has changed.
    """
    arrays = _read(tables, snapshot)
    _check_shared(tables, arrays["shared"])
    _check_states(tables, arrays)
    _check_progress(tables, arrays)
    _check_logs(tables, arrays)
    _check_plays(arrays)
    for name in SAVED:
        as_bytes(getattr(tables, name))[...] = as_bytes(arrays[name])


def as_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an array's bytes; NumPy would copy records field by field, which takes four times as long."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _copy_of(array: NDArray[Any], kind: np.dtype[Any] | None = None) -> NDArray[Any]:
    """Return a contiguous copy, of the equal type `kind` if it is given.

    An array from a file or from a record's field has lost the type's name, and code would be compiled for it again.
    """
    return as_bytes(array).copy().view(array.dtype if kind is None else kind).reshape(array.shape)


def _read(tables: Tables, snapshot: Any) -> Snapshot:
    """Return copies of the snapshot's arrays, of the right types and shapes."""
    if not isinstance(snapshot, Mapping):
        raise ShengjiError(f"a snapshot is a dictionary, as save() returns; this is {type(snapshot).__name__}")
    given = dict(snapshot)
    missing = [name for name in SAVED if name not in given]
    unknown = [repr(name) for name in given if name not in SAVED]
    if missing or unknown:
        what = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"also holds {', '.join(unknown)}"] * bool(unknown)
        raise ShengjiError(f"the snapshot {' and '.join(what)}")
    for name in SAVED:
        array, here = given[name], getattr(tables, name)
        if not isinstance(array, np.ndarray) or array.shape != here.shape or array.dtype != here.dtype:
            found = f"{array.shape}, {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            raise ShengjiError(f"the snapshot's {name} are {found}; here they are {here.shape}, {here.dtype}"[:500])
        given[name] = _copy_of(np.asarray(array), here.dtype)
    return given


def _check_shared(tables: Tables, shared: NDArray[Any]) -> None:
    for name in shared.dtype.names or ():
        if name != "seed" and shared[name].tobytes() != tables.shared[name].tobytes():
            raise ShengjiError(f"the snapshot belongs to an environment made with other {name}")


def _refuse(is_wrong: ArrayLike, what: str, rows: NDArray[np.int64] | None = None) -> None:
    """Raise an error if anything is wrong; the first axis of `is_wrong` is all tables, or those in `rows`."""
    given = np.asarray(is_wrong)
    wrong = np.flatnonzero(given.any(axis=tuple(range(1, given.ndim))))
    if wrong.size:
        table = wrong[0] if rows is None else rows[wrong[0]]
        raise ShengjiError(f"the snapshot cannot be loaded: table {table}: {what}")


def _differing(array: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two arrays differ, one row for each table."""
    return np.not_equal(as_bytes(array), as_bytes(other)).reshape(len(array), array[:1].nbytes)


def _check_states(tables: Tables, arrays: Snapshot) -> None:
    states = arrays["states"]
    flaws = np.zeros(len(states), np.int64)
    again = {name: _copy_of(arrays[name]) for name in ("states", "masks", "observations")}
    again["observations"][...] = tables.observations  # for the segments about the rules
    rebuild_tables(states, tables.arrays._replace(**again | {"masks": again["masks"].view(MASK_DTYPE)[:, 0]}), flaws)
    has_flaw = np.not_equal(flaws, SOUND)
    _refuse(has_flaw, FLAWS[flaws[has_flaw.argmax()]])
    _refuse_state(states, again["states"], "the deal and the plays come to")
    _refuse(~again["masks"].any(axis=1, keepdims=True), "nothing is legal")
    again |= {"seats": states["seat"], "phases": states["phase"]}
    for name in ("masks", "observations", "seats", "phases"):
        _refuse(_differing(arrays[name], again[name]), f"its {name} are not those of its state")


def _refuse_state(states: NDArray[Any], again: NDArray[Any], what: str, rows: NDArray[np.int64] | None = None) -> None:
    """Raise an error that names the fields, if states differ from what they should be."""
    is_wrong = _differing(states, again).any(axis=1)
    if is_wrong.any():
        row = is_wrong.argmax()
        names = [name for name in states.dtype.names or () if states[name][row].tobytes() != again[name][row].tobytes()]
        shown = ", ".join(names[:MAX_NAMED]) + (", …" if len(names) > MAX_NAMED else "")
        _refuse(is_wrong, f"its {shown} are not what {what}", rows)


def _check_progress(tables: Tables, arrays: Snapshot) -> None:
    states, progress, rewards = arrays["states"], arrays["progress"], arrays["rewards"]
    ply, logged, deals = progress["ply"], progress["logged"], states["redeals"].astype(np.int64) + 1
    _refuse((ply < 0) | (ply > MAX_LOG * deals), "its number of decisions is impossible in a round")
    most = np.minimum(ply, MAX_LOG) if tables.shared["record"][0] else np.zeros_like(ply)
    _refuse((logged < 0) | (logged > most), "its number of logged actions is impossible in this round")
    for name, (low, high) in _RESULT_RANGES.items():
        values = progress["result"][name]
        _refuse((values < low) | (values > high), f"its result's {name} are not in {int(low)}..{int(high)}")
    _refuse(_differing(progress["result"], states["result"]), "its last result is not that of its state")
    _refuse(~np.isfinite(rewards), "its rewards are not finite")
    amounts = rewards * np.array([1, -1, 1, -1], np.float32)
    _refuse(amounts != amounts[:, :1], "its rewards are not opposite for the two teams")
    _refuse(as_bytes(arrays["terminated"]) > 1, "its `terminated` is neither true nor false")


def _check_logs(tables: Tables, arrays: Snapshot) -> None:
    """Check what was recorded; without ``record=True`` the logs must be empty."""
    logs = arrays["logs"]
    if not tables.shared["record"][0]:
        if as_bytes(logs).any():
            raise ShengjiError("the snapshot cannot be loaded: it holds logs, and this environment keeps none")
        return
    sizes, ended = logs["finished_size"], logs["finished_state"]
    _check_abandoned(logs["abandoned"], arrays["states"])
    _check_abandoned(logs["finished_abandoned"], ended)
    _refuse((sizes < 0) | (sizes > MAX_LOG), "its last round's number of actions is impossible in a round")
    _refuse((sizes > 0) & (ended["phase"] != Phase.OVER), "its last round is not over")
    _check_log(tables, arrays["states"], logs["actions"], arrays["progress"]["logged"], np.arange(len(logs)))
    rows = np.flatnonzero(sizes)
    _check_log(tables, ended[rows], logs["finished_actions"][rows], sizes[rows], rows)
    results = arrays["progress"]["result"]
    _refuse(_differing(ended["result"][rows], results[rows]), "its last round has another result", rows)


def _check_abandoned(kept: NDArray[Any], states: NDArray[Any]) -> None:
    """Check that what is kept of the deals that rebellions ended can be what was played; rows are tables."""
    rebellions = states["rebellions"][:, None]
    deal, place = np.arange(MAX_REBELLIONS), np.arange(MAX_CHOSEN)
    sizes, chosen, redeals = kept["sizes"], kept["chosen"], kept["redeals"].astype(np.int64)
    is_wrong = (kept["rebels"] < 0) | (kept["rebels"] >= NUM_SEATS) | (chosen < 1) | (chosen > MAX_CHOSEN)
    is_wrong |= (sizes < chosen) | (sizes > MAX_LOG) | (redeals < deal) | (redeals >= states["redeals"][:, None])
    is_wrong[:, 1:] |= redeals[:, 1:] <= redeals[:, :-1]
    is_named = (kept["actions"] > PASS) & (kept["actions"] <= REBEL)
    is_named &= (kept["places"] >= place) & (kept["places"] < sizes[..., None])
    is_named[..., 1:] &= kept["places"][..., 1:] > kept["places"][..., :-1]
    is_wrong |= (~is_named & (place < chosen[..., None])).any(axis=-1)
    _refuse(is_wrong & (deal < rebellions), "its abandoned deals cannot have been played")
    for name in ("declarer", "first_drawer"):
        is_seat = (kept[name] < NUM_SEATS) & (kept[name] >= (NOBODY if name == "declarer" else 0))
        _refuse(~is_seat & (rebellions[:, 0] > 0), f"the {name} of its abandoned deals is not a seat")


def _check_log(
    tables: Tables, states: NDArray[Any], actions: NDArray[np.int8], sizes: NDArray[np.int32], rows: NDArray[np.int64]
) -> None:
    """Play the logged rounds of the tables `rows` again, and compare."""
    found, again = (_copy_of(states, tables.states.dtype) for _ in range(2))
    is_legal = np.zeros(len(states), np.bool_)
    replay_tables(found, tables.arrays._replace(states=again), _copy_of(actions), _copy_of(sizes), is_legal)
    _refuse(~is_legal, "its logged actions cannot be made", rows)
    _refuse_state(found, again, "the logged actions come to", rows)


def _check_plays(arrays: Snapshot) -> None:
    plays, states = arrays["plays"], arrays["states"]
    players, cards, number = plays[..., 0], plays[..., 1:], plays.shape[1]
    made = NUM_SEATS * states["tricks"].astype(np.int64) + states["position"]
    is_play = np.arange(number) >= (number - made)[:, None]
    is_row = (players > 0) == is_play
    _refuse(~is_row | (players < 0) | (players > NUM_SEATS), "its last plays are not as many as were made")
    _refuse((cards < 0) | (cards > MAX_DECKS) | ~is_play[..., None] & (cards != 0), "its last plays are not cards")
    for seat in range(NUM_SEATS):
        shown = np.where((players == seat + 1)[..., None], cards, 0).sum(axis=1, dtype=np.int64)
        played, is_whole = states["played"][:, seat], (made <= number)[:, None]
        _refuse((shown > played) | is_whole & (shown != played), f"its last plays are not those of seat {seat}")


@jit
def rebuild_tables(states: NDArray[Any], again: Arrays, flaws: NDArray[Any]) -> None:
    """Rebuild states, their masks and observations in `again`; write what is wrong with each state."""
    r, work = again.shared[0].rules, again.works[0]
    for row in range(states.size):
        s = again.states[row]
        flaws[row] = rebuild(states[row], r, work, s)
        if flaws[row] == SOUND:
            write_mask(s, r, work, again.masks[row].legal)
            write_observation(s, r, max(s.seat, 0), again.observations[row])


@jit
def replay_tables(
    states: NDArray[Any], again: Arrays, actions: NDArray[Any], sizes: NDArray[Any], is_legal: NDArray[Any]
) -> None:
    """Play logged rounds again in the states of `again`, and write whether their actions are legal."""
    r, work = again.shared[0].rules, again.works[0]
    for row in range(states.size):
        is_legal[row] = replay(states[row], r, work, again.states[row], actions[row, : sizes[row]])
