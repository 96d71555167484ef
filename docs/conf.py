"""The manual as a site, built by `make docs` into `build/docs`.

The source folder is the repository itself, so a link from one page to another means the same on the site as where the
repository is read. Notebooks are shown with the outputs that they were saved with. With `NUMBA_DISABLE_JIT=1`, compiled
functions are documented as the Python functions that they are made of.
"""

import shutil
from pathlib import Path

from sphinx.application import Sphinx

from docs.docstrings import restructured
from shengji_env import __version__

project = "shengji-env"
author = "shengji-env contributors"
release = version = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "notebooks/*.ipynb", "*.md", "research/**.md"]
suppress_warnings = ["toc.not_included"]
"""Pages of research are built, since others link to them, but stand in no table of contents."""

myst_heading_anchors = 4
nb_execution_mode = "off"

default_role = "code"
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(numpy|collections|os|pathlib|gymnasium|pettingzoo)\..*"),
    # Gymnasium's, imported for type checkers alone.
    ("py:class", "Box|Discrete"),
    # Types that only the arguments of internal functions and fields have.
    ("py:class", r"shengji_env\.(arena\.(store|tournament\.Meeting)|tables\.tables|envs\.seat\.seat_settings)\b.*"),
    ("py:class", r"shengji_env\.arena\.(faults\.(Fault|Thinking)|identities\.WhoPlayed|sequential\.SequentialTest)"),
    ("py:class", r"shengji_env\.arena\.small_games\.(exploiting\.Bounds|game_tree\.InformationSets)"),
    ("py:class", r"shengji_env\.envs\.positions\.whole_deals\.WholeDeal"),
    ("py:class", r"shengji_env\.support\.workers\.jobs\b.*"),
    # What the docstrings of Gymnasium's own members name.
    ("py:attr", r"closed|_np_random|_np_random_seed"),
    ("py:meth", r"reset|set_np_random_through_seed"),
]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"shengji-env {version}"
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_extra_path = ["site"]
"""`index.html`, which leads to the first page."""


def setup(app: Sphinx) -> None:
    """Connect what the settings cannot say."""
    app.connect("autodoc-process-docstring", restructured, priority=400)
    app.connect("build-finished", _copy_images)


def _copy_images(app: Sphinx, exception: Exception | None) -> None:
    """Copy the pictures that pages show by HTML, whose links Sphinx does not follow."""
    if exception is None:
        shutil.copytree(Path(app.srcdir) / "docs" / "images", Path(app.outdir) / "docs" / "images", dirs_exist_ok=True)
