"""Figures 3a, 3b and 5a of haim2017, as far as its text prints their numbers, and two of its tables drawn.

The paper gives means and SDs in the text; the sizes of most groups are not printed.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from negstats.papers.figure import Figure, NotDrawn, cell_rows, lines_of
from negstats.papers.published import Summary, claims, summaries
from negstats.plots import cell_means

PAPER = "haim2017"
BY_NUMBERS = "by what the figure shows, and the numbers that section {} prints of it"
NO_FIGURE = "no figure of the paper: {}, drawn"
COUNTRIES = ("Israel", "USA", "China", "all")
CONDITIONS = ("HvsH", "HvsCS-A", "HvsSP-A", "HvsSP-RAP", "HvsSP-RAPD", "all with a human customer")

NOT_DRAWN = (
    NotDrawn(PAPER, "1", "the figure", "a picture of the game's screen"),
    NotDrawn(PAPER, "2", "the figure", "a small board that explains definitions; it has no numbers"),
    NotDrawn(PAPER, "3a", "n of each bar", "group sizes are not printed, only the df of the t-tests of each country"),
    NotDrawn(PAPER, "3b", "intervals", "counts are not printed, and several fit the percentages"),
    NotDrawn(PAPER, "4a", "the figure", "no score of SP-A is printed; the text says only that they do not differ"),
    NotDrawn(PAPER, "4b", "the figure", "no percentage of HvsSP-A is printed; the text says only that it is lower"),
    NotDrawn(PAPER, "5a", "provider scores in the USA", "not printed; the text says only that they do not differ"),
    NotDrawn(PAPER, "5b", "the figure", "no percentage of HvsSP-RAP is printed, only where it differs"),
)


def figures() -> list[Figure]:
    """Return the figures that can be drawn."""
    return [_customer_scores(), _goal_reaching(), _provider_scores(), _rounds(), _commitments()]


def _rows(measure: str, *, where: str = "", countries: tuple[str, ...] = COUNTRIES[:3]) -> list[Summary]:
    return [
        row
        for row in summaries(PAPER)
        if row.measure == measure and row.country in countries and where in ("", row.where)
    ]


def _customer_scores() -> Figure:
    rows = _rows("customer score")
    tests = [claim for claim in claims(PAPER) if claim.id.startswith("haim2017.cs.")]
    sizes = ", ".join(f"{claim.n} ({claim.what.rsplit(', ', 1)[1]})" for claim in tests)

    def draw(numbers: pd.DataFrame) -> Axes:
        return cell_means(
            numbers,
            "country",
            "condition",
            label="customer's score (points)",
            bars="sd",
            joined=False,
            caption=f"Scores of customers: people (HvsH) and agent (HvsCS-A). Both groups together (df + 2): {sizes}",
        )

    numbers = _cells(rows, "mean", "sd")
    sources = (*lines_of(rows), *(f"claims.csv {claim.id}" for claim in tests))
    return Figure(PAPER, "3a", "customer_scores", numbers, draw, sources, "", BY_NUMBERS.format("6.2"))


def _goal_reaching() -> Figure:
    rows = _rows("customer reached goal", where="6.1, 6.2") + _rows("customer reached goal", where="6.2")

    def draw(numbers: pd.DataFrame) -> Axes:
        caption = "Games in which the customer reached a goal"
        return _percentages(numbers, "games with the goal reached (%)", caption)

    return Figure(
        PAPER, "3b", "goal_reaching", _cells(rows, "percent"), draw, lines_of(rows), "", BY_NUMBERS.format("6.2")
    )


def _provider_scores() -> Figure:
    rows = _rows("provider score")

    def draw(numbers: pd.DataFrame) -> Axes:
        ax = cell_means(
            numbers,
            "country",
            "condition",
            label="provider's score (points)",
            bars="sd",
            joined=False,
            caption="Scores of providers: people (HvsH) and the agents SP-RAP and SP-RAPD; USA not printed",
        )
        ax.get_figure().set_size_inches(5.6, 3.8)  # type: ignore[union-attr]
        return ax

    numbers = _cells(rows, "mean", "sd")
    assigned = BY_NUMBERS.format("6.3") + "; SP-RAPD beside them is no part of the figure"
    return Figure(PAPER, "5a", "provider_scores", numbers, draw, lines_of(rows), "", assigned)


def _rounds() -> Figure:
    rows = _rows("rounds", countries=COUNTRIES)

    def draw(numbers: pd.DataFrame) -> Axes:
        caption = "Mean number of rounds of a game"
        return cell_means(
            numbers,
            "country",
            "condition",
            label="length of a game (rounds)",
            bars="none",
            joined=False,
            caption=caption,
        )

    numbers = _cells(rows, "mean")
    assigned = NO_FIGURE.format("the rounds that sections 6.4 and 6.5 print")
    return Figure(PAPER, "section 6", "rounds", numbers, draw, lines_of(rows), "", assigned)


def _commitments() -> Figure:
    measure = "games ended with a commitment"
    rows = (
        _rows(measure, where="Table 5")
        + _rows(measure, where="6.5")
        + _rows(measure, where="Table 3", countries=("all",))
    )
    others = [row for row in _rows(measure, countries=("all",)) if row.where != "Table 3"]
    also = ", ".join(f"{row.percent}" for row in others)

    def draw(numbers: pd.DataFrame) -> Axes:
        caption = (
            "Games that ended with a commitment; all, HvsCS-A is drawn as Table 3 prints it, "
            f"the text prints {also} % too"
        )
        return _percentages(numbers, "games ended with a commitment (%)", caption)

    assigned = NO_FIGURE.format("Tables 3 and 5 and section 6.5")
    return Figure(
        PAPER, "table 5", "commitments", _cells(rows, "percent"), draw, lines_of([*rows, *others]), "", assigned
    )


def _cells(rows: list[Summary], *numbers: str) -> pd.DataFrame:
    """Return printed cells in the order in which all figures of the paper have countries and conditions."""
    table = cell_rows(rows, country="country", condition="condition")
    table["country"] = pd.Categorical(table["country"], COUNTRIES, ordered=True)
    table["condition"] = pd.Categorical(table["condition"], CONDITIONS, ordered=True)
    return table.sort_values(["country", "condition"], ignore_index=True)[["country", "condition", "n", *numbers]]


def _percentages(numbers: pd.DataFrame, label: str, caption: str) -> Axes:
    table = numbers.rename(columns={"percent": "mean"})
    ax = cell_means(table, "country", "condition", label=label, bars="none", joined=False, caption=caption)
    ax.set_ylim(0, 105)
    return ax
