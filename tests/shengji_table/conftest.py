"""A table that is served from a thread, and seats at it in a browser."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.helpers.browsing import PATIENCE, QUICK
from tests.helpers.web_clients import House, new_table


@pytest.fixture
def serve():
    """Serve a table, or puzzles, from a thread; at the end the server stops."""
    endings = []

    def serve_one(*players, puzzles=None, **options):
        ready, houses = threading.Event(), []

        async def main(executor):
            made = [new_table(*players, executor=executor, **{"timing": QUICK, **options})] if players else []
            stop = asyncio.Event()
            async with House(*made, executor=executor, puzzles=puzzles) as house:
                houses.append(house)
                endings.append((asyncio.get_running_loop(), stop, thread))
                ready.set()
                await stop.wait()

        def run():
            with ThreadPoolExecutor(4) as executor:
                asyncio.run(main(executor))

        thread = threading.Thread(target=run)
        thread.start()
        assert ready.wait(60)
        return houses[0]

    yield serve_one
    for loop, stop, thread in endings:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)


@pytest.fixture
def sit(browser):
    """Open a seat's link; at the end nothing may have gone wrong in any page."""
    problems, contexts = [], []

    def sit_one(house, viewer, *, width=1280, height=800, locale="en-US", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, locale=locale, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"http://{house.host}/#{viewer if isinstance(viewer, str) else house.link(viewer)}")
        page.wait_for_selector(".picture svg")
        return page

    yield sit_one
    for context in contexts:
        context.close()
    assert problems == []
