"""
Mosaic plot
===========

Areas are counts; hatches and colours say where there are more or fewer than expected, and white where that may be
chance.
"""

import pandas as pd

from negstats import datasets, plots, stats

casino = datasets.casino()
one = casino.players.drop_duplicates("game_id")["participant_id"]  # the two of a talk are not independent
rows = casino.answers[casino.answers["participant_id"].isin(one)]
said = rows.pivot_table(index=["participant_id"], columns="question", values="answer", aggfunc="first")
likes = said["opponent_likeness"].where(said["opponent_likeness"].isin(["Extremely like", "Slightly like"]), "less")
content = said["satisfaction"].where(said["satisfaction"] == "Extremely satisfied", "less").str.lower()
counts = pd.crosstab(content, likes.str.lower())[["extremely like", "slightly like", "less"]]
names = {"satisfaction": list(counts.index), "partner": list(counts.columns)}
test = stats.chi_squared(stats.Counts.from_table(counts.to_numpy(), names))
plots.mosaic(test, caption="CaSiNo, one seat a talk: satisfaction, and whether the partner is liked")
