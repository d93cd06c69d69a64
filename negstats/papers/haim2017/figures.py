"""Figures 1 to 3b and 5a of haim2017, as far as its text prints what is in them, and four of its tables drawn.

The paper gives means and SDs in the text; the sizes of most groups are not printed.
"""

from __future__ import annotations

from collections import Counter

import pandas as pd
from matplotlib.axes import Axes

from negstats.papers.figure import Figure, cell_rows, sources_of
from negstats.papers.haim2017 import boards
from negstats.papers.ledger import Row, printed_cells, results
from negstats.plots import cell_means

PAPER = "haim2017"
BY_NUMBERS = "by what the figure shows, and the numbers that section {} prints of it"
NO_FIGURE = "no figure of the paper: {}, drawn"
COUNTRIES = ("Israel", "USA", "China", "all")
CONDITIONS = ("HvsH", "HvsCS-A", "HvsSP-A", "HvsSP-RAP", "HvsSP-RAPD", "all with a human customer")


def figures() -> list[Figure]:
    """Return the figures that can be drawn."""
    return [
        boards.study_board(),
        boards.three_squares_states(),
        _customer_scores(),
        _goal_reaching(),
        _provider_scores(),
        _rounds(),
        _competitiveness(),
        _commitments(),
    ]


def _rows(measure: str, *, where: str = "", countries: tuple[str, ...] = COUNTRIES[:3]) -> list[Row]:
    return [
        row
        for row in printed_cells(PAPER)
        if row.of == measure and row.country in countries and where in ("", row.place)
    ]


def _customer_scores() -> Figure:
    rows = _rows("customer score")
    tests = [claim for claim in results(PAPER) if claim.id.startswith("haim2017.cs.")]
    sizes = ", ".join(f"{claim.size} ({claim.what.rsplit(', ', 1)[1]})" for claim in tests)

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
    sources = (*sources_of(rows), *sources_of(tests))
    return Figure(PAPER, "3a", "customer_scores", numbers, draw, sources, "", BY_NUMBERS.format("6.2"))


def _goal_reaching() -> Figure:
    rows = _rows("customer reached goal", where="6.1, 6.2") + _rows("customer reached goal", where="6.2")

    def draw(numbers: pd.DataFrame) -> Axes:
        caption = "Games in which the customer reached a goal"
        return _percentages(numbers, "games with the goal reached (%)", caption)

    return Figure(
        PAPER, "3b", "goal_reaching", _cells(rows, "percent"), draw, sources_of(rows), "", BY_NUMBERS.format("6.2")
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
    assigned = BY_NUMBERS.format("6.3") + "; SP-RAPD is not part of the figure"
    return Figure(PAPER, "5a", "provider_scores", numbers, draw, sources_of(rows), "", assigned)


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
    return Figure(PAPER, "section 6", "rounds", numbers, draw, sources_of(rows), "", assigned)


def _competitiveness() -> Figure:
    """Tables 2 and 4: what offers ask less what they give; where the text prints a second value both are drawn."""
    rows = [row for row in printed_cells(PAPER) if row.of.startswith("competitiveness of") and row.country == "all"]
    again: Counter[tuple[str, str]] = Counter()
    records = []
    for row in rows:
        seat = row.of.removeprefix("competitiveness of ").removesuffix(" offers")
        again[seat, row.condition] += 1
        printed_as = "once" if again[seat, row.condition] == 1 else "a second time"
        mean = float("nan") if row.mean is None else row.mean.value
        records.append(
            {"seat and condition": f"{seat}\n{row.condition}", "printed": printed_as, "n": None, "mean": mean}
        )

    def draw(numbers: pd.DataFrame) -> Axes:
        ax = cell_means(
            numbers,
            "seat and condition",
            "printed",
            label="competitiveness (chips asked less chips given)",
            bars="none",
            joined=False,
            caption="Competitiveness of customers' offers (Table 2) and of providers' offers (Table 4, and the text)",
        )
        ax.axhline(0, color="black", linewidth=0.8)
        ax.get_figure().set_size_inches(7.2, 4.2)  # type: ignore[union-attr]
        return ax

    numbers = pd.DataFrame(records).astype({"n": float})
    assigned = NO_FIGURE.format("Tables 2 and 4 and section 6.3")
    return Figure(PAPER, "tables 2 4", "competitiveness", numbers, draw, sources_of(rows), "", assigned)


def _commitments() -> Figure:
    measure = "games ended with a commitment"
    rows = (
        _rows(measure, where="Table 5")
        + _rows(measure, where="6.5")
        + _rows(measure, where="Table 3", countries=("all",))
    )
    others = [row for row in _rows(measure, countries=("all",)) if row.place != "Table 3"]
    percents = ", ".join(f"{row.percent}" for row in others)

    def draw(numbers: pd.DataFrame) -> Axes:
        caption = (
            "Games that ended with a commitment; all, HvsCS-A is drawn as Table 3 prints it, "
            f"the text prints {percents} % too"
        )
        return _percentages(numbers, "games ended with a commitment (%)", caption)

    assigned = NO_FIGURE.format("Tables 3 and 5 and section 6.5")
    return Figure(
        PAPER, "table 5", "commitments", _cells(rows, "percent"), draw, sources_of([*rows, *others]), "", assigned
    )


def _cells(rows: list[Row], *numbers: str) -> pd.DataFrame:
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
