"""Pages in Chromium: what tests of pages have in common."""

import re
import shutil

import pytest

from shengji_table.web.table_timing import Timing

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUICK = Timing(draw=0.01, last_bids=30, play=0.01, trick=0.01, round=60)
PATIENCE = 60_000
"""Milliseconds after which something never happens."""


def caption(page):
    return page.inner_text(".caption")


def until(page, condition):
    """Wait until something holds; the page's policy forbids Playwright's own way."""
    for _ in range(PATIENCE // 50):
        if condition():
            return
        page.wait_for_timeout(50)
    pytest.fail(f"it never happened; the page says {page.inner_text('body')!r}")


def set_up(page, setting):
    """Press a setting's button in the drawer, and close that again."""
    page.locator(".toggle:visible").first.click()
    page.click(f".drawer {setting}")
    page.keyboard.press("Escape")


def state_of(page):
    """What is asked: which button confirms, whether it may be pressed, and whether the play is forced."""
    return page.evaluate(
        """() => { const find = (where) => document.querySelector(where), play = find('.buttons .play');
        return { label: play?.textContent ?? '', enabled: Boolean(play) && !play.disabled,
          hint: Boolean(find('.buttons .hint')) && !find('.option[aria-pressed]'), over: Boolean(find('.replay')),
          option: Boolean(find('.hinted:not([aria-pressed])')),
          forced: /Only one play is legal|只有一种出法/.test(find('.caption')?.textContent ?? '') }; }"""
    )


def act(page):
    """Do one thing towards the end of the round, as the adviser says; return whether the round is over.

    Nothing is pressed if something else is asked by then: a hint to that would come at any time. No bid is made:
    whether one still could be would depend on how fast the page is.
    """
    state = state_of(page)
    if state["over"]:
        return True
    if state["enabled"]:
        button = "[...document.querySelectorAll('.buttons .play:enabled')].find((each) => each.textContent === label)"
        page.evaluate(f"(label) => {button}?.click()", state["label"])
    elif state["option"] or state["hint"]:
        button = "document.querySelector(one)"
        same = "(document.querySelector('.buttons .play')?.textContent ?? '') === label"
        one = ".hinted:not([aria-pressed])" if state["option"] else ".buttons .hint"
        page.evaluate(f"([label, one]) => {{ if ({same}) {button}?.click(); }}", [state["label"], one])
    page.wait_for_timeout(60)
    return False


def until_hint(page):
    """Wait until the adviser has spoken and what it says may be played; cards that must go can be raised before."""
    until(page, lambda: " would " in caption(page))
    page.wait_for_selector(".buttons .play:enabled")


def to_choose(page, kind="Play|Lead|Bury"):
    """Go on until there is a choice of cards; a play that is forced is made for the person, at any time."""
    for _ in range(3000):
        state = state_of(page)
        if re.search(kind, state["label"]) and not state["forced"]:
            return
        act(page)
    pytest.fail(f"nothing is to be chosen: {caption(page)}")
