"""What the fields of a class mean: the docstrings under them, reused in pages and help texts."""

import ast
import inspect
import itertools


def field_docs(kind: type) -> dict[str, str]:
    """Return the docstring under each field of a class and its bases, read from their source."""
    docs = {}
    for base in reversed(kind.__mro__[:-1]):
        (definition,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(definition, ast.ClassDef)
        for field, line in itertools.pairwise(definition.body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(line, ast.Expr):
                docs[field.target.id] = str(ast.literal_eval(line.value))
    return docs
