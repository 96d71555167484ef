"""A program at the table of `shengji serve`: it takes a free seat by the link for guests, or the link's own seat, and
plays a round.

python3 docs/bots/browser_bot.py 'http://127.0.0.1:8010/#0.t.SECRET' Robot

It knows no rules: the table says which cards may be chosen. It needs websockets; docs/web.md explains the messages.
"""

import asyncio
import json
import sys
from urllib.parse import urlsplit

import websockets

PAUSE = 0.07  # seconds before each message: in the long run, 15 may be sent in a second


class Talk:
    """What is said and heard over a socket; `state` is the newest state of the table."""

    def __init__(self, socket):
        self.socket, self.state = socket, None

    async def hear(self):
        message = json.loads(await self.socket.recv())
        if message["type"] == "state":
            self.state = message
        return message

    async def say(self, kind, **fields):
        """Send a message; return the reply to it."""
        await asyncio.sleep(PAUSE)
        await self.socket.send(json.dumps({"type": kind, **fields}))
        while (reply := await self.hear())["type"] in ("state", "lobby"):
            pass
        return reply

    async def hello(self, link):
        """Send the first message; return the first that comes: a welcome to a seat, or for guests the lobby."""
        await self.socket.send(json.dumps({"type": "hello", "version": 3, "link": link}))
        return await self.hear()

    async def choose(self, move):
        """Choose cards one by one, such as may join those chosen, until they are a legal play."""
        chosen = []
        while not (found := await self.say("choose", move=move, cards=" ".join(chosen)))["is_whole"]:
            chosen.append(next(card for card, reason in found["reasons"].items() if reason is None))
        return " ".join(chosen)

    async def answer(self, move, ask, window):
        """Answer what the seat is asked."""
        if ask["kind"] in ("bid", "rebel"):
            if ask["kind"] == "bid" and ask["options"] and not ask["wish"]:
                await self.say("bid", move=move, standing=len(self.state["view"]["bids"]), cards=ask["options"][0])
            elif window is not None:
                await self.say("done", move=move)
        elif ask["options"]:
            await self.say("play", move=move, cards=ask["options"][0])
        else:
            await self.say("play", move=move, cards=await self.choose(move))


async def take_a_seat(place, link, name):
    """Return the link of a free seat that is taken by a link for guests; that of a seat is the link itself."""
    async with websockets.connect(**place) as socket:
        guest, why = Talk(socket), "no seat is free"
        lobby = await guest.hello(link)
        if lobby["type"] == "welcome":
            return link
        for seat in [each["seat"] for each in lobby["seats"] if each["is_free"]]:
            reply = await guest.say("take", seat=seat, name=name)
            if reply["type"] == "seated":
                return reply["link"]
            why = reply["reason"]  # somebody has been faster, perhaps
        sys.exit(f"{name} finds no seat: {why}")


async def play_a_round(address, name):
    """Take a seat, play until the round is over, and return its line of the score sheet."""
    page = urlsplit(address)
    place = {"uri": f"ws://{page.netloc}/socket", "origin": f"http://{page.netloc}"}
    link = await take_a_seat(place, page.fragment, name)
    async with websockets.connect(**place) as socket:
        player = Talk(socket)
        await player.hello(link)
        reply = await player.say("auto", on=False)  # nothing is played for it
        if reply["type"] == "refused":
            sys.exit(f"{name} cannot play: {reply['reason']}")
        while True:
            while player.state is None:
                await player.hear()
            state, ask = player.state, player.state["ask"]
            if ask and ask["kind"] == "next":
                return state["sheet"][-1]
            if ask and not ask["is_done"]:
                await player.answer(state["move"], ask, state["window"])
            player.state = None  # what comes next says what the answer has brought


if __name__ == "__main__":
    print(asyncio.run(play_a_round(*sys.argv[1:])))
