"""The messages of docs/protocol.md: what each means, its fields, and an example, for `tools.write_tables`.

The examples are of one round, seen from seat 2.
"""

from typing import get_args

from shengji_env.engine.rule_sets import rule_set
from shengji_env.players.exec.bot_messages import (
    PROTOCOL,
    BotBid,
    BotHello,
    BotLead,
    BotLed,
    BotPlay,
    BotRefused,
    BotResult,
    BotRound,
    BotTrick,
    Bury,
    Decide,
    Draw,
    End,
    Follow,
    Forced,
    FromBot,
    Kitty,
    Name,
    Prompt,
    Ready,
    Say,
    Takes,
    ToBot,
    Trumps,
    Words,
    line_of,
)
from shengji_env.render.fields import field_docs
from shengji_env.render.round_record import RecordedResult

_RESULT: RecordedResult = {
    "attackers_points": 65,
    "kitty_points": 5,
    "kitty_multiplier": 2,
    "winner": "declarers",
    "levels": 1,
    "levels_nominal": 1,
    "next_declarer": 0,
    "new_levels": ["3", "2"],
}
EXAMPLES: tuple[ToBot | FromBot, ...] = (
    BotHello(PROTOCOL, "0.1.0", rule_set("two_deck").to_json(), 60.0, None),
    BotRound(
        seat=2,
        round=0,
        match_round=0,
        redeals=0,
        rebellions=0,
        rebel=None,
        levels=["2", "2"],
        declarer=None,
        first_drawer=1,
    ),
    Draw(10, "S2 HT DK"),
    BotBid(seat=1, drawn=25, bid="H2"),
    Name(seat=0, name="NT"),
    Trumps(trump="S", level_rank="2", declarer=2, turned=""),
    Takes(seat=2),
    Kitty("H9 C4 D8 DJ C4 S9 HK C7"),
    Bury(seat=2, bury="C4 C4 C7 D8 DJ H6 H9 HJ"),
    BotLead(seat=2, lead="HA HK HK"),
    Forced(seat=3, forced="HK HK"),
    BotLed(seat=2, led="HK HK", penalty=0),
    Follow(seat=3, follow="HA HA"),
    BotTrick(leader=2, led="HK HK", winner=3, points=20),
    BotResult(_RESULT, "C4 C4 C7 D8 DJ H6 H9 HJ", match_over=False, match_winner=None),
    Decide(move=17, kind="follow", size=2, options=[], legal="H3 H5", last_call=False),
    Prompt(17, "", "Trick 5: seat 1 leads HA HA\n…\nYou follow HA HA with 2 cards.\n…\nB: H5 HT\n…"),
    BotRefused(17, "[H5 S3] is not legal: …"),
    End(),
    Ready(PROTOCOL),
    BotPlay(move=17, cards="H5 HT"),
    BotPlay(move=17, cards="H3 H5", own=False),
    Words(move=17, language="en", offer="candidates", history="new"),
    Say(move=17, text="My partner is winning, so I give points. [B]"),
)
"""An example of every message, and of every field that may be left out."""


def messages_text() -> str:
    """Return the messages to a program as Markdown."""
    return _sections(get_args(ToBot))


def answers_text() -> str:
    """Return the messages from a program as Markdown."""
    return _sections(get_args(FromBot))


def _sections(kinds: tuple[type[ToBot | FromBot], ...]) -> str:
    return "\n".join(_section(kind) for kind in kinds)


def _section(kind: type[ToBot | FromBot]) -> str:
    examples = "".join(line_of(each).decode() for each in EXAMPLES if type(each) is kind)
    fields = [f"* `{name}`: {meaning.rstrip('.')}\n" for name, meaning in field_docs(kind).items()]
    head = f"### `{kind.type}`\n\n{kind.__doc__}\n\n```json\n{examples}```\n"
    return "\n".join([head, "".join(fields)]) if fields else head
