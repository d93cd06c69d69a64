"""What was said and how long it took: utterances, words, offers among the messages, time and rounds to agreement.

Any frame of ``messages``, ``offers`` and ``games``: the result is of the same kind, lazy if it was lazy. An *utterance*
is a message with text that is no deal action: submit-deal, typed or not, is none, and a question is one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, shown
from negstats.metrics._frames import Frame, collected, grouped, joined, native, opened, returned, with_factors
from negstats.metrics.outcomes import agreed

OFFER_ACTS = ("offer", "submit-deal")  # the acts that put an offer on the table
# What is done by a button or kept to oneself: typed or not, it is no utterance. Any other act only labels what is said.
SILENT_ACTS = ("submit-deal", "accept-deal", "reject-deal", "walk-away", "select", "note")

# What separates words: the characters at which Python's str.split() splits, spelled out because engines disagree on \s.
_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def utterances(messages: IntoFrameT, games: IntoFrame | None = None) -> IntoFrameT:
    """Return how many utterances each game has: messages with a text that are no deal action (`SILENT_ACTS`).

    An empty text is an utterance of no words, a missing one is none. An act such as "ask", "propose" or "accept" beside
    words says what kind of utterance it is.

    Unit: utterances. Denominator: none, one count a game. Never missing: a game of `games` without messages has 0.

    Parameters
    ----------
    messages
        `game_id`, `text`, `act`.
    games
        `game_id`: the games to list; None lists those with messages.

    Returns
    -------
    frame of the same kind
        `game_id`, `utterances`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "text": ["hello", "I need food", None],
    ...                          "act": [None, None, "submit-deal"]})
    >>> utterances(messages)["utterances"].tolist()
    [2]
    """
    counts = _talk(messages, games)
    return native(counts.select("game_id", nw.col("utterances").cast(nw.Int64)), messages)


def words_per_utterance(messages: IntoFrameT, games: IntoFrame | None = None) -> IntoFrameT:
    """Return the mean number of words of the utterances of each game; words are split on white space.

    Unit: words. Denominator: the game's utterances. Missing for a game without utterances.

    Parameters
    ----------
    messages, games
        As for `utterances`.

    Returns
    -------
    frame of the same kind
        `game_id`, `words_per_utterance`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "text": ["hello", "I need food", None],
    ...                          "act": [None, None, "submit-deal"]})
    >>> words_per_utterance(messages)["words_per_utterance"].tolist()
    [2.0]
    """
    counts = _talk(messages, games)
    words_each = nw.when(nw.col("utterances") > 0).then(nw.col("words") / nw.col("utterances"))
    return native(counts.select("game_id", words_each.alias("words_per_utterance")), messages)


def _talk(messages: IntoFrame, games: IntoFrame | None) -> Frame:
    utterances = opened(messages, "messages", ["game_id", "text", "act"])
    text = nw.col("text")
    is_speech = ~text.is_null() & ~nw.col("act").fill_null("").is_in(list(SILENT_ACTS))
    # Every word becomes one letter and the space between goes: what is left is as long as there are words.
    words = text.str.replace_all(f"[^{_SPACE}]+", "w").str.replace_all(f"[{_SPACE}]", "").str.len_chars()
    utterances = utterances.with_columns(
        nw.when(is_speech).then(1.0).otherwise(0.0).alias("utterances"),
        nw.when(is_speech).then(words.cast(nw.Float64)).otherwise(0.0).alias("words"),
    )
    counts = grouped(utterances, ["game_id"], nw.col("utterances").sum(), nw.col("words").sum())
    return _join_games(counts, games, ["utterances", "words"])


def offer_share(
    messages: IntoFrameT, games: IntoFrame | None = None, *, acts: Collection[str] = OFFER_ACTS
) -> IntoFrameT:
    """Return the share of each game's messages that put an offer on the table.

    Unit: a share. Denominator: all messages of the game, acts included. Missing for a game without messages. Offers
    that are made in plain words are not seen.

    Parameters
    ----------
    messages
        `game_id`, `act`.
    games
        `game_id`: the games to list; None lists those with messages.
    acts
        The acts that count.

    Returns
    -------
    frame of the same kind
        `game_id`, `offer_share`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "act": [None, None, "submit-deal", "accept-deal"]})
    >>> offer_share(messages)["offer_share"].tolist()
    [0.25]
    """
    utterances = opened(messages, "messages", ["game_id", "act"])
    carries = nw.when(nw.col("act").fill_null("").is_in(list(acts))).then(1.0).otherwise(0.0)
    shares = grouped(utterances.with_columns(carries.alias("offer_share")), ["game_id"], nw.col("offer_share").mean())
    return native(_join_games(shares, games, []).select("game_id", "offer_share"), messages)


def offers_made(offers: IntoFrameT, games: IntoFrame | None = None) -> IntoFrameT:
    """Return how many offers were made in each game.

    Unit: offers. Denominator: none, one count a game. Never missing: a game of `games` without offers has 0.

    Parameters
    ----------
    offers
        `game_id`.
    games
        `game_id`: the games to list; None lists those with offers.

    Returns
    -------
    frame of the same kind
        `game_id`, `offers`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> offers_made(pd.DataFrame({"game_id": ["g", "g", "h"]}))["offers"].tolist()
    [2, 1]
    """
    counts = grouped(opened(offers, "offers", ["game_id"]), ["game_id"], nw.len().alias("offers"))
    offer_counts = _join_games(counts, games, ["offers"])
    return native(offer_counts.select("game_id", nw.col("offers").cast(nw.Int64)), offers)


def duration(games: IntoFrameT, *, messages: IntoFrame | None = None, offers: IntoFrame | None = None) -> IntoFrameT:
    """Return how long each game took: the time of its latest offer or message.

    Unit: seconds since the game began. Denominator: none, one value a game. Missing where no offer or message has a
    time. Events without a time are passed over, so it is a lower bound where the last event has none.

    Parameters
    ----------
    games
        `game_id`.
    messages, offers
        `game_id`, `time_s`; at least one of the two.

    Returns
    -------
    frame of the same kind
        `game_id`, `duration_s`; by game.

    Raises
    ------
    UsageError
        If neither offers nor messages are given.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_id": ["g", "h"]})
    >>> offers = pd.DataFrame({"game_id": ["g", "g"], "time_s": [12.5, 61.0]})
    >>> duration(games, offers=offers)["duration_s"].tolist()
    [61.0, nan]
    """
    return native(_duration(opened(games, "games", ["game_id"]), offers, messages).sort("game_id"), games)


def _duration(game_rows: Frame, offers: IntoFrame | None, messages: IntoFrame | None) -> Frame:
    timed_tables = {name: table for name, table in (("offers", offers), ("messages", messages)) if table is not None}
    if not timed_tables:
        raise UsageError("give offers or messages, whose times say how long a game took")
    for name, table in timed_tables.items():
        times = opened(table, name, ["game_id", "time_s"])
        game_rows = joined(game_rows, grouped(times, ["game_id"], nw.col("time_s").max().alias(name)), ["game_id"])
    latest = nw.max_horizontal(*timed_tables)
    return game_rows.with_columns(latest.alias("duration_s")).drop(*timed_tables)


def to_agreement(
    games: IntoFrameT, *, messages: IntoFrame | None = None, offers: IntoFrame | None = None
) -> IntoFrameT:
    """Return time and rounds to agreement; games that ended without one are censored, not dropped.

    Unit: seconds, rounds. Denominator: none, one row a game. A game without agreement is known to have taken *longer*
    than its time and rounds: `agreed` is 0 there. It is missing where it is not known how the game ended or agreement
    is not how games end; time and rounds are missing where they are not recorded.

    Parameters
    ----------
    games
        `game_id`, `ended`, `rounds`.
    messages, offers
        As for `duration`; without both `duration_s` is missing throughout.

    Returns
    -------
    frame of the same kind
        `game_id`, `agreed`, `duration_s`, `rounds`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_id": ["g", "h"], "ended": ["agreement", "walkaway"], "rounds": [4, 9]})
    >>> to_agreement(games)[["agreed", "rounds"]].values.tolist()
    [[1.0, 4.0], [0.0, 9.0]]
    """
    game_rows = opened(games, "games", ["game_id", "ended", "rounds"])
    is_agreed = opened(agreed(games), "games", ["game_id", "agreed"])
    games_with_ends = joined(game_rows, is_agreed, ["game_id"])
    if offers is None and messages is None:
        games_with_ends = games_with_ends.with_columns(nw.lit(None, dtype=nw.Float64).alias("duration_s"))
    else:
        games_with_ends = _duration(games_with_ends, offers, messages)
    durations = games_with_ends.select("game_id", "agreed", "duration_s", nw.col("rounds").cast(nw.Float64))
    return native(durations.sort("game_id"), games)


def median_to_agreement(
    games: IntoFrameT,
    by: Sequence[str] | str = (),
    *,
    messages: IntoFrame | None = None,
    offers: IntoFrame | None = None,
    unit: Literal["duration_s", "rounds"] = "duration_s",
) -> IntoFrameT:
    """Return the median time (or number of rounds) to agreement by Kaplan and Meier, walk-aways censored.

    Unit: seconds or rounds. Denominator: games of which both the end and the time are known (`n`), of which `agreed`
    agreed; the others are counted in `missing`. The median is missing where less than half are estimated to
    agree. Collects one small row a game.

    The median of Kaplan and Meier (1958). As in R's survfit a median anywhere on a level stretch is taken in its
    middle, which without walk-aways is the median of the sample.

    Parameters
    ----------
    games
        As for `to_agreement`.
    by
        Factors: columns of `games`.
    messages, offers
        As for `to_agreement`.
    unit
        What to measure in.

    Returns
    -------
    frame of the same kind
        The factors, `n`, `agreed`, `missing`, `median`, `unit`.

    Raises
    ------
    UsageError
        If the unit is none of these or a factor is not a column of `games`.
    SchemaError
        If a column is not there.

    References
    ----------
    Kaplan, E. L., & Meier, P. (1958). Nonparametric estimation from incomplete observations. Journal of the American
    Statistical Association, 53, 457–481.

    Examples
    --------
    Two agree after 3 and 5 rounds, one walks away after 4: the second agreement is half of those still there.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_id": list("fgh"), "ended": ["agreement", "walkaway", "agreement"],
    ...                       "rounds": [3, 4, 5]})
    >>> median_to_agreement(games, unit="rounds")[["n", "agreed", "median"]].values.tolist()
    [[3.0, 2.0, 5.0]]
    """
    if unit not in {"duration_s", "rounds"}:
        raise UsageError(f"unit is {shown(unit)}; give 'duration_s' or 'rounds'")
    times = to_agreement(games, messages=messages, offers=offers)
    rows, factors = with_factors(opened(times, "games", ["game_id", "agreed", unit]), games, by)
    table = collected(native(rows, games), "games", [*factors, "agreed", unit])
    groups = table.groupby(factors, sort=True, dropna=False) if factors else [((), table)]
    medians = [dict(zip(factors, names, strict=True)) | _median(rows, unit) for names, rows in groups]
    columns = [*factors, "n", "agreed", "missing", "median", "unit"]
    return returned(pd.DataFrame(medians, columns=columns), games)


def _median(games: pd.DataFrame, unit: str) -> dict[str, object]:
    observations = games.dropna(subset=["agreed", unit])
    agreements, times = (observations[column].to_numpy(dtype=np.float64) for column in ("agreed", unit))
    return {
        "n": len(observations),
        "agreed": int(agreements.sum()),
        "missing": len(games) - len(observations),
        "median": kaplan_meier_median(times, agreements) if agreements.any() else np.nan,
        "unit": unit,
    }


def kaplan_meier_median(times: npt.NDArray[np.float64], events: npt.NDArray[np.float64]) -> float:
    """Return where the Kaplan-Meier curve crosses one half: the middle of the stretch, if it runs level there."""
    from statsmodels.duration.survfunc import SurvfuncRight

    curve = SurvfuncRight(times, events)
    at_half = np.isclose(curve.surv_prob, 0.5, rtol=0, atol=1e-9)
    below_half = np.flatnonzero((curve.surv_prob < 0.5) | at_half)
    if not below_half.size:
        return np.nan
    first_at_half = below_half[0]
    if not at_half[first_at_half]:
        return float(curve.surv_times[first_at_half])
    return float(curve.surv_times[first_at_half] + [*curve.surv_times[first_at_half + 1 :], times.max()][0]) / 2


def _join_games(counts: Frame, games: IntoFrame | None, zero: Sequence[str]) -> Frame:
    """One row for each of `games`, in order; columns in `zero` are 0, not missing, in games that have no row."""
    if games is None:
        return counts
    game_rows = joined(opened(games, "games", ["game_id"]), counts, ["game_id"]).sort("game_id")
    return game_rows.with_columns(nw.col(*zero).fill_null(0)) if zero else game_rows
