"""Forty hostile names, through everything that prints or writes for people: they are shown, and do nothing."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from negstats import sanitize
from negstats.cli import shared
from negstats.errors import LogError, SchemaError, UsageError, meant, one_line, shown
from negstats.plots import cell_means, save_figure
from negstats.plots.style import captioned, keyed
from negstats.report.tables import to_html, to_latex, to_markdown, write_table
from negstats.studies import Provenance, Study, open_study
from negstats.tables import conform

mpl.use("Agg")

HOSTILE = {
    "colours": "\x1b[31mred\x1b[0m",
    "title of the terminal": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "screen cleared": "\x1b[2J\x1b[H",
    "link in the terminal": "\x1b]8;;http://x.example\x1b\\here\x1b]8;;\x1b\\",
    "C1 control": "\x9b31mred",
    "bell": "ding\x07",
    "backspaces": "safe\b\b\b\bevil",
    "carriage return": "good\rbad",
    "zero byte": "a\0b",
    "vertical tab": "a\x0bb\x0cc",
    "line break": "one\ntwo",
    "Windows line break": "one\r\ntwo",
    "next line": "one\x85two",
    "line separator": "one\u2028two\u2029three",
    "right to left": "\u202egnp.exe",
    "isolates": "a\u2066b\u2069c",
    "marks of direction": "a\u200fb\u200ec\u061cd",
    "zero width": "pay\u200bpal",
    "byte order mark": "\ufeffname",
    "soft hyphen": "in\u00advisible",
    "tags": "hi\U000e0041\U000e007f",
    "half surrogate": "half\ud800",
    "file name that is not text": "caf\udce9.csv",
    "no character": "x\ufffe\uffff\ufdd0",
    "formula": "=HYPERLINK(\"http://x.example\",\"click\")",
    "command": "=cmd|' /C calc'!A0",
    "plus": "+1+1+cmd|' /C calc'!A0",
    "minus": "-2+3+cmd|' /C calc'!A0",
    "at": "@SUM(1+1)*cmd|' /C calc'!A0",
    "tab and formula": "\t=1+1",
    "wide formula": "＝1+1",
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "attribute": "\" onmouseover=\"alert(1)",
    "entity": "&lt;b&gt;&#x202e;",
    "markdown": "](http://x.example) **bold** `code` | cell ![x](http://x.example/a.png) # heading",
    "LaTeX": "\\input{/etc/passwd} \\write18{id} %",
    "mathematics": "$x_{$ and $\\frac{1}$ cost",
    "template": "{{ 7*7 }} {% raw %} ${7*7}",
    "rich markup": "[bold red]x[/] [link=http://x.example]y[/link]",
    "percent": "%s %n %(x)s {0} {x}",
    "very long": "x" * 5000,
    "combining": "Z\u0351\u036b\u0343algo",
}  # fmt: skip
STORABLE = {name: text for name, text in HOSTILE.items() if not re.search("[\ud800-\udfff]", text)}


def harmless(text: str, *, breaks: bool = True) -> bool:
    """No control, bidi mark or half of a character; line breaks and tabs where they may be."""
    allowed = "\n\t" if breaks else ""
    return not [
        letter
        for letter in text
        if (unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}) and letter not in allowed
    ]


def frame() -> pd.DataFrame:
    names = list(HOSTILE.values())
    return pd.DataFrame({"name": pd.Series(names, dtype=object), names[0]: range(len(names)), "=1+1": 0.5})


def test_there_are_forty() -> None:
    assert len(set(HOSTILE.values())) >= 40


@pytest.mark.parametrize("case", HOSTILE)
def test_an_error_is_one_harmless_line(case: str) -> None:
    text = HOSTILE[case]
    errors: list[Exception] = [
        UsageError(f"no factor is called {text}"),
        UsageError(f"no factor is called {shown(text)}; {meant(text, [text, 'a'])}"),
        LogError(text, file=text, row=3, column=text),
        LogError(one_line(ValueError(text)), file=Path(text.replace("\0", ""))),
        SchemaError(text, table=text, column=text),
    ]
    for error in errors:
        assert harmless(str(error), breaks=False)
        assert len(str(error)) <= sanitize.MOST


def test_lines_that_follow_an_error_stay_lines() -> None:
    error = LogError("is odd", file="a.csv", more="one\ntwo \x1b[31m")
    assert str(error) == "a.csv: is odd\none\ntwo \\u001b[31m"


@pytest.mark.parametrize("case", HOSTILE)
def test_the_terminal_is_not_moved(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = HOSTILE[case]
    shared.print_lines([text])
    assert capsys.readouterr().out.count("\n") == 1
    name = text if case in STORABLE else "name"  # pandas has no column that is not text
    shared.print_table(pd.DataFrame({name: pd.Series([text], dtype=object)}), text)
    shared.print_left_out({text: 1}, [text])
    shared.print_text(text)
    assert harmless(capsys.readouterr().out)


@pytest.mark.parametrize("case", HOSTILE)
def test_json_is_harmless_and_means_the_same(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = HOSTILE[case]
    shared.print_json({text: [text]})
    out = capsys.readouterr().out
    assert harmless(out)
    assert json.loads(out) == {text: [text]}


@pytest.mark.parametrize("writer", ["report", "command"])
def test_csv_holds_no_formula(writer: str, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    if writer == "report":
        write_table(frame(), file)
    else:
        shared.write_csv(frame(), file)
    text = file.read_bytes().decode("utf-8")
    assert harmless(text)
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == len(HOSTILE) + 1
    for row in rows:
        assert len(row) == 3
        assert not [cell for cell in row if re.match(r"\s*[=+\-@＝＋－＠\t\r]", cell)]


def test_numbers_written_as_text_are_no_formulas() -> None:
    table = sanitize.csv_frame(pd.DataFrame({"x": ["-5", "+1.5e3", "-1-1", None], "y": [-1.0, -2.0, 3.0, 4.0]}))
    assert table["x"].tolist()[:3] == ["-5", "+1.5e3", "'-1-1"]
    assert table["y"].tolist() == [-1.0, -2.0, 3.0, 4.0]
    assert table["y"].dtype == float


FORMS: dict[str, Callable[[pd.DataFrame], str]] = {
    "markdown": lambda table: to_markdown(table, caption="# \x1b[31m"),
    "html": lambda table: to_html(table, caption="<b>\x1b[31m"),
    "latex": lambda table: to_latex(table, caption="% \x1b[31m"),
}


@pytest.mark.parametrize("form", FORMS)
def test_tables_hold_text_and_nothing_else(form: str) -> None:
    text = FORMS[form](frame())
    assert harmless(text)
    text.encode("utf-8")
    if form == "html":
        ET.fromstring(f"<div>{text}</div>")  # noqa: S314 - well formed, so nothing closed or opened a tag
        assert not re.search(r"<(script|img|b)\b", text)
    if form == "markdown":
        assert len(text.splitlines()) == len(HOSTILE) + 4
        assert not re.search(r"(?<!\\)[<`*$]|(?<!\\)\[", text)
        assert text.startswith("\\#")
    if form == "latex":
        assert not re.search(r"\\(input|write)\b", text)


def test_word_opens_and_holds_every_row(tmp_path: Path) -> None:
    file = write_table(frame(), tmp_path / "table.docx", caption="\x1b[31m\ud800")
    document = Document(str(file))
    assert len(document.tables[0].rows) == len(HOSTILE) + 1
    assert harmless("".join(cell.text for row in document.tables[0].rows for cell in row.cells))
    assert harmless(document.paragraphs[0].text)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("case", HOSTILE)
def test_a_figure_shows_it_and_is_well_formed(case: str, tmp_path: Path) -> None:
    text = HOSTILE[case][:60]
    _, ax = plt.subplots(figsize=(3, 2))
    ax.plot([0, 1], [0, 1], label=f"n {text}")
    ax.set_xlabel(text)
    ax.set_xticks([0, 1], labels=[text, "other"])
    ax.text(0, 0, text)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # fonts do not hold everything
        captioned(ax, text)
        keyed(ax, text)
        file = save_figure(ax, tmp_path / "figure.svg")
    plt.close("all")
    ET.parse(file)  # noqa: S314
    assert harmless(file.read_text(encoding="utf-8"))
    for words in (ax.get_xlabel(), ax.get_title("left"), ax.texts[0].get_text()):
        assert harmless(words)
        assert not re.search(r"(?<!\\)\$", words)


@pytest.mark.slow
def test_a_figure_of_the_package_with_names_in_dollars(tmp_path: Path) -> None:
    table = pd.DataFrame({"pay": ["$5_{", "$10^"], "n": [4, 5], "mean": [1.0, 2.0], "se": [0.5, 0.5]})
    ax = cell_means(table, "pay", label="points for $1")
    assert save_figure(ax, tmp_path / "figure.png").stat().st_size > 0
    plt.close("all")


def test_a_study_keeps_it_as_it_is(tmp_path: Path) -> None:
    texts = list(dict.fromkeys(STORABLE.values()))
    games = conform("games", {"game_id": texts, "ended": ["agreement"] * len(texts), "factor": texts})
    one = Study(games=games, provenance=Provenance("".join(texts), "1", notes=tuple(texts)))
    again = open_study(one.save(tmp_path / "study"))
    assert again.games.set_index("game_id")["factor"].to_dict() == {text: text for text in texts}
    assert again.provenance == one.provenance
    assert harmless(repr(again))


@given(st.text())
def test_whatever_it_is(text: str) -> None:
    assert harmless(sanitize.text(text)) or {unicodedata.category(letter) for letter in sanitize.text(text)} & {
        "Cf",
        "Cn",
    }
    assert len(sanitize.line(text, 20)) <= 20
    assert sanitize.text(sanitize.text(text)) == sanitize.text(text)
    assert sanitize.label(sanitize.label(text)) == sanitize.label(text)
    assert json.loads(sanitize.json_text(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize("text", ["\\u0000", "\x00", "a\\\\u0000", "\\\x00", "</script>", "\u202e"])
def test_embedded_json_is_json_whatever_the_text_spells(text: str) -> None:
    dumped = sanitize.embedded_json([text])
    assert json.loads(dumped) == [text.replace("\x00", "\ufffd")]
    assert not set("<>&\x00\u202e") & set(dumped)
