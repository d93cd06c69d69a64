"""
Concession curves by condition
==============================

One panel for each condition, all with the same axes.
"""

from negstats import datasets, plots

robot = datasets.robot()
offers = robot.offers.merge(robot.games[["game_id", "condition"]]).dropna(subset="condition")
offers = offers[offers["round"] <= 15]
means = offers.groupby(["condition", "proposer", "round"])["value_proposer"].agg(["count", "mean", "sem"]).reset_index()
means = means.rename(columns={"count": "n"})
means = means.assign(low=means["mean"] - 2 * means["sem"], high=means["mean"] + 2 * means["sem"])
labels = ("round", "value to who offers (points)")
plots.concession_panels(offers, means, panels="condition", labels=labels, band_name="± 2 SE")
