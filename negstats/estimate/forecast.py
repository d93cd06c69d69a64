"""Forecasts of how a talk ends, turn by turn: cross-validated by linked games, with their calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from negstats.errors import DesignError, UsageError
from negstats.metrics.language import select_utterances
from negstats.stats import proportion
from negstats.stats.results.options import check_count
from negstats.stats.results.result import check_level

Floats = npt.NDArray[np.float64]
FEATURES = ("words", "questions", "numbers", "exclamations", "imbalance")
PENALTY = 1.0  # on squared standardised weights


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecasts of a yes or no for each game after some turns of its talk.

    Attributes
    ----------
    predictions : pandas.DataFrame
        ``game_id``, ``turn``, ``group`` (games of linked people), ``fold``, ``outcome`` (1 or 0), ``probability``: what
        a model said that saw no game of the group, and ``base``: the share of yes in what it saw.
    confidence_level : float
        Of all intervals.
    n_resamples : int
        Draws of the bootstrap over groups.
    seed : int
        Of folds and bootstrap.
    """

    predictions: pd.DataFrame = field(repr=False)
    confidence_level: float
    n_resamples: int
    seed: int

    def summary(self) -> pd.DataFrame:
        """Return a row a turn: ``games``, ``auc`` and ``brier`` with intervals, ``skill``.

        The area under the curve is 0.5 and the skill 0 where the talk says nothing: the skill is how much smaller the
        Brier score is than that of the base rate. Intervals are percentiles of a bootstrap over groups.

        Returns
        -------
        DataFrame
            ``turn``, ``games``, ``groups`` of linked games, ``auc`` and ``brier`` (both from 0 to 1) with the ends of
            their intervals (``_low``, ``_high``), and ``skill``: at most 1, negative where the base rate does better.
        """
        rng = np.random.default_rng(self.seed)
        tail = (1 - self.confidence_level) / 2
        rows = []
        for turn, turn_rows in self.predictions.groupby("turn"):
            members = [
                np.asarray(drawn_rows)
                for drawn_rows in turn_rows.reset_index(drop=True).groupby("group").indices.values()
            ]
            outcome, probability, base_rate = (
                turn_rows[name].to_numpy(dtype=float) for name in ("outcome", "probability", "base")
            )
            # Groups of linked games are drawn, for games of the same people are not independent.
            scores = []
            for _ in range(self.n_resamples):
                drawn_rows = np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
                scores.append(
                    (
                        area_under_curve(outcome[drawn_rows], probability[drawn_rows]),
                        brier(outcome, probability, drawn_rows),
                    )
                )
            low, high = np.nanquantile(np.array(scores), [tail, 1 - tail], axis=0)
            score = brier(outcome, probability)
            rows.append(
                {
                    "turn": turn, "games": len(turn_rows), "groups": len(members),
                    "auc": area_under_curve(outcome, probability), "auc_low": low[0], "auc_high": high[0],
                    "brier": score, "brier_low": low[1], "brier_high": high[1],
                    "skill": 1 - score / brier(outcome, base_rate),
                }
            )  # fmt: skip
        return pd.DataFrame(rows)

    def calibration(self, turn: int, *, bins: int = 5) -> pd.DataFrame:
        """Return a row a bin of as many games each.

        Mean ``probability``, ``share`` of yes with ``low`` and ``high``, and ``games``. The interval of the share is
        Wilson's, which takes games for independent.

        Parameters
        ----------
        turn
            After how many utterances; one of the turns that were forecast.
        bins
            How many bins; with fewer games than that, one a game.

        Returns
        -------
        DataFrame
            ``probability``, ``share``, ``low``, ``high`` (all from 0 to 1) and ``games``, from the smallest
            probabilities to the largest.

        Raises
        ------
        UsageError
            If there is no such turn, or `bins` is below 1.
        """
        turn_rows = self.predictions[self.predictions["turn"] == turn]
        if turn_rows.empty or bins < 1:
            turns = ", ".join(map(str, sorted(self.predictions["turn"].unique())))
            raise UsageError(f"turn is {turn} and bins {bins}; give turns as {turns} and at least 1 bin")
        rows = []
        ordered = turn_rows.sort_values("probability", kind="stable")
        for rows_of_bin in np.array_split(np.arange(len(turn_rows)), min(bins, len(turn_rows))):
            bin_rows = ordered.iloc[rows_of_bin]
            n_yes, n_games = int(bin_rows["outcome"].sum()), len(bin_rows)
            interval = proportion(n_yes, n_games).confidence_interval(self.confidence_level)
            bounds = (float(interval.low), float(interval.high))
            rows.append((float(bin_rows["probability"].mean()), n_yes / n_games, *bounds, n_games))
        return pd.DataFrame(rows, columns=["probability", "share", "low", "high", "games"])


