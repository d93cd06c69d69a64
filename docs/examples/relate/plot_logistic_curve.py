"""
Logistic curve
==============

The fitted curve with its band over the observed range, and each dialogue as a marker. CaSiNo.
"""

from negstats import datasets, metrics, plots

study = datasets.casino()
table = metrics.measure("conflict_opposition").compute(study.tables).merge(study.games, on="game_id")
table["agreed"] = table["ended"].eq("agreement").astype(float)
labels = ("conflict of priorities (0 to 1)", "talks that agreed")
plots.logistic_curve(table, x="conflict_opposition", y="agreed", labels=labels, unit="talks")
