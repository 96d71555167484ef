"""Policies: rules of decision in compiled code, which whoever plays calls by their addresses.

A policy is one compiled function and memory of its own. Environments' steps, playouts and rollouts are compiled once
and play with any policy, also with another one in each seat.

| argument of ``next_action`` | what it is |
|---|---|
| s, r | the whole table and its rules; a policy reads only what the seat to move may know |
| slots, others | the legal actions, two or more, as two sets of bits (`engine.masks.legal_actions`) |
| is_new | whether the decision begins here; otherwise the memory holds what was planned at an earlier card of it |
| key | a random word of this action alone |
| memory | the policy's memory, for the function that `raw_arrays.reading` returns |

It returns one of the legal actions. From one decision to the next its memory keeps nothing else.

Who samples deals that explain what was played asks how likely a play is under a policy (`Policy.replay`).
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.compiler import IS_PLAIN, intrinsic, make_array, typeof, types
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.raw_arrays import addresses_of

NextAction = Callable[..., int]
"""``next_action(s, r, slots, others, is_new, key, memory)``, decorated with `engine.compile.jit`."""
ReplayPlay = Callable[..., float]
"""``replay(s, r, w, cards, memory)``, decorated likewise."""

_STATE, _RULES = typeof(np.zeros(1, STATE_DTYPE)[0]), typeof(np.zeros(1, RULES_DTYPE)[0])
_WORKSPACE, _CARDS = typeof(np.zeros(1, WORKSPACE_DTYPE)[0]), typeof(np.zeros(NUM_SLOTS, np.int8))
_NEXT = types.int64(_STATE, _RULES, types.int64, types.int64, types.boolean, types.uint64, types.int64)
_REPLAY = types.float64(_STATE, _RULES, _WORKSPACE, _CARDS, types.int64)
_MEMORY, _USES_KEY, _NEXT_AT, _REPLAY_AT, _WORDS = 0, 1, 2, 3, 4


class Policy(NamedTuple):
    """A rule of decision for compiled code."""

    kind: str
    """The name under which the function is marked as compiled, if it is one of the package's."""
    next_action: NextAction
    """The function."""
    memory: Any
    """A named tuple of C-contiguous arrays, and of such tuples, which nobody else uses."""
    uses_key: bool = True
    """Whether the function reads its random word. Inside steps, making it takes longer than many a decision."""
    replay: ReplayPlay | None = None
    """Makes a lead or a follow again, given its cards by slot at the table where it began, and returns the logarithm of
    how likely it was, 0 or less; None: the policy has no such likelihoods. A play that the table does not allow ends
    before it is complete."""


PackedPolicies = Any
"""`Policies.packed`: the addresses of memories and functions, (P, 4) int64; with the JIT off, the policies."""


class Policies(Linked):
    """Some policies, for compiled code.

    Args:
        policies: the policies.
        replays: whether plays are made again, too (`Policy.replay`).

    Attributes:
        packed: what compiled code takes; valid while this object lives.
    """

    _LINKS = ("packed", "_memories")

    def __init__(self, policies: Sequence[Policy], *, replays: bool = False) -> None:
        self._policies, self._replays = tuple(policies), replays
        self._link()

    def _link(self) -> None:
        self._memories = [addresses_of(policy.memory) for policy in self._policies]
        self.packed: PackedPolicies = self._policies
        if not IS_PLAIN:
            rows = [
                (memory.ctypes.data, policy.uses_key, address_of(policy.next_action), self._address_of_replay(policy))
                for policy, memory in zip(self._policies, self._memories, strict=True)
            ]
            self.packed = np.array(rows, np.int64).reshape(-1, _WORDS)

    def _address_of_replay(self, policy: Policy) -> int:
        return address_of(policy.replay, _REPLAY) if self._replays and policy.replay is not None else 0

    def __len__(self) -> int:
        return len(self._policies)


def address_of(function: NextAction | ReplayPlay, called: Any = _NEXT) -> int:
    """Return the address of a policy's function, compiled or loaded from the cache."""
    kernel: Any = function
    kernel.compile(called.args)
    compiled = kernel.overloads[called.args]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def _calling(place: int, called: Any, policies: Any) -> Any:
    """Return what an intrinsic does that calls a policy's function, at its place in a row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = make_array(policies)(context, builder, arguments[0]).data

        def word(place: int) -> Any:
            row = builder.mul(arguments[1], context.get_constant(types.intp, _WORDS))
            return builder.load(builder.gep(words, [builder.add(row, context.get_constant(types.intp, place))]))

        convention, kinds = context.call_conv, (called.return_type, called.args)
        function = builder.inttoptr(word(place), convention.get_function_type(*kinds).as_pointer())
        status, result = convention.call_function(builder, function, *kinds, [*arguments[2:], word(_MEMORY)])
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return result

    return called.return_type(policies, types.int64, *called.args[:-1]), generate


def _plain_next(policies: PackedPolicies, index: int, *arguments: Any) -> int:
    return int(policies[index].next_action(*arguments, policies[index].memory))


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _compiled_next(
    typing_context: Any, policies: Any, index: Any, s: Any, r: Any, slots: Any, others: Any, is_new: Any, key: Any
) -> Any:
    return _calling(_NEXT_AT, _NEXT, policies)


next_of = _plain_next if IS_PLAIN else _compiled_next
"""``next_of(policies, index, s, r, slots, others, is_new, key)``, in compiled code: the action of a policy."""


def _plain_replay(policies: PackedPolicies, index: int, *arguments: Any) -> float:
    return float(policies[index].replay(*arguments, policies[index].memory))


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_replay(typing_context: Any, policies: Any, index: Any, s: Any, r: Any, w: Any, cards: Any) -> Any:
    return _calling(_REPLAY_AT, _REPLAY, policies)


replay_by = _plain_replay if IS_PLAIN else _compiled_replay
"""``replay_by(policies, index, s, r, w, cards)``, in compiled code: a play made again (`Policy.replay`)."""


def _plain_uses_key(policies: PackedPolicies, index: int) -> bool:
    return bool(policies[index].uses_key)


@jit
def _compiled_uses_key(policies: PackedPolicies, index: int) -> bool:
    return int(policies[index, _USES_KEY]) != 0


uses_key = _plain_uses_key if IS_PLAIN else _compiled_uses_key
"""``uses_key(policies, index)``, in compiled code: whether a policy reads its random word."""

NO_POLICIES: PackedPolicies = Policies(()).packed