def forecast(
    messages: pd.DataFrame,
    players: pd.DataFrame,
    outcome: pd.Series[Any],
    *,
    turns: Sequence[int],
    seed: int,
    folds: int = 10,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
) -> Forecast:
    """Forecast a yes or no of games from the talk so far, by logistic regression with a ridge penalty.

    After each of `turns` utterances a model is fitted to words, questions, numbers, exclamations and how unequally the
    words are shared, up to that turn. It is judged on games that it did not see, and whose people it did not see: games
    that share a participant, directly or through others, are in one fold. Only games with that many utterances count,
    so that the length of a talk tells nothing; deal actions are not utterances.

    Parameters
    ----------
    messages
        `game_id`, `message`, `sender`, `text`, `act`.
    players
        `game_id`, `participant_id`.
    outcome
        True or False by `game_id` (its index), such as whether there is an agreement, or points above their median.
    turns
        After how many utterances.
    seed
        Of folds and bootstrap.
    folds
        The largest number of folds.
    n_resamples
        Draws of the bootstrap.
    confidence_level
        Of all intervals.

    Returns
    -------
    Forecast
        The forecasts, with their scores by turn and their calibration.

    Raises
    ------
    UsageError
        If no turn is given.
    DesignError
        If a number is out of its range, or after a turn there are fewer than two groups of either outcome.

    Examples
    --------
    >>> import negstats
    >>> study = negstats.datasets.casino()
    >>> agreed = study.games.set_index("game_id")["ended"] == "agreement"
    >>> forecasts = forecast(study.messages, study.players, agreed, turns=[4], seed=1, n_resamples=99)
    >>> forecasts.summary().columns.tolist()[:4]
    ['turn', 'games', 'groups', 'auc']
    """
    if not turns:
        raise UsageError("turns is empty; give after how many utterances to forecast, such as [2, 4]")
    for turn in turns:
        check_count("turns", turn, 1)
    check_count("folds", folds, 2)
    check_count("n_resamples", n_resamples, 1)
    check_level(confidence_level)
    groups = link_games(players)
    spoken = select_utterances(messages)
    spoken = spoken.assign(turn=spoken.groupby("game_id").cumcount() + 1)
    rng = np.random.default_rng(seed)
    # Games that people link fall into one fold, or the forecast would know whom it tests.
    fold_of = dict(
        zip(unique := list(dict.fromkeys(groups.values())), rng.permutation(len(unique)) % folds, strict=True)
    )
    tables_of_turns = []
    for turn in sorted(set(turns)):
        table = count_features(spoken, turn)
        table = table[table.index.isin(outcome.dropna().index) & table.index.isin(groups)]
        outcomes = outcome.loc[table.index].to_numpy(dtype=float)
        own_groups = np.array([groups[game] for game in table.index], dtype=object)
        fold = np.array([fold_of[group] for group in own_groups], dtype=int)
        if min(len(set(own_groups[outcomes == 1])), len(set(own_groups[outcomes == 0]))) < 2:
            raise DesignError(f"after turn {turn} there are fewer than two groups of games of either outcome")
        probability, base_rate = cross_validate(table.to_numpy(dtype=float), outcomes, fold)
        columns = {"game_id": table.index, "turn": turn, "group": own_groups, "fold": fold}
        tables_of_turns.append(
            pd.DataFrame({**columns, "outcome": outcomes.astype(int), "probability": probability, "base": base_rate})
        )
    return Forecast(pd.concat(tables_of_turns, ignore_index=True), confidence_level, n_resamples, seed)


