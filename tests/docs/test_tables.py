"""The docs' generated tables and pictures are up to date."""

import re

import pytest

from shengji_env.engine.state import RESULT_DTYPE, Winner
from shengji_env.errors import ShengjiError
from shengji_env.tables.infos import result_info
from shengji_env.vector import random_rounds
from tools import contents, reference
from tools.markdown import find, shown
from tools.write_pictures import STYLES, draw
from tools.write_tables import DOCS, TABLES, pages, with_tables


def test_the_generated_tables_are_up_to_date():
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert text == with_tables(text), f"{page.name} has an old table; run: make tables"


def test_the_list_of_pages_is_up_to_date():
    assert contents.PATH.read_text(encoding="utf-8") == contents.llms_text(), "run: make tables"


def test_the_pictures_are_up_to_date():
    for name in STYLES:
        picture = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
        assert picture == draw(name), f"{name} is an old picture; run: python -m tools.write_pictures"


def test_the_film_loads_quickly():
    assert (DOCS / "images" / "round.webp").stat().st_size < 600_000, "show a shorter round"


def test_every_public_module_says_what_it_is_and_what_it_offers():
    for row in (row for write in reference.TABLES.values() for row in write().splitlines()[2:]):
        module, what, names = (cell.strip() for cell in row.strip("|").split(" | "))
        assert len(what) > 15, module
        assert names, module


def test_every_table_stands_in_one_document():
    texts = [page.read_text(encoding="utf-8") for page in pages()]
    for name in TABLES:
        assert sum(text.count(f"<!-- {name} -->") for text in texts) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- presetz -->\n<!-- end -->\n", "presetz --> begins no table; there are observation"),
        ("<!-- presets -->\n", "presets --> is followed by None"),
        ("<!-- presets -->\n<!-- options -->\n<!-- end -->\n", "presets --> is followed by 'options'"),
        ("<!-- end -->\n", "end --> begins no table"),
        ("<!-- rows results/nothing\n| {*} |\n-->\n| a |\n| - |\n<!-- end -->", "there is no nothing"),
        ("<!-- rows results/speeds\naec: | {*/nothing} |\n-->\n| a |\n| - |\n<!-- end -->", "there is no nothing"),
        ("<!-- rows results/speeds\n| {*} |\n-->\n<!-- end -->", "not followed by the two lines of a table's head"),
    ],
)
def test_marks_that_mark_nothing_are_refused(text, message):
    with pytest.raises(ShengjiError, match=message):
        with_tables(text)


def test_tables_are_written_between_their_marks():
    text = with_tables("before\n<!-- presets -->\nold\n<!-- end -->\nbetween\n<!-- options -->\n<!-- end -->")
    assert "old" not in text
    assert text.startswith("before\n<!-- presets -->\n| option | one_deck |")
    assert text.index("between") < text.index("| option | meaning |")
    assert with_tables(text) == text


def test_rows_are_written_from_data():
    lines = "aec, start: | {*} | {*/value:,} | {*/nothing?} |\nduel: | a duel | {*/unit} |  |\n"
    mark = f"<!-- rows results/speeds\n{lines}-->\n"
    head = "| what | value |  |\n| --- | --: | --- |\n"
    text = with_tables(f"{mark}{head}| old | row | |\n<!-- end -->\n")
    aec, (low, high) = (find(DOCS, f"results/speeds/{name}/value") for name in ("aec", "start"))
    rows = f"| aec | {aec:,} |  |\n| start | {low} to {high} |  |\n| a duel | s |  |\n"
    assert text == f"{mark}{head}{rows}<!-- end -->\n"


def test_values_are_shown_as_tables_have_them():
    values = [-0.5, [0.25, -0.125, 0.5], [0.5], [1, 2], [1, 2, 3, 4], None, "text-", {"lower": -0.5, "upper": 0.25}]
    assert [shown(value, "+.1f" if value != "text-" else "") for value in values] == [
        "−0.5", "+0.2 (−0.1 to +0.5)", "+0.5", "+1.0 to +2.0", "+1.0 | +2.0 | +3.0 | +4.0", "–", "text-",
        "−0.500 to 0.250",
    ]  # fmt: skip


def test_the_fields_of_results_are_those_of_the_page():
    _, _, after = (DOCS / "environments" / "rewards.md").read_text(encoding="utf-8").partition("## Results\n")
    section, _, _ = after.partition("\n## ")
    rows = re.findall(r"^\| `(\w+)` \| `?(\w*)`? ?\| (.+?) \| (.*) \|$", section, re.MULTILINE)
    result = random_rounds("two_deck", seed=0, count=1)[0]
    fields = {name: field for name, (field, *_) in RESULT_DTYPE.fields.items() if name != "filling"}
    assert {name: kind for name, _, kind, _ in rows} == {
        name: f"{field.shape[0]} × {field.base}" if field.shape else str(field) for name, field in fields.items()
    }
    assert {name: kind for name, kind, _, _ in rows if kind} == {
        name: type(value).__name__ for name, value in result_info(result).items()
    }
    codes = dict(re.findall(r"`\"(\w+)\"` or (\d)", section))
    assert codes == {winner.name.lower(): str(winner.value) for winner in Winner}
