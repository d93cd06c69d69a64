"""Scales from survey answers: the SVO slider's angle and type, and the Subjective Value Inventory.

Both read ``answers`` by the names that the study gave its questions, in the order of the published instrument; wordings
are not shipped (the instruments are free for research only). Any frame: the result is of the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import SchemaError, UsageError, meant, shown
from negstats.metrics._frames import collected, returned

# Own and other's amount at the first and the last of nine positions of each primary item (Murphy, Ackermann and
# Handgraaf, 2011), as two public implementations have them.
SVO_ITEMS = (
    ((85, 85), (85, 15)),
    ((85, 15), (100, 50)),
    ((50, 100), (85, 85)),
    ((50, 100), (85, 15)),
    ((100, 50), (50, 100)),
    ((100, 50), (85, 85)),
)
# Angles in degrees above which a person is of the type; a value on a limit is of the lower.
SVO_LIMITS = (("altruist", 57.15), ("prosocial", 22.45), ("individualist", -12.04), ("competitive", -np.inf))
POSITIONS = 9

# Places (from 1) of the items of each factor of the Subjective Value Inventory (Curhan, Elfenbein and Xu, 2006).
SVI_FACTORS = {"outcome": (1, 2, 3, 4), "self": (5, 6, 7, 8), "process": (9, 10, 11, 12),
               "relationship": (13, 14, 15, 16)}  # fmt: skip
# Items whose high end is bad: feeling that one lost, and that one lost face.
SVI_REVERSED = (3, 5)
SVI_WORDS = ("na", "n/a", "not applicable")

_PERSON = ["participant_id", "game_id"]


def svo_slider(answers: IntoFrameT, questions: Sequence[str]) -> IntoFrameT:
    """Return each person's social value orientation: the angle of the SVO slider measure, and its type.

    Angle = atan2(mean of the other's amounts − 50, mean of own amounts − 50), of the six primary items. Unit: degrees;
    61.39 is most for the other, −16.26 the largest lead. Denominator: six items. Missing unless all six are answered.
    Types: altruist above 57.15, prosocial above 22.45, individualist above −12.04, else competitive. Random clicks have
    an expected angle of 22.62, which is prosocial: look at `answered` and at response times before you believe it.

    The measure is that of Murphy, Ackermann and Handgraaf (2011). Amounts between the ends of an item are rounded half
    up, which gives the printed grid.

    Parameters
    ----------
    answers
        `participant_id`, `game_id`, `question`, `answer`: positions from 1 to 9.
    questions
        Names of the six primary items in the published order: the first runs from 85 : 85 to 85 : 15.

    Returns
    -------
    frame of the same kind
        `participant_id`, `game_id`, `svo_angle`, `svo_type`, `answered`; by person and game.

    Raises
    ------
    UsageError
        If there are not six questions, or others were asked and none of these.
    SchemaError
        If a column is not there, an answer is not a position, or a person answered an item twice.

    References
    ----------
    Murphy, R. O., Ackermann, K. A., & Handgraaf, M. J. J. (2011). Measuring social value orientation. Judgment and
    Decision Making, 6(8), 771–781.

    Examples
    --------
    >>> answers = pd.DataFrame({"participant_id": "P", "game_id": None, "question": [f"svo{i}" for i in range(1, 7)],
    ...                         "answer": ["1", "9", "9", "5", "5", "5"]})
    >>> row = svo_slider(answers, [f"svo{i}" for i in range(1, 7)])
    >>> row["svo_angle"].round(2).tolist(), row["svo_type"].tolist()
    ([30.43], ['prosocial'])
    """
    if len(questions) != len(SVO_ITEMS):
        raise UsageError(f"questions has {len(questions)} names; the slider measure has six primary items")
    table = _table(answers, questions)
    positions = _numbers(table, range(1, POSITIONS + 1), "a position from 1 to 9")
    item_ends = np.array(SVO_ITEMS, dtype=np.float64)  # items, first and last, own and other
    share = (positions[:, :, np.newaxis] - 1) / (POSITIONS - 1)
    amounts = np.floor(item_ends[:, 0] + (item_ends[:, 1] - item_ends[:, 0]) * share + 0.5)
    own_mean, other_mean = np.moveaxis(amounts.mean(axis=1), -1, 0)  # missing where one item is
    angle = np.degrees(np.arctan2(other_mean - 50, own_mean - 50))
    types = np.select([angle > limit for _, limit in SVO_LIMITS], [name for name, _ in SVO_LIMITS], "")
    scores = table.index.to_frame(index=False)
    scores["svo_angle"] = angle
    scores["svo_type"] = pd.Series(types, dtype="str").where(~np.isnan(angle))
    scores["answered"] = (~np.isnan(positions)).sum(axis=1).astype(np.float64)
    return returned(scores, answers)


def subjective_value(
    answers: IntoFrameT, questions: Sequence[str], *, overall: Literal["factors", "items"] = "factors"
) -> IntoFrameT:
    """Return each person's scores of the Subjective Value Inventory: four factors, rapport and the global score.

    A factor is the mean of its answered items; items 3 (felt that one lost) and 5 (lost face) are reversed, 8 − x.
    Rapport is the mean of process and relationship, global the mean of the four factors. Unit: points from 1 to 7, more
    is better. Denominator: the answered items. Missing where fewer than half of a factor's items were answered ("NA"
    counts as not answered), and then rapport and global, too.

    The inventory is that of Curhan, Elfenbein and Xu (2006). That items 3 and 5 are the reversed ones was checked in
    two public scoring keys; copies order items 14 and 15 differently, which changes no score.

    Parameters
    ----------
    answers
        `participant_id`, `game_id`, `question`, `answer`: 1 to 7, or NA.
    questions
        Names of the sixteen items in the published order: outcome, self, process, relationship, four each.
    overall
        "factors": the global score is the mean of the four factors; "items": of all answered items.

    Returns
    -------
    frame of the same kind
        `participant_id`, `game_id`, `svi_outcome`, `svi_self`, `svi_process`, `svi_relationship`, `svi_rapport`,
        `svi_global`, `answered`; by person and game.

    Raises
    ------
    UsageError
        If there are not sixteen questions, one of them was never asked, or `overall` is neither.
    SchemaError
        If a column is not there, an answer is none of 1 to 7, or a person answered an item twice.

    References
    ----------
    Curhan, J. R., Elfenbein, H. A., & Xu, H. (2006). What do people value when they negotiate? Mapping the domain of
    subjective value in negotiation. Journal of Personality and Social Psychology, 91(3), 493–512.

    Examples
    --------
    >>> names = [f"svi{i}" for i in range(1, 17)]
    >>> answers = pd.DataFrame({"participant_id": "P", "game_id": "g", "question": names, "answer": ["6", "6", "2", "6",
    ...                         "1", "7", "7", "7", "5", "5", "NA", "5", "4", "4", "4", "4"]})
    >>> [float(score) for score in subjective_value(answers, names).iloc[0, 2:]]
    [6.0, 7.0, 5.0, 4.0, 4.5, 5.5, 15.0]
    """
    if len(questions) != 16:
        raise UsageError(f"questions has {len(questions)} names; the inventory has sixteen items")
    if overall not in ("factors", "items"):
        raise UsageError(f"overall is {shown(overall)}; give factors or items")
    table = _table(answers, questions)
    lacking = [name for name in questions if table[name].isna().all()]
    if lacking and len(table):
        raise UsageError(f"nobody answered {shown(lacking[0])}; check its name, or the factor would rest on the others")
    points = _numbers(table, range(1, 8), "a whole number from 1 to 7, or NA")
    for item in SVI_REVERSED:
        points[:, item - 1] = 8 - points[:, item - 1]
    scores = table.index.to_frame(index=False)
    for name, items in SVI_FACTORS.items():
        scores[f"svi_{name}"] = _mean(points[:, [item - 1 for item in items]])
    scores["svi_rapport"] = (scores["svi_process"] + scores["svi_relationship"]) / 2
    # Where a factor is missing there is no global score.
    factors = scores[[f"svi_{name}" for name in SVI_FACTORS]].to_numpy()
    global_score = _mean(points) if overall == "items" else factors.mean(axis=1)
    scores["svi_global"] = np.where(np.isnan(factors).any(axis=1), np.nan, global_score)
    scores["answered"] = (~np.isnan(points)).sum(axis=1).astype(np.float64)
    return returned(scores, answers)


def _table(answers: IntoFrame, questions: Sequence[str]) -> pd.DataFrame:
    """Return the answers with one row a person and game and one column a question."""
    if isinstance(questions, str) or len(set(questions)) < len(questions):
        raise UsageError(f"questions is {shown(questions)}; name each item once")
    answer_rows = collected(answers, "answers", [*_PERSON, "question", "answer"])
    question_names = list(answer_rows["question"].dropna().unique())
    answer_rows = answer_rows[answer_rows["question"].isin(list(questions))].dropna(subset=["answer"])
    if answer_rows.empty and question_names:
        raise UsageError(
            f"nobody answered {shown(questions[0])}; {meant(questions[0], question_names, 'questions are')}"
        )
    is_repeated = answer_rows.duplicated([*_PERSON, "question"])
    if is_repeated.any():
        row = answer_rows[is_repeated].iloc[0]
        answer_text = f"{shown(row['participant_id'])} answered {shown(row['question'])} twice"
        raise SchemaError(f"{answer_text} in one game", table="answers", column="question")
    wide_frame = answer_rows.set_index([*_PERSON, "question"])["answer"].unstack("question")  # noqa: PD010 - answers are text
    return wide_frame.reindex(columns=list(questions)).sort_index()


def _numbers(table: pd.DataFrame, scale: range, expected: str) -> npt.NDArray[np.float64]:
    points = np.full(table.shape, np.nan)
    for row, column in np.argwhere(table.notna().to_numpy()):
        answer = str(table.iloc[row, column]).strip()
        if answer.lower() in SVI_WORDS:
            continue
        if answer.removesuffix(".0") not in map(str, scale):
            raise SchemaError(
                f"{shown(table.columns[column])} was answered {shown(answer)}; it takes {expected}",
                table="answers",
                column="answer",
            )
        points[row, column] = float(answer)
    return points


def _mean(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean of each row's known numbers; missing where fewer than half are known."""
    is_answered = ~np.isnan(points)
    count = is_answered.sum(axis=1)
    total = np.where(is_answered, points, 0.0).sum(axis=1)
    return np.where(2 * count >= points.shape[1], total / np.maximum(count, 1), np.nan)
