"""The search of the site answers the words that people type: the page that explains comes before the reference."""

from __future__ import annotations

import tomllib
from pathlib import Path
from urllib.parse import quote

import pytest

from docs.pages.search import phrases
from tests.report.page.browser import Browser

pytestmark = [pytest.mark.site, pytest.mark.browser]

PAGES = tomllib.loads((Path(__file__).parent / "queries.toml").read_text(encoding="utf-8"))
QUERIES = {words: page for page, queries in PAGES.items() for words in queries}


@pytest.mark.parametrize(("words", "page"), QUERIES.items(), ids=list(QUERIES))
def test_what_people_type_leads_to_the_page_that_explains(site: Path, chromium: Browser, words: str, page: str) -> None:
    chromium.visit(f"{(site / 'search.html').as_uri()}?q={quote(words)}")
    base = f"{site.as_uri()}/"
    links = "return [...document.querySelectorAll('#search-results li a')].slice(0, 3).map(link => link.href)"
    chromium.until(
        lambda: any(str(link).removeprefix(base).startswith(page) for link in chromium.run(links)),
        f"{words} leads to {page}",
    )
    assert "reference/" not in str(chromium.run(links)[0])


def test_the_words_of_the_search_are_of_pages_that_exist(site: Path) -> None:
    assert [page for page in phrases() if not (site / f"{page}.html").is_file()] == []
