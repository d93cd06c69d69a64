"""Pages of fonts whose signs are lost, in five formats: read by what their results show, or said to be unread."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import docx
import pytest

from negstats.audit import Audit, audit_file, audit_text
from negstats.audit.lost_signs import repaired
from tests.audit.test_pdf import drawn, rows

# R: pf(6.36, 1, 127, lower = F) is .0129, 2 * pt(-2.27, 126) is .0249, pf(.85, 2, 127, lower = F) is .4298
LINES = (
    "They differed, F(1, 127) = 6.36, MSE = 2.31, p < .05.",
    "So did these, t(126) = 2.27, p = .025.",
    "It fell, t(126) = -3.61, p < .001.",
    "It held, F(2, 127) = 0.85, p > .30.",
    "More gave more, F(1, 127) = 12.36, p < .001.",
    "Others did, F(1, 127) = 9.11, p < .01.",
    "It was related, r(58) = -.35, p < .01.",
    "They left, χ2(2) = 7.63, p < .05.",
    "They did not, t(126) = 0.41, p = .682.",
    "They gave M = 4.55 of ten, F(1, 127) = 4.20, p = .042.",
    "All was so, F(1, 127) = 15.02, p < .001.",
    "Less was kept, t(126) = -2.10, p = .038.",
)
FONTS: dict[str, Callable[[str], str]] = {
    "signs of order": lambda line: line.replace(" < ", "b").replace(" > ", "N"),
    "elsevier": lambda line: (
        line.replace(" = -", " ¼ À").replace(" = ", " ¼ ").replace(" < ", " o ").replace(" > ", " 4 ")
    ),
    "chicago": lambda line: (
        line.replace(" = -", " p ⫺").replace(" = ", " p ").replace(" < ", " ! ").replace(" > ", " 1 ")
    ),
    "without blanks": lambda line: (
        line.replace(" = -", "ZK").replace(" = ", "Z").replace(" < ", "!").replace(" > ", "O")
    ),
    "numbers of glyphs": lambda line: (
        line.replace(" = -", " (cid:2) (cid:3)")
        .replace(" = ", " (cid:2) ")
        .replace(" < ", " (cid:4) ")
        .replace(" > ", " (cid:5) ")
    ),
}


def as_text(lines: list[str], path: Path) -> Path:
    path.write_text("\n\n".join(lines), encoding="utf-8")
    return path


def as_markup(lines: list[str], path: Path) -> Path:
    head, root = {".html": ("<!doctype html>", "html"), ".xml": ("<?xml version='1.0'?>", "article")}[path.suffix]
    body = "".join(f"<p>{html.escape(line)}</p>\n" for line in lines)
    path.write_text(f"{head}<{root}><body>{body}</body></{root}>", encoding="utf-8")
    return path


def as_word(lines: list[str], path: Path) -> Path:
    document = docx.Document()
    for line in lines:
        document.add_paragraph(line)
    document.save(str(path))
    return path


def as_pdf(lines: list[str], path: Path) -> Path:
    return drawn(path, [rows(lines, 0.1)])


FORMATS = {"txt": as_text, "html": as_markup, "xml": as_markup, "docx": as_word, "pdf": as_pdf}


def read_tests(audit: Audit) -> list[tuple[str, float, str, str]]:
    reports = [(one.reported, one.verdict) for one in audit.results if one.reported.kind != "p"]
    return [(report.kind, float(report.statistic), report.p_relation, verdict) for report, verdict in reports]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("font", FONTS)
def test_pages_of_a_font_in_each_format(tmp_path: Path, font: str, form: str) -> None:
    whole = read_tests(audit_text("\n\n".join(LINES)))
    assert len(whole) == 12
    assert {verdict for *_, verdict in whole} == {"consistent"}
    audit = audit_file(FORMATS[form]([FONTS[font](line) for line in LINES], tmp_path / f"paper.{form}"))
    assert read_tests(audit) == whole, audit.summary()
    assert not audit.unread


def test_what_cannot_be_read_is_counted() -> None:
    audit = audit_text("They differed, F(1, 127) @ 6.36, p ~ .02, in all.")
    assert "no reported results" not in audit.summary()
    assert audit.summary().startswith("text: 1 result is visible and cannot be read")
    both = audit_text("They differed, F(1, 127) @ 6.36, p ~ .02, and t(28) = 2.20, p = .036.")
    assert both.unread == ("F(1, 127) @ 6.36, p ~ .02",)
    assert "1 result is visible" in both.summary()
    assert audit_text("Nothing is counted here.").summary() == "text: no reported results were found"


def test_each_page_is_read_by_its_own_font() -> None:
    lost = "\n".join(FONTS["chicago"](line) for line in LINES)
    whole = "\n".join(LINES)
    text, repairs = repaired(f"{whole}\f{lost}")
    assert text.startswith(whole)
    assert {repair.glyph for repair in repairs} == {"⫺", "p", "!", "1"}
    assert len(audit_text(text)) == 24
    # Two results say too little by themselves; with the other pages of the font they are read.
    few = "\n".join(FONTS["chicago"](line) for line in LINES[:1])
    assert len(read_tests(audit_text(f"{lost}\f{few}"))) == 13


@pytest.mark.parametrize(
    "text", ["p b .05 of t(9) b 3.2, p < .05, and t(8) = 2.2, p = .06.", "At t(23) we saw 5.2, p, .05."]
)
def test_a_text_with_its_signs_keeps_its_letters(text: str) -> None:
    assert repaired(text) == (text, ())