def link_games(players: pd.DataFrame) -> dict[str, str]:
    """Return for each game the first game that it is linked with by people, directly or through others."""
    games, names = pd.factorize(players["game_id"])
    person_codes, participants = pd.factorize(players["participant_id"])
    has_person = person_codes >= 0
    # Games that share a person, however far around, are one group.
    edges = (np.ones(int(has_person.sum())), (games[has_person], len(names) + person_codes[has_person]))
    size = len(names) + len(participants)
    _, component = scipy.sparse.csgraph.connected_components(
        scipy.sparse.coo_matrix(edges, shape=(size, size)), directed=False
    )
    first_game: dict[int, str] = {}
    return {name: first_game.setdefault(int(component[i]), name) for i, name in enumerate(names)}


def count_features(spoken: pd.DataFrame, turn: int) -> pd.DataFrame:
    """Return the features of the talk up to a turn, a row for each game that has come so far."""
    sizes = spoken.groupby("game_id")["turn"].max()
    early_messages = spoken[(spoken["turn"] <= turn) & spoken["game_id"].isin(sizes.index[sizes >= turn])]
    text = early_messages["text"].astype(str)
    counts = pd.DataFrame(
        {
            "game_id": early_messages["game_id"],
            "sender": early_messages["sender"],
            "words": text.map(lambda words: len(words.split())),
            "questions": text.str.count(r"\?"),
            "numbers": text.str.count(r"\d+"),
            "exclamations": text.str.count("!"),
        }
    )
    table = counts.groupby("game_id", sort=False)[list(FEATURES[:4])].sum().astype(float)
    longest = counts.groupby(["game_id", "sender"])["words"].sum().groupby("game_id").max()
    table["imbalance"] = (longest.reindex(table.index) / table["words"].clip(lower=1)).astype(float)
    table[list(FEATURES[:4])] = np.log1p(table[list(FEATURES[:4])])
    return table


def cross_validate(features: Floats, yes: Floats, fold: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return for each row the probability of a model fitted to the other folds, and the share of yes there."""
    probability, base_rate = np.empty(len(yes)), np.empty(len(yes))
    for held_out_fold in np.unique(fold):
        is_held_out = fold == held_out_fold
        # Scaled and fitted without the fold that is predicted.
        centre, scale = features[~is_held_out].mean(axis=0), features[~is_held_out].std(axis=0)
        scaled = (features - centre) / np.where(scale > 0, scale, 1.0)
        weights = fit_ridge(scaled[~is_held_out], yes[~is_held_out])
        probability[is_held_out] = scipy.special.expit(weights[0] + scaled[is_held_out] @ weights[1:])
        base_rate[is_held_out] = yes[~is_held_out].mean()
    return probability, base_rate


def fit_ridge(features: Floats, yes: Floats) -> Floats:
    """Return the intercept and weights of a logistic regression whose weights, but not the intercept, are penalised."""
    design = np.column_stack([np.ones(len(yes)), features])

    def loss(weights: Floats) -> tuple[float, Floats]:
        linear = design @ weights
        value = float(np.logaddexp(0, linear).sum() - yes @ linear + PENALTY / 2 * (weights[1:] ** 2).sum())
        return value, design.T @ (scipy.special.expit(linear) - yes) + PENALTY * np.r_[0.0, weights[1:]]

    return np.asarray(scipy.optimize.minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B").x)


def area_under_curve(yes: Floats, probability: Floats) -> float:
    """Return how often a yes has the larger probability than a no, ties half; missing where there is only one kind."""
    positive = yes == 1
    n_yes, n_no = int(positive.sum()), int((~positive).sum())
    if not n_yes or not n_no:
        return float("nan")
    ranks = scipy.stats.rankdata(probability)
    return float((ranks[positive].sum() - n_yes * (n_yes + 1) / 2) / (n_yes * n_no))


def brier(yes: Floats, probability: Floats, places: npt.NDArray[np.intp] | None = None) -> float:
    """Return the mean squared difference of probability and outcome, of all rows or some."""
    errors = (yes - probability) ** 2
    return float((errors if places is None else errors[places]).mean())
