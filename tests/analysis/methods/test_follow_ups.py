"""Follow-ups of means: the p of a record and the interval beside it are of one kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from negstats.analysis import run
from tests.analysis.methods.designs import CASES, Case

(GROUPS,) = (case for case in CASES if case.test == "welch_anova")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_games_howell_holds_the_simultaneous_p_beside_the_simultaneous_interval(seed: int) -> None:
    """q = t √2 of three groups (Games and Howell, 1976); an interval holds 0 exactly where p is above α."""
    case: Case = GROUPS
    report = run(case.plan(), case.study(np.random.default_rng(seed)))
    records = [test for test in report.results["questions"][0]["tests"] if test["method"] == "games_howell"]
    assert len(records) == 3
    for record in records:
        (df,) = record["df"]
        p = scipy_stats.studentized_range.sf(abs(record["statistic"]) * np.sqrt(2), 3, df)
        assert record["p"] == pytest.approx(p, abs=1e-6)
        assert record["p"] == record["p_adjusted"]
        assert "(Games–Howell), difference = " in record["apa"]
        low, high = record["estimate"]["low"], record["estimate"]["high"]
        assert (low <= 0 <= high) == (record["p"] >= 0.05)
