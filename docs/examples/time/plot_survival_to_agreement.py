"""
Survival curves: time to agreement
==================================

The share of games that have not yet agreed; games that end otherwise are marked.
"""

from negstats import datasets, plots

games = datasets.robot().games.dropna(subset="condition")
games = games.assign(agreed=games["ended"] == "agreement")
plots.survival_to_agreement(games, by="condition", label="rounds", caption="Robot study: all games ended in agreement")
