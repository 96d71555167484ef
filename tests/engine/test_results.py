"""The end of a round: levels, next declarer, the end of a match.

Source: docs/rules.md §12 and §13.
"""

from itertools import product

import numpy as np
import pytest

from shengji_env.engine.results import close_round
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import NOBODY, STATE_DTYPE, State, Winner
from tests.helpers import oracle
from tests.helpers.oracle import ACE
from tests.helpers.oracle_recorder import WINNERS
from tests.helpers.thorough import thorough

pytestmark = pytest.mark.nojit


def closed(points: int, *, levels: tuple[int, int], declarer: int, rounds: int = 0, **options: object) -> State:
    """A state after a round of these points was closed."""
    rules = rule_set("two_deck", **options)
    s: State = np.zeros(1, dtype=STATE_DTYPE)[0]
    s.levels[:] = levels
    s.declarer = declarer
    s.attackers_points = points
    s.match_round = rounds
    close_round(s, rules.record()[0], 0, 0, False)
    return s


@pytest.mark.parametrize("match_end", CHOICES["match_end"])
@pytest.mark.parametrize("result_table", ["two_deck", "one_deck_45"])
@pytest.mark.parametrize("must_defend", ["", "5TK", *thorough("2J", "23456789TJQK")])
def test_13_levels_declarer_and_match_end_agree_with_the_oracle(
    match_end: str, result_table: str, must_defend: str
) -> None:
    options = oracle.Options(result_table=result_table, match_end=match_end, match_rounds=3, must_defend=must_defend)
    starts = [level for level in (0, 2, 3, 9, 11, ACE) if level < ACE or match_end != "reach_ace"]
    for points, levels, declarer, rounds in product((0, 35, 40, 80, 400), product(starts, starts), range(4), (0, 2)):
        s = closed(
            points,
            levels=levels,
            declarer=declarer,
            rounds=rounds,
            result_table=result_table,
            match_end=match_end,
            match_rounds=3,
            must_defend=must_defend,
        )
        winner, nominal = oracle.settle(result_table, points)
        new_levels, risen = oracle.raise_levels(levels, declarer, winner, nominal, match_end, must_defend)
        over = oracle.is_match_over(levels, new_levels, declarer, winner, rounds + 1, options, risen=risen)
        next_declarer = oracle.next_declarer(declarer, winner)
        result = s.result
        assert WINNERS[Winner(result.winner)] == winner
        assert (result.levels_nominal, result.levels) == (nominal, risen)
        assert tuple(result.new_levels) == tuple(s.levels) == new_levels
        assert result.match_over == over
        assert result.next_declarer == s.declarer == (NOBODY if next_declarer is None else next_declarer)
        assert result.declarer == declarer
        assert s.match_round == rounds + 1
        assert result.match_winner == (winner_of_match(match_end, new_levels, declarer, winner) if over else NOBODY)


def winner_of_match(match_end: str, levels: tuple[int, int], declarer: int, winner: str | None) -> int:
    """Who wins a match that is over."""
    if match_end in ("pass_ace", "beyond_ace"):
        return declarer % 2 if winner == "declarers" else 1 - declarer % 2
    return NOBODY if levels[0] == levels[1] else levels.index(max(levels))
