"""Files of Word, OpenDocument and PDF: the text in its order, what is damaged, and signs that a font has lost."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import docx
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_pdf import PdfPages
from pypdf import PdfWriter
from scipy import stats

from negstats.audit import audit_file, audit_text
from negstats.audit.lost_signs import repaired
from negstats.audit.office import ODF, ODF_TABLE, without_heads
from negstats.audit.reading import read
from negstats.errors import LogError

# R: 2 * pt(-2.61, 23) is .01565, 2 * pt(-2.35, 23) is .02771, pf(7.34, 1, 23, lower = F) is .01252,
# pf(0.84, 2, 46, lower = F) is .4382, 2 * pt(-1.2, 23) is .2424, pchisq(7.63, 2, lower = F) is .02204,
# r of -.35 with 58 df: .0061
WHOLE = (
    "They differed, F(1, 23) = 7.34, MSE = 0.02, p < .05, and so did we, t(23) = -2.61, p = .016. "
    "Others did, t(23) = -2.35, p = .028, or did not, F(2, 46) = 0.84, p > .40. "
    "Some left, t(23) = 1.20, p > .20, and χ2(2) = 7.63, p < .05. It fell, r(58) = -.35, p < .01."
)
FONTS = {  # what fonts of signs made of a text in print
    "psychonomic": {"=": "5", "<": ",", ">": ".", "-": "2"},
    "apa": {"=": "H11005", "<": "H11021", ">": "H11022", "-": "H11002", "χ": "H9273"},
    "apa with odd signs": {"=": "⫽", "<": "⬍", ">": "⬎", "-": "⫺", "χ": "␹"},
    "elsevier": {"=": "¼", "<": "o", ">": "4", "-": "/C0"},
    "control characters": {"=": "\x01", "<": "\x05", ">": "\x06", "-": "/C0"},
    "sage": {"=": "!", "<": '"', ">": "#", "-": "2"},
    "order alone": {"<": ","},
    "slashed names": {"<": "/H11021", ">": "/H11022", "-": "/C0"},
}


def broken(text: str, font: dict[str, str]) -> str:
    return "".join(font.get(character, character) for character in text)


@pytest.mark.parametrize("font", FONTS)
def test_lost_signs(font: str) -> None:
    whole = [(r.reported.kind, r.verdict) for r in audit_text(WHOLE).results]
    assert len(whole) == 7
    assert {verdict for _, verdict in whole} == {"consistent"}
    text, repairs = repaired(broken(WHOLE, FONTS[font]))
    results = audit_text(text).results
    assert [(r.reported.kind, r.verdict) for r in results] == whole
    assert [float(r.reported.statistic) for r in results] == [7.34, -2.61, -2.35, 0.84, 1.20, 7.63, -0.35]
    assert {repair.sign for repair in repairs} >= {"<"}
    assert all(repair.times > 0 and repair.why for repair in repairs)


def test_what_is_wrong_stays_wrong() -> None:
    wrong = broken(WHOLE.replace("p = .028", "p = .280"), FONTS["apa"])
    assert [r.verdict for r in audit_text(repaired(wrong)[0]).results].count("decision error") == 1


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        WHOLE.replace("-2.61, p = .016", "22.61, p < .001"),  # a t of 22.61 is one
        "Of t(9), 5 and t(9), 6 and t(9), 7 we say no more; at p, .05 and p, .01 were drawn.",
        "The fund (H11021) and room /C0 at 5.2, F(1, 9) 5.",
        "Option p . .05 of the menu is p . .01.",
        "With t(23) = 2.61, p = .016, t(23) = 2.35, p = .028, F(1, 23) = 27.34, p < .001.",
    ],
)
def test_nothing_is_replaced_without_evidence(text: str) -> None:
    assert repaired(text) == (text, ())


NUMBERS = st.tuples(
    st.sampled_from("tF"), st.integers(2, 400), st.decimals(0, 40, places=2), st.sampled_from(["=", "<", ">"])
)


@given(st.lists(NUMBERS, min_size=1, max_size=12), st.sampled_from([".05", ".001", ".013", ".2"]))
def test_whole_text_stays_as_it_is(results: list[tuple[str, int, object, str]], p: str) -> None:
    parts = [f"{kind}({'1, ' * (kind == 'F')}{df}) = {value}, p {sign} {p}" for kind, df, value, sign in results]
    text = "; ".join([*parts, "t(9) = -3.1, p < .05"])
    assert repaired(text)[0] == text


def drawn(path: Path, pages: Iterable[Sequence[tuple[float, float, str]]]) -> Path:
    """Write a PDF of letter-size pages with texts at places, in that order."""
    with plt.rc_context({"pdf.fonttype": 42}), PdfPages(path) as file:
        for texts in pages:
            figure = plt.figure(figsize=(8.5, 11))
            for x, y, text in texts:
                figure.text(x, y, text, fontsize=8)
            file.savefig(figure)
            plt.close(figure)
    return path


def rows(lines: Sequence[str], x: float) -> list[tuple[float, float, str]]:
    return [(x, 0.9 - 0.02 * place, line) for place, line in enumerate(lines)]


FILLER = [f"words of no weight fill row {row} of this" for row in ("one", "two", "three", "four", "five", "six")]
LEFT = [*FILLER, "those who spoke first took more, t(49)", "= 4.12, p < .001, and the others took"]
RIGHT = [*FILLER, "walked away more often, F(1, 163) = 1.52,", "p = .220, than those who had stayed"]


@pytest.mark.slow
def test_two_columns(tmp_path: Path) -> None:
    side_by_side = list(itertools.chain(*zip(rows(LEFT, 0.08), rows(RIGHT, 0.52), strict=True)))
    results = audit_file(drawn(tmp_path / "paper.pdf", [side_by_side])).results
    assert [(r.reported.kind, str(r.reported.statistic), r.verdict) for r in results] == [
        ("t", "4.12", "consistent"),
        ("f", "1.52", "consistent"),
    ]


@pytest.mark.slow
def test_rows_of_a_table_stay_rows(tmp_path: Path) -> None:
    cells = [f"t({df}) = 4.12" for df in range(40, 50)]
    table = list(itertools.chain(*zip(rows(cells, 0.08), rows(["p < .001"] * 10, 0.52), strict=True)))
    results = audit_file(drawn(tmp_path / "paper.pdf", [table])).results
    assert [r.reported.kind for r in results] == ["t"] * 10


@pytest.mark.slow
def test_running_heads_interrupt_no_result(tmp_path: Path) -> None:
    parts = [
        ["Nothing yet.", *FILLER[:2], "They differed, t(49)"],
        ["= 4.12, p < .001.", *FILLER[2:4], "So did others, F(1, 163) ="],
        ["1.52, p = .022.", *FILLER[4:]],
    ]
    pages = [rows(["OFFERS AND ANSWERS", str(115 + place), *part], 0.1) for place, part in enumerate(parts)]
    audit = audit_file(drawn(tmp_path / "paper.pdf", pages))
    assert [(r.reported.kind, r.reported.place, r.verdict) for r in audit.results] == [
        ("t", 1, "consistent"),
        ("f", 2, "decision error"),
    ]


HEAD = r"""\documentclass[twocolumn,10pt]{article}\usepackage{fancyhdr}\pagestyle{fancy}\usepackage[T1]{fontenc}
\lhead{Smith and Jones}\rhead{Fairness in games}\cfoot{\thepage}\begin{document}\title{A study}\maketitle
"""
CELLS = r"""\begin{table}[t]\centering\begin{tabular}{lrrr}\hline Effect & df & F & p \\ \hline
reward & 1, 28 & 4.60 & .041 \\ partner & 2, 28 & 4.60 & .410 \\ \hline\end{tabular}\caption{Effects.}\end{table}
"""


PDFLATEX = shutil.which("pdflatex")


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not here")
def test_two_columns_of_latex_with_running_heads_and_a_table(tmp_path: Path) -> None:
    sentences, printed = [], []
    for test in range(40):
        df, t = 20 + test, round(0.3 + 0.1 * test, 2) * (-1) ** test
        p = 2 * stats.t.sf(abs(t), df)
        sentences.append(
            f"In test {test} the two groups of people who had played the game differed in what they gave to others, "
            f"$t({df}) = {t:.2f}$, $p {'< .001' if p < 0.001 else f'= {p:.3f}'}$, as was expected before they started."
        )
        printed.append((float(df), t))
    sentences[5] += r" It was $F(2, 56) = 4.59$, $p = .014$, $\eta_p^2 = .141$."
    text = "\n\n".join([*sentences[:12], CELLS, *sentences[12:]])
    (tmp_path / "paper.tex").write_text(f"{HEAD}{text}\\end{{document}}")
    words = [str(PDFLATEX), "-interaction=batchmode", "paper.tex"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    audit = audit_file(tmp_path / "paper.pdf")
    tests = [one for one in audit.results if one.reported.kind == "t"]
    assert sorted((one.reported.df[0].value, one.reported.statistic.value) for one in tests) == sorted(printed)
    assert {one.verdict for one in tests} == {"consistent"}
    assert [one.verdict for one in audit.results if one.reported.kind == "f"].count("decision error") == 1
    assert [one.grade for one in audit.further] == ["fits"]
    assert not [one for one in audit.results if one.reported.kind == "p"]


def test_heads_recur_and_sentences_do_not() -> None:
    pages = ["Doe 1\nOne\nTwo\n[1]", "2 Poe\nThree\n[2]", "Doe 3\nTwo\nFour\n[3]"]
    pages += ["4 Poe\nFive\n[4]", "Doe 5\nSix\n[5]", "6 Poe\nSeven\n[6]"]
    assert without_heads(pages) == ["One\nTwo", "Three", "Two\nFour", "Five", "Six", "Seven"]
    assert without_heads(["One", "One"]) == ["One", "One"]
    assert without_heads(["12\n13", "14\n15", ""]) == ["12\n13", "14\n15", ""]


@pytest.mark.slow
def test_words_that_a_font_or_a_line_broke(tmp_path: Path) -> None:
    lines = [
        "All p were adjusted by the family\u00ad",
        "wise method of Scheﬀé. They differed, t(28) =",
        "2.20, p = .108.",
    ]
    (result,) = audit_file(drawn(tmp_path / "paper.pdf", [rows(lines, 0.1)])).results
    assert result.verdict == "consistent if corrected"
    assert "Scheffé" in result.why
    assert "familywise" in result.why


@pytest.mark.slow
def test_repairs_are_said(tmp_path: Path) -> None:
    lines = [broken(line, FONTS["elsevier"]) + "." for line in WHOLE.split(". ")]
    audit = audit_file(drawn(tmp_path / "paper.pdf", [rows(lines, 0.05)]))
    assert len(audit) == 7
    assert not audit.flagged
    assert "¼ read as =" in audit.summary()
    assert "o read as <" in audit.summary()


@pytest.mark.slow
def test_an_encrypted_and_a_scanned_pdf_are_named(tmp_path: Path) -> None:
    plain = drawn(tmp_path / "plain.pdf", [rows(["They differed, t(49) = 4.12, p < .001."], 0.1)])
    for password, locked in (("secret", True), ("", False)):
        writer = PdfWriter(clone_from=plain)
        writer.encrypt(password, "owner", algorithm="RC4-128")
        path = tmp_path / "locked.pdf"
        writer.write(path)
        if locked:
            with pytest.raises(LogError, match="is encrypted; save a copy"):
                audit_file(path)
        else:
            assert len(audit_file(path)) == 1
    figure = plt.figure()
    figure.figimage(np.eye(50))
    figure.savefig(tmp_path / "scan.pdf")
    plt.close(figure)
    with pytest.raises(LogError, match="scanned pages"):
        audit_file(tmp_path / "scan.pdf")


OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"


def word(file: Path) -> Path:
    document = docx.Document()
    document.add_heading("Results", 1)
    paragraph = document.add_paragraph("They differed, ")
    paragraph.add_run("t").italic = True
    paragraph.add_run("(49) = 4.12, ")
    paragraph.add_run("p").italic = True
    paragraph.add_run(" < .001. And χ")
    paragraph.add_run("2").font.superscript = True
    paragraph.add_run("(1, N = 94) = 4.67, p = .198.")
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(["reward", "F(1, 28) = 4.60, p = .041", "partner", "F(1, 28) = 4.60, p = .41"]):
        table.cell(place // 2, place % 2).text = text
    document.save(str(file))
    return file


def test_word_is_read_in_order_with_its_tables(tmp_path: Path) -> None:
    audit = audit_file(word(tmp_path / "paper.docx"))
    assert [(one.reported.raw, one.verdict) for one in audit.results] == [
        ("t(49) = 4.12, p < .001", "consistent"),
        ("χ²(1, N = 94) = 4.67, p = .198", "decision error"),
        ("F(1, 28) = 4.60, p = .041", "consistent"),
        ("F(1, 28) = 4.60, p = .41", "decision error"),
    ]
    assert [one.reported.place for one in audit.results] == [2, 2, 3, 4]
    assert audit.unit == "paragraph"


def opendocument(file: Path, body: str, name: str = "content.xml") -> Path:
    text, table = ODF.strip("{}"), ODF_TABLE.strip("{}")
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(
            name,
            f'<o:document-content xmlns:o="{OFFICE}" xmlns:text="{text}" xmlns:table="{table}">'
            f"<o:body><o:text>{body}</o:text></o:body></o:document-content>",
        )
    return file


def test_opendocument_is_read_with_its_tables(tmp_path: Path) -> None:
    body = (
        "<text:h>Results</text:h>"
        "<text:p>They differed, <text:span>t</text:span>(49)<text:s/>= 4.12, p &lt; .001.</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>reward</text:p></table:table-cell><table:table-cell>"
        "<text:p>F(1, 28) = 4.60, p = .041</text:p></table:table-cell></table:table-row></table:table>"
    )
    audit = audit_file(opendocument(tmp_path / "paper.odt", body))
    assert [one.reported.raw for one in audit.results] == ["t(49) = 4.12, p < .001", "F(1, 28) = 4.60, p = .041"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "holds no text"),
        ("<text:p>cut", "cannot be read"),
        ("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><text:p>&b;</text:p>", "cannot be read"),
    ],
)
def test_what_is_damaged_is_one_line(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(LogError, match=says):
        read(opendocument(tmp_path / "paper.odt", body))


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("negstats.audit.office.LARGEST", 10_000)
    with pytest.raises(LogError, match="the limit is 10,000"):
        read(opendocument(tmp_path / "paper.odt", "<text:p>" + "a" * 20_000 + "</text:p>"))


def test_millions_of_empty_paragraphs_are_not_read(tmp_path: Path) -> None:
    body = "<text:p/>" * 2_000_001
    with pytest.raises(LogError, match="has 2,000,007 tags; the limit is 2,000,000"):
        read(opendocument(tmp_path / "paper.odt", body))


def test_a_cut_file_and_a_zip_of_something_else_are_no_papers(tmp_path: Path) -> None:
    whole = word(tmp_path / "paper.docx").read_bytes()
    (tmp_path / "cut.docx").write_bytes(whole[: len(whole) // 2])
    opendocument(tmp_path / "other.zip", "", "readme.txt")
    for name in ("cut.docx", "other.zip"):
        with pytest.raises(LogError, match="is not text but a zip file"):
            read(tmp_path / name)
