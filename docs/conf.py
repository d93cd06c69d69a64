"""How Sphinx builds the site; what it shows of the package is written by the modules in ``docs/pages`` at the build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils.nodes import Element, SkipNode, document, math, math_block, meta
from latex2mathml.converter import convert
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import matplotlib as mpl  # noqa: E402

mpl.use("Agg")

import negstats  # noqa: E402
from docs.pages import write_all  # noqa: E402
from docs.pages.dark import add_twins, write_twins  # noqa: E402
from docs.pages.gallery import OPTIONS, copy_dark_pictures, write_small_pictures  # noqa: E402
from docs.pages.reference import escaped_lines, there, where  # noqa: E402
from docs.pages.search import index_words  # noqa: E402

project = "negstats"
author = "The negstats developers"
copyright = author  # noqa: A001 - Sphinx's name
version = release = negstats.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_gallery.gen_gallery"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = [
    "pages",
    "templates",
    "examples",
    "**sg_execution_times.rst",
    "Thumbs.db",
    ".DS_Store",
    "**.ipynb_checkpoints",
]
language = "en"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!negstats\.).*")]

default_role = "py:obj"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = OPTIONS

nb_execution_mode = "off"  # docs/pages/tutorials runs them where they stand
myst_enable_extensions = ["deflist", "dollarmath", "colon_fence"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "footer_start": ["copyright"],
    "footer_end": ["pages"],
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "gallery/index": []},
}
WHOLE_WIDTH = ("index", "gallery/index", "start", "which-test/index", "trust/index", "stability", "changes")
html_sidebars: dict[str, list[str]] = {page: [] for page in (*WHOLE_WIDTH, "licences")}
html_static_path = ["_static"]
templates_path = ["templates"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_title = f"negstats {release}"
smartquotes = False
html_search_scorer = str(HERE / "search_order.js")  # written by write_all
html_math_renderer = "mathml"  # browsers draw it themselves: nothing is fetched from elsewhere
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # its excerpts are fetched, which a page from disk may not

write_all(HERE)


def _escape(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Keep lone stars and bars of a docstring, but in its examples."""
    lines[:] = escaped_lines(lines)


def _public(app: Sphinx, _env: object, node: pending_xref, text: Element) -> Element | None:
    """Lead a name that is asked from the module that defines it to where the reference has it."""
    asked = str(node.get("reftarget"))
    place = where(asked)
    if place is None:
        return text if there(asked) else None
    domain = app.env.get_domain("py")
    return domain.resolve_xref(app.env, node["refdoc"], app.builder, "obj", place, node, text)


def _lead_to_tutorials(_app: Sphinx, page: str, source: list[str]) -> None:
    """Lead a link to a notebook of the source tree to its page on the site."""
    if page.startswith("papers/"):
        source[0] = source[0].replace("](../../notebooks/", "](../tutorials/")


def _add_search_words(app: Sphinx, tree: document) -> None:
    """Give a page the words by which people look for it; a reader of the page does not see them."""
    words = index_words(app.env.docname)
    if words:
        tree.insert(0, meta("", name="keywords", lang="en", content=words))


def _write_formula(page: HTML5Translator, node: math) -> None:
    """Write a formula within a sentence."""
    page.body.append(convert(node.astext()))
    raise SkipNode


def _write_display(page: HTML5Translator, node: math_block) -> None:
    """Write a formula that stands alone."""
    page.body.append(convert(node.astext(), display="block"))
    raise SkipNode


def _add_dark_pictures(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Show each picture in the colours of the reader's theme."""
    if "body" in context:
        context["body"] = add_twins(context["body"])


def _write_dark_pictures(app: Sphinx, error: Exception | None) -> None:
    """Write the pictures for the dark theme."""
    if error is None:
        copy_dark_pictures(Path(app.outdir) / "_images")
        write_twins(Path(app.outdir) / "_images")


def _write_small_pictures(_app: Sphinx) -> None:
    """Show each figure small on the page of all."""
    write_small_pictures()


def setup(app: Sphinx) -> None:
    """Register what this site adds to Sphinx."""
    app.connect("builder-inited", _write_small_pictures, priority=900)  # after sphinx-gallery
    app.connect("html-page-context", _add_dark_pictures)
    app.connect("build-finished", _write_dark_pictures)
    app.add_html_math_renderer("mathml", (_write_formula, None), (_write_display, None))
    app.connect("source-read", _lead_to_tutorials)
    app.connect("doctree-read", _add_search_words)
    app.connect("autodoc-process-docstring", _escape, priority=400)
    app.connect("missing-reference", _public)
