"""A network that treats all plain suits alike: what it learns of one, it knows of the others.

| layer | of | reads |
|---|---|---|
| `table` | the decision | what belongs to no suit; a part of it goes to each of the next three |
| `suit` | each plain suit | the inputs about the suit, `table` |
| `trump` | the trumps | the inputs about them, `table` |
| `pooled` | the decision | the sum of the plain suits' encodings, that of the trumps, `table` |
| `context` | the decision | the layer before |
| `told` | the decision | `context`; a part of it goes to each of the next two |
| `suit_head` | each plain suit | its encoding, the sum of those before it where order matters, `told` |
| `trump_head` | the trumps | their encoding, `told` |
| `suit_logits` | each plain suit | its head: logits of its ranks, its level card, its bids and of naming it |
| `trump_logits` | the trumps | their head: logits of the trump suit's ranks, any other suit's level card, the rest |
| `rest_logits` | the decision | `context`: logits of all other actions |

ReLU between layers. The logit of a plain suit's level card, which is a trump, is the sum of what both say. Permuting
the plain suits permutes the logits, except where `suit_inputs.SuitInputs.is_ordered`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.slots import PLAIN_RANKS
from shengji_env.players.networks.network_file import check_arrays, last_axes
from shengji_env.players.networks.policy.layers import as_weights, product
from shengji_env.players.networks.policy.suit_inputs import (
    INPUTS_VERSION,
    NUM_SUIT_INPUTS,
    NUM_TABLE_INPUTS,
    NUM_TRUMP_INPUTS,
    make_suit_inputs,
)
from shengji_env.tables.own_arrays import with_own_arrays

SUITS_FORMAT = "shengji-suit-policy/1"
MAX_WEIGHT = 1000
"""The largest weight of a file: with this and MAX_LAYER no sum overflows."""
_WIDTHS = ("suit_b", "trump_b", "pooled_b", "context_b", "suit_head_b")
"""Arrays that are as wide as the layers of `Widths`."""

SUIT_LEVEL = PLAIN_RANKS
SUIT_BIDS = slice(SUIT_LEVEL + 1, SUIT_LEVEL + 1 + MAX_DECKS)
SUIT_NAME = SUIT_BIDS.stop
NUM_SUIT_LOGITS = SUIT_NAME + 1
"""Logits of a plain suit: its ranks, its level card, bids of 1 to 4 of them, its name as trumps."""
TRUMP_OTHER_LEVEL = PLAIN_RANKS
TRUMP_LEVEL = TRUMP_OTHER_LEVEL + 1
TRUMP_JOKERS = slice(TRUMP_LEVEL + 1, TRUMP_LEVEL + 3)
NUM_TRUMP_LOGITS = TRUMP_JOKERS.stop
"""Logits of trumps: the trump suit's ranks, the plain suits' level cards, the trump level card, both jokers."""
REST_JOKER_BIDS = slice(1, 1 + 2 * (MAX_DECKS - 1))
NUM_REST_LOGITS = REST_JOKER_BIDS.stop + 2
"""All other logits: done or pass, bids of jokers, no trump by name, a rebellion."""


class Widths(NamedTuple):
    """How wide the layers are."""

    suit: int
    trump: int
    pooled: int
    context: int
    head: int


def layer_sizes(widths: Widths) -> dict[str, tuple[int, int]]:
    """Return inputs and outputs of each layer."""
    suit, trump, pooled, context, head = widths
    return {
        "table": (NUM_TABLE_INPUTS, suit + trump + pooled),
        "suit": (NUM_SUIT_INPUTS, suit),
        "trump": (NUM_TRUMP_INPUTS, trump),
        "pooled": (suit + trump, pooled),
        "context": (pooled, context),
        "told": (context, 2 * head),
        "suit_head": (2 * suit, head),
        "trump_head": (trump, head),
        "suit_logits": (head, NUM_SUIT_LOGITS),
        "trump_logits": (head, NUM_TRUMP_LOGITS),
        "rest_logits": (context, NUM_REST_LOGITS),
    }


@dataclass(frozen=True, eq=False)
class SuitNetwork:
    """The network; weights (inputs, outputs) and biases of each layer are NAME_w and NAME_b."""

    arrays: Mapping[str, NDArray[np.float32]]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))

    @property
    def header(self) -> dict[str, Any]:
        """The fields of a file's header that describe this network."""
        return {"format": SUITS_FORMAT, "inputs_version": INPUTS_VERSION}

    @staticmethod
    def read(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "SuitNetwork":
        """Make the network of a file's contents.

        Raises:
            PlayerError: an array is missing, too many, or of another type or shape, or holds what is not a number or
                a large one.
        """
        shapes: dict[str, tuple[int, ...]] = {}
        for name, size in layer_sizes(Widths(*last_axes(arrays, _WIDTHS))).items():
            shapes |= {f"{name}_w": size, f"{name}_b": size[1:]}
        weights = {name: as_weights(name, array) for name, array in arrays.items()}
        check_arrays(weights, shapes, MAX_WEIGHT)
        return SuitNetwork(weights)

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, shape (B, 83)."""
        inputs = make_suit_inputs(np.ascontiguousarray(observation))
        num_suit, num_trump, num_head = (self.arrays[f"{name}_b"].size for name in ("suit", "trump", "suit_head"))
        to_suits, to_trumps, to_pooled = np.split(
            self._run("table", inputs.table), [num_suit, num_suit + num_trump], axis=1
        )
        suits = _relu(self._run("suit", inputs.suits) + to_suits[:, None]) * inputs.is_plain[:, :, None]
        trumps = _relu(self._run("trump", inputs.trumps) + to_trumps)
        pooled = _relu(self._run("pooled", np.concatenate([suits.sum(axis=1), trumps], axis=1)) + to_pooled)
        context = _relu(self._run("context", pooled))
        to_suits, to_trumps = np.split(self._run("told", context), [num_head], axis=1)
        before = np.zeros_like(suits)
        np.cumsum(suits[:, :-1], axis=1, out=before[:, 1:])
        before *= inputs.is_ordered[:, None, None]
        suits = _relu(self._run("suit_head", np.concatenate([suits, before], axis=2)) + to_suits[:, None])
        trumps = _relu(self._run("trump_head", trumps) + to_trumps)
        return _arranged(
            self._run("suit_logits", suits), self._run("trump_logits", trumps), self._run("rest_logits", context),
            inputs.is_plain[:, -1:],
        )  # fmt: skip

    def _run(self, name: str, values: NDArray[Any]) -> NDArray[np.float32]:
        """Return the layer's sums, for values (..., inputs)."""
        sums = product(values.reshape(-1, values.shape[-1]), self.arrays[f"{name}_w"], self.arrays[f"{name}_b"])
        return sums.reshape(*values.shape[:-1], -1)


def _relu(sums: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(sums, 0, out=sums)


def _arranged(
    suits: NDArray[np.float32], trumps: NDArray[np.float32], rest: NDArray[np.float32], has_four: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return logits in the order of the actions, (B, 83), from those of suits, trumps and the rest."""
    ranks = suits[:, :, :PLAIN_RANKS]
    fourth = np.where(has_four, ranks[:, -1], trumps[:, :PLAIN_RANKS])
    levels = suits[:, :, SUIT_LEVEL] + trumps[:, TRUMP_OTHER_LEVEL, None]
    last_level = np.where(has_four, levels[:, -1:], trumps[:, TRUMP_LEVEL, None])
    bids = suits[:, :, SUIT_BIDS].transpose(0, 2, 1)
    parts = (
        ranks[:, :-1], fourth, levels[:, :-1], last_level, trumps[:, TRUMP_JOKERS], rest[:, :1], bids,
        rest[:, REST_JOKER_BIDS], suits[:, :, SUIT_NAME], rest[:, -2:],
    )  # fmt: skip
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
