"""The changes of the engine's code that `mutate` tries: its mutants.

| what | what stands in its place |
|---|---|
| an operator, `and`, `or`; a comparison | another one |
| an integer; True, False | one more, one less; the other |
| `not x`, `-x`, `~x` | `x` |
| the condition of `if` or `while`; `a if x else b` | its opposite; `b if x else a` |
| a call for its effect, an assignment to an element or field, `+=`, `raise`, `break`, `continue`, `return` | nothing |

Types, decorators, assertions and the texts of errors stay.
"""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "shengji_env/engine"
EXPLAINED = ROOT / "tests/data/explained_mutants.toml"
NOT_MUTATED = {
    "compile", "compiled_files", "inner", "lanes", "own_files", "reached", "rows", "source_digest", "typed_records",
}  # fmt: skip
"""How code is compiled and kept, and its instructions: plain Python has neither. Types for type checkers."""

_SWAPPED = "Add Sub, Sub Add, Mult FloorDiv, FloorDiv Mult, Mod FloorDiv, LShift RShift, RShift LShift, BitAnd BitOr, \
BitOr BitAnd, BitXor BitAnd, And Or, Or And"
_COMPARED = "Lt LtE GtE, LtE Lt Gt, Gt GtE LtE, GtE Gt Lt, Eq NotEq, NotEq Eq, In NotIn, NotIn In, Is IsNot, IsNot Is"
_INSTEAD = {name: others for name, *others in map(str.split, f"{_SWAPPED}, {_COMPARED}".split(","))}
"""What may stand in an operator's place, by the names of `ast`."""
_NOT_ENTERED = (ast.Raise, ast.Assert, ast.JoinedStr)
"""Texts of errors; what is true by our own doing."""
_TYPES = ("annotation", "returns", "decorator_list")


Texts: TypeAlias = tuple[str, str, str]
"""A function's name, and a statement in it before and after a change."""


@dataclass(frozen=True)
class Mutant:
    """A change of one statement, known by texts, so that it stays the same when lines move."""

    module: str
    function: str
    was: str
    now: str
    nth: int = 1
    """Which of several equal changes in the function this is."""


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in a node's place."""
    match node:
        case ast.operator() | ast.boolop() | ast.cmpop():
            yield from (getattr(ast, name)() for name in _INSTEAD.get(type(node).__name__, ()))
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield operand
        case ast.If(test, body, orelse) | ast.While(test, body, orelse):
            yield type(node)(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Expr(ast.Call()) | ast.Assign([ast.Attribute() | ast.Subscript()]) | ast.AugAssign() | ast.Raise():
            yield ast.Pass()
        case ast.Break() | ast.Continue() | ast.Return(value=None):
            yield ast.Pass()


def changes(parent: ast.AST, names: tuple[str, ...] = (), statement: Any = None) -> Iterator[tuple[Any, Texts]]:
    """Change what lies below a node in each way in turn; what it was comes back when the next way is asked for.

    Yields:
        The changed statement and its texts.
    """
    if isinstance(parent, ast.FunctionDef | ast.ClassDef):
        names = (*names, parent.name)
    for field, value in ast.iter_fields(parent):
        nodes = value if isinstance(value, list) else [value]
        for index, node in enumerate(nodes):
            if field in _TYPES or not isinstance(node, ast.AST):
                continue
            inside = node if isinstance(node, ast.stmt) else statement
            for variant in variants(node):
                was, changed = _text(inside), ast.fix_missing_locations(ast.copy_location(variant, node))
                nodes[index] = changed
                setattr(parent, field, nodes if nodes is value else changed)
                yield inside, (".".join(names), was, _text(changed if inside is node else inside))
                nodes[index] = node
                setattr(parent, field, value)
            if not isinstance(node, _NOT_ENTERED):
                yield from changes(node, names, inside)


def _text(statement: ast.AST) -> str:
    """Return a statement in one line: of a compound one, the first."""
    return next(line for line in ast.unparse(statement).split("\n") if not line.startswith("@"))


class Found(NamedTuple):
    """A mutant, until the next one is asked for."""

    mutant: Mutant
    lines: range
    """Those of the changed statement."""
    tree: ast.Module
    """The mutant's module."""


def mutants_of(module: str) -> Iterator[Found]:
    """Yield a module's mutants, always in the same order."""
    tree = ast.parse((ENGINE / f"{module}.py").read_text(encoding="utf-8"))
    seen: Counter[Texts] = Counter()
    for statement, texts in changes(tree):
        seen[texts] += 1
        body = getattr(statement, "body", None)
        end = body[0].lineno if body else statement.end_lineno + 1
        yield Found(Mutant(module, *texts, seen[texts]), range(statement.lineno, end), tree)


def all_mutants(modules: list[str]) -> list[tuple[Mutant, range]]:
    """Return all mutants of some modules, or of all, with their lines."""
    paths = sorted(path.relative_to(ENGINE).with_suffix("").as_posix() for path in ENGINE.rglob("*.py"))
    chosen = [module for module in paths if module not in NOT_MUTATED and module in (modules or paths)]
    return [(mutant, lines) for module in chosen for mutant, lines, _ in mutants_of(module)]


def explained() -> dict[Mutant, str]:
    """Return why some mutants are not killed."""
    entries = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["mutants"]
    return {Mutant(**entry): why for entry in entries for why in [entry.pop("why")]}
