"""What comes over Botzone's wire: requests to a seat, what its Local AI brings, what its programs print."""

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from shengji_botzone.local_ai import read_body
from shengji_botzone.match_seat import MatchSeat
from shengji_botzone.wire import read_request, read_response
from shengji_env.players.registry import make_player
from tests.fuzz.alterations import byte_edits, edit_document, leaf_edits, splice, text_edits
from tests.fuzz.target import target
from tests.helpers.botzone_rounds import JudgedRound
from tests.helpers.paths import DATA

_BODY = '2 1\n65c0\n{"stage":"deal","deliver":[5]}\n65c1\n{"stage":"deal","deliver":[6]}\n65c2 2 4 3 0 3 0\n'
_PRINTED = b'{"response": [0, 54, 44], "debug": "throws", "data": {"seen": [1, 2]}}\n'
_which = st.integers(0, 3)


@cache
def _requests(number: int, seat: int) -> list[Any]:
    given = json.loads((DATA / "botzone_rounds.jsonl").read_text().splitlines()[number])
    return [request for mover, _, request, _ in JudgedRound(given).turns() if mover == seat]


@target(weight=20, number=_which, seat=_which, last=st.integers(0, 99), leaves=leaf_edits, edits=text_edits)
def test_botzone_requests(number, seat, last, leaves, edits):
    """Answer the requests to a seat up to one that is altered, and the one after it."""
    given = _requests(number, seat)
    last %= len(given)
    played = MatchSeat(make_player("greedy"), seed=0)
    texts = [json.dumps(request) for request in given]
    texts[last] = splice(json.dumps(edit_document(given[last], leaves)), edits)
    for text in texts[: last + 2]:
        played.respond(read_request(text))


@target(weight=40, edits=text_edits)
def test_botzone_matches(edits):
    """Read what the Local AI brings."""
    read_body(splice(_BODY, edits))


@target(weight=40, edits=byte_edits)
def test_botzone_answers(edits):
    """Read what a program prints."""
    read_response(splice(_PRINTED, edits))
