"""Rule sets that a club has given a name: a file for each, in the user's own folder.

A file is the rules as a record's header has them: preset, options, fingerprint. Copied into the same folder on another
computer, it has its name there too, which is the file's. What is written elsewhere (records, results) holds the options
and never the name.

Source: docs/howto.md.
"""

import os
import re
import sys
from pathlib import Path

from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, parse_rules
from shengji_env.errors import RuleSetError, ShengjiError, show
from shengji_env.support.text_files import parse_json, read_text
from shengji_env.support.whole_files import write_json

_NAME = re.compile(r"\w(?:[\w .-]{0,58}\w)?")
_SUFFIX = ".json"


def rules_folder() -> Path:
    """Return the folder of the files, which need not be there; `XDG_CONFIG_HOME` moves it, as for other programs."""
    usual = os.environ.get("APPDATA") if sys.platform == "win32" else None
    return Path(os.environ.get("XDG_CONFIG_HOME") or usual or Path.home() / ".config") / "shengji_env" / "rules"


def saved_names() -> list[str]:
    """Return the names that rule sets are saved under, in order."""
    names = (path.name.removesuffix(_SUFFIX) for path in rules_folder().glob(f"*{_SUFFIX}"))
    return sorted(name for name in names if _NAME.fullmatch(name))


def read_saved(name: str) -> RuleSet:
    """Return the rule set that is saved under a name.

    Raises:
        RuleSetError: the file cannot be read, or holds no rule set.
    """
    path = _path_of(name)
    try:
        return RuleSet.from_json(parse_json(read_text(path, RuleSetError), RuleSetError))
    except RuleSetError as error:
        raise RuleSetError(f"the rules saved as {show(name)} are of no use ({path}): {error}") from error


def save_rules(name: str, rules: RuleSet) -> Path:
    """Save a rule set under a name; return the file.

    Raises:
        ShengjiError: the name is none, is a preset's, or belongs to other rules.
    """
    if not _NAME.fullmatch(name) or name in RULE_SETS:
        raise ShengjiError(
            f"--save {show(name)}: a name has at most 60 letters, digits, blanks, dots, - or _, begins and ends with a "
            f"letter or digit, and is not that of a preset ({', '.join(RULE_SETS)})"
        )
    path = _path_of(name)
    if path.exists() and read_saved(name) != rules:
        raise ShengjiError(f"{show(name)} is saved as {read_saved(name)}: delete {path} first, or choose another name")
    write_json(path, rules.to_json())
    return path


def named_rules(text: str) -> RuleSet:
    """Return the rule set that a command line names: a preset or a saved name, options overridden in brackets.

    Raises:
        RuleSetError: there is no such name, or no such rule set.
    """
    name = text.partition("(")[0].strip()
    if name in RULE_SETS or not _NAME.fullmatch(name):
        return parse_rules(text)
    names = saved_names()
    if name not in names:
        saved = f"saved are {', '.join(names)}" if names else "none is saved"
        raise RuleSetError(
            f"no rule set is called {show(name)}: presets are {', '.join(RULE_SETS)}; {saved} (in {rules_folder()}). "
            f"To save one: shengji rules 'two_deck(throws=False)' --save {show(name)}"
        )
    return parse_rules(text, {**RULE_SETS, name: read_saved(name)})


def _path_of(name: str) -> Path:
    return rules_folder() / f"{name}{_SUFFIX}"
