"""Figures of questions: each kind draws what the results say, as files and inside the page, free of styles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from lxml import etree
from matplotlib.collections import PolyCollection
from scipy import special

from negstats import plots
from negstats.analysis.answers import Answer, Report
from negstats.analysis.plan.model import Measure, Plan, Question
from negstats.report.figure_kinds import DRAWN
from negstats.report.figure_view import View
from negstats.report.figures import ENDINGS, Shown, draw_svg, figures_of, inline_svg
from negstats.report.residual_figures import PANELS, residual_figures, residuals
from tests.analysis.methods.designs import Case, report_of, together
from tests.report.page.reports import assembled, entry_of, synthetic

STUDY = synthetic(6)


@pytest.fixture(autouse=True)
def files_without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `plots.save_figure` writes is tested with it and with the folder; here it would take most of the time."""

    def touched(_: object, path: Path) -> Path:
        path.touch()
        return path

    plt.close("all")  # those of other tests
    monkeypatch.setattr(plots, "save_figure", touched)


def asked(figure: Any, values: pd.DataFrame, factors: dict[str, str], **question: Any) -> tuple[Report, Answer]:
    """A report of one question, with cells counted from its values."""
    plan = Plan(
        questions={"Q": Question("?", "points", **question)},
        measures={"points": Measure("points", scale=("bad", "good"))},
    )
    cells = []
    if "value" in values.columns:
        for levels, rows in values.groupby(list(factors)) if factors else [((), values)]:
            value = rows["value"].astype(float)
            cell = {
                "n": len(rows),
                "mean": value.mean(),
                "sd": value.std(),
                "low": value.mean() - 1,
                "high": value.mean() + 1,
            }
            share = {"n": len(rows), "count": int(value.sum()), "share": value.mean(), "low": 0.1, "high": 0.9}
            cells.append({"levels": dict(zip(factors, levels, strict=True)), **(share if figure == "bars" else cell)})
    lies = [{"name": name, "lies": how, "levels": sorted(values[name].unique())} for name, how in factors.items()]
    estimate = {"name": "difference", "value": 0.1, "low": -0.2, "high": 0.4, "level": 0.9}
    tests = [{"address": "Q", "role": "answer", "estimate": estimate}]
    entry = entry_of("Q", lies, cells, n_units=9, units="participant", tests=tests)
    report = assembled(plan, STUDY, [entry], {"Q": (figure, values)})
    return report, report.answers["Q"]


def people(n: int = 12, seed: int = 1, **columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"unit": [f"p{place}" for place in range(n)], "value": rng.normal(10, 2, n), **columns})


def twice(n: int = 8) -> pd.DataFrame:
    both = pd.concat([people(n, time="before"), people(n, 2, time="after")])
    return both.assign(group=np.tile(["a", "b"], n))


