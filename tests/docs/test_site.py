"""The site as it is built: whole without a network, every link and anchor there, its search, open to everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from tests.report.page import browser as browsers
from tests.report.page.browser import Browser

pytestmark = pytest.mark.site

# One page of each kind.
SEEN = (
    *("index.html", "start.html", "which-test/index.html", "gallery/index.html", "gallery/relate/plot_mosaic.html"),
    *("tutorials/dyads.html", "reference/index.html", "reference/compare/two-means.html", "trust/index.html"),
)
EACH = 10  # of the pages of the reference, which are of one template, is opened at each width
WIDTHS = (1280, 390)  # pixels of a desk and of a phone
LOADED = {"link": "href", "script": "src", "img": "src", "source": "srcset", "iframe": "src"}


def pages(site: Path) -> Iterator[tuple[Path, html.HtmlElement]]:
    for page in sorted(site.rglob("*.html")):
        if "_static" not in page.parts:
            yield page, html.parse(str(page)).getroot()


def said(chromium: Browser) -> list[str]:
    """Return what the console says but for the theme's own notes."""
    return [line for line in chromium.said() if "[PST]" not in line]


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, html.HtmlElement]:
    return dict(pages(site))


def test_every_link_and_anchor_inside_holds(site: Path, read: dict[Path, html.HtmlElement]) -> None:
    anchors = {page: set(tree.xpath("//@id | //a/@name")) for page, tree in read.items()}
    assert len(read) > 100
    broken = []
    for page, tree in read.items():
        for link in tree.xpath("//a/@href"):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.is_file():
                broken.append(f"{page.relative_to(site)}: {link} is not there")
            elif parts.fragment and target in anchors and unquote(parts.fragment) not in {*anchors[target], "top"}:
                broken.append(f"{page.relative_to(site)}: {link} has no such anchor")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site: Path, read: dict[Path, html.HtmlElement]) -> None:
    for page, tree in read.items():
        for tag, attribute in LOADED.items():
            for place in tree.xpath(f"//{tag}[not(@rel='canonical')]/@{attribute}"):
                assert not urlsplit(place).netloc, f"{page.relative_to(site)}: {place}"
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import\s)['\"]?(?:https?:)?//", text), sheet


def test_every_picture_says_what_it_shows(site: Path, read: dict[Path, html.HtmlElement]) -> None:
    for page, tree in read.items():
        if "tutorials" not in page.parts:  # a notebook's outputs have no words of their own
            for picture in tree.xpath("//main//img"):
                name = f"{page.relative_to(site)}: {picture.get('src')}"
                beside = "sphx_glr" in name and "thumb" in name  # its title stands beside
                assert picture.get("alt") is not None, name
                assert picture.get("alt").strip() or beside, name


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), list(zip(WIDTHS, ("light", "dark"), strict=True)))
def test_pages_are_open_to_everybody(site: Path, chromium: Browser, width: int, scheme: str) -> None:
    script = browsers.axe()
    still = "reduce"  # so that colours are there at once
    for name in SEEN:
        address = (site / name).as_uri()
        chromium.visit(address, width=width, prefers_color_scheme=scheme, prefers_reduced_motion=still)
        assert said(chromium) == [], name
        assert chromium.asked_for() == [], name
        assert chromium.run("return document.documentElement.dataset.theme") == scheme
        wide = "return document.scrollingElement.scrollWidth - window.innerWidth"
        assert chromium.run(wide) <= 0, f"{name} is wider than {width}"
        if script is not None:
            assert chromium.faults(script) == [], f"{name}, {width}, {scheme}"


# Names each block of code, output or table whose end a reader can neither see nor scroll to.
CUT = """
return [...document.querySelectorAll("main pre, main table")].filter((block) => {
  const box = block.getBoundingClientRect();
  if (!box.width) return false;
  let right = Math.max(box.right, box.left + block.scrollWidth);
  for (let around = block; around !== document.documentElement; around = around.parentElement) {
    const edge = around.getBoundingClientRect().right, overflow = getComputedStyle(around).overflowX;
    if (["auto", "scroll"].includes(overflow)) return edge > innerWidth + 1;
    if (["hidden", "clip"].includes(overflow) && right > edge + 1) return true;
  }
  return right > innerWidth + 1;
}).map((block) => block.textContent.trim().slice(0, 60));
"""


@pytest.mark.browser
def test_code_output_and_tables_are_never_cut(site: Path, chromium: Browser) -> None:
    cut = {}
    for place, page in enumerate(sorted(site.rglob("*.html"))):
        is_of_many = "reference" in page.parts and place % EACH  # pages of one template
        if "_static" in page.parts or is_of_many:
            continue
        chromium.visit(page.as_uri())
        for width in WIDTHS:
            chromium.resize(width)
            wide = chromium.run("return document.scrollingElement.scrollWidth - innerWidth")
            blocks = [*chromium.run(CUT), *([f"the page, by {wide}"] if wide > 0 else [])]
            if blocks:
                cut[f"{page.relative_to(site)} at {width}"] = blocks
    assert cut == {}


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_figures_are_dark_where_the_theme_is(site: Path, chromium: Browser, scheme: str, is_dark: bool) -> None:
    shown = (
        "return [...document.querySelectorAll('main img')].filter((one) => one.offsetWidth)"
        ".map((one) => [one.src, one.naturalWidth])"
    )
    for name in ("gallery/relate/plot_mosaic.html", "which-test/index.html", "tutorials/robot_study.html"):
        chromium.visit((site / name).as_uri(), prefers_color_scheme=scheme)
        pictures = [(src, width) for src, width in chromium.run(shown) if "_grey" not in src and "_images" in src]
        assert pictures, name
        assert {src.endswith("_dark.png") for src, _ in pictures} == {is_dark}, name
        assert all(width for _, width in pictures), name


@pytest.mark.browser
@pytest.mark.parametrize(
    ("words", "page"),
    [("Kenward–Roger", "reference/model/"), ("oTree", "reference/load/"), ("walk-away", "reference/measure/")],
)
def test_the_search_finds(site: Path, chromium: Browser, words: str, page: str) -> None:
    chromium.visit(f"{(site / 'search.html').as_uri()}?q={words}")
    text = "return [...document.querySelectorAll('#search-results li a')].map(link => link.href)"
    chromium.until(lambda: any(page in link for link in chromium.run(text)), f"{words} leads to {page}")
    assert said(chromium) == []
    assert chromium.asked_for() == []
