"""
Stacked proportions
===================

The share of each answer in each group, with intervals at the boundaries.
"""

import pandas as pd

from negstats import datasets, plots

casino = datasets.casino()
words = ["Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"]
answers = casino.answers.query("question == 'satisfaction'").merge(casino.games[["game_id", "ended"]])
counts = pd.crosstab(answers["ended"], answers["answer"])[words].rename_axis(columns="satisfaction")
plots.stacked_proportions(
    counts, label="seats", confidence_level=None, caption="CaSiNo: satisfaction by how the talk ended"
)
