"""Correlations of the measures of a plan: between the means of units, and within units as repeated measures have it."""

from __future__ import annotations

import pandas as pd
import pingouin as pg
import pytest

from negstats import datasets
from negstats.analysis import run
from negstats.analysis.correlations import correlate_within
from negstats.analysis.plan.parse import parse

PLAN = parse(
    "[questions]\n"
    'E1 = { asks = "Do longer negotiations bring people less?", measure = "points", who = "human", with = "rounds" }'
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of pingouin's own
def test_correlations_between_and_within_people_are_those_of_pingouin() -> None:
    study = datasets.robot()
    (row,) = (row for row in run(PLAN, study).results["correlations"] if row["r"])
    seats = study.players.loc[study.players["kind"] == "human", ["game_id", "participant_id", "points"]]
    rows = seats.merge(study.games[["game_id", "rounds"]], on="game_id").astype({"points": float, "rounds": float})
    means = rows.groupby("participant_id")[["points", "rounds"]].mean()
    within = pg.rm_corr(rows, "points", "rounds", "participant_id")
    assert row["r"] == pytest.approx([means.corr().iloc[0, 1]])
    assert row["within"] == pytest.approx([float(within["r"].iloc[0])])
    assert (row["n"], row["within_n"]) == ([len(means)], [len(rows)])


def test_units_with_one_row_each_have_nothing_within() -> None:
    one = pd.DataFrame({"unit": ["a", "b"], "game_id": ["g", "h"], "value": [1.0, 2.0]})
    assert correlate_within(one, one) is None
    assert correlate_within(one.drop(columns="game_id"), one) is None
