from .acts import DIALOGUE_ACTS, act_shares, concessions, information_told, initiative
from .definition import YES_NO, Measure
from .dialogue import (
    duration,
    median_to_agreement,
    offer_share,
    offers_made,
    to_agreement,
    utterances,
    words_per_utterance,
)
from .efficiency import (
    bargaining_points,
    deal_values,
    distance_to_frontier,
    distance_to_nash,
    distance_to_solution,
    pareto_optimal,
)
from .fairness import FEHR_SCHMIDT, fehr_schmidt
from .gains import conflict, logrolling, potential_realised
from .generosity import benefit, competitiveness, generosity
from .issues import issue_concessions, issue_trades, logrolling_by_issue
from .labels import label_names, label_replies, label_shares
from .lookup import available, column_of, definition_of, measure, measure_in
from .openings import concession_pairs, first_offers
from .outcomes import (
    IMPASSE,
    agreed,
    commitment_rate,
    ended_with_commitment,
    goal_rate,
    joint_value,
    mean_joint_value,
    mean_points,
    points,
    reached_goal,
    walk_away_rate,
    walked_away,
)
from .registry import MEASURES
from .scales import subjective_value, svo_slider
from .steps import STEPS, step_labels, step_rates

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
