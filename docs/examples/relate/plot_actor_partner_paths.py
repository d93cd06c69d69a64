"""
Actor and partner paths
=======================

The effect of each seat's value on its own outcome and on the partner's; a path whose p is not below .05 is dashed.
"""

from negstats import datasets, plots, stats

casino = datasets.casino()
first = casino.offers.sort_values("offer").groupby(["game_id", "proposer"], as_index=False)["value_proposer"].first()
pairs = casino.players.merge(first, left_on=["game_id", "player"], right_on=["game_id", "proposer"])
pairs = pairs[pairs.groupby("game_id")["player"].transform("size") == 2]
result = stats.actor_partner(pairs, "points", "value_proposer", pair="game_id")
plots.actor_partner_paths(
    result,
    predictor="first offer",
    outcome="points",
    caption=f"CaSiNo, {pairs['game_id'].nunique()} pairs in which both made offers",
)
