"""The mutants that `make mutants` tries: each is one change, and what is explained is still one of them."""

import ast

from tools.mutants import ENGINE, all_mutants, explained, mutants_of


def test_each_mutant_is_another_module_and_none_stays():
    source = ENGINE.joinpath("demotion.py").read_text(encoding="utf-8")
    trees = [ast.unparse(found.tree) for found in mutants_of("demotion")]
    assert len(trees) == len(set(trees)) > 50
    assert ast.unparse(ast.parse(source)) not in trees
    tree = next(iter(mutants_of("demotion"))).tree
    assert compile(tree, "demotion", "exec")


def test_a_statement_is_changed_where_its_texts_say():
    found = next(found for found in mutants_of("rows") if found.mutant.now == "return -1 >> int(slot)")
    assert (found.mutant.function, found.mutant.was) == ("slots_from", "return -1 << int(slot)")
    assert "return -1 >> int(slot)" in ast.unparse(found.tree)
    assert ENGINE.joinpath("rows.py").read_text(encoding="utf-8").splitlines()[found.lines[0] - 1].endswith("int(slot)")


def test_explained_mutants_exist():
    assert set(explained()) <= {mutant for mutant, _ in all_mutants([])}
