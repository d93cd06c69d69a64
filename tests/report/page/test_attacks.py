"""What people type, name their conditions and call their files does nothing in a report, and is seen as written."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import docx
import pandas as pd
import pytest
from lxml import etree

from negstats.analysis.answers import Report
from negstats.report import write
from negstats.sanitize import embedded_json, marked
from negstats.studies import Provenance, Source, Study
from negstats.tables import conform
from tests.report.page.browser import Browser
from tests.report.page.reports import bare, two_groups

ATTACKS = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "<!--<script>",
    "-->",
    "javascript:window.pwned=3",
    '"><img src=x onerror="window.pwned = 4">',
    "'><svg onload='window.pwned = 5'>",
    "nul \x00 here",
    "bidi \u202e turned \u2066 isolated",
    "half \ud800 surrogate",
    "]]>",
    "{{7*7}} {% raw %} ${7*7}",
    "line \u2028 paragraph \u2029 ends",
    "__proto__",
    "constructor",
    "</style></title></textarea>",
    r"\input{/etc/passwd} \write18{id} $x^2_3$ %",
    '=HYPERLINK("http://example.com")',
    "𝔘𝔫𝔦 العربية עברית 漢字 🙂",
    "&lt;b&gt; &amp; &#x202e;",
)
LONG = "a" * 1_000_000


TYPED = tuple(attack for attack in ATTACKS if "\ud800" not in attack)  # no table holds half a surrogate


def hostile() -> Study:
    """A study in which every attack is an id, a level, a seat, an item, a text, a framing and the name of a file."""
    ids = [f"{attack} {place}" for place, attack in enumerate(TYPED)]
    seats = [(f"{attack} 1", f"{attack} 2") for attack in TYPED]
    one, two = [a for a, _ in seats], [b for _, b in seats]
    many = len(ids)
    return Study(
        games=conform(
            "games",
            {
                "game_id": ids,
                "ended": ["agreement"] * many,
                "condition": ([ATTACKS[0], ATTACKS[5]] * many)[:many],
                "odd": list(TYPED),
                "</script>": list(TYPED),
            },
        ),
        players=conform(
            "players",
            {
                "game_id": ids * 2,
                "player": one + two,
                "points": [float(x) for x in range(2 * many)],
                "kind": ["human"] * (2 * many),
            },
        ),
        offers=conform(
            "offers",
            {
                "game_id": ids,
                "offer": [1] * many,
                "proposer": one,
                "responder": two,
                "value_proposer": [1.0] * many,
                "value_responder": [2.0] * many,
                "framing": list(TYPED),
                "response": ["accepted"] * many,
            },
        ),
        items=conform(
            "items",
            {"game_id": ids, "offer": [1] * many, "item": list(TYPED), "receiver": two, "quantity": [2.0] * many},
        ),
        messages=conform(
            "messages",
            {
                "game_id": [*ids, ids[0]],
                "message": [1] * many + [2],
                "sender": [*one, one[0]],
                "text": [*TYPED, LONG],
                "act": [*TYPED, None],
            },
        ),
        provenance=Provenance(ATTACKS[1], "1", tuple(Source(attack, "0" * 64, 1) for attack in ATTACKS)),
    )


def attacked() -> Report:
    study = hostile()
    report = two_groups(study, levels=(ATTACKS[0], ATTACKS[5]), asks=" ".join(ATTACKS))
    for entry in report.results["questions"]:
        entry["notes"] = entry["remarks"] = list(ATTACKS)
        entry["verdict"] = entry["verdict"] and f"not tested: {ATTACKS[1]}"
        entry["who"] = ATTACKS[4]
    report.results["flow"] = [
        {"rule": attack, "reason": attack, "games": 1, "people": 1, "seats": 2} for attack in ATTACKS
    ]
    return report


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(attacked(), tmp_path_factory.mktemp("attacks") / "report")


@pytest.mark.browser
class TestInChromium:
    def test_nothing_runs_and_all_is_seen_as_written(self, chromium: Browser, folder: Path, tmp_path: Path) -> None:
        plain = write(bare(20), tmp_path / "plain")
        chromium.open(plain)
        chromium.show(0)
        names = set(chromium.run("return Object.getOwnPropertyNames(window)"))
        chromium.open(folder)
        for place, attack in enumerate(TYPED):
            chromium.show(place)
            seen = marked(attack.replace("\x00", "\ufffd"))
            assert chromium.text("#game-title") == f"{seen} {place}"
            assert chromium.text("#game .said") == seen
            assert chromium.run("return document.querySelector('#game .talk b').textContent") == f"{seen} 1"
            assert f"gives {seen} 2; ({seen})" in chromium.text("#game .offer")
            assert seen in chromium.text(".facts")
        new = set(chromium.run("return Object.getOwnPropertyNames(window)")) - names
        assert {name for name in new if not name.isdecimal()} <= {"violations"}
        assert chromium.run("return window.pwned") is None
        assert chromium.said() == []
        assert chromium.asked_for() == []
        assert (
            chromium.run("return document.querySelectorAll('img, iframe, object, main a:not([href^=\"#\"])').length")
            == 0
        )
        assert chromium.run("return document.scripts.length") == 3 - 0
        assert chromium.run("return JSON.stringify(({}).pwned ?? null)") == "null"

    def test_a_word_of_a_million_letters_is_cut_and_said_to_be(self, chromium: Browser, folder: Path) -> None:
        chromium.open(folder, width=390, height=844)
        chromium.show(0)
        assert "characters are not shown" in chromium.text("#game")
        assert chromium.run("return document.documentElement.scrollWidth") <= 390

    def test_the_notes_are_seen_as_written(self, chromium: Browser, folder: Path) -> None:
        chromium.open(folder)
        whole = chromium.text("#results")
        for attack in (
            "<script>window.pwned = 1</script>",
            "{{7*7}} {% raw %} ${7*7}",
            '"><img src=x onerror="window.pwned = 4">',
        ):
            assert attack in whole


@pytest.mark.slow
def test_the_page_holds_its_scripts_and_no_other(folder: Path) -> None:
    tree = etree.fromstring((folder / "report.html").read_bytes(), etree.HTMLParser(huge_tree=True))
    kinds = [script.get("type") for script in tree.iter("script")]
    assert kinds == ["application/json", "application/json", None]
    assert not [
        name
        for element in tree.iter()
        if isinstance(element.tag, str)
        for name in element.attrib
        if name.startswith("on") or name == "style"
    ]
    assert not [element for element in tree.iter("a") if not element.get("href", "").startswith("#")]


@pytest.mark.slow
def test_word_opens_it(folder: Path) -> None:
    text = "\n".join(paragraph.text for paragraph in docx.Document(str(folder / "report.docx")).paragraphs)
    assert "<script>window.pwned = 1</script>" in text


A_LINE = r"""\documentclass{article}
\usepackage{iftex}
\iftutex\usepackage{fontspec}\else\usepackage[T1]{fontenc}\fi
\begin{document}A line.\end{document}
"""


def compile_latex(program: str, file: Path, out: Path) -> subprocess.CompletedProcess[bytes]:
    options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", f"-output-directory={out}"]
    words = [program, *options, file.name]
    return subprocess.run(words, cwd=file.parent, capture_output=True, check=False, timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["pdflatex", "lualatex", "xelatex"])
def test_latex_compiles_it(folder: Path, tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not here")
    (tmp_path / "line.tex").write_text(A_LINE, encoding="utf-8")
    if compile_latex(program, tmp_path / "line.tex", tmp_path).returncode:
        pytest.skip(f"{program} has not the fonts for a single line")
    done = compile_latex(program, folder / "report.tex", tmp_path)
    assert done.returncode == 0, done.stdout[-3000:].decode("utf-8", "replace")
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_csv_files_hold_no_formula(folder: Path) -> None:
    for file in (folder / "figures").glob("*.csv"):
        for cell in pd.read_csv(file, dtype="str", keep_default_na=False).to_numpy().ravel():
            assert not cell.startswith(("=", "@", "+"))


@pytest.mark.parametrize("attack", [*ATTACKS, LONG])
def test_json_stands_safely_in_a_page(attack: str) -> None:
    import json

    text = embedded_json([attack])
    assert not {"<", ">", "&", "\u2028", "\u2029", "\u202e", "\x00"} & set(text)
    text.encode()
    assert json.loads(text) == [attack.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")]
