"""Inputs as rules: texts, mappings, options."""

import numpy as np
from hypothesis import strategies as st

from shengji_env.engine.rule_options import CHOICES, OPTION_NAMES, TYPES
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, as_rules, parse_rules
from shengji_env.render import explain_rules
from shengji_env.tables.observation import OBSERVATION_DTYPE
from shengji_env.tables.observing import write_rules
from tests.fuzz.alterations import altered, edit_document, leaf_edits
from tests.fuzz.target import target
from tests.fuzz.values import EDGES, TEXTS, anything, sometimes

_words = sorted({word for words in CHOICES.values() for word in words})
_numbers = st.sampled_from([0, 1, 2, 3, 4, 6, 8, 10, 12, 20, 50, 100, 1000])
_option = st.sampled_from(OPTION_NAMES)
_preset = st.sampled_from(list(RULE_SETS))
_value_texts = st.sampled_from(
    [*_words, "5TK", "5t", "AA", "true", "False", *map(str, range(13)), *TEXTS, *(str(n) for n in EDGES[:-1])]
)
_options_text = st.lists(st.builds("{}={}".format, _option | st.sampled_from(TEXTS), _value_texts), max_size=3)
_texts = st.builds("{}({})".format, sometimes(_preset, st.sampled_from(TEXTS)), _options_text.map(", ".join))


@st.composite
def _options(draw):
    """Options by name, most of them possible."""
    made = {}
    odd_names = st.sampled_from(["preset", "name", "self", "rules", 1, None])
    for name in draw(st.lists(sometimes(_option, odd_names), max_size=4)):
        words = CHOICES.get(name, ("", "5TK", "kt5", "A", "55"))
        fitting = st.sampled_from(words) if TYPES.get(name) not in (bool, int) else st.booleans() | _numbers
        made[name] = draw(sometimes(fitting))
    return made


@target(weight=60, text=_texts | altered(_texts))
def test_rules_texts(text):
    """Read a text, and do with the rules what is done with rules."""
    _use(parse_rules(text))


@target(
    weight=60, how=st.sampled_from(["as_rules", "RuleSet", "from_json"]), preset=sometimes(_preset), options=_options()
)
def test_rules_mappings(how, preset, options):
    """Read a mapping: as a user's argument, as the options of `RuleSet`, as a record's header."""
    if how == "as_rules":
        _use(as_rules({"preset": preset, **options}))
    elif how == "RuleSet":
        _use(RuleSet(preset=preset, **{name: value for name, value in options.items() if name in OPTION_NAMES}))
    else:
        _use(RuleSet.from_json({"preset": preset, "options": options}))


@target(weight=40, preset=_preset, edits=leaf_edits)
def test_rules_documents(preset, edits):
    """Read what a record's header says of its rules, altered."""
    _use(RuleSet.from_json(edit_document(RULE_SETS[preset].to_json(), edits)))


@target(weight=20, value=_preset | anything)
def test_rules_anything(value):
    """Take anything at all for rules."""
    _use(as_rules(value))


def _use(rules: RuleSet) -> None:
    assert parse_rules(str(rules)) == rules
    assert RuleSet.from_json(rules.to_json()) == rules
    explain_rules(rules)
    write_rules(rules.record()[0], np.zeros(1, OBSERVATION_DTYPE)[0])
