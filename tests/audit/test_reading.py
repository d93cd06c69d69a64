"""Manuscripts are read: documents of every kind, their text, and the words around a result."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import typer.main
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_pdf import PdfPages
from typer.testing import CliRunner

from negstats.audit import audit_file, audit_text
from negstats.audit.context import context, find_stems
from negstats.audit.reading import clean, document, read
from negstats.audit.words import words_of
from negstats.cli import app
from negstats.errors import DesignError, LogError
from tests.audit.document import DOCUMENT, compared, written

HTML = """<!DOCTYPE html>
<html><head><title>Study</title><style>p { t(1) = 1, p = .5 }</style>
<script>document.write("t(49) = 9.9, p = .9")</script></head>
<body>
<p>They differed,
<i>t</i>(49)&nbsp;= 4.12, <em>p</em> &lt; .001.</p>
<p>Walk-aways: χ<sup>2</sup>(2, <i>N</i> = 289)&thinsp;= 7.63, <span class="v">p</span> = .20.</p>
<table><tr><td>t(20) = 1.2</td><td>p = .24</td></tr></table>
</body></html>
"""


def test_html(tmp_path: Path) -> None:
    path = tmp_path / "paper.html"
    path.write_text(HTML, encoding="utf-8")
    audit = audit_file(path)
    assert [(r.reported.kind, r.reported.place, r.verdict) for r in audit.results] == [
        ("t", 6, "consistent"),
        ("chi2", 7, "decision error"),
        ("p", 8, "not checkable"),  # another cell is another paragraph
    ]
    path.rename(tmp_path / "paper.txt")
    assert len(audit_file(tmp_path / "paper.txt")) == 3  # known by its content


def test_a_line_break_in_html_is_no_paragraph(tmp_path: Path) -> None:
    page = tmp_path / "paper.html"
    page.write_text(
        "<p>They differed, t(49) = 4.12,<br>p = .04. No test: t(28)<br/> <br/>p = .03</p>", encoding="utf-8"
    )
    first, second = audit_file(page).results
    assert (first.reported.kind, first.verdict) == ("t", "inconsistent")
    assert second.reported.kind == "p"


@pytest.mark.slow
def test_pdf(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    with plt.rc_context({"pdf.fonttype": 42}), PdfPages(path) as pages:
        for text in ("They differed, t(49) = 4.12, p < .001.", "Those did not, F(1, 163) = 1.52,\np = .022."):
            figure = plt.figure()
            figure.text(0.1, 0.5, text)
            pages.savefig(figure)
            plt.close(figure)
    audit = audit_file(path)
    assert [(r.reported.kind, r.reported.place, r.verdict) for r in audit.results] == [
        ("t", 1, "consistent"),
        ("f", 2, "decision error"),
    ]
    assert "page 2" in audit.text()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "is empty"),
        ("blank.md", b" \n\n", "is empty"),
        ("binary.txt", b"PK\x03\x04\x00\x00", "is not text"),
        ("broken.pdf", b"%PDF-1.4 this is none", "cannot be read as PDF"),
        (
            "cut.pdf",
            b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\ntrailer << /Root 1 0 R >>",
            "PDF|no text",
        ),
    ],
)
def test_what_is_no_paper(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LogError, match=message) as error:
        audit_file(tmp_path / name)
    assert "\n" not in str(error.value)
    assert name in str(error.value)


def test_a_folder_or_nothing(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.txt"):
        with pytest.raises(LogError, match="is not a file"):
            audit_file(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "paper.txt"
    path.write_bytes("“So” – t(49) = –4.12, p < .001.".encode(encoding))
    (result,) = audit_file(path).results
    assert float(result.reported.statistic) == -4.12


def test_control_characters_do_not_reach_the_terminal() -> None:
    audit = audit_text("\x1b[31mRed\x1b[0m\x07, t(49) = 4.12,\x9b p = .5.")
    assert not set(audit.text()) & {"\x1b", "\x07", "\x9b"}
    assert len(audit) == 1


def test_lines_are_counted_through_cleaning() -> None:
    text = "one\r\n\r\n\\textbf{three}\nfour: $t(49)\n= 4.12$,\n$p < .001$.\n"
    (result,) = audit_text(text).results
    assert result.reported.place == 4
    assert result.reported.raw == "$t(49) = 4.12$, $p < .001$"
    assert document("a\nb\nc").place(4) == 3


@given(st.text(alphabet=r"tFpχ2(), =<.0123456789-{}$\_*^&;<i>" + "\n\u00a0−", max_size=200))
def test_any_text_can_be_audited(text: str) -> None:
    audit = audit_text(text)
    cleaned = clean(text)
    assert all(0 <= cleaned.origin(place) <= len(text) for place in range(len(cleaned.text)))
    for result in audit.results:
        assert 1 <= result.reported.place <= text.count("\n") + 1
        if result.verdict in ("consistent", "inconsistent", "decision error"):
            assert 0 <= result.p_low <= result.p_high <= 1 + 1e-12
    audit.to_frame()
    audit.text()


@pytest.mark.slow
def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "paper.md"
    path.write_text("So, *t*(49) = 4.12, *p* < .001. Not so, χ²(1) = 4.67, p = .198.", encoding="utf-8")
    run = CliRunner()
    printed = run.invoke(app, ["audit", str(path)])
    assert printed.exit_code == 0
    assert "2 results: 1 consistent, 1 decision error" in printed.stdout
    [paper] = json.loads(run.invoke(app, ["audit", str(path), "--json"]).stdout)["papers"]
    assert (paper["doubts"]["result"], paper["doubts"]["verdict"]) == ([1], ["decision error"])
    assert "df2" not in paper["results"]
    [flagged] = json.loads(run.invoke(app, ["audit", str(path), "--json", "--flagged"]).stdout)["papers"]
    assert flagged["results"]["p"] == [0.198]
    run.invoke(app, ["audit", str(path), "--csv", str(tmp_path / "out.csv")])
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").count("\n") == 3
    strict = run.invoke(app, ["audit", str(path), "--alpha", "0.01", "--flagged"])
    assert "inconsistent" in strict.stdout
    assert isinstance(run.invoke(app, ["audit", str(path), "--alpha", "2"]).exception, DesignError)


def test_a_paper_without_results(tmp_path: Path) -> None:
    path = tmp_path / "poem.txt"
    path.write_text("The rest is silence.", encoding="utf-8")
    assert audit_file(path).text().endswith("no reported results were found")
    assert read(path).unit == "line"


@pytest.mark.parametrize("heading", ["# Results", "### 2.1 Offers", r"\section{Results}", r"\subsection*{Offers}"])
def test_a_heading_is_no_part_of_the_sentence_below_it(heading: str) -> None:
    result = audit_text(f"{heading}\nOffers rose, t(28) = 2.20, p = .036.").results[0]
    assert result.reported.sentence == "Offers rose, t(28) = 2.20, p = .036."
    assert result.reported.place == 2


def test_a_line_of_output_is_no_heading() -> None:
    assert len(audit_text("## t = 2.20, df = 28,\n## p = .036").results) == 1


JATS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS 1.2//EN" "JATS-archivearticle1.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML" dtd-version="1.2"><body><sec><title>Results</title>
<p>They differed, <italic>t</italic>(49)&#160;= 4.12,
<italic>p</italic> &lt; .001.</p>
<p>So did walk-aways, <inline-formula><alternatives>
<tex-math>\\documentclass{x}\\begin{document}$$\\chi^2(2) = 9.9$$\\end{document}</tex-math>
<mml:math><mml:msup><mml:mi>χ</mml:mi><mml:mn>2</mml:mn></mml:msup><mml:mo>(</mml:mo><mml:mn>2</mml:mn>
<mml:mo>)</mml:mo><mml:mo>=</mml:mo><mml:mn>7.63</mml:mn></mml:math></alternatives></inline-formula>, p = .20.</p>
<p>One, <tex-math>\\documentclass{x}% x\\begin{document}$$F(1,577) = 5.00$$\\end{document}</tex-math>, p = .03.</p>
</sec></body><back><ref-list><ref><p>t(49) = 4.12, p = .9</p></ref></ref-list></back></article>
"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Results</head>
<p>They differed, <hi rend="italic">t</hi>(49) = 4.12,<lb/>p &lt; .001.</p></div></body></text></TEI>
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("paper.xml", JATS, [("t", 4, "consistent"), ("chi2", 8, "decision error"), ("f", 10, "consistent")]),
        ("paper.tei", TEI, [("t", 2, "consistent")]),
    ],
    ids=["JATS", "TEI"],
)
def test_xml(name: str, text: str, expected: list[tuple[str, int, str]], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    results = audit_file(tmp_path / name).results
    assert [(one.reported.kind, one.reported.place, one.verdict) for one in results] == expected


def test_xml_without_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "paper.xml"
    path.write_text('<?xml version="1.0"?><article><front/></article>', encoding="utf-8")
    with pytest.raises(LogError, match="no text between its tags"):
        audit_file(path)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("t(49) = 4.12, p = .5", encoding="utf-8")
    path = tmp_path / "paper.xml"
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY x SYSTEM "{tmp_path}/secret.txt">]>'
        "<article><p>So &x; it is.</p></article>",
        encoding="utf-8",
    )
    assert len(audit_file(path)) == 0


def test_it_agrees_with_statcheck_or_says_why_not() -> None:
    rows = list(compared())
    assert len(rows) >= 50
    for text, theirs, ours, why in rows:
        assert (theirs == ours) == (not why), text
    assert {theirs for _, theirs, _, _ in rows} == {"consistent", "inconsistent", "decision error", "not found"}


@pytest.mark.nightly
def test_its_tables_are_those_of_today() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert written(text) == text, "run python -m tests.audit.document"


def test_it_names_every_option() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    command = typer.main.get_command(app).commands["audit"]  # type: ignore[attr-defined]
    options = {name for parameter in command.params for name in parameter.opts if name.startswith("--")}
    assert len(options) > 10
    assert [name for name in sorted(options) if f"`{name}" not in text] == []


FACTS = words_of("context")
# R: 2 * pt(-2.20, 28) is .0362, so 3 times it is .109; 2 * pt(-1.74, 32) is .0915, half of it .0457
THRICE = "They differed, t(28) = 2.20, p = .109."


def test_statements_come_with_their_sentence() -> None:
    statements = context(
        "One. We used Holm's procedure for the tests. Two.\nReferences\nHolm, S. (1979). Tests."
    ).statements
    assert [statement.text for statement in statements] == ["We used Holm's procedure for the tests."]


@pytest.mark.slow
def test_time_with_many_statements_and_results() -> None:
    text = ("We used Holm tests. All tests are one-tailed. " + THRICE) * 2000
    assert len(audit_text(text)) == 2000


@pytest.mark.slow
@settings(max_examples=150)
@given(st.one_of(st.from_regex(FACTS.correction), st.from_regex(FACTS.one_tail)))
def test_what_makes_a_statement_holds_a_stem(text: str) -> None:
    assert find_stems(text)


@pytest.mark.parametrize("said", ["ſingle-ſıded", "SİNGLE tailed", "ſİDÁK", "ŠIDAK", "Bonferronİ"])
def test_stems_of_letters_that_are_alike(said: str) -> None:
    assert FACTS.correction.search(said) or FACTS.one_tail.search(said)
    assert find_stems(said)
