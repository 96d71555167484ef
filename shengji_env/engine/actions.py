"""Actions: the 83 ids that make up every decision, and their texts.

| ids | action |
|---|---|
| 0–53 | take one more card of this slot |
| 54 | done (lead) or pass (bid, rebel) |
| 55–70 | bid 1..4 level cards of a suit: ``55 + 4 * (count - 1) + suit`` |
| 71–73, 74–76 | bid 2..4 little, big jokers: no trump |
| 77–81 | name C D H S or no trump as trumps |
| 82 | rebel: have a weak hand dealt again |

Source: docs/environments/actions.md.
"""

from shengji_env.engine.cards import CARD_TEXTS, MAX_DECKS, NUM_SUITS, RANKS, SUITS, card_id
from shengji_env.engine.slots import NUM_SLOTS, card_of_slot, slot_of_card
from shengji_env.errors import NotationError

ACTIONS_VERSION = 2
PASS = NUM_SLOTS
DONE = PASS
BID_SUIT = PASS + 1
BID_LITTLE = BID_SUIT + NUM_SUITS * MAX_DECKS
BID_BIG = BID_LITTLE + MAX_DECKS - 1
NAME = BID_BIG + MAX_DECKS - 1
REBEL = NAME + NUM_SUITS + 1
NUM_ACTIONS = REBEL + 1

TRUMP_TEXTS = (*SUITS, "NT")


def action_text(action: int, *, trump: int, level: int, is_bid: bool = False) -> str:
    """Return the text of an action at one moment of a round.

    It is a card (``S2``), ``done`` (``pass`` if `is_bid`), ``bid S2 S2``, ``name NT`` or ``rebel``. `trump` and `level`
    are those of the slots at that moment: before trumps are named, no trump and the level rank with which the seat's
    own team bids.

    Raises:
        NotationError: `action` is not in 0..82.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise NotationError(f"{action} is not an action; actions are 0..{NUM_ACTIONS - 1}")
    if action < PASS:
        return CARD_TEXTS[card_of_slot(action, trump, level)]
    if action == DONE:
        return "pass" if is_bid else "done"
    if action == REBEL:
        return "rebel"
    if action >= NAME:
        return f"name {TRUMP_TEXTS[action - NAME]}"
    return "bid " + " ".join(_bid_cards(action, level))


def _bid_cards(action: int, level: int) -> list[str]:
    if action < BID_LITTLE:
        count, suit = divmod(action - BID_SUIT, NUM_SUITS)
        return [SUITS[suit] + RANKS[level]] * (count + 1)
    kind, extra = divmod(action - BID_LITTLE, MAX_DECKS - 1)
    return [("LJ", "BJ")[kind]] * (extra + 2)


def parse_action(text: str, *, trump: int, level: int) -> int:
    """Return the action that a text names, the inverse of `action_text`; `pass` and `done` are the same.

    Raises:
        NotationError: the text names no action.
    """
    word, _, rest = text.strip().partition(" ")
    if word in ("done", "pass") and not rest:
        return DONE
    if word == "rebel" and not rest:
        return REBEL
    if word == "name" and rest in TRUMP_TEXTS:
        return NAME + TRUMP_TEXTS.index(rest)
    if word == "bid":
        for action in range(BID_SUIT, NAME):
            if _bid_cards(action, level) == rest.split():
                return action
    elif not rest:
        return int(slot_of_card(card_id(word), trump, level))
    raise NotationError(
        f"{text!r} is not an action; write a card, done, pass, bid CARDS (1..4 level cards, 2..4 jokers), name SUIT "
        "or rebel"
    )
