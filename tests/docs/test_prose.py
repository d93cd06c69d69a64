"""Words that are misspelt: pages, docstrings, comments, and what the notebooks say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import negstats
from tests.conftest import ROOT
from tests.test_notebooks import NOTEBOOKS, read

# Names, abbreviations and slips on purpose that the list takes for slips.
NAMES = "ges,ttest,nd,fro,contry,stram,informations,whats,ues,ue,fwe,equivalen,ower,imput,ond,enviroment,theses,sav"
# Beginnings of words in the patterns of the audit.
STEMS = "fo,ment,allocat,controll,includ,requir,ure,quivalence,multipl,significan,regist,egistered"
# Names of columns and levels in other languages.
FOREIGN = "als,beter,oder,groupe,negociation,reponse,sesion,somme,ist,nome,periode,bloc,blok,modell,tekst,maschine"
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff")
WRITTEN = [
    ROOT / "docs" / name
    for name in (
        "index.md",
        "start.md",
        "concepts.md",
        "coming-from.md",
        "faq.md",
        "cite.md",
        "how-to",
        "developers",
        "examples",
        "pages",
        "conf.py",
    )
]


def test_words_are_spelt(tmp_path: Path) -> None:
    for book in NOTEBOOKS:
        prose = [cell.source for cell in read(book).cells if cell.cell_type == "markdown"]
        (tmp_path / f"{book.stem}.md").write_text("\n\n".join(prose), encoding="utf-8")
    places = [tmp_path, ROOT / "negstats", *(ROOT / name for name in PAGES), *WRITTEN]
    words = [
        sys.executable,
        "-m",
        "codespell_lib",
        "--ignore-words-list",
        f"{NAMES},{STEMS},{FOREIGN}",
        *map(str, places),
    ]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    assert process.stdout == ""


def test_the_citation_names_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {negstats.__version__}" in lines
    entry = negstats.citation()
    assert f"version = {{{negstats.__version__}}}" in entry
    assert 'title: "negstats: the statistics of negotiation studies"' in lines
    assert "title = {negstats: the statistics of negotiation studies}" in entry
