"""The page without a server, as a folder of static files: ``make page``.

Pyodide, the Python of the page, is loaded once from its CDN and checked by its digests, or copied from a folder that
has it: ``PYODIDE=FOLDER``. The page itself asks nobody but its own host.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import urllib.request
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from shengji_env.errors import ShengjiError
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, read_selfplay, write_selfplay
from shengji_table.web.static_files import PageFiles

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "page"
PYODIDE = "314.0.7"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
LOCK = "pyodide-lock.json"
DIGESTS = {
    LOCK: "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
}
"""SHA-256 of Pyodide's files; those of its packages are in the lock file."""
PACKAGES = ("shengji_env", "shengji_table")
"""Networks that the page does without."""
PAGES = {"index": "home", "table": "table_in_page", "puzzles": "puzzles_in_page"}
"""The script of each page."""
_SCRIPTS = {f"{name}.all.js" for name in (*PAGES.values(), "evening")}
_EPOCH = (1980, 1, 1, 0, 0, 0)
_HEAD = (
    "<meta http-equiv=\"content-security-policy\" content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    "style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'\">\n"
    '<meta name="description" content="Play Shengji (升级, Tractor) against learned players, in the browser alone.">\n'
)
_TEXT = """\
<main class="lobby here"><h1>升级 Shengji</h1>
<p>If this stays here, the page was opened as a file, or scripts are off. It needs a web server:
<code>python -m http.server</code> in its folder, then http://localhost:8000/.</p>
<p lang="zh-Hans">如果一直显示这段文字，说明页面是作为文件打开的，或者脚本被禁用。请在页面所在的文件夹里运行
<code>python -m http.server</code>，然后打开 http://localhost:8000/。</p></main>"""
"""What is shown where scripts do not run."""
_LICENCES = """\
What this page ships, and under which licence.

shengji_env and shengji_table: MIT, below.
Pyodide {pyodide} (https://pyodide.org): Mozilla Public License 2.0; its source is at https://github.com/pyodide/pyodide.
Python, its standard library: Python Software Foundation License 2 (https://docs.python.org/3/license.html).
NumPy: BSD 3-Clause; the text is in its wheel.

"""


def main() -> None:
    """Build the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER", help="where it is written (build/page)")
    parser.add_argument("--pyodide", type=Path, metavar="FOLDER", help="a folder with Pyodide and its NumPy")
    arguments = parser.parse_args()
    try:
        build_page(arguments.out, arguments.pyodide or _loaded())
    except ShengjiError as error:
        sys.exit(f"build_page: error: {error}")
    sizes = sum(file.stat().st_size for file in arguments.out.rglob("*") if file.is_file())
    print(f"{arguments.out}: {sizes / 1e6:.1f} MB; try it: {sys.executable} -m http.server -d {arguments.out}")


def build_page(out: Path, pyodide: Path | None) -> None:
    """Write the page into a folder, which is made anew.

    Args:
        out: the folder.
        pyodide: the folder of Pyodide; None: leave it out, for tests that have another Worker.

    Raises:
        ShengjiError: a file of Pyodide is missing.
    """
    files, sources = PageFiles("."), packed_sources()
    shutil.rmtree(out, ignore_errors=True)
    page = out / "page" / files.version
    page.mkdir(parents=True)
    for name in files.names:
        if name == "worker.js" or name in _SCRIPTS or not name.endswith(".js"):
            (page / name).write_bytes(_body(files, name))
    zipped = f"shengji-{_digest(sources)[:16]}.zip"
    (page / zipped).write_bytes(sources)
    python = _copy_pyodide(out, pyodide)
    loaded = [(f"../../{python.name}/{file.name}", file.stat().st_size) for file in sorted(python.glob("*"))]
    listed = {"python": f"../../{python.name}/", "files": [*loaded, (zipped, len(sources))]}
    _write(page / "files.json", json.dumps(listed))
    for name, script in PAGES.items():
        _write(out / f"{name}.html", files.page(script, head=_HEAD, text=_TEXT))
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    _write(out / "licences.txt", _LICENCES.format(pyodide=python.name.rpartition("-")[2]) + licence)
    _write_service(out, python.name, _body(files, "service.js").decode())


def _body(files: PageFiles, name: str) -> bytes:
    file = files.file(name)
    assert file is not None
    return file.body


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed_sources() -> bytes:
    """Return the package and the table, and what they read, as a ZIP file: the same bytes for the same files."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in PACKAGES:
            for file in sorted((ROOT / package).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    entry = zipfile.ZipInfo(file.relative_to(ROOT).as_posix(), _EPOCH)
                    content = _alone(file) if file.name == SELFPLAY_FILE else file.read_bytes()
                    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _alone(file: Path) -> bytes:
    """Return the file of a policy without the network for playouts, half of it: the page plays none."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        write_selfplay(copy, replace(read_selfplay(file), playouts=None))
        return copy.read_bytes()


def _copy_pyodide(out: Path, source: Path | None) -> Path:
    """Copy what is needed of Pyodide; return the folder, whose name says the version."""
    lock = {} if source is None else _lock_of(source)
    folder = out / f"pyodide-{_version_of(lock)}"
    folder.mkdir()
    for name in (*DIGESTS, lock["packages"]["numpy"]["file_name"]) if source is not None else ():
        if not (source / name).is_file():
            raise ShengjiError(f"{source} has no {name}: give a folder that holds Pyodide and its NumPy")
        shutil.copyfile(source / name, folder / name)
    return folder


def _lock_of(source: Path) -> dict[str, Any]:
    try:
        lock: dict[str, Any] = json.loads((source / LOCK).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ShengjiError(f"{source} is no folder of Pyodide: {error}") from error
    return lock


def _version_of(lock: dict[str, Any]) -> str:
    """Return what tells one Pyodide from another."""
    return _digest(json.dumps(lock, sort_keys=True).encode())[:12]


def _loaded() -> Path:
    """Return a folder with Pyodide, loaded from its CDN if it is not there yet."""
    folder = ROOT / "build" / f"pyodide-{PYODIDE}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in DIGESTS.items():
        _load(folder / name, digest)
    numpy = _lock_of(folder)["packages"]["numpy"]
    _load(folder / numpy["file_name"], numpy["sha256"])
    return folder


def _load(file: Path, digest: str) -> None:
    if file.is_file() and _digest(file.read_bytes()) == digest:
        return
    print(f"loading {CDN}{file.name}", flush=True)
    try:
        with urllib.request.urlopen(f"{CDN}{file.name}", timeout=60) as answer:
            content = answer.read()
    except OSError as error:
        raise ShengjiError(f"{CDN}{file.name}: {error}; a folder that has Pyodide will do: PYODIDE=FOLDER") from error
    if _digest(content) != digest:
        raise ShengjiError(f"{CDN}{file.name} is not the file that is known: SHA-256 {_digest(content)}")
    file.write_bytes(content)


def _write_service(out: Path, python: str, service: str) -> None:
    """Write the service worker: which files come first, and a version that changes with any of them."""
    first = sorted(file for file in out.rglob("*") if file.is_file() and file.parent.name != python)
    version = _digest(b"".join([service.encode(), *(file.read_bytes() for file in first)]))[:16]
    names = ["./", *(file.relative_to(out).as_posix() for file in first if file.suffix not in (".zip", ".txt"))]
    own = {"VERSION": version, "PYTHON": python, "FIRST": names}
    begins = "".join(f"self.{name} = {json.dumps(value)};\n" for name, value in own.items())
    _write(out / "service.js", begins + service)


if __name__ == "__main__":
    main()
