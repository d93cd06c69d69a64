"""
Shares with their intervals
===========================

The share of each group as a point with Wilson's interval: dialogues of CaSiNo that ended because somebody walked
away.
"""

from negstats import datasets, plots

games = datasets.casino().games
walked = games["ended"].eq("walkaway").groupby(games["split"]).agg(yes="sum", n="size")
plots.shares(walked, label="talks walked away from", unit="talks")
