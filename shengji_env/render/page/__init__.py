"""The replay page: ES modules, put together with data into one HTML file that needs no other file and no network.

| module | what |
|---|---|
| `elements.js`, `card_rows.js` … `table.js` | the picture, as `render.picture` draws it: a view becomes elements |
| `spoken.js` | the same in words, for who does not see it |
| `views.js` | the view value: changes of it, and what one seat may see |
| `replay_state.js` | where the replay stands: a pure reducer |
| `review_panel.js`, `value_curve.js`, `beside.js` | what decisions cost, the value's curve, two players on one deal |
| `words.js`, `preset_names.js` | words in two languages; what rule sets are called |
| `dom.js`, `panels.js`, `replay_view.js` | the page's elements |
| `input.js`, `replay.js` | keys and swipes; the page itself |
| `types.d.ts` | types of what Python writes, for `tsc` alone; it is on no page |

A page from disk cannot load modules from other files. So `inline_page` writes the modules one after the other into one
script; no two of them may give the same name to different things.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from shengji_env.render.picture.sheet import sheet

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def modules_of(name: str) -> list[str]:
    """Return the names of a module and of all that it imports, each after those that it imports itself."""
    found: list[str] = []

    def visit(module: str) -> None:
        if module not in found:
            for imported in _IMPORT.findall(read_module(module)):
                visit(imported)
            found.append(module)

    visit(name)
    return found


@cache
def read_module(name: str) -> str:
    """Return the text of a file of this folder."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def inline_script(name: str) -> str:
    """Return a module and all that it imports as one script."""
    texts = (_EXPORT.sub("", _IMPORT.sub("", read_module(module))) for module in modules_of(name))
    return '"use strict";\n' + "\n".join(texts)


def whole_sheet() -> dict[str, Any]:
    """Return what pages draw with: letters and shapes, layouts, words."""
    return {name: sheet(name) for name in ("glyphs", "layout", "words")}


def inline_page(title: str, module: str, data: Mapping[str, Any]) -> str:
    """Return a page of one module.

    Args:
        title: the page's title.
        module: the module that is run.
        data: JSON values that the page finds embedded in it, by the id of their element; the card sheet is added.
    """
    readable = title.encode("utf-8", "replace").decode()
    script, style = inline_script(module), read_module("page.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    embedded = {"sheet": whole_sheet(), **data}
    blocks = "\n".join(
        f'<script type="application/json" id="{escape(name)}">{embed_json(value)}</script>'
        for name, value in embedded.items()
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(readable)}</title>
<style>{style}</style></head>
<body><div id="page"></div>
{blocks}
<script type="module">{script}</script>
</body></html>
"""


def embed_json(value: Any) -> str:
    """Return a value as JSON, in ASCII, in which nothing can end the element around it."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def framed(page: str, height: int) -> str:
    """Return a page in a frame of its own for a notebook; its script can reach nothing outside the frame."""
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe>'


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
