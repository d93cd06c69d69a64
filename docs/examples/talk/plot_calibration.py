"""
Calibration of a forecast
=========================

How often a forecast from the talk so far comes true, by how sure it was. On the dashed diagonal it is as often true as
it says. Each forecast is of a talk whose people the model did not see.
"""

import pandas as pd

import negstats
from negstats import estimate, plots

study = negstats.datasets.casino()
joint_value = study.players.groupby("game_id")["points"].sum()
forecast = estimate.forecast(
    study.messages, study.players, joint_value > joint_value.median(), turns=[4, 8], seed=1, n_resamples=199
)
bins = pd.concat(forecast.calibration(turn, bins=4).assign(turn=turn) for turn in (4, 8))
plots.calibration(bins, outcome="joint value above its median", caption="Forecasts after 4 and 8 utterances, CaSiNo")
