"""Dunnett's comparisons with one control, against R's mvtnorm and Dunnett's own table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special

from negstats.errors import DesignError
from negstats.stats import Cells, dunnett, linear_model, pairwise
from negstats.stats.contrasts.contrast import all_within, critical_t
from tests.conftest import reference

R: dict[str, Any] = reference("together")


@pytest.mark.parametrize("case", R["dunnett"], ids=lambda case: f"{len(case['t'])} against one")
def test_it_agrees_with_r(case: dict[str, Any]) -> None:
    result = dunnett(pd.DataFrame({"g": case["g"], "y": case["y"]}), "y", "g", specs="g", control="a")
    assert result.statistic == pytest.approx(np.array(case["t"], dtype=float))
    assert result.p_adjusted == pytest.approx(np.ravel(case["p"]), abs=1e-5)  # R's is drawn
    reach = critical_t("dunnett", 0.95, result.df[:1], result.family)[0]
    assert 1 - all_within(float(reach), float(result.df[0]), result.family.shared) == pytest.approx(0.05, rel=1e-10)


def test_the_published_table() -> None:
    # Dunnett (1964), Biometrics 20, table of two-sided 5 %: df 20 and 60, two to five treatments, equal n
    table = {20: (2.38, 2.54, 2.65, 2.73), 60: (2.27, 2.41, 2.51, 2.58)}
    for df, row in table.items():
        for k, value in enumerate(row, start=2):
            assert 1 - all_within(value, df, (0.5**0.5,) * k) == pytest.approx(0.05, abs=6e-4)


def test_one_treatment_is_the_t_test_and_the_family_is_simultaneous() -> None:
    assert 1 - all_within(2.2, 7.5, (0.6,)) == pytest.approx(2 * special.stdtr(7.5, -2.2), rel=1e-10)
    cells = Cells.from_table(n=[8, 9, 10], mean=[1, 2, 2.5], sd=1, factors={"g": ["a", "b", "c"]})
    result = dunnett(cells, specs="g", control="a")
    tukey, holm = pairwise(cells, specs="g"), pairwise(cells, specs="g", adjust="bonferroni")
    assert (result.p_adjusted < tukey.p_adjusted[:2]).all()
    assert (result.p_adjusted < holm.p_adjusted[:2]).all()
    ends = result.confidence_interval()
    excludes = (np.asarray(ends.low) > 0) | (np.asarray(ends.high) < 0)
    assert (excludes == (result.p_adjusted < 0.05)).all()


def test_what_it_refuses() -> None:
    cells = Cells.from_table(n=[8, 9, 10], mean=[1, 2, 2.5], sd=1, factors={"g": ["a", "b", "c"]})
    with pytest.raises(DesignError, match="'g' has no level 'z'"):
        dunnett(cells, specs="g", control="z")
    with pytest.raises(DesignError, match="call dunnett"):
        pairwise(cells, specs="g", adjust="dunnett")
    rows = {"g": list("aabbcc"), "x": [1, 2, 3, 1, 2, 4], "y": [1, 3, 2, 5, 4, 7]}
    with pytest.raises(DesignError, match="adjust='holm'"):
        dunnett(linear_model(rows, "y ~ g + x"), specs="g", control="a")
