"""
Cumulative incidence of competing ends
======================================

Walking away ends a dialogue without an agreement: the cumulative incidence of each end.
"""

from negstats import datasets, metrics, plots, stats

casino = datasets.casino()
talks = metrics.utterances(casino.messages, casino.games).merge(casino.games[["game_id", "ended"]])
incidence = stats.cumulative_incidence(talks, "utterances", "ended", "agreement")
plots.time_curves(incidence, label="utterances", caption="CaSiNo: agreement and walking away")
