"""Forms that were read wrongly: thousands, corrected p, comments, indices of effects, lost exponents, JATS and TEI."""

from __future__ import annotations

from pathlib import Path

import pytest

from negstats.audit import Checked, audit_file, audit_text
from negstats.errors import LogError
from negstats.printed_numbers import printed


def only(text: str) -> Checked:
    (result,) = audit_text(text).results
    return result


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("F(1, 473) = 3,193, p < .001", 3193),
        ("p < .001, F(1, 473) = 3,193.", 3193),
        ("χ²(28) = 5,195, *p* < .001", 5195),
        ("F(1, 473) = 12,193.4, p < .001", 12193.4),
        ("t(28) = −1,234; p < .001", -1234),
        ("t(28) = 2,20, p = ,036", 2.20),
        ("r(28) = 0,361, p = 0,050", 0.361),
        ("r(28) = ,361, p = ,05", 0.361),
        ("t(28) = 1,234, p = 0,227", 1.234),  # where p has a decimal comma, so has t
    ],
)
def test_commas_in_values(text: str, value: float) -> None:
    checked_result = only(text)
    assert float(checked_result.reported.statistic) == value
    assert checked_result.verdict == "consistent", checked_result.why


@pytest.mark.parametrize(
    "p",
    [
        "p corr = .109",
        "p_corr = .109",
        "$p_{\\text{corr}} = .109$",
        "p~corr~ = .109",
        "p<sub>corr</sub> = .109",
        "p_FDR = .109",
        "p_adj = .109",
        "p_Holm = .109",
        "p_FWE = .109",
        "corr. p = .109",
    ],
)
def test_corrected_p(p: str) -> None:
    assert only(f"They differed, t(28) = 2.20, {p}.").verdict == "consistent"
    assert only(f"They differed, t(28) = 2.20, {p.replace('.109', '.009')}.").flagged  # no correction makes p less


@pytest.mark.parametrize("p", ["uncorrected p = .109", "p = .109 (uncorrected)", "p = .109 (correlated)"])
def test_what_is_no_correction(p: str) -> None:
    assert only(f"They differed, t(28) = 2.20, {p}.").verdict == "decision error"


@pytest.mark.parametrize(
    "text",
    [
        "\\emph{So}, $t(28) = 2.20$, $p = .036$ % t(28) = 9, p = .9\nand on.",
        "\\emph{So}, $t(28) = 2.20$,\n% F(1, 28) = 9.00, p = .9\n$p = .036$.",
        "So, t(28) = 2.20, p = .036\n% F(1, 28) = 9.00, p = .9\nand on.",
        "So, t(28) = 2.20, p = .036 % F(1, 28) = 9.00",
        "So, t(28) = 2.20, p = 3.6 %, in 45% of them.",
    ],
)
def test_comments_and_per_cent(text: str) -> None:
    checked_result = only(text)
    assert checked_result.verdict == "consistent", checked_result.why


def test_comments_keep_the_lines() -> None:
    checked_result = only("\\documentclass{article}\n% one\n  % two\nSo, 5\\% of them, $t(28) = 2.20$,\n$p = .036$.")
    assert checked_result.reported.place == 4


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("d z = 1.57 p < .001", "p"),
        ("F(2, 1114) = 1.64 R2 = .004 (P = .438)", "p"),
        ("t(28) = 8.40, d z = 1.57, p < .001", "t"),
        ("F(2, 38) = 4.10, ηp² = .18 (p = .024)", "f"),
    ],
)
def test_indices_and_other_quantities(text: str, kind: str) -> None:
    checked_result = only(f"So it was, {text}.")
    assert checked_result.reported.kind == kind
    assert not checked_result.flagged


@pytest.mark.parametrize("p", ["3 8 10 9", "3 8 10 -9", "3 × 10", "1.0e5", "2.1 × 10 5"])
def test_a_lost_exponent_is_no_impossible_p(p: str) -> None:
    checked_result = only(f"So, z = 5.93, p = {p}.")
    assert checked_result.verdict == "not checkable"
    assert p in checked_result.why


def test_p_above_one_stays_impossible() -> None:
    assert only("So, z = 5.93, p = 4.").verdict == "impossible"
    assert only("So, z = 5.93, p = 3.").verdict == "not checkable"  # 3.0e-9
    assert only("So, z = 5.93, p = 1.2.").verdict == "impossible"


def test_an_exact_edge_is_the_same_for_papers_and_audit() -> None:
    assert printed("59.1").agrees(59.05)
    assert (printed("1e5").low, printed("1e5").high) == (50_000, 150_000)


@pytest.mark.parametrize(
    ("text", "kind", "df"),
    [
        ("ts(23) > 4.40, ps < .001", "t", [23]),
        ("Fs(1, 38) < 1, ps > .32", "f", [1, 38]),
        ("f(1, 38) = 4.41, p = .042", "f", [1, 38]),
        ("F1(1, 28) = 4.84, p = .036", "f", [1, 28]),
        ("$F_2(1, 28) = 4.84$, $p = .036$", "f", [1, 28]),
        ("F_GG(1.29, 3.87) = 21.00, p = .010", "f", [1.29, 3.87]),
        ("x2(1) = 3.84, p = .050", "chi2", [1]),
        ("c 2 (2) = 7.63, p = .022", "chi2", [2]),
        ("χ(2, N = 524) = 7.63, p = .022", "chi2", [2]),
        ("Q_M(1) = 3.84, p = .050", "q", [1]),
        ("$Q_{b}(1) = 3.84$, $p = .050$", "q", [1]),
        ("r_pb(28) = .38, p = .038", "r", [28]),
        ("t(28) = 2.20, p ˂ .05", "t", [28]),
        ("F (1–28) = 4.84, P = .036", "f", [1, 28]),
        ("F change (1, 28) = 4.84, p = .036", "f", [1, 28]),
        ("F-change(1,28) = 4.84, p = .036", "f", [1, 28]),
        ("t(28) = 3.80, p = < .001", "t", [28]),
    ],
)
def test_notations(text: str, kind: str, df: list[float]) -> None:
    checked_result = only(f"So it was, {text}.")
    assert (checked_result.reported.kind, [float(x) for x in checked_result.reported.df]) == (kind, df)
    assert checked_result.verdict == "consistent", checked_result.why


def test_an_f_with_n_but_without_the_df_of_its_error() -> None:
    checked_result = only("F(1, N = 73) = 4.07, ns.")
    assert (checked_result.reported.kind, checked_result.reported.df, checked_result.reported.n) == ("f", (), 73)
    assert checked_result.verdict == "not checkable"


@pytest.mark.parametrize("text", ["f(x, y) = 2, p = .3", "the area is x2 = 3, p = .2", "f(1) = 3 and p = .3"])
def test_letters_of_functions_are_no_statistics(text: str) -> None:
    assert only(f"So, {text}.").reported.kind == "p"


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


def test_jats(tmp_path: Path) -> None:
    path = tmp_path / "paper.xml"
    path.write_text(JATS, encoding="utf-8")
    audit = audit_file(path)
    assert [(r.reported.kind, r.reported.place, r.verdict) for r in audit.results] == [
        ("t", 4, "consistent"),
        ("chi2", 8, "decision error"),
        ("f", 10, "consistent"),
    ]


def test_tei(tmp_path: Path) -> None:
    path = tmp_path / "paper.tei"
    path.write_text(TEI, encoding="utf-8")
    (result,) = audit_file(path).results
    assert (result.reported.kind, result.reported.place, result.verdict) == ("t", 2, "consistent")


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
