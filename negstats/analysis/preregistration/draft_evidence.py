"""What the values of a study say of what a draft may ask: which factors follow from outcomes, and what varies."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.questions.frames import as_text, count, home
from negstats.analysis.questions.units import measured
from negstats.errors import NegstatsError
from negstats.stats.summaries.aggregation import aggregate

FEWEST_GAMES = 8  # below this, a factor may tell an outcome by chance
FEWEST_EACH = 3  # games that agreed and that did not, likewise
FIT = 0.999  # of the variance of a factor's numbers
_NUMBERS = ("rounds", "offers", "joint_value")


def determined_by(view: StudyView, name: str) -> str | None:
    """Return the measure that a factor of games follows from, by its values; None if it follows from none.

    A factor of words follows from an outcome if each level has one end; one of numbers, if it is a straight line of a
    measure. With few games that may be chance, and nothing is said.
    """
    frame = view.study.frame("games")
    level = as_text(name, frame.collect_schema()[name]).alias("level")
    games = home(frame.select("game_id", "ended", level).drop_nulls("level"))
    if len(games) < FEWEST_GAMES or games["level"].nunique() < 2:
        return None
    if _tells_ends(games):
        return "how games ended"
    numbers = pd.to_numeric(games["level"], errors="coerce")
    if numbers.isna().any() or numbers.nunique() < 3:
        return None
    games = games.assign(number=numbers.astype("float64")).set_index("game_id")
    measures: list[tuple[str, str | None]] = [(one, None) for one in _NUMBERS]
    measures += [("points", role) for role in view.seats("role")]
    for measure, who in measures:
        values = _values(view, measure, who)
        measure_text = f"{measure} of the {who}" if who else measure
        both = games.join(values.rename("value"), how="inner").dropna(subset=["number", "value"])
        if len(both) >= FEWEST_GAMES and both["value"].nunique() > 2 and both["number"].nunique() > 2:
            r = float(np.corrcoef(both["number"], both["value"])[0, 1])
            if r * r >= FIT:
                return measure_text.replace("_", " ")
    return None


def _tells_ends(games: pd.DataFrame) -> bool:
    """Whether each level has only games that agreed, or only games that did not."""
    games_with_end = games[games["ended"] != "unknown"]
    is_agreement = games_with_end["ended"] == "agreement"
    if len(games_with_end) < FEWEST_GAMES or min(int(is_agreement.sum()), int((~is_agreement).sum())) < FEWEST_EACH:
        return False
    shares = is_agreement.groupby(games_with_end["level"]).mean()
    return bool(shares.isin([0.0, 1.0]).all()) and len(shares) < len(games_with_end) / 2


def _values(view: StudyView, name: str, who: str | None = None) -> pd.Series:
    """Return a measure's value of each game; none where it cannot be computed."""
    try:
        definition = view.measure(name)
        if definition.lacking(view.study.frames) is not None:
            return pd.Series(dtype="float64")
        values = measured(view.study, definition, who)
        return home(aggregate(values, ["game_id"], value=("value", "mean"))).set_index("game_id")["value"]
    except NegstatsError:
        return pd.Series(dtype="float64")


def varies(view: StudyView, name: str, who: str | None) -> bool:
    """Whether a measure has two different values, and not only because games with and without a deal differ."""
    definition = view.measure(name)
    if definition.arrays and not view.study.in_memory:
        return True
    values = measured(view.study, definition, who)
    if name == "joint_value":
        agreement_games = view.study.frame("games").filter(nw.col("ended") == "agreement").select("game_id")
        of_deals = values.join(agreement_games, on="game_id")
        deal_range = _range(of_deals)
        if deal_range is not None:
            return deal_range > 0
    spread = _range(values)
    return spread is None or spread > 0


def _range(values: nw.LazyFrame[Any]) -> float | None:
    """Return the largest minus the smallest value; None if there is none."""
    ends = home(values.select(nw.col("value").min().alias("low"), nw.col("value").max().alias("high")))
    low, high = ends["low"].iloc[0], ends["high"].iloc[0]
    return None if pd.isna(low) or pd.isna(high) else float(high) - float(low)


def games_at(view: StudyView, name: str, level: str) -> int:
    """Return how many games a level of a factor of games has."""
    frame = view.study.frame("games")
    return count(frame.filter(as_text(name, frame.collect_schema()[name]) == level))
