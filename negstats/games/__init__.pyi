from .allocations import LIMIT, choice_utilities, choices, division_utilities, divisions
from .bargaining import SOLUTIONS, bargaining_points, egalitarian, kalai_smorodinsky, nash, utilitarian
from .pareto import distance_to, distance_to_frontier, dominated, frontier, minkowski_sum, pareto_optimal

__all__ = [
    "LIMIT",
    "SOLUTIONS",
    "bargaining_points",
    "choice_utilities",
    "choices",
    "distance_to",
    "distance_to_frontier",
    "division_utilities",
    "divisions",
    "dominated",
    "egalitarian",
    "frontier",
    "kalai_smorodinsky",
    "minkowski_sum",
    "nash",
    "pareto_optimal",
    "utilitarian",
]
