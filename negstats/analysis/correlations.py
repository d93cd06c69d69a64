"""How the measures of a plan are related to each other: correlations of the means of units, for the descriptives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.questions.question_data import QuestionData
from negstats.errors import NotEstimable
from negstats.metrics.definition import POINTS
from negstats.stats.results.numbers import ROUNDING, number

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question

MOST = 8  # measures in the table
FEWEST = 3  # units of a correlation
DIFFERENT = 5  # values of each measure, of fewer of which a line may pass through all points by chance
RESCALED = "one is the other on another scale"
OVERLAP = "one holds the values of the other"
FIXED = "points without an agreement follow from how the game ended"
ENDED = "games.ended"
_SAME = 128 * ROUNDING  # of their size, means of the same values may differ
KINDS = ("interval", "count", "ordered", "yes/no")  # ordered answers by their places on the scale


def correlations_of(plan: Plan, questions: Sequence[tuple[Question, QuestionData]]) -> list[dict[str, Any]] | None:
    """Return a row a measure: its name, whose it is, and its r and n with each measure before it.

    Where units have several rows, ``within`` and ``within_n`` hold r of the deviations from each unit's mean, and the
    number of rows. Of two measures that are computed from one number no r is given, and ``why`` says so.

    Parameters
    ----------
    plan
        The plan, for what its measures are.
    questions
        Each question with its rows. A measure is taken as the first question that has it looks at it; a unit's values
        are averaged. None where the rows stay with an engine.
    """
    means: dict[tuple[str, str | None], pd.Series] = {}
    row_values: dict[tuple[str, str | None], pd.DataFrame] = {}
    # Each measure once, as the mean of each unit and as the rows in which it stands.
    for question, data in questions:
        frame = data.rows()
        if frame is None:
            return None
        columns = {(question.measure, data.asked.who): "value"} if data.asked.kind in KINDS else {}
        for key, column in (columns | {(name, None): name for name in (*question.with_, *question.covariates)}).items():
            if key not in means and frame[column].dtype.kind in "iuf":
                means[key] = frame.groupby("unit", sort=False)[column].mean().dropna()
                own = [name for name in ("unit", "game_id", "player") if name in frame.columns]
                row_values[key] = frame[[*own, column]].rename(columns={column: "value"}).dropna(subset=["value"])
    # Units without a value of a measure are missing from its pairs alone.
    mean_columns = list(means.items())[:MOST]
    if len(mean_columns) < 2:
        return []
    table = pd.DataFrame({place: values for place, (_, values) in enumerate(mean_columns)})
    rows: list[dict[str, Any]] = []
    for place, ((name, who), _) in enumerate(mean_columns):
        pairs = [table[[place, other]].dropna().to_numpy(float) for other in range(place)]
        # An r that only says how the numbers are made is not computed; its reason stands in its place.
        why = [
            (_same_numbers(plan, name, other[0]) if other[0] != name else OVERLAP if None in (who, other[1]) else None)
            or (RESCALED if is_rescaling(pair) else None)
            or (FIXED if has_fixed_points(plan, (name, other[0]), pair) else None)
            for (other, _), pair in zip(mean_columns[:place], pairs, strict=True)
        ]
        r = [None if reason else _r(pair) for reason, pair in zip(why, pairs, strict=True)]
        rows.append({"measure": name, "who": who, "r": r, "n": [len(pair) for pair in pairs]})
        rows[-1] |= {"why": why} if any(why) else {}
        # Where units have several rows, r within them too.
        within = [
            None if reason else correlate_within(row_values[name, who], row_values[other])
            for reason, (other, _) in zip(why, mean_columns[:place], strict=True)
        ]
        if any(pair is not None for pair in within):
            rows[-1]["within"] = [None if pair is None else pair[0] for pair in within]
            rows[-1]["within_n"] = [None if pair is None else pair[1] for pair in within]
    return rows


def _same_numbers(plan: Plan, name: str, other: str) -> str | None:
    """Return why two measures are related by their definitions; None where they are not."""
    from negstats.metrics.lookup import computed_from

    first, second = plan.measure(name), plan.measure(other)
    sources = [computed_from(measure.measure) if measure.answer is None else () for measure in (first, second)]
    shared = [column for column in sources[0] if column in sources[1]]
    return f"both are computed from {', '.join(shared)}" if shared else None


def has_fixed_points(plan: Plan, names: Sequence[str], pair: Any) -> bool:
    """Whether one measure is how games ended, and the other has the same points wherever they ended in one way."""
    from negstats.metrics.lookup import computed_from

    measures = [plan.measure(name) for name in names]
    sources = [() if measure.answer is not None else computed_from(measure.measure) for measure in measures]
    for ended, points in ((0, 1), (1, 0)):
        if ENDED in sources[ended] and POINTS in sources[points]:
            values = [pair[pair[:, ended] == yes, points] for yes in (0, 1)]
            return any(len(column) > 1 and len(np.unique(column)) == 1 for column in values)
    return False


def is_rescaling(pair: Any) -> bool:
    """Whether one of two columns is a linear function of the other up to rounding, over several different values.

    Examples
    --------
    >>> x = np.arange(6.0)
    >>> is_rescaling(np.column_stack([x, 3 - 2 * x])), is_rescaling(np.column_stack([x, x**2]))
    (True, False)
    """
    if len(np.unique(pair[:, 0])) < DIFFERENT:  # a line through them has as many
        return False
    if _has_constant(pair):
        return False
    centred = pair - pair.mean(axis=0)
    size = np.abs(pair).max(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    first, second = (centred / spread).T
    rest = first - np.sign(first @ second) * second
    return bool(np.abs(rest).max() <= 16 * ROUNDING * max(1.0, float((size / spread).max())))


def correlate_within(values: pd.DataFrame, other_values: pd.DataFrame) -> tuple[float | None, int] | None:
    """Return r of two measures within units, and the number of rows; None where units have one row each."""
    named = (["unit", "game_id"], ["unit", "game_id", "player"])
    keys = next((keys for keys in named if _is_key(values, keys) and _is_key(other_values, keys)), None)
    if keys is None:
        return None
    rows = values[[*keys, "value"]].merge(other_values[[*keys, "value"]], on=keys, suffixes=("_one", "_other"))
    rows = rows[rows.duplicated("unit", keep=False)]
    if not len(rows):
        return None
    try:
        return float(stats.repeated_correlation(rows, "value_one", "value_other", subject="unit").r), len(rows)
    except NotEstimable:
        return None, len(rows)


def _is_key(frame: pd.DataFrame, keys: Sequence[str]) -> bool:
    return set(keys) <= set(frame.columns) and not frame.duplicated(list(keys)).any()


def _has_constant(pair: Any) -> bool:
    """Whether a column differs by rounding alone, as the means of units that all got the same offers."""
    return bool((np.ptp(pair, axis=0) <= _SAME * np.abs(pair).max(axis=0)).any())


def _r(pair: Any) -> float | None:
    if len(pair) < FEWEST or _has_constant(pair):
        return None
    with np.errstate(all="ignore"):
        return number(np.corrcoef(pair, rowvar=False)[0, 1])
