from .equilibria import best_responses, equilibria, profile_regret, pure_equilibria, regret, undominated
from .ranking import elimination_order, nash_average, replicator, replicator_rest

__all__ = [
    "best_responses",
    "elimination_order",
    "equilibria",
    "nash_average",
    "profile_regret",
    "pure_equilibria",
    "regret",
    "replicator",
    "replicator_rest",
    "undominated",
]
