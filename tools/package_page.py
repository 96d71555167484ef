"""What the package says of itself outside the repository: the README with links that work there, and project URLs.

Hatchling calls this when it builds a package (`[tool.hatch.metadata.hooks.custom]` in pyproject.toml). The setting
`repository` there is the only one that says where the repository is. While it is empty, a built package has no
project URLs, and its page shows the README without the pictures and links that lead into the repository.

Either way, the page speaks of what a wheel has: what only a checkout has is left out, or said otherwise.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_PICTURE = re.compile(r"!\[([^\[\]]*)\]\(([^()\s]+)\)")
_ATTRIBUTE = re.compile(r'\b(src|srcset|href)="([^"]+)"')
_HTML_PICTURE = re.compile(r"[ \t]*(?:<picture>.*?</picture>|<img\b[^>]*>)\n*", re.DOTALL)
_CODE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_OF_CHECKOUT = "Two commands", "The manual"
"""Sections about what only a checkout has."""
_INSTALLED = """\
## First

```bash
shengji warm-up     # compiles everything in advance; otherwise each part is compiled when it is first used
shengji selftest    # seeded games come out here as everywhere
shengji --help
```

Training programs, the manual and the tests are in the repository, not in the wheel.

"""
"""What stands there instead, before the first example."""
_PAGES = {"Documentation": "blob/{tag}/docs", "Changelog": "blob/{tag}/CHANGELOG.md", "Issues": "issues"}


class PackagePage(MetadataHookInterface):  # type: ignore[misc]  # skipped: not always installed
    """The fields of the package's metadata that depend on where the repository is."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README and the project URLs."""
        repository = str(self.config["repository"]).rstrip("/")
        tag = f"v{metadata['version']}"
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": page_of(readme, repository, tag)}
        metadata["urls"] = project_urls(repository, tag)


def project_urls(repository: str, tag: str) -> dict[str, str]:
    """Return the project's addresses by their names; none without a repository."""
    if not repository:
        return {}
    pages = {name: f"{repository}/{path.format(tag=tag)}" for name, path in _PAGES.items()}
    return {"Repository": repository, **pages}


def page_of(readme: str, repository: str, tag: str) -> str:
    """Return a README as the page of a wheel: links into the repository are addresses, or plain text without one."""
    parts = _CODE.split(_of_wheel(readme))  # every other part is a block of code, and stays
    parts[::2] = [_absolute(part, f"{repository}/", tag) if repository else _unlinked(part) for part in parts[::2]]
    return "".join(parts)


def _of_wheel(readme: str) -> str:
    """Return a README without the sections of a checkout, its commands as they are called once installed."""
    head, *sections = re.split(r"^(?=## )", readme, flags=re.MULTILINE)
    kept = [section for section in sections if section.partition("\n")[0].removeprefix("## ") not in _OF_CHECKOUT]
    return "".join([head, _INSTALLED, *kept]).replace(".venv/bin/", "")


def _is_inside(target: str) -> bool:
    """Return whether a link's target is a file of the repository."""
    return not re.match(r"[a-z][a-z0-9+.-]*:|#|//", target)


def _absolute(text: str, base: str, tag: str) -> str:
    def page(target: str) -> str:
        return f"{base}blob/{tag}/{target}" if _is_inside(target) else target

    def file(target: str) -> str:
        return f"{base}raw/{tag}/{target}" if _is_inside(target) else target

    text = _LINK.sub(lambda found: f"[{found[1]}]({page(found[2])})", text)
    text = _PICTURE.sub(lambda found: f"![{found[1]}]({file(found[2])})", text)
    return _ATTRIBUTE.sub(lambda found: f'{found[1]}="{(page if found[1] == "href" else file)(found[2])}"', text)


def _unlinked(text: str) -> str:
    text = _PICTURE.sub(lambda found: "" if _is_inside(found[2]) else found[0], text)
    text = _HTML_PICTURE.sub(lambda found: "" if any(map(_is_inside, _targets(found[0]))) else found[0], text)
    return _LINK.sub(lambda found: found[1] if _is_inside(found[2]) else found[0], text)


def _targets(html: str) -> list[str]:
    return [target for _, target in _ATTRIBUTE.findall(html)]
