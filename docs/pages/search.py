"""What the search of the site knows besides the words of a page: what people type, and which pages explain.

`search_words.toml` lists phrases by page. The index gets their words, and the script that orders the results puts a
page first whose phrase was typed, then pages that explain, then the reference.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

WORDS = Path(__file__).with_name("search_words.toml")

# Pages that explain come before the reference of functions; lists come last.
EXPLAIN = ("glossary", "faq", "concepts", "start", "coming-from", "cite", "how-to/", "which-test/", "tutorials/")
LIST = ("changes", "licences", "developers/", "gallery/")

SCRIPT = """var Scorer = {{
  phrases: {phrases},
  score: ([page, title, anchor, description, score]) => {{
    const typed = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().trim();
    const place = (Scorer.phrases[page] ?? []).indexOf(typed);
    if (place >= 0 && !anchor) return score + 200 - place;
    if ({explain}.some((part) => page.startsWith(part))) return score + 30;
    if ({lists}.some((part) => page.startsWith(part))) return score - 5;
    return score;
  }},
  objNameMatch: 25,
  objPartialMatch: 6,
  objPrio: {{ 0: 15, 1: 5, 2: -5 }},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
}};
"""


def phrases() -> dict[str, list[str]]:
    """Return what people type, by the page that answers it."""
    entries = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    return {page: [phrase.strip().lower() for phrase in text.split(",")] for page, text in entries.items()}


def index_words(page: str) -> str:
    """Return the single words of a page's phrases, as the index takes them.

    Examples
    --------
    >>> "bibtex" in index_words("cite")
    True
    """
    return ", ".join(dict.fromkeys(re.findall(r"\w+", " ".join(phrases().get(page, [])))))


def script() -> str:
    """Return the script that orders the results of a search."""
    return SCRIPT.format(phrases=json.dumps(phrases()), explain=json.dumps(EXPLAIN), lists=json.dumps(LIST))
