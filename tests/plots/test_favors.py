"""Figures of the favor game: what is drawn is what the tables say, with sessions as units and texts apart."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from negstats.metrics import favors
from negstats.plots import joint_value_by_condition, ledger_over_time, state_acceptance
from negstats.simulate.favors import as_study, favor_cells
from negstats.studies.study import Study
from tests.plots.drawing import bars, clashes


@pytest.fixture(scope="module")
def study() -> Study:
    return as_study(favor_cells(seed=1))


@pytest.mark.slow
def test_the_ledger_has_a_mean_and_an_interval_of_sessions(study: Study) -> None:
    owed = favors.ledger(study.games, study.offers, study.players)
    conditions = study.games.drop_duplicates("session")[["session", "condition"]]
    table = owed.merge(conditions, on="session")
    ax = ledger_over_time(table, "condition", caption="Favors owed, synthetic")
    assert clashes(ax) == []
    first = table[(table["condition"] == "betraying") & (table["negotiation"] == 1)]["ledger"]
    drawn = bars(ax)[0]
    reach = stats.t.ppf(0.975, len(first) - 1) * stats.sem(first)
    np.testing.assert_allclose(drawn, [first.mean(), first.mean() - reach, first.mean() + reach])
    assert ax.get_xticklabels()[0].get_text() == "1\nn = 40 / 41 / 48 / 38"


@pytest.mark.slow
def test_acceptance_by_state_is_the_rates(study: Study) -> None:
    rates = favors.acceptance_by_state(study.games, study.offers, study.players)
    ax = state_acceptance(rates, caption="synthetic")
    assert clashes(ax) == []
    np.testing.assert_allclose(bars(ax), rates[["rate", "low", "high"]].to_numpy())
    assert "95% CI (Wilson)" in ax.get_title(loc="left")


@pytest.mark.slow
def test_printed_means_lie_over_their_level(study: Study) -> None:
    sessions = favors.session_points(study.games, study.players, ["language", "returns"], negotiations=[5])
    sessions = sessions.drop_duplicates("session")
    ax = joint_value_by_condition(sessions, printed={"generic": 22.19, "favor": 25.03}, caption="synthetic")
    assert clashes(ax) == []
    by_cell = sessions.groupby(["language", "returns"], sort=False)["joint_value"].mean()
    assert sorted(bar[0] for bar in bars(ax)) == pytest.approx(sorted(by_cell))
    marks = next(one for one in ax.collections if one.get_label() == "printed (mell2015)")
    places = [path.vertices for path in marks.get_paths()]
    levels = [text.get_text().split("\n")[0] for text in ax.get_xticklabels()]
    found = {levels[round(float(np.mean(place[:, 0])))]: float(place[0, 1]) for place in map(np.asarray, places)}
    assert found == {"generic": 22.19, "favor": 25.03}
