"""The search of the site answers the words that people type: the page that explains comes before the reference."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from docs.pages.search import phrases
from tests.report.page.browser import Browser

pytestmark = [pytest.mark.site, pytest.mark.browser]

# What is typed, and a page that shall be among the first three.
QUERIES = {
    "ANOVA": "which-test/",
    "analysis of variance": "which-test/",
    "t test": "which-test/",
    "chi-squared": "which-test/",
    "nonparametric": "which-test/",
    "Mann-Whitney": "which-test/",
    "mixed model": "which-test/",
    "logistic regression": "which-test/",
    "repeated measures": "which-test/",
    "which test": "which-test/",
    "p value": "glossary",
    "Cohen's d": "glossary",
    "effect size": "glossary",
    "eta squared": "glossary",
    "odds ratio": "glossary",
    "BATNA": "glossary",
    "Pareto": "glossary",
    "confidence interval": "glossary",
    "power": "how-to/power",
    "sample size": "how-to/power",
    "how many participants": "how-to/power",
    "how many pairs": "how-to/power",
    "APIM": "tutorials/dyads",
    "dyads": "tutorials/dyads",
    "Cronbach": "how-to/your-own-data",
    "composite": "how-to/your-own-data",
    "intraclass correlation": "tutorials/dyads",
    "missing data": "faq",
    "outlier": "faq",
    "one-tailed": "faq",
    "Bonferroni": "how-to/plan",
    "preregistration": "how-to/plan",
    "equivalence": "how-to/plan",
    "cite": "cite",
    "bibtex": "cite",
    "SPSS": "coming-from",
    "pingouin": "coming-from",
    "CSV": "how-to/mapping",
    "Word": "how-to/manuscript",
    "anonymize": "how-to/share",
    "statcheck": "how-to/audit",
    "oTree": "how-to/platforms/otree",
    "install": "start",
    "DuckDB": "how-to/large-logs",
    "covariate": "faq",
    "demographics": "faq",
    "gender": "faq",
    "first offer": "faq",
    "exclude participants": "faq",
    "ICC": "tutorials/dyads",
    "acceptance threshold": "tutorials/decisions",
}


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
