"""Figures: each file draws one kind, from a finished table to a matplotlib Axes.

Glossary
--------
panel : one of several Axes of a figure; *mark* : what stands for one unit; *band* : an interval around a curve or line;
*strip* : where units with yes or no stand above or below a curve; *caption* : what the title of the Axes says beside
the given text; *own* : the colours and marks of the groups of a figure.
"""

from negstats.plots.acceptance import acceptance_curve, person_curves, thresholds
from negstats.plots.actor_partner import actor_partner_paths
from negstats.plots.cells import cell_means
from negstats.plots.comparison import group_comparison, paired_comparison, paired_table
from negstats.plots.concession import concession_curves, concession_panels, offer_paths
from negstats.plots.curves import curves
from negstats.plots.favors import joint_value_by_condition, ledger_over_time, state_acceptance
from negstats.plots.forest import forest
from negstats.plots.graphs import best_response_graph, game_graph
from negstats.plots.heatmap import agent_heat_map, payoff_heat_map, transition_heat_map
from negstats.plots.logistic import logistic_curve
from negstats.plots.mosaic import mosaic
from negstats.plots.outcomes import outcome_space, satisfaction_plane
from negstats.plots.proportions import ordered_answers, shares, stacked_proportions
from negstats.plots.relation import relation
from negstats.plots.residuals import calibration, limits_of_agreement, prior_robustness, residual_quantiles
from negstats.plots.simplex import strategy_simplex
from negstats.plots.style import save_figure, take_caption
from negstats.plots.survival import survival_to_agreement, time_curves
from negstats.plots.timeline import talk_timeline

__all__ = [
    "acceptance_curve",
    "actor_partner_paths",
    "agent_heat_map",
    "best_response_graph",
    "calibration",
    "cell_means",
    "concession_curves",
    "concession_panels",
    "curves",
    "forest",
    "game_graph",
    "group_comparison",
    "joint_value_by_condition",
    "ledger_over_time",
    "limits_of_agreement",
    "logistic_curve",
    "mosaic",
    "offer_paths",
    "ordered_answers",
    "outcome_space",
    "paired_comparison",
    "paired_table",
    "payoff_heat_map",
    "person_curves",
    "prior_robustness",
    "relation",
    "residual_quantiles",
    "satisfaction_plane",
    "save_figure",
    "shares",
    "stacked_proportions",
    "state_acceptance",
    "strategy_simplex",
    "survival_to_agreement",
    "take_caption",
    "talk_timeline",
    "thresholds",
    "time_curves",
    "transition_heat_map",
]
