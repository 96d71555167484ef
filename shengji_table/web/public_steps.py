"""How many public steps the kept decisions of a table were, so that `Table.move` goes on where it was.

A decision that nobody sees, such as to pass, is none. Counted is what `round_loop.py`, `timed_bidding.py` and
`timed_offers.py` begin as a step: a round's opening, a bid, a new deal, an offer, a decision of a seat that all know, a
round's end. What a table is at is not: it begins anew.
"""

from shengji_env.engine.state import Phase
from shengji_table.web.board import Board
from shengji_table.web.shown_offers import overbid_due, rebellion_due
from shengji_table.web.shown_opening import Opening


class PublicSteps:
    """Those of a table, whose decisions are made one after the other between `begin` and `end`.

    Attributes:
        number: how many there were.
    """

    def __init__(self, board: Board) -> None:
        self.number = 0
        self._board = board
        self._is_opening, self._may_offer = True, False
        self._offered: Phase | None = None
        self._has_offered: Opening | None = None

    def begin(self) -> None:
        """Count what was begun between the last decision and the next one."""
        board = self._board
        if not board.is_bidding:
            self.end_opening()
        if self._may_offer:
            self._offer()
        self._before = board.opening, len(board.opening.bids), board.phase

    def end_opening(self) -> None:
        """Count the opening, if it has just ended."""
        if self._is_opening:
            self.number += 1
            self._is_opening, self._may_offer = False, True

    def _offer(self) -> None:
        """Count an offer, as `timed_offers.make_offers` makes it."""
        board = self._board
        self._may_offer, self._offered = False, None
        if self._has_offered is not board.opening and rebellion_due(board.transcript, board.rules):
            self._offered, self._has_offered = Phase.REBEL, board.opening
        elif overbid_due(board.transcript, board.rules):
            self._offered = Phase.BID
        self.number += self._offered is not None

    def end(self) -> None:
        """Count the decision that was made."""
        board, (opening, num_bids, phase) = self._board, self._before
        is_dealt_again = board.opening is not opening
        if self._is_opening:
            self.number += is_dealt_again or len(board.opening.bids) > num_bids
        elif phase == self._offered:
            self._is_opening = is_dealt_again
        else:
            self.number += 1
            self._may_offer = True
        if board.phase == Phase.OVER:
            self.number += 1
            self._is_opening = True
