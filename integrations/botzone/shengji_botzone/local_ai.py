"""Botzone's Local AI: matches there are played by a program here, which fetches requests and hands in its responses.

A GET of a secret address waits until there is something, and brings

```text
m n                               so many requests, so many matches that have ended
MATCH                             m times: a match, and the next request to a seat of it, in two lines
REQUEST
MATCH SLOT COUNT SCORE …          n times: the own seat, and the scores of COUNT players; 0: it was broken off
```

Responses go with the next GET, each as a header ``X-Match-MATCH``. They are sent again until a GET succeeds, and a
request that comes twice is answered alike. A GET that brings nothing new, and has not waited for it, is followed by a
pause; pauses become ever longer. Source: Botzone's wiki, as remembered; tried against a stand-in only.
"""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import NamedTuple

from shengji_botzone.match_seat import MatchSeat
from shengji_botzone.wire import BotzoneError, read_request
from shengji_env.errors import PlayerError, ShengjiError, printable, show
from shengji_env.players.player import Player

_HEADER = "X-Match-"
_WAIT = 300.0
"""Seconds for which a GET is waited for; then it is made again."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_REFUSED = range(400, 500)
_MOST = 1 << 24
"""Most bytes of what a GET brings."""


class Fetched(NamedTuple):
    """What a GET has brought."""

    requests: list[tuple[str, str]]
    """Matches, and the next request of each."""
    ended: list[list[str]]
    """The words of each line about a match that has ended."""


def read_body(body: str) -> Fetched:
    """Read what a GET has brought.

    Raises:
        BotzoneError: it has another form.
    """
    lines = body.splitlines()
    try:
        num_requests, num_ended = map(int, lines[0].split())
        rest = lines[1:]
        requests = [(rest[2 * index].strip(), rest[2 * index + 1]) for index in range(num_requests)]
        ended = [rest[2 * num_requests + index].split() for index in range(num_ended)]
    except (ValueError, IndexError) as error:
        raise BotzoneError(f"what came is not of the Local AI: {show(body[:80])}") from error
    if any(not (match.isascii() and match.isalnum()) for match, *_ in [*requests, *ended]):
        raise BotzoneError(f"a match has no name of letters and digits: {show(body[:80])}")
    return Fetched(requests, ended)


class LocalAi:
    """A player in all matches of an address.

    Args:
        player: the player.
        url: the secret address.
        seed: seed of its random words.
        say: shown what happens, a line at a time.
        pause: waits some seconds.
    """

    def __init__(
        self, player: Player, url: str, *, seed: int, say: Callable[[str], None],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        if not url.startswith(("https://", "http://")):
            raise PlayerError(f"url={show(url)} must begin with https://")
        self._player, self._url, self._seed, self._say, self._pause = player, url, seed, say, pause
        MatchSeat(player, seed=seed)  # refuses a player that cannot play there, before anything is fetched
        self._matches: dict[str, MatchSeat] = {}
        self._last: dict[str, tuple[str, str]] = {}
        self._given_up: set[str] = set()

    def play(self, most: int | None = None) -> None:
        """Play until so many matches have ended; None: without end.

        Raises:
            PlayerError: the address is refused.
        """
        responses: dict[str, str] = {}
        num_ended, wait = 0, _FIRST_PAUSE
        while most is None or num_ended < most:
            began = time.monotonic()
            fetched = self._fetch(responses)
            wait = _FIRST_PAUSE if self._is_new(fetched) else self._idle(wait, time.monotonic() - began)
            responses = dict(self._respond(fetched))
            for match, *words in fetched.ended:
                num_ended += 1
                self._end(match, words)

    def _is_new(self, fetched: Fetched) -> bool:
        """Return whether there is a request or a result that has not come before."""
        requests = [(match, request) for match, request in fetched.requests if match not in self._given_up]
        return bool(fetched.ended) or any(self._last.get(match, ("",))[0] != request for match, request in requests)

    def _idle(self, wait: float, spent: float) -> float:
        """Pause, unless the GET that has brought nothing new took as long; return the next such pause."""
        if spent >= wait:
            return wait
        if wait == _FIRST_PAUSE:
            self._say(f"note: nothing new has come; asking again in {wait:g} s, then after longer pauses")
        self._pause(wait)
        return min(2 * wait, _LONGEST_PAUSE)

    def _fetch(self, responses: dict[str, str]) -> Fetched:
        """Hand in responses and fetch what there is; try again, after ever longer pauses, until that succeeds."""
        headers = {_HEADER + match: response for match, response in responses.items()}
        wait = _FIRST_PAUSE
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(self._url, headers=headers), timeout=_WAIT) as got:
                    return read_body(got.read(_MOST).decode(errors="replace"))
            except urllib.error.HTTPError as error:
                if error.code in _REFUSED:
                    raise PlayerError(
                        f"the address is refused, with HTTP {error.code}: is it the current one?"
                    ) from error
                why: Exception = error
            except TimeoutError:  # nothing has happened
                continue
            except (OSError, http.client.HTTPException, BotzoneError) as error:
                why = error
            self._say(f"note: {printable(str(why))}; trying again in {wait:g} s")
            self._pause(wait)
            wait = min(2 * wait, _LONGEST_PAUSE)

    def _respond(self, fetched: Fetched) -> Iterator[tuple[str, str]]:
        for match, request in fetched.requests:
            if match in self._given_up:
                continue
            if self._last.get(match, ("",))[0] != request:
                try:
                    self._last[match] = request, self._answer(match, request)
                except ShengjiError as error:
                    self._given_up.add(match)
                    self._say(f"match {match} is given up: {printable(str(error))}")
                    continue
            yield match, self._last[match][1]

    def _answer(self, match: str, request: str) -> str:
        if match not in self._matches:
            self._matches[match] = MatchSeat(self._player, seed=self._seed)
            self._say(f"match {match} begins")
        return json.dumps(self._matches[match].respond(read_request(request)))

    def _end(self, match: str, words: list[str]) -> None:
        for kept in (self._matches, self._last):
            kept.pop(match, None)
        self._given_up.discard(match)
        slot, count, *scores = [*words, "?", "0"][: max(len(words), 2)]
        how = "was broken off" if count == "0" else f"has ended: seat {slot}, scores {' '.join(scores)}"
        self._say(f"match {match} {printable(how)}")
