"""Result tables: the points at which levels are won.

Source: docs/rules.md §12.
"""

from dataclasses import dataclass

MAX_ENTRIES = 4
"""Most entries of one side."""


@dataclass(frozen=True)
class ResultTable:
    """How attackers' points become levels (§12).

    `declarers` are (bound, levels): points below the bound, bounds ascending. `attackers` are (threshold, levels):
    points at or above; past the last threshold each `step` points give one level more (0: none). The first threshold
    is where the attackers take over.
    """

    declarers: tuple[tuple[int, int], ...]
    attackers: tuple[tuple[int, int], ...]
    step: int
    last_trick_wins: bool = False
    """The attackers also win by the last trick, and rise by one for each of the two (A2); exactly 5 short is a draw."""

    @property
    def threshold(self) -> int:
        """Points at which the attackers take over."""
        return self.attackers[0][0]


def share_table(points: int) -> ResultTable:
    """Return the table `share` where the cards dealt have so many points, a multiple of 5."""
    fifth = points // 5
    return ResultTable(((1, 3), (fifth, 2), (2 * fifth, 1)), ((2 * fifth, 1), (3 * fifth, 2)), fifth)


RESULT_TABLES: dict[str, ResultTable] = {
    "one_deck": ResultTable(((1, 2), (40, 1)), ((40, 0), (80, 1), (100, 2), (120, 3)), 20),
    "one_deck_45": ResultTable(((45, 1),), ((45, 1),), 0, last_trick_wins=True),
    "two_deck": ResultTable(((1, 3), (40, 2), (80, 1)), ((80, 1), (120, 2)), 40),
    "competition": ResultTable(((1, 3), (40, 2), (80, 1)), ((80, 0), (120, 1)), 40),
    "three_deck": ResultTable(((1, 3), (60, 2), (120, 1)), ((120, 0), (180, 1), (240, 2)), 60),
    "four_deck": ResultTable(((1, 3), (80, 2), (160, 1)), ((160, 0), (240, 1)), 80),
    "botzone": ResultTable(((1, 3), (40, 2), (80, 1)), ((80, 1), (120, 2), (160, 3)), 0),
}
"""By the value of the option `result_table`; `share_table` is another."""

SHARE = "share"
"""The value of the option that stands for `share_table`."""

DRAW_MARGIN = 5
