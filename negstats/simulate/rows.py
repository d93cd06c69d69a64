"""What all simulated studies share: rows collected as columns, and the words that say that nobody took part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pandas as pd

from negstats.studies.participation import SIMULATED, SIMULATOR
from negstats.studies.provenance import Provenance
from negstats.tables import TABLES, conform

STUDY = SIMULATED


class TableRows:
    """Rows by table, in the order in which they are added; a table without rows is left out.

    Examples
    --------
    >>> rows = TableRows()
    >>> rows.add("games", game_id="g1", ended="agreement", rounds=3)
    >>> rows.tables()["games"][["game_id", "ended", "rounds"]].values.tolist()
    [['g1', 'agreement', 3]]
    """

    def __init__(self) -> None:
        self._columns: dict[str, defaultdict[str, list[Any]]] = {name: defaultdict(list) for name in TABLES}

    def add(self, table: str, /, **row: Any) -> None:
        """Add a row; every row of a table has the same columns."""
        columns = self._columns[table]
        for name, value in row.items():
            columns[name].append(value)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables that have rows."""
        return {name: conform(name, pd.DataFrame(dict(columns))) for name, columns in self._columns.items() if columns}


def build_provenance(command: str, version: str, notes: Sequence[str]) -> Provenance:
    """Return where the study of ``negstats simulate`` with this command came from; the first note says that it is made.

    Examples
    --------
    >>> build_provenance("favors", "1", ["seed 7"]).notes
    ('synthetic: made by negstats simulate favors; nobody took part', 'seed 7')
    """
    label = f"synthetic: made by negstats simulate {command}; nobody took part"
    return Provenance(f"{SIMULATOR}{command}", version, notes=(label, *notes))
