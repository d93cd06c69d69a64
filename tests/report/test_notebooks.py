"""What a notebook shows of results and answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from negstats import datasets, stats
from negstats.analysis.compare import compare


@pytest.fixture(scope="module")
def html() -> str:
    return compare(datasets.robot(), "points", by="condition", who="agent", levels=["CL", "FC"])._repr_html_()


@pytest.mark.slow
def test_an_answer_is_its_sentences_and_its_table(html: str) -> None:
    assert "<i>t</i>(65)\u00a0=\u00a02.46" in html
    assert "<i>d</i><sub>z</sub>" in html
    assert "<table" in html
    assert html.count("<th>CL</th>") == 1


def test_a_result_has_its_symbols_in_italics() -> None:
    test = stats.t_test({"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 7.0]})
    assert test._repr_html_().startswith("<p>TTest: <i>t</i>(")
    assert "&lt;" not in test._repr_html_() or "<i>p</i> &lt; .001" in test._repr_html_()


@pytest.mark.slow
def test_names_that_look_like_markup_are_escaped() -> None:
    study = datasets.robot()
    games = study.games.assign(condition=study.games["condition"].replace({"CL": "<b>CL</b>"}))
    moved = replace(study, games=games)
    html = compare(moved, "points", by="condition", who="agent", levels=["<b>CL</b>", "FC"])._repr_html_()
    assert "<b>CL" not in html
    assert "&lt;b&gt;CL" in html
