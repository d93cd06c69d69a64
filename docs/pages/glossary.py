"""Write the glossary: terms from `terms.toml`, measures as the package itself describes them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from negstats.metrics import MEASURES

TERMS = Path(__file__).with_name("terms.toml")

HEAD = """# Glossary

Each term in a sentence, with its formula where it has one and the page that says more. The second part lists the
measures by their names: these are the names that `negstats compare` and plans take.

## Terms
"""

MEASURES_HEAD = """
## Measures

[How each is computed](reference/measure), with its source, is in the reference.

| measure | one value per | unit | meaning | formula |
|---|---|---|---|---|
"""


def glossary_terms() -> dict[str, Any]:
    """Return the terms and the formulas of measures."""
    return tomllib.loads(TERMS.read_text(encoding="utf-8"))


def page() -> str:
    """Return the page in Markdown."""
    entries = glossary_terms()
    terms = sorted(entries["term"], key=lambda term: str(term["name"]).lower())
    return HEAD + "".join(map(_format_term, terms)) + MEASURES_HEAD + "".join(_measure_rows(entries["formulas"]))


def _format_term(term: dict[str, str]) -> str:
    more = f" [More]({_link(term['page'])})." if "page" in term else ""
    formula = f"\n\n  {term['formula']}" if "formula" in term else ""
    return f"\n**{term['name']}**\n: {term['meaning']}{more}{formula}\n"


def _link(page: str) -> str:
    """Return how a page is linked: pages that are kept as Markdown by their file, pages made at the build by name."""
    kept = Path(__file__).parents[1] / f"{page}.md"
    return f"{page}.md" if kept.is_file() else page


def _measure_rows(formulas: dict[str, str]) -> list[str]:
    return [
        f"| `{measure.name}` | {measure.per} | {measure.unit} | {measure.meaning}"
        f"{f'; missing {measure.no_value}' if measure.no_value else ''} | {formulas.get(name, '–')} |\n"
        for name, measure in MEASURES.items()
    ]
