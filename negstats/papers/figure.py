"""What a paper's figure is made of, and what the recipes of the papers' figures share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from negstats.papers.ledger import Row


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a paper, drawn from its numbers.

    Attributes
    ----------
    paper, number : str
        The paper, and the number of its figure (or table) that these numbers belong to.
    name : str
        What is drawn, in a few words: part of the files' names.
    numbers : DataFrame
        Everything that is drawn, unrounded.
    draw : callable
        Draws `numbers` on new axes.
    sources : tuple of str
        Rows of the ledger that `numbers` come from.
    computed : str
        What was computed rather than printed; empty if nothing was.
    assigned : str
        Why these numbers are said to belong to this figure.
    """

    paper: str
    number: str
    name: str
    numbers: pd.DataFrame
    draw: Callable[[pd.DataFrame], Axes]
    sources: tuple[str, ...]
    computed: str
    assigned: str

    @property
    def stem(self) -> str:
        """The files' name without ending, such as ``haim2017_3a_customer_scores``."""
        return f"{self.paper}_{self.number}_{self.name}".lower().replace(" ", "_")


def sources_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return where printed rows stand: ``haim2017/ledger.csv haim2017.cs.israel``."""
    return tuple(row.source for row in rows)


def cell_rows(rows: Iterable[Row], **factors: str) -> pd.DataFrame:
    """Return printed cells as a table with n, mean, sd, se and percent; numbers not printed are missing.

    Parameters
    ----------
    rows
        Printed cells.
    **factors
        Name of a column to write, and the column of the cell that it is: ``reward="factor_a"``.
    """
    names = ("n", "mean", "sd", "se", "percent")
    return pd.DataFrame(
        [
            {name: getattr(row, column) for name, column in factors.items()}
            | {name: float("nan") if (number := getattr(row, name)) is None else number.value for name in names}
            for row in rows
        ]
    )
