"""The works behind the tests of a report, as references and as BibTeX: those that were used, and no others."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, cast

from negstats.analysis.plan.fields import REFERENCE
from negstats.report.blocks import Paragraph
from negstats.report.labels import SENTENCE
from negstats.report.prose import NO_BREAK, Prose, Run
from negstats.sanitize import line

Work = tuple[str, str, int, str, str, str, str]  # authors, title, year, journal, volume(issue), pages, doi

WORKS: Mapping[str, Work] = {
    key: cast("Work", tuple(fields))
    for key, fields in tomllib.loads((files("negstats.report") / "works.toml").read_text("utf-8")).items()
}
SOFTWARE = "negstats"
INITIALS = re.compile(r"(?:[^\W\d_]\.[ -]?)+|[JS]r\.")  # "J. P.", "Jr."
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


@dataclass(frozen=True, slots=True)
class DataReference:
    """The reference of data, as APA writes it: its text, and the names, year and rest of it."""

    text: str
    authors: str
    year: str
    rest: str

    @property
    def names(self) -> list[str]:
        """The authors, each with family name and initials as the text has them.

        Examples
        --------
        >>> data_references({"cite": ["Lee, A. B., & Roe, C. (2020). *Offers*. Press."]})[0].names
        ['Lee, A. B.', 'Roe, C.']
        """
        parts = [part.removeprefix("& ") for part in self.authors.rstrip().split(", ")]
        names: list[str] = []
        for part in parts:
            if names and INITIALS.fullmatch(part):
                names[-1] += f", {part}"
            else:
                names.append(part.rstrip("."))
        return names

    @property
    def citation(self) -> str:
        """How the data are cited inside a sentence: "Chawla et al. (2021)"."""
        families = [name.partition(",")[0] for name in self.names]
        who = f"{families[0]} et al." if len(families) > 2 else " and ".join(families)
        return f"{who} ({self.year})"

    @property
    def runs(self) -> tuple[Run, ...]:
        """The reference, what stands between asterisks in italics."""
        return tuple(
            Run(part, "i" if place % 2 else "", named=True) for place, part in enumerate(self.text.split("*")) if part
        )

    @property
    def bibtex(self) -> str:
        """The reference as BibTeX."""
        title, _, where = self.rest.partition(". ")
        key = re.sub(r"\W", "", self.names[0].partition(",")[0]).lower() + self.year
        fields = {"author": " and ".join(self.names), "title": f"{{{title}}}", "year": self.year, "note": where}
        return _entry("misc", key, {name: value.replace("*", "") for name, value in fields.items()})


def data_references(study: Mapping[str, Any]) -> list[DataReference]:
    """Return the references of the data that ``results.json`` names."""
    matches = [REFERENCE.fullmatch(line(text, SENTENCE)) for text in study.get("cite") or ()]
    return [DataReference(match[0], *match.groups()) for match in matches if match is not None]


def reference_text(key: str) -> tuple[str, str, str]:
    """Return a work as a reference: what stands before its journal, proceedings or book, that, and what stands after.

    Examples
    --------
    >>> reference_text("holm1979")[1]
    'Scandinavian Journal of Statistics, 6'
    """
    authors, title, year, journal, volume, pages, doi = WORKS[key]
    names = authors.split(" and ")
    author_names = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"
    link = f" https://doi.org/{doi}" if doi else ""
    if pages and not volume:
        return f"{author_names} ({year}). {title}. In ", journal, f" (pp. {pages}).{link}"
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
    runs: list[tuple[Run, ...]] = [
        (Run(before, named=True), Run(title, "i", named=True), Run(after, named=True)) for before, title, after in texts
    ]
    runs += [data.runs for data in data_references(results["study"])]
    for runs_of_work in sorted(runs, key=lambda runs: runs[0].text.removeprefix("The ").lower()):
        yield Paragraph(Prose(runs_of_work), "reference")


def bibtex(keys: Iterable[str], data: Iterable[DataReference] = ()) -> str:
    """Return works as BibTeX, the software and the data among them."""
    entries = [source.bibtex for source in data]
    for key in keys:
        if key == SOFTWARE:
            title = "negstats: The statistics of negotiation studies"
            entries.append(
                f"@software{{{key},\n  author = {{{{The negstats developers}}}},\n  title = {{{{{title}}}}},\n"
                f"  year = {{{SOFTWARE_YEAR}}}\n}}"
            )
            continue
        authors, title, year, journal, volume, pages, doi = WORKS[key]
        # A volume makes an article, pages without one a paper of a meeting, neither a book.
        kind, where = ("article", "journal") if volume else ("book", "publisher")
        kind, where = ("inproceedings", "booktitle") if pages and not volume else (kind, where)
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
        entries.append(_entry(kind, key, fields))
    return "\n\n".join(entries) + "\n" if entries else ""


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = [
        f"  {name} = {{{value.replace('–', '--').replace('&', chr(92) + '&')}}}"
        for name, value in fields.items()
        if value
    ]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"
