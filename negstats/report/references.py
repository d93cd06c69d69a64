"""The works behind the tests of a report, as references and as BibTeX: those that were used, and no others."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any, cast

from negstats.report.blocks import Paragraph
from negstats.report.prose import NO_BREAK, Prose, Run
from negstats.sanitize import line

Work = tuple[str, str, int, str, str, str, str]  # authors, title, year, journal, volume(issue), pages, doi

WORKS: Mapping[str, Work] = {
    key: cast("Work", tuple(fields))
    for key, fields in tomllib.loads((files("negstats.report") / "works.toml").read_text("utf-8")).items()
}
SOFTWARE = "negstats"
SOFTWARE_YEAR = 2026
# The works behind a method of results.json or a correction; well-known tests need none.
CITES: Mapping[str, tuple[str, ...]] = {
    "regression_cr2": ("pustejovsky2018",),
    "dyad": ("kenny2006",),
    "equivalence": ("lakens2018",),
    "brunner_munzel": ("brunner2000",),
    "gray": ("gray1988",),
    "logistic_firth": ("firth1993", "heinze2002"),
    "gee": ("liang1986", "mancl2001"),
    "welch_james": ("johansen1980",),
    "welch_james_ratios": ("johansen1980",),
    "box": ("box1954", "brunner1997"),
    "ancova": ("mackinnon1985",),
    "holm": ("holm1979",),
    "hochberg": ("hochberg1988",),
    "hommel": ("hommel1988",),
    "by": ("benjamini2001",),
    "bh": ("benjamini1995",),
}


def works_of(name: str) -> tuple[str, ...]:
    """Return the keys of the works behind a method or a correction."""
    return CITES.get(name, ())


def cited(text: str) -> list[str]:
    """Return the keys of the works that a text cites.

    Examples
    --------
    >>> cited("The two tests were corrected together (Holm, 1979).")
    ['holm1979']
    """
    plain = text.replace(NO_BREAK, " ")
    return sorted(key for key in WORKS if citation(key) in plain)


def citation(key: str) -> str:
    """Return how a work is cited in brackets.

    Examples
    --------
    >>> citation("holm1979"), citation("kenny2006"), citation("negstats")
    ('Holm, 1979', 'Kenny et al., 2006', 'The negstats developers, 2026')
    """
    if key == SOFTWARE:
        return f"The negstats developers, {SOFTWARE_YEAR}"
    authors, _, year, *_ = WORKS[key]
    names = [name.partition(",")[0] for name in authors.split(" and ")]
    return f"{names[0] if len(names) == 1 else ' & '.join(names) if len(names) == 2 else f'{names[0]} et al.'}, {year}"


def reference_text(key: str) -> tuple[str, str, str]:
    """Return a work as a reference: what stands before its journal (or book), that, and what stands after.

    Examples
    --------
    >>> reference_text("holm1979")[1]
    'Scandinavian Journal of Statistics, 6'
    """
    authors, title, year, journal, volume, pages, doi = WORKS[key]
    names = authors.split(" and ")
    author_names = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"
    link = f" https://doi.org/{doi}" if doi else ""
    if not volume:
        return f"{author_names} ({year}). ", title, f". {journal}.{link}"
    volume, bracket, issue = volume.partition("(")
    return f"{author_names} ({year}). {title}. ", f"{journal}, {volume}", f"{bracket}{issue}, {pages}.{link}"


def references(works: Iterable[str], results: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield the works that the text cites, and the software, in the order of the alphabet."""
    texts = [reference_text(key) for key in works]
    version = line(results["negstats"], 40)
    texts.append((f"The negstats developers. ({SOFTWARE_YEAR}). ", "negstats: The statistics of negotiation studies",
                  f" (Version\u00a0{version}) [Computer software]."))  # fmt: skip
    for before, title, after in sorted(texts, key=lambda text: text[0].removeprefix("The ").lower()):
        runs = (Run(before, named=True), Run(title, "i", named=True), Run(after, named=True))
        yield Paragraph(Prose(runs), "reference")


def bibtex(keys: Iterable[str]) -> str:
    """Return works as BibTeX, the software among them."""
    entries = []
    for key in keys:
        if key == SOFTWARE:
            title = "negstats: The statistics of negotiation studies"
            entries.append(
                f"@software{{{key},\n  author = {{{{The negstats developers}}}},\n  title = {{{{{title}}}}},\n"
                f"  year = {{{SOFTWARE_YEAR}}}\n}}"
            )
            continue
        authors, title, year, journal, volume, pages, doi = WORKS[key]
        kind, where = ("article", "journal") if volume else ("book", "publisher")
        fields = {
            "author": authors,
            "title": f"{{{title}}}",
            "year": str(year),
            where: journal,
            "volume": volume.partition("(")[0],
            "number": volume.partition("(")[2].removesuffix(")"),
            "pages": pages.replace("–", "--"),
            "doi": doi,
        }
        lines = [
            f"  {name} = {{{value.replace('–', '--').replace('&', chr(92) + '&')}}}"
            for name, value in fields.items()
            if value
        ]
        entries.append(f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}")
    return "\n\n".join(entries) + "\n" if entries else ""
