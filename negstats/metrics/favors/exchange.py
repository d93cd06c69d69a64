"""What pairs of negotiations came to: Pareto optimal over time, a full exchange of favors, both offers accepted.

mell2015 takes the three for one; they are not. With agents that never return, 5:40 and 9:34 are Pareto optimal over
time although no favor is exchanged, and both offers can be accepted without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, shown
from negstats.games import dominated, minkowski_sum
from negstats.games.favors import PAIRS, STUDY, Negotiation, outcomes
from negstats.metrics._frames import collected, native, rate, returned
from negstats.metrics.favors.ledger import Numbers, Sessions, rows_with_factors, sessions_of

Pairs = Sequence[Sequence[int]]


def pareto_over_time(
    games: IntoFrameT,
    offers: IntoFrame,
    players: IntoFrame,
    *,
    pairs: Pairs = PAIRS,
    weak: bool = False,
    among: Sequence[Negotiation] | None = None,
) -> IntoFrameT:
    """Return whether the realised points of negotiations, taken together, are Pareto optimal.

    The outcome space of a pair is every sum of one outcome of each: the agent's offer, or the BATNAs.

    Unit: 1 or 0, and points. Denominator: none, one row a session and pair. Missing where a negotiation of the pair, an
    offer, a BATNA or points are not known.

    As in Mell et al. (2015, section 3).

    Parameters
    ----------
    games, offers, players
        As for `negstats.metrics.favors.favors`.
    pairs
        Which negotiations are taken together, by number; more than two may be.
    weak
        Call a sum dominated only where another gives *both* seats more, as the formula in that paper reads.
    among
        None: the deals on the table in that session. Or negotiations of the rules (`negstats.games.favors.STUDY`), of
        which every offer counts, made or not.

    Returns
    -------
    frame of the same kind
        `session`, `pair` (such as ``1+2``), `player` and `agent` (sums of points), `pareto_over_time`; by session and
        pair.

    Raises
    ------
    SchemaError
        As `negstats.metrics.favors.favors`.
    UsageError
        If a pair is empty, or names a negotiation that is not `among` those given.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("favor-seeking", sessions=1, seed=4))
    >>> result = pareto_over_time(study.games, study.offers, study.players)
    >>> result[["player", "agent", "pareto_over_time"]].values.tolist()
    [[33.0, 33.0, 1.0], [33.0, 33.0, 1.0]]
    """

    def measure(sessions: Sessions, rules: Sequence[Negotiation]) -> dict[str, Numbers]:
        sums = sessions.points.sum(axis=1)
        optimal = _optimal(sessions, sums, weak, [outcomes(rule, "printed") for rule in rules])
        return {"player": sums[:, 0], "agent": sums[:, 1], "pareto_over_time": optimal}

    return returned(_measure_pairs((games, offers, players), pairs, among, measure), games)


def both_accepted(games: IntoFrameT, offers: IntoFrame, players: IntoFrame, *, pairs: Pairs = PAIRS) -> IntoFrameT:
    """Return whether all offers of a pair of negotiations were accepted, whatever they were.

    Unit: 1 or 0. Denominator: none, one row a session and pair. Missing where an answer is not known.

    As in the caption of Figure 3 of Mell et al. (2015), for negotiations 3 and 4.

    Parameters
    ----------
    games, offers, players, pairs
        As for `pareto_over_time`.

    Returns
    -------
    frame of the same kind
        `session`, `pair`, `both_accepted`; by session and pair.

    Raises
    ------
    SchemaError, UsageError
        As `pareto_over_time`.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("betraying", sessions=2, seed=1))
    >>> both_accepted(study.games, study.offers, study.players)["both_accepted"].tolist()
    [0.0, 0.0, 0.0, 0.0]
    """

    def measure(sessions: Sessions, _rules: Sequence[Negotiation]) -> dict[str, Numbers]:
        return {"both_accepted": sessions.accepted.prod(axis=1)}

    return returned(_measure_pairs((games, offers, players), pairs, None, measure), games)


def full_exchange(
    games: IntoFrameT,
    offers: IntoFrame,
    players: IntoFrame,
    *,
    pairs: Pairs = PAIRS,
    among: Sequence[Negotiation] = STUDY,
) -> IntoFrameT:
    """Return whether a favor and its return were both taken: both offers accepted, and the sums those of an exchange.

    In Mell et al. (2015, section 3) that is 33 : 33, the poor offer of the first and the good offer of the second
    negotiation.

    Unit: 1 or 0. Denominator: none, one row a session and pair. Missing where an answer or points are not known.

    Parameters
    ----------
    games, offers, players, pairs
        As for `pareto_over_time`.
    among
        The negotiations of the rules, whose offers an exchange adds up.

    Returns
    -------
    frame of the same kind
        `session`, `pair`, `full_exchange`; by session and pair.

    Raises
    ------
    SchemaError, UsageError
        As `pareto_over_time`.
    DesignError
        If the rules know no good offer in the second negotiation of a pair.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("cooperative", sessions=3, seed=1))
    >>> full_exchange(study.games, study.offers, study.players)["full_exchange"].tolist()
    [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    """

    def measure(sessions: Sessions, rules: Sequence[Negotiation]) -> dict[str, Numbers]:
        total = np.sum([rule.offer("good" if rule.is_return else "poor") for rule in rules], axis=0)
        both_taken, sums = sessions.accepted.prod(axis=1), sessions.points.sum(axis=1)
        missing = np.isnan(both_taken) | np.isnan(sums).any(axis=1)
        is_full = (both_taken == 1) & (sums == total).all(axis=1)
        return {"full_exchange": np.where(missing, np.nan, is_full.astype(np.float64))}

    return returned(_measure_pairs((games, offers, players), pairs, among, measure), games)


def discovery_rates(
    games: IntoFrameT,
    offers: IntoFrame,
    players: IntoFrame,
    by: Sequence[str] | str = (),
    *,
    pairs: Pairs = PAIRS,
    weak: bool = False,
    among: Sequence[Negotiation] | None = None,
    confidence_level: float = 0.95,
) -> IntoFrameT:
    """Return how often pairs of negotiations had each of the three outcomes, side by side.

    Unit: a share. Denominator: sessions of which it is known (`n`); the others are counted in `missing`.

    As in Mell et al. (2015, section 5: discovery in negotiations 3 and 4); the interval is Wilson's (1927).

    Parameters
    ----------
    games, offers, players
        As for `pareto_over_time`.
    by
        Factors, columns of `games`.
    pairs, weak, among
        As for `pareto_over_time`; `full_exchange` is that of the paper's rules unless `among` is given.
    confidence_level
        Of the interval.

    Returns
    -------
    frame of the same kind
        `pair`, `measure` (pareto_over_time, full_exchange, both_accepted), the factors, `n`, `count`, `missing`,
        `rate`, `low`, `high`, `level`.

    Raises
    ------
    SchemaError, UsageError, DesignError
        As the three measures; or if a factor is not a column of `games`, or the level is not between 0 and 1.

    References
    ----------
    - Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
      negotiations. Proceedings of AAMAS 2015.
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
      American Statistical Association, 22, 209–212.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("betraying", sessions=40, seed=2))
    >>> result = discovery_rates(study.games, study.offers, study.players, pairs=[(3, 4)])
    >>> result[["measure", "n", "count"]].values.tolist()
    [['both_accepted', 40, 0], ['full_exchange', 40, 0], ['pareto_over_time', 40, 34]]
    """
    tables = games, offers, players
    measures = {
        "pareto_over_time": pareto_over_time(*tables, pairs=pairs, weak=weak, among=among),
        "full_exchange": full_exchange(*tables, pairs=pairs, among=STUDY if among is None else among),
        "both_accepted": both_accepted(*tables, pairs=pairs),
    }
    measure_tables = []
    for measure, table in measures.items():
        rows = collected(table, "games", ["session", "pair", measure]).rename(columns={measure: "value"})
        measure_tables.append(rows.assign(measure=measure))
    with_levels, factors = rows_with_factors(pd.concat(measure_tables, ignore_index=True), "value", games, by)
    return native(rate(with_levels, "value", ["pair", "measure", *factors], confidence_level), games)


def _measure_pairs(
    tables: tuple[IntoFrame, IntoFrame, IntoFrame],
    pairs: Pairs,
    among: Sequence[Negotiation] | None,
    measure: Callable[[Sessions, Sequence[Negotiation]], dict[str, Numbers]],
) -> pd.DataFrame:
    """Return one row a session and entry of `pairs`: what `measure` makes of its negotiations and their rules."""
    pair_tables = []
    for numbers in pairs:
        if not numbers:
            raise UsageError("pairs contains an empty entry; name the negotiations that are taken together")
        rules = [] if among is None else [_find_negotiation(among, number) for number in numbers]
        sessions = sessions_of(*tables, numbers)
        pair = "+".join(map(str, numbers))
        pair_tables.append(pd.DataFrame({"session": sessions.names, "pair": pair, **measure(sessions, rules)}))
    if not pair_tables:
        raise UsageError("pairs is empty; name the negotiations that are taken together")
    return pd.concat(pair_tables).sort_values("session", kind="stable", ignore_index=True)


def _find_negotiation(among: Sequence[Negotiation], number: int) -> Negotiation:
    negotiation = next((rules for rules in among if rules.number == number), None)
    if negotiation is None:
        raise UsageError(f"pairs names negotiation {number}; the rules have {shown([rules.number for rules in among])}")
    return negotiation


def _optimal(sessions: Sessions, sums: Numbers, weak: bool, fixed: Sequence[Numbers]) -> Numbers:
    """Return 1, 0 or missing for each session; sessions with the same outcome space are computed together."""
    # Every negotiation's offer and BATNAs: (sessions, negotiations, 2 outcomes, 2 seats).
    spaces = np.stack([sessions.offers, sessions.batnas], axis=2)
    is_complete = ~np.isnan(spaces).any(axis=(1, 2, 3)) & ~np.isnan(sums).any(axis=1)
    optimal = np.full(len(sums), np.nan)
    if not is_complete.any():
        return optimal
    complete_rows = np.flatnonzero(is_complete)
    if fixed:
        optimal[complete_rows] = ~dominated(sums[complete_rows], minkowski_sum(*fixed, unique=True), weak=weak)
        return optimal
    distinct_spaces, space_codes = np.unique(
        spaces[complete_rows].reshape(len(complete_rows), -1), axis=0, return_inverse=True
    )
    for code, flat_space in enumerate(distinct_spaces):
        space = minkowski_sum(*flat_space.reshape(spaces.shape[1:]), unique=True)
        rows_of_space = complete_rows[space_codes.reshape(-1) == code]
        optimal[rows_of_space] = ~dominated(sums[rows_of_space], space, weak=weak)
    return optimal
