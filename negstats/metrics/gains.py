"""What there was to gain in a game, and how much of it was gained: potential, trades between issues, conflict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, meant, shown
from negstats.metrics._frames import collected
from negstats.metrics.efficiency import Numbers, batna_of, measure_spaces, point_of
from negstats.metrics.outcomes import IMPASSE
from negstats.metrics.spaces import Spaces

Conflict: TypeAlias = Literal["opposition", "axelrod", "correlation"]
# A difference of utilities below this share of the largest is rounding.
ROUNDING = 8 * float(np.finfo(np.float64).eps)


def potential_realised(
    values: IntoFrameT, offers: IntoFrame, items: IntoFrame, players: IntoFrame, games: IntoFrame
) -> IntoFrameT:
    """Return the share of each game's integrative potential that its deal realised.

    (J − J₀)/(J* − J₀) with J the deal's joint value, J* the largest there is, and J₀ the sum of the BATNAs. Unit: a
    share; 1 is the most, below 0 is worse than no deal. A game that ended without agreement has 0. Denominator: the
    potential J* − J₀. Missing where it is not positive, a BATNA is not known, or the deal is not.

    The measure is ours, after the integrative potential of Pruitt (1981).

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.
    players
        `game_id`, `player`, `batna`.
    games
        `game_id`, `ended`.

    Returns
    -------
    frame of the same kind
        `game_id`, `potential_realised`; by game.

    Raises
    ------
    SchemaError, DesignError
        As `pareto_optimal`.

    References
    ----------
    Pruitt, D. G. (1981). Negotiation Behavior. Academic Press.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[0, 2, 1, 0])
    >>> players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "batna": [0, 2]})
    >>> games = pd.DataFrame({"game_id": ["g"], "ended": ["agreement"]})
    >>> potential_realised(values, offers, items, players, games)["potential_realised"].tolist()  # 8 of 22, less 2
    [0.3]
    """
    batna = batna_of(players)
    game_ends = collected(games, "games", ["game_id", "ended"])
    impasses = set(game_ends["game_id"][game_ends["ended"].isin(list(IMPASSE))])

    def compute_one(space: Spaces, index: int) -> float:
        disagreement_sum = float(point_of(space, index, batna).sum())
        potential = float(space.utilities[index].sum(axis=1).max()) - disagreement_sum
        if not potential > 0:
            return np.nan
        if space.games[index] in impasses:
            return 0.0
        return (float(space.deals[index].sum()) - disagreement_sum) / potential

    return measure_spaces(values, compute_one, "potential_realised", (offers, items))


def logrolling(values: IntoFrameT, offers: IntoFrame, items: IntoFrame) -> IntoFrameT:
    """Return how far each deal traded what is worth less to a seat for what is worth more.

    (J − J̄)/(J* − J̄) with J the deal's joint value, J* the largest, and J̄ the mean over all outcomes, which is what
    settling without regard to values gives. Unit: a share; 1 is full logrolling, 0 none, below 0 the wrong way.
    Denominator: J* − J̄. Missing without a known deal, and where all outcomes have one joint value: nothing can be
    rolled where issues are of equal worth.

    The measure is ours, for the logrolling of Froman and Cohen (1970) and Pruitt (1981).

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.

    Returns
    -------
    frame of the same kind
        `game_id`, `logrolling`; by game.

    Raises
    ------
    SchemaError, DesignError
        As `pareto_optimal`.

    References
    ----------
    - Froman, L. A., & Cohen, M. D. (1970). Compromise and logroll: Comparing the efficiency of two bargaining
      processes. Behavioral Science, 15, 180–183.
    - Pruitt, D. G. (1981). Negotiation Behavior. Academic Press.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 1] * 2, "value": [5, 1, 1, 5]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[1, 0, 0, 1])
    >>> logrolling(values, offers, items)["logrolling"].tolist()
    [1.0]
    """

    def compute_one(space: Spaces, index: int) -> float:
        joint = space.utilities[index].sum(axis=1)
        largest, mean = float(joint.max()), float(joint.mean())
        if not largest - mean > ROUNDING * float(np.abs(space.utilities[index]).sum(axis=1).max()):
            return np.nan
        return (float(space.deals[index].sum()) - mean) / (largest - mean)

    return measure_spaces(values, compute_one, "logrolling", (offers, items))


def conflict(values: IntoFrameT, players: IntoFrame, *, method: Conflict = "opposition") -> IntoFrameT:
    """Return how much the interests of the two seats of each game's scenario are opposed.

    "opposition": least Euclidean distance from the point where both have their largest utility, over outcomes, with
    utilities divided by each seat's largest (Baarslag et al., 2013). "axelrod": the part of the unit square of gains,
    as shares of the ideal gains, that no individually rational outcome reaches, by steps without lotteries (Axelrod,
    1967). "correlation": of the two seats' utilities over all outcomes. Larger is harder for the first two, smaller for
    the third; they are three scales. Unit: none. Denominator: as said. Missing where there are not two seats, a largest
    utility (or ideal gain) is not positive, a BATNA is missing ("axelrod"), or a seat's utility does not vary
    ("correlation").

    Parameters
    ----------
    values
        As for `pareto_optimal`.
    players
        `game_id`, `player`, `batna`.
    method
        Which of the three.

    Returns
    -------
    frame of the same kind
        `game_id`, `conflict_` and the kind; by game.

    Raises
    ------
    UsageError
        If there is no such kind.
    SchemaError, DesignError
        As `pareto_optimal`.

    References
    ----------
    - Axelrod, R. (1967). Conflict of interest: An axiomatic approach. Journal of Conflict Resolution, 11, 87–99.
    - Baarslag, T., Fujita, K., Gerding, E. H., Hindriks, K., Ito, T., Jennings, N. R., Jonker, C., Kraus, S., Lin, R.,
      Robu, V., & Williams, C. R. (2013). Evaluating practical negotiating agents: Results and analysis of the 2011
      international competition. Artificial Intelligence, 198, 73–103.

    Examples
    --------
    Who gets the cake:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "item": "cake", "option": None,
    ...                        "available": 1, "value": [5, 8]})
    >>> players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "batna": [0, 0]})
    >>> [round(float(conflict(values, players, method=kind).iloc[0, 1]), 9) for kind in CONFLICT]
    [1.0, 1.0, -1.0]
    """
    if method not in CONFLICT:
        raise UsageError(f"method is {shown(method)}; {meant(method, CONFLICT)}")
    rule, batna = CONFLICT[method], batna_of(players)

    def compute_one(space: Spaces, index: int) -> float:
        utilities = space.utilities[index]
        return rule(utilities, point_of(space, index, batna)) if utilities.shape[1] == 2 else np.nan

    return measure_spaces(values, compute_one, f"conflict_{method}")


def _opposition(utilities: Numbers, _point: Numbers) -> float:
    largest = utilities.max(axis=0)
    if not (largest > 0).all():
        return np.nan
    return float(np.sqrt(((1 - utilities / largest) ** 2).sum(axis=1)).min())


def _axelrod(utilities: Numbers, point: Numbers) -> float:
    gains = utilities - point
    gains = gains[(gains >= 0).all(axis=1)]  # a missing BATNA leaves none
    if not len(gains) or not (gains.max(axis=0) > 0).all():
        return np.nan
    shares = gains / gains.max(axis=0)
    sorted_shares = shares[np.lexsort((-shares[:, 1], -shares[:, 0]))]  # the best of the first seat first
    highest = np.maximum.accumulate(sorted_shares[:, 1])
    return float(1 - np.diff(np.append(sorted_shares[:, 0], 0.0)) @ -highest)


def _correlation(utilities: Numbers, _point: Numbers) -> float:
    deviations = utilities - utilities.mean(axis=0)
    norms = np.sqrt((deviations**2).sum(axis=0))
    if not (norms > ROUNDING * np.sqrt(len(utilities)) * np.abs(utilities).max(axis=0)).all():
        return np.nan
    return float(deviations[:, 0] @ deviations[:, 1] / norms.prod())


CONFLICT: dict[str, Callable[[Numbers, Numbers], float]] = {
    "opposition": _opposition,
    "axelrod": _axelrod,
    "correlation": _correlation,
}
