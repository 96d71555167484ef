"""What comes over Botzone's wire: requests to a seat, what its Local AI brings, what its programs print."""

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from shengji_env.players.botzone.local_ai import read_body
from shengji_env.players.botzone.match_seat import MatchSeat
from shengji_env.players.botzone.wire import read_request, read_response
from shengji_env.players.registry import make_player
from tests.fuzz.alterations import byte_edits, edit_bytes, edit_document, edit_text, leaf_edits, text_edits
from tests.helpers.botzone_rounds import JudgedRound
from tests.helpers.paths import DATA

_BODY = '2 1\n65c0\n{"stage":"deal","deliver":[5]}\n65c1\n{"stage":"deal","deliver":[6]}\n65c2 2 4 3 0 3 0\n'
_PRINTED = b'{"response": [0, 54, 44], "debug": "throws", "data": {"seen": [1, 2]}}\n'
requests = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 99), leaf_edits, text_edits)
bodies, printed = text_edits, byte_edits


@cache
def _requests(number: int, seat: int) -> list[Any]:
    given = json.loads((DATA / "botzone_rounds.jsonl").read_text().splitlines()[number])
    return [request for mover, _, request, _ in JudgedRound(given).turns() if mover == seat]


def hear_requests(case: tuple[int, int, int, Any, Any]) -> None:
    """Answer the requests to a seat up to one that is altered, and the one after it."""
    number, seat, last, leaves, edits = case
    given = _requests(number, seat)
    last %= len(given)
    played = MatchSeat(make_player("greedy"), seed=0)
    texts = [json.dumps(request) for request in given]
    texts[last] = edit_text(json.dumps(edit_document(json.loads(json.dumps(given[last])), leaves)), edits)
    for text in texts[: last + 2]:
        played.respond(read_request(text))


def fetch(edits: Any) -> None:
    """Read what the Local AI brings."""
    read_body(edit_text(_BODY, edits))


def hear_program(edits: Any) -> None:
    """Read what a program prints."""
    read_response(edit_bytes(_PRINTED, edits))


def prepare() -> None:
    """Compile what plays."""
    hear_requests((3, 0, 40, [], []))
