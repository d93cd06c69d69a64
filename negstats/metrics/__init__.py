"""Metrics: what offers, deals, steps and dialogues are like. One concept a file.

Every function takes any frame that narwhals knows (pandas, polars, pyarrow, DuckDB, PySpark) and returns the kind that
it was given, lazy if it was lazy. `MEASURES` has those with one value for each game, seat or offer by name, computed
from the tables of a study. Tables come in one order in every signature: messages, values, offers, items, answers,
players, games, so that what is measured stands before what it is listed by; tables that only add to games are named.
The names are imported on first use: a study is opened and described without a measure.

>>> import pandas as pd
>>> from negstats.metrics import joint_value, measure
>>> players = pd.DataFrame({"game_id": ["g", "g"], "player": ["A", "B"], "points": [6, 4]})
>>> joint_value(players)["joint_value"].tolist()
[10.0]
>>> measure("joint_value").compute({"games": pd.DataFrame({"game_id": ["g"]}), "players": players})
  game_id  joint_value
0       g         10.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.metrics.acts import DIALOGUE_ACTS, act_shares, concessions, information_told, initiative
    from negstats.metrics.agreement import IMPASSE, agreed, walk_away_rate, walked_away
    from negstats.metrics.competitiveness import competitiveness
    from negstats.metrics.definition import YES_NO, Measure
    from negstats.metrics.dialogue import (
        duration,
        median_to_agreement,
        offer_share,
        offers_made,
        to_agreement,
        utterances,
        words_per_utterance,
    )
    from negstats.metrics.efficiency import (
        bargaining_points,
        deal_values,
        distance_to_frontier,
        distance_to_nash,
        pareto_optimal,
    )
    from negstats.metrics.fairness import FEHR_SCHMIDT, fehr_schmidt
    from negstats.metrics.generosity import benefit, generosity
    from negstats.metrics.goal_reaching import commitment_rate, ended_with_commitment, goal_rate, reached_goal
    from negstats.metrics.issues import issue_concessions, issue_trades, logrolling_by_issue
    from negstats.metrics.joint_value import joint_value, mean_joint_value, mean_points, points
    from negstats.metrics.labels import label_names, label_replies, label_shares
    from negstats.metrics.lookup import available, column_of, definition_of, measure, measure_in
    from negstats.metrics.openings import concession_pairs, first_offers
    from negstats.metrics.potential import conflict, distance_to_solution, logrolling, potential_realised
    from negstats.metrics.registry import MEASURES
    from negstats.metrics.scales import subjective_value, svo_slider
    from negstats.metrics.steps import STEPS, step_labels, step_rates

__all__ = [
    "DIALOGUE_ACTS",
    "FEHR_SCHMIDT",
    "IMPASSE",
    "MEASURES",
    "STEPS",
    "YES_NO",
    "Measure",
    "act_shares",
    "agreed",
    "available",
    "bargaining_points",
    "benefit",
    "column_of",
    "commitment_rate",
    "competitiveness",
    "concession_pairs",
    "concessions",
    "conflict",
    "deal_values",
    "definition_of",
    "distance_to_frontier",
    "distance_to_nash",
    "distance_to_solution",
    "duration",
    "ended_with_commitment",
    "fehr_schmidt",
    "first_offers",
    "generosity",
    "goal_rate",
    "information_told",
    "initiative",
    "issue_concessions",
    "issue_trades",
    "joint_value",
    "label_names",
    "label_replies",
    "label_shares",
    "logrolling",
    "logrolling_by_issue",
    "mean_joint_value",
    "mean_points",
    "measure",
    "measure_in",
    "median_to_agreement",
    "offer_share",
    "offers_made",
    "pareto_optimal",
    "points",
    "potential_realised",
    "reached_goal",
    "step_labels",
    "step_rates",
    "subjective_value",
    "svo_slider",
    "to_agreement",
    "utterances",
    "walk_away_rate",
    "walked_away",
    "words_per_utterance",
]

__getattr__, __dir__ = on_first_use(__name__, __file__)
