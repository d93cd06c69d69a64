"""The outcome space behind a session of NegoLog, from its bids alone, and how far its deal lies from the solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from negstats.games.allocations import additive_space
from negstats.games.bargaining import bargaining_points
from negstats.games.pareto import distance_to, distance_to_frontier
from negstats.loaders.files.lines import Line

EXACT = 1e-6


@dataclass(frozen=True, slots=True)
class Distances:
    """Euclidean distances, in utilities, from a deal to the nearest of the outcomes that attain each solution.

    Attributes
    ----------
    nash, welfare, frontier : float
        To the largest product, the largest sum, and the Pareto optimal bids.
    size : int
        How many outcomes there are.
    tied : dict
        For the largest product and sum the distance to each bid that attains it.
    """

    nash: float
    welfare: float
    frontier: float
    size: int
    tied: Mapping[str, npt.NDArray[np.float64]]

    def equals(self, column: str, result: Line | None) -> bool | None:
        """Whether the file's distance is the one to any of the tied bids; None if it has none."""
        distance = None if result is None else result.finite(column)
        return None if distance is None else bool((np.abs(self.tied[column] - distance) <= EXACT).any())


def distances(
    bids: Sequence[Mapping[str, str]], utilities: Sequence[Sequence[float | None]], size: int | None
) -> Distances | None:
    """Return the distances of the last bid; None where the bids do not identify the space, or not all of it.

    Parameters
    ----------
    bids
        The option of each issue.
    utilities
        Both sides' utilities of each bid.
    size
        How many outcomes the domain has, as the platform says; None if it does not.
    """
    issues = list(bids[0])
    if any(set(bid) != set(issues) for bid in bids) or any(None in pair for pair in utilities):
        return None
    table = np.array(utilities, dtype=np.float64)
    space = additive_space([[bid[issue] for issue in issues] for bid in bids], table)
    if space is None or (size is not None and size != len(space.bids)):
        return None
    deal, outcomes = space.of([bids[-1][issue] for issue in issues]), space.utilities
    points = bargaining_points(outcomes, [0, 0], compat="negolog")
    distances_of_ties = {
        "NashDistance": np.linalg.norm(outcomes[points["nash"]] - deal, axis=1),
        "KalaiDistance": np.linalg.norm(outcomes[points["kalai"]] - deal, axis=1),
    }
    return Distances(
        nash=float(distance_to(deal, outcomes[points["nash"]])),
        welfare=float(distance_to(deal, outcomes[points["kalai"]])),
        frontier=float(distance_to_frontier(deal, outcomes)),
        size=len(outcomes),
        tied=distances_of_ties,
    )
