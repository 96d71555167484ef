"""Random words that may be handed out: they reveal nothing about the deal, though both come from one seed.

The words of `deal.py` are made by bijections. From one of them, and a guess of the small numbers that went into it,
anybody can compute the seed's words, and with them the deal. A word for a player is therefore one of ChaCha20's block
function (RFC 8439), which nobody knows how to undo:

| of the block | what |
|---|---|
| key, first 8 bytes | the table's key (`deal.table_key`) |
| key, other 24 bytes | ``shengji-env player words`` |
| counter | decisions made in the round before |
| nonce | the round, the stream, 0 |

Its first 8 bytes are the word. To find the table's key from words, one has to try 2**64 keys. A seed that can be
guessed is another matter: it gives the deals away without any words.

Source: docs/environments/arguments.md.
"""

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import PLAYER_STREAM, table_key

_CONSTANTS = np.frombuffer(b"expand 32-byte k", "<u4").astype(np.uint64)
_LABEL = np.frombuffer(b"shengji-env player words", "<u4").astype(np.uint64)
_C0, _C1, _C2, _C3 = _CONSTANTS
_L0, _L1, _L2, _L3, _L4, _L5 = _LABEL
_LOW = np.uint64(0xFFFFFFFF)
_ZERO, _S32 = np.uint64(0), np.uint64(32)
_S7, _S8, _S12, _S16, _S20, _S24, _S25 = (np.uint64(bits) for bits in (7, 8, 12, 16, 20, 24, 25))
_DOUBLE_ROUNDS = 10

Quarter = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""Four 32-bit words, each in a 64-bit one."""


@jit
def player_word(seed: np.uint64, table: int, round_index: int, ply: int) -> np.uint64:
    """Return the random word for whoever decides after `ply` decisions of a round."""
    key = table_key(seed, table)
    nonce = np.uint64(round_index) & _LOW, np.uint64(PLAYER_STREAM), _ZERO
    first, second, _, _ = first_row(
        (_C0, _C1, _C2, _C3),
        (key & _LOW, key >> _S32, _L0, _L1),
        (_L2, _L3, _L4, _L5),
        (np.uint64(ply) & _LOW, nonce[0], nonce[1], nonce[2]),
    )
    return first | (second << _S32)


@jit
def first_row(a: Quarter, b: Quarter, c: Quarter, d: Quarter) -> Quarter:
    """Return the first four words of ChaCha20's block: of constants, key (two rows), and counter with nonce."""
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    c0, c1, c2, c3 = c
    d0, d1, d2, d3 = d
    for _ in range(_DOUBLE_ROUNDS):
        a0, b0, c0, d0 = _quarter_round(a0, b0, c0, d0)
        a1, b1, c1, d1 = _quarter_round(a1, b1, c1, d1)
        a2, b2, c2, d2 = _quarter_round(a2, b2, c2, d2)
        a3, b3, c3, d3 = _quarter_round(a3, b3, c3, d3)
        a0, b1, c2, d3 = _quarter_round(a0, b1, c2, d3)
        a1, b2, c3, d0 = _quarter_round(a1, b2, c3, d0)
        a2, b3, c0, d1 = _quarter_round(a2, b3, c0, d1)
        a3, b0, c1, d2 = _quarter_round(a3, b0, c1, d2)
    return (a0 + a[0]) & _LOW, (a1 + a[1]) & _LOW, (a2 + a[2]) & _LOW, (a3 + a[3]) & _LOW


@jit
def _quarter_round(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> Quarter:
    a = (a + b) & _LOW
    d ^= a
    d = ((d << _S16) | (d >> _S16)) & _LOW
    c = (c + d) & _LOW
    b ^= c
    b = ((b << _S12) | (b >> _S20)) & _LOW
    a = (a + b) & _LOW
    d ^= a
    d = ((d << _S8) | (d >> _S24)) & _LOW
    c = (c + d) & _LOW
    b ^= c
    b = ((b << _S7) | (b >> _S25)) & _LOW
    return a, b, c, d