CASES: dict[str, tuple[Any, pd.DataFrame, dict[str, str], dict[str, Any], list[str]]] = {
    "two groups": ("points", people(g=["a", "b"] * 6), {"g": "between"}, {"by": ("g",)}, ["Q"]),
    "one group": ("points", people(), {}, {}, ["Q"]),
    "pairs": ("lines", twice(), {"time": "within"}, {"by": ("time",)}, ["Q"]),
    "mixed": (
        "lines",
        twice(),
        {"time": "within", "group": "between"},
        {"by": ("time", "group")},
        ["Q"],
    ),
    "cells": (
        "cells",
        people(g=["a", "b"] * 6, h=["x", "x", "y", "y"] * 3),
        {"g": "between", "h": "between"},
        {},
        ["Q"],
    ),
    "three factors": (
        "cells",
        people(16, g=["a", "b"] * 8, h=["x", "x", "y", "y"] * 4, k=["1"] * 8 + ["2"] * 8),
        {"g": "between", "h": "between", "k": "between"},
        {},
        ["Q"],
    ),
    "shares": ("bars", people(g=["a", "b"] * 6).assign(value=[0, 1, 1] * 4), {"g": "between"}, {}, ["Q"]),
    "answers": ("answers", people(g=["a", "b"] * 6).assign(value=[1.0, 2, 2] * 4), {"g": "between"}, {}, ["Q"]),
    "scatter": ("scatter", people(points=np.arange(12.0)), {}, {"with_": ("points",)}, ["Q"]),
    "two predictors": (
        "scatter",
        people(a=np.arange(12.0), b=np.arange(12.0) ** 2, g=["a", "b"] * 6),
        {"g": "between"},
        {"with_": ("a", "b")},
        ["Q"],
    ),
    "curves": (
        "curves",
        pd.DataFrame(
            {
                "unit": range(8),
                "time": range(1, 9),
                "ended": ["agreement", "walkaway"] * 4,
                "g": ["a", "a", "b", "b"] * 2,
            }
        ),
        {"g": "between"},
        {},
        ["Q"],
    ),
    "competing": (
        "curves",
        pd.DataFrame(
            {
                "unit": range(12),
                "time": [3, 5, 2, 8, 9, 4, 7, 6, 1, 5, 9, 2],
                "ended": ["agreement", "walkaway", "timeout"] * 4,
                "g": ["a", "b"] * 6,
            }
        ),
        {"g": "between"},
        {},
        ["Q"],
    ),
    "yes over a number": (
        "curves",
        people(60, talk=np.arange(60.0)).assign(value=[0, 1] * 30),
        {},
        {"with_": ("talk",)},
        ["Q"],
    ),
    "equivalence": (
        "lines",
        twice(),
        {"time": "within"},
        {"by": ("time",), "equivalent": 0.5},
        ["Q", "Q.difference"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_each_kind_is_drawn(case: str, tmp_path: Path) -> None:
    figure, values, factors, question, names = CASES[case]
    report, answer = asked(figure, values, factors, **question)
    shown, gone = figures_of(report, answer, tmp_path)
    assert gone == []
    assert [one.name for one in shown] == names
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}{ending}" for name in names for ending in ENDINGS}
    check_svg(shown)


def check_svg(shown: Sequence[Shown]) -> None:
    """Assert that figures were closed, and that each has its text, ids of its own and no link to others."""
    assert not plt.get_fignums()
    for one in shown:
        tree = etree.fromstring(one.svg)
        assert tree.get("role") == "img"
        assert one.title in str(tree.get("aria-label"))
        assert not [name for element in tree.iter() for name in element.attrib if name in ("style", "class")]
        ids = [element.get("id") for element in tree.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        assert all(str(name).startswith(f"{one.name}-") for name in ids)
        known = {f"#{name}" for name in ids}
        for element in tree.iter():
            assert element.get("href") in known | {None}
            assert element.get("clip-path") in {f"url({name})" for name in known} | {None}


@pytest.mark.slow
def test_within_units_points_are_joined(tmp_path: Path) -> None:
    report, answer = asked("points", twice(), {"time": "within"}, by=("time",))
    shown, _ = figures_of(report, answer, tmp_path)
    assert "Left: each line is one of 8 people" in shown[0].note


@pytest.mark.slow
def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    report, answer = asked("points", people(4, g=["a", "b"] * 2).assign(value=1.0), {"g": "between"})
    shown, gone = figures_of(report, answer, tmp_path)
    assert [one.name for one in shown] == ["Q"]
    assert gone == []
    shown, gone = residual_figures(report, tmp_path)
    assert shown == []
    assert gone == ["Residuals of Q were not drawn: 4 residuals, 1 different; give three that differ."]
    assert figures_of(report, replace(answer, figure=None), tmp_path) == ([], [])


def test_letters_that_the_font_lacks_are_said(tmp_path: Path) -> None:
    report, answer = asked("points", people(g=["漢字", "b"] * 6), {"g": "between"})
    _, gone = figures_of(report, answer, tmp_path)
    assert gone == ["Q: the figure's font lacks some letters of its labels."]


@pytest.mark.slow
def test_long_names_are_whole(tmp_path: Path) -> None:
    long = "a name that is much longer than a figure has room for"
    report, answer = asked("points", people(g=[f"{long} one", f"{long} two"] * 6), {"g": "between"})
    shown, gone = figures_of(report, answer, tmp_path)
    assert gone == []
    texts = ["".join(element.itertext()) for element in etree.fromstring(shown[0].svg).iter("{*}text")]
    whole = " ".join(text.strip() for text in texts)
    assert f"{long} one" in whole
    assert f"{long} two" in whole


def test_a_user_s_text_is_text_in_a_figure() -> None:
    _, ax = plt.subplots()
    ax.set_title("<script>alert(1)</script> ]]> --> & $x$".replace("$", r"\$"))
    text = inline_svg(draw_svg(ax), "H1", '"><script>')
    plt.close("all")
    assert "<script" not in text
    assert (
        "".join(etree.fromstring(text).find(".//{*}g[@id='H1-axes_1']").itertext()).count(
            "<script>alert(1)</script> ]]>"
        )
        == 1
    )


def test_shares_of_rows_are_no_shares_of_people_and_have_no_interval() -> None:
    rows = pd.concat([people(12, g=["a", "b"] * 6).assign(value=[0.0, 1.0, 1.0] * 4)] * 20)
    _, answer = asked("bars", rows, {"g": "between"})
    report, once = asked("bars", rows.drop_duplicates("unit"), {"g": "between"})
    assert View(report, answer).counted(len(rows)) == ("values of 9 people", None)
    assert View(report, once).counted(12) == ("people", 0.95)
    ax, _ = DRAWN["bars"](View(report, answer))
    assert "values of 9 people" in plots.take_caption(ax)
    assert not any(one.has_xerr or one.has_yerr for one in ax.containers)  # type: ignore[attr-defined]


@pytest.mark.parametrize("figure", ["lines", "points"])
def test_residuals_of_a_paired_test_are_those_of_the_differences(figure: str) -> None:
    report, answer = asked(figure, twice(8).drop(columns="group"), {"time": "within"})
    values, what = residuals(View(report, answer))
    assert what == "difference of a pair"
    assert len(values) == 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("questions", "figures"), [(1, 1), (4, 1), (PANELS, 1), (PANELS + 1, 2)], ids=lambda count: str(count)
)
def test_residuals_of_all_questions_share_a_figure(questions: int, figures: int, tmp_path: Path) -> None:
    report, answer = asked("points", people(g=["a", "b"] * 6), {"g": "between"})
    shares = replace(answer, id="S", figure="bars")
    answers = {
        f"Q{place}": replace(answer, id=f"Q{place}", entry={**answer.entry, "measure": f"points of game {place}"})
        for place in range(questions)
    }
    shown, gone = residual_figures(replace(report, answers={"S": shares, **answers}), tmp_path)
    assert gone == []
    assert [one.name for one in shown] == ["appendix.residuals", "appendix2.residuals"][:figures]
    assert {path.name for path in tmp_path.iterdir()} == {f"{one.name}{end}" for one in shown for end in ENDINGS}
    check_svg(shown)
    table = pd.concat([pd.read_csv(tmp_path / f"{one.name}.csv") for one in shown])
    assert list(table["question"].unique()) == list(answers)
    left = answer.values["value"] - answer.values.groupby("g")["value"].transform("mean")  # noqa: PD011 - a frame
    for _, rows in table.groupby("question"):
        assert list(rows["value"]) == pytest.approx(sorted(left))


@pytest.mark.slow
@pytest.mark.parametrize(("test", "working"), [("gee", "Exchangeable"), ("logistic", "Independence")])
def test_the_band_of_linked_yes_or_no_is_that_of_errors_by_cluster(test: str, working: str) -> None:
    """Mancl and DeRouen's covariance ("bias_reduced" in statsmodels) and t on clusters less coefficients."""
    import statsmodels.api as sm

    question = f'with = "age"\ntest = "{test}"'
    report = report_of(Case(35, test, together(2), question, kind="yes/no", n=60))
    view = View(report, report.answers["Q"])
    ax, rows = DRAWN["bars"](view)
    x, clusters = rows["age"].to_numpy(dtype=float), rows["unit"].nunique()
    columns = np.column_stack([np.ones(len(x)), x - x.mean()])
    equations = sm.GEE(
        rows["value"].to_numpy(dtype=float),
        columns,
        groups=pd.factorize(rows["unit"])[0],
        family=sm.families.Binomial(),
        cov_struct=getattr(sm.cov_struct, working)(),
    )
    fit = equations.fit(cov_type="bias_reduced", maxiter=500, ctol=1e-12)
    [curve] = [line for line in ax.lines if line.get_label() == "_curve"]
    places, shares = (np.asarray(one, dtype=float) for one in curve.get_data())
    design = np.column_stack([np.ones(len(places)), places - x.mean()])
    reach = special.stdtrit(clusters - 2, 0.975) * np.sqrt(np.diag(design @ fit.cov_params() @ design.T))
    [band] = [one for one in ax.collections if isinstance(one, PolyCollection)]
    outline = np.asarray(band.get_paths()[0].vertices)
    np.testing.assert_allclose(shares, 100 * special.expit(design @ fit.params), rtol=1e-7)
    drawn = [outline[np.isclose(outline[:, 0], place), 1] for place in places]
    for sign, ends in ((-1, [one.min() for one in drawn]), (1, [one.max() for one in drawn])):
        np.testing.assert_allclose(ends, 100 * special.expit(design @ fit.params + sign * reach), rtol=1e-6)
