"""
Concession curves
=================

A thin line for each game, and thick lines for the mean of each side.
"""

from negstats import datasets, plots

robot = datasets.robot()
offers = robot.offers[robot.offers["round"] <= 20]
means = offers.groupby(["proposer", "round"])["value_proposer"].agg(["count", "mean", "sem"]).reset_index()
means = means.rename(columns={"count": "n"}).assign(
    low=means["mean"] - 2 * means["sem"], high=means["mean"] + 2 * means["sem"]
)
plots.concession_curves(
    offers,
    means,
    labels=("round", "value to who offers (points)"),
    band_name="± 2 SE",
    caption="Robot study, the first 20 rounds",
)
