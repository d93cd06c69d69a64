"""chawla2023's analyses on simulated dialogues, compared with the printed numbers.

Simulated acts, not the paper's bots: the design, the logs, the measures and the analyses are the paper's, the numbers
are not, and nothing here is evidence about people or about the bots.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.papers.chawla2023 import PARTNERS, REWARDS, WITH, WITHOUT
from negstats.papers.ledger import printed_cells, results
from negstats.stats import Cells, Counts, anova, chi_squared, loglinear, proportion
from negstats.stats.results.intervals import quantile

if TYPE_CHECKING:
    from negstats.studies.study import Study

CAUTION = "simulated acts, not the paper's bots"
MEASURES = ("human points", "agent points", "joint points")
PEOPLE = "people"  # made-up people, in the place of the paper's
TERMS = ("reward", "partner", "reward:partner")

# The printed claim that a test of the simulated study stands beside.
_CLAIMS = {
    ("human points", WITH, "reward"): "human.reward",
    ("human points", WITH, "partner"): "human.partner",
    ("human points", WITH, "reward:partner"): "human.interaction",
    ("joint points", WITH, "reward"): "joint.reward",
    ("agent points", WITHOUT, "reward"): "agent.excl",
    **{("agent points", WITH, term): "agent.noreward" for term in TERMS},
    ("walk-aways", "", "reward:partner:walked away"): "walkaway.loglinear",
    ("walk-aways", "selfish agents", "partner"): "walkaway.selfish",
    ("walk-aways", "fair agents", "partner"): "walkaway.fair",
}


def dialogues(study: Study) -> pd.DataFrame:
    """Return one row a dialogue between an agent of the design and made-up people.

    Returns
    -------
    pandas.DataFrame
        `game_id`, `reward`, `partner` (in the paper's order), `human points`, `agent points`, `joint points`, `walked
        away` ("yes" also where the dialogue was cut off, as in the paper) and `utterances`.

    Raises
    ------
    DesignError
        If a game has not one agent of the design and one seat of people.

    Examples
    --------
    >>> import numpy as np
    >>> from negstats.simulate.dealornodeal import LogLinear, agents_with_people, as_study
    >>> from negstats.simulate.dealornodeal.study import SIZES
    >>> alike = {name: LogLinear(np.zeros(18)) for name in SIZES}
    >>> len(dialogues(as_study(agents_with_people(alike, seed=1))))
    583
    """
    seats = study.players.assign(people=study.players["agent"] == PEOPLE)
    points = seats.pivot_table(index="game_id", columns="people", values="points", aggfunc="sum")
    crowd = seats.groupby("game_id")["people"].sum()
    games = study.games.set_index("game_id")
    wrong = games.index[crowd.reindex(games.index).to_numpy() != 1]
    if len(wrong) or not {"reward", "partner"} <= set(games.columns):
        raise DesignError(f"game {shown(wrong[0] if len(wrong) else None)}: an agent of the design must meet people")
    points = points.loc[games.index]
    return pd.DataFrame(
        {
            "game_id": games.index,
            "reward": pd.Categorical(games["reward"], REWARDS),
            "partner": pd.Categorical(games["partner"], PARTNERS),
            "human points": points[True].to_numpy(),
            "agent points": points[False].to_numpy(),
            "joint points": points.sum(axis=1).to_numpy(),
            "walked away": np.where(games["ended"] == "agreement", "no", "yes"),
            "utterances": games["rounds"].to_numpy(dtype=float),
        }
    )


def cells(rows: pd.DataFrame, measure: str, condition: str = WITH) -> Cells:
    """Return a measure of dialogues as cells of reward × partner, with or without walk-aways."""
    dialogues = rows if condition == WITH else rows[rows["walked away"] == "no"]
    return Cells.from_frame(dialogues.astype({"reward": str, "partner": str}), measure, ["reward", "partner"])


def walk_aways(rows: pd.DataFrame) -> Counts:
    """Return the counts of dialogues: reward × partner × walked away."""
    frame = rows.astype({"reward": str, "partner": str})
    size = frame.groupby(["reward", "partner", "walked away"]).size()
    levels = {"reward": REWARDS, "partner": PARTNERS, "walked away": ("yes", "no")}
    n = [float(size.get(cell, 0)) for cell in product(*levels.values())]
    return Counts.from_table(np.reshape(n, (len(REWARDS), len(PARTNERS), 2)), levels)


def analyses(rows: pd.DataFrame) -> pd.DataFrame:
    """Make every test of the paper on simulated dialogues: type III, two-way, and the log-linear model.

    Returns
    -------
    pandas.DataFrame
        `outcome`, `condition`, `term`, `statistic`, `value`, `df1`, `df2`, `p`, and `printed`: what the paper prints of
        its bots and people. The printed G² belongs to mutual independence, see ``negstats reproduce chawla2023``; it
        stands beside the interaction, as which it is printed.
    """
    tests = [
        _row(measure, condition, term, "F", line["statistic"], line["df"], df2, line["p"])
        for measure, condition in product(MEASURES, (WITH, WITHOUT))
        for lines in [anova(cells(rows, measure, condition)).to_frame().set_index("term")]
        for df2 in [lines.loc["Residual", "df"]]
        for term, line in lines.loc[list(TERMS)].iterrows()
    ]
    table = walk_aways(rows)
    for term, fit in (
        ("reward:partner:walked away", loglinear(table, 2)),
        ("mutual independence", loglinear(table, "independence")),
    ):
        tests.append(_row("walk-aways", "", term, "G²", fit.statistic, fit.df, np.nan, fit.p))
    for place, reward in enumerate(REWARDS):
        if (table.n[place].sum(axis=0) == 0).any():  # all ended alike: nothing to test
            continue
        test = chi_squared(table.n[place])
        tests.append(_row("walk-aways", f"{reward} agents", "partner", "χ²", test.statistic, test.df, np.nan, test.p))
    return pd.DataFrame(tests)


def _row(outcome: str, condition: str, term: object, statistic: str, *numbers: object) -> dict[str, object]:
    value, df1, df2, p = (float(np.asarray(number)) for number in numbers)
    name = _CLAIMS.get((outcome, condition, str(term)))
    text = next((claim.printed for claim in results("chawla2023") if claim.id == f"chawla2023.{name}"), "")
    return {
        "outcome": outcome,
        "condition": condition,
        "term": term,
        "statistic": statistic,
        "value": value,
        "df1": df1,
        "df2": df2,
        "p": p,
        "printed": text,
    }


def table_3(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Table 3 of simulated dialogues with the printed one beside it.

    Returns
    -------
    pandas.DataFrame
        `measure`, `condition`, `reward`, `partner`, `n`, `mean`, `low`, `high` and `printed`. Points have their 95%
        interval (t); walk-aways are percentages with Wilson's; utterances are Table 5's.
    """
    cell_rows = []
    for measure, condition in [*product(MEASURES, (WITH, WITHOUT)), ("utterances", WITH)]:
        dialogues = rows if condition == WITH else rows[rows["walked away"] == "no"]
        for (reward, partner), part in dialogues.groupby(["reward", "partner"], observed=False):
            numbers = part[measure].to_numpy(dtype=float)
            mean, low, high = _interval(numbers)
            cell_rows.append((measure, condition, reward, partner, len(numbers), mean, low, high))
    n = walk_aways(rows).n
    share = proportion(n[..., 0], n.sum(axis=-1))
    interval = share.confidence_interval()
    for (i, reward), (j, partner) in product(enumerate(REWARDS), enumerate(PARTNERS)):
        mean, low, high = (100 * float(np.asarray(x)[i, j]) for x in (share.estimate, interval.low, interval.high))
        cell_rows.append(("walk-aways", "", reward, partner, int(n[i, j].sum()), mean, low, high))
    names = ["measure", "condition", "reward", "partner", "n", "mean", "low", "high"]
    table = pd.DataFrame(cell_rows, columns=names)
    return table.assign(printed=[_find_printed(*cell) for cell in table[names[:4]].itertuples(index=False)])


def _interval(numbers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float, float]:
    if len(numbers) < 2:
        return (float(numbers.mean()) if len(numbers) else np.nan), np.nan, np.nan
    mean, se = float(numbers.mean()), float(numbers.std(ddof=1)) / len(numbers) ** 0.5
    reach = float(quantile(0.95, len(numbers) - 1)) * se
    return mean, mean - reach, mean + reach


def _find_printed(measure: str, condition: str, reward: str, partner: str) -> float:
    name, where = ("utterances per dialogue", "") if measure == "utterances" else (measure, condition)
    for row in printed_cells("chawla2023"):
        if (row.of, row.condition, row.factor_a, row.factor_b) == (name, where, reward, partner):
            number = row.percent if measure == "walk-aways" else row.mean
            return np.nan if number is None else number.value
    return np.nan


def pair_means(outcomes: pd.DataFrame, names: Iterable[str], value: str) -> pd.DataFrame:
    """Return the mean of a column of `outcomes_of` by agent (rows) and opponent (columns), in the order of `names`.

    Figures 2 and 3 of the paper show such means; their numbers are not printed. Here the row is the agent scored.
    """
    order = list(names)
    means = outcomes.assign(value=outcomes[value].astype(float)).pivot_table(
        index="agent", columns="opponent", values="value", aggfunc="mean"
    )
    return means.loc[order, order].rename_axis(index="agent scored", columns="its partner")
