"""The files of the pages: the same for everybody, so a browser may keep them.

| address | how long a browser keeps it |
|---|---|
| ``/page/VERSION/NAME`` | for good: `VERSION` is a digest of all files, so a changed file has another address |
| ``/page/NAME``, ``/sheet.json`` | it asks each time whether there is a newer one (ETag, 304) |

Everything else (pages with links, replays, messages) is never kept. Files are read once, and packed for browsers that
can unpack them. A page loads its modules as one script, each in a function of its own: on a slow line, every file costs
a second or more. The modules are served one by one too.
"""

import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable

from shengji_env.render.page import whole_sheet

SHEET = "sheet.json"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
_WHOLE = {
    "play": ("play",), "evening": ("evening",), "puzzles": ("puzzles",),
    "home": ("home",), "club": ("club",),
    "table_in_page": ("in_page", "play"), "puzzles_in_page": ("in_page", "puzzles"),
}  # fmt: skip
"""Scripts, ``NAME.all.js``: modules with all that they import, the one that begins last."""
_SERVED = (".js", ".css", ".svg", ".json")
_FOLDERS = ("shengji_table.web.page", "shengji_env.render.page")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_STYLES = ("page.css", "play.css", "lobby.css")
_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>升级 Shengji</title>
{head}{styles}
<link rel="icon" href="{base}icon.svg" type="image/svg+xml">
<link rel="preload" as="fetch" crossorigin="anonymous" href="{base}sheet.json">
<script type="module" src="{base}{module}.all.js"></script>
</head>
<body><div id="page">{text}</div></body></html>
"""


def page_files() -> dict[str, Traversable]:
    """Return the files of the pages by name."""
    found = (file for folder in _FOLDERS for file in resources.files(folder).iterdir())
    return {file.name: file for file in found if file.name.endswith(_SERVED)}


@dataclass(frozen=True)
class PageFile:
    """A file as it is sent."""

    body: bytes
    media_type: str

    @cached_property
    def packed(self) -> bytes:
        """The file in gzip's form."""
        return gzip.compress(self.body, mtime=0)

    @cached_property
    def tag(self) -> str:
        """What tells this file from others of its name."""
        return hashlib.sha256(self.body).hexdigest()[:20]


class PageFiles:
    """All files of the pages, as they were when the server began.

    Args:
        prefix: what their paths begin with, where browsers ask for them.

    Attributes:
        version: a digest of all of them.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        texts = {name: file.read_bytes() for name, file in page_files().items()}
        texts[SHEET] = json.dumps(whole_sheet(), ensure_ascii=False, separators=(",", ":")).encode()
        self._files = {name: PageFile(text, _TYPES["." + name.rpartition(".")[2]]) for name, text in texts.items()}
        self._files |= {f"{name}.all.js": PageFile(self._joined(*_WHOLE[name]), _TYPES[".js"]) for name in _WHOLE}
        tags = "".join(f"{name} {self._files[name].tag}\n" for name in sorted(self._files))
        self.version = hashlib.sha256(tags.encode()).hexdigest()[:16]

    def file(self, name: str) -> PageFile | None:
        """Return a file, or None if there is none of this name."""
        return self._files.get(name)

    def _joined(self, *names: str) -> bytes:
        """Return modules, and before each all that it imports, as one script."""
        *before, last = self._modules_of(*names)
        parts = [_in_function(module, self._text(module)) for module in before]
        return "\n".join([*parts, _with_constants(self._text(last))]).encode()

    def _modules_of(self, *names: str) -> list[str]:
        """Return modules and all that they import, each after those that it imports itself."""
        found: list[str] = []

        def visit(module: str) -> None:
            if module not in found:
                for _, imported in _IMPORT.findall(self._text(module)):
                    visit(imported)
                found.append(module)

        for name in names:
            visit(name)
        return found

    def _text(self, module: str) -> str:
        return self._files[f"{module}.js"].body.decode()

    @property
    def base(self) -> str:
        """What addresses of files begin with."""
        return f"{self._prefix}/page/{self.version}/"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files."""
        return tuple(self._files)

    def page(self, script: str, *, head: str = "", text: str = "") -> str:
        """Return a page; its head names all that it needs, so that the browser asks for everything at once.

        Args:
            script: which one it loads, without ``.all.js``.
            head: what its head has besides.
            text: what it shows until the script runs.
        """
        styles = "".join(f'<link rel="stylesheet" href="{self.base}{name}">' for name in _STYLES)
        return _PAGE.format(head=head, styles=styles, base=self.base, module=script, text=text)


def _in_function(module: str, text: str) -> str:
    """Return a module as a constant that holds what it exports."""
    exported = ", ".join(_EXPORT.findall(text))
    return f"const {module}_js = (() => {{\n{_with_constants(text)}\nreturn {{ {exported} }};\n}})();"


def _with_constants(text: str) -> str:
    """Return a module's text in which imported names are constants, and nothing is exported."""
    return _EXPORT.sub("", _IMPORT.sub(lambda found: f"const {{{found[1]}}} = {found[2]}_js;", text))
