"""From a study to tests: independent units, comparisons of conditions, descriptions.

The names are imported on first use: a description of a study needs no test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.analysis.answers import Answer, Report
    from negstats.analysis.compare import Comparison, compare
    from negstats.analysis.describe import Description, describe, measure_table
    from negstats.analysis.run import run
    from negstats.analysis.shares import ShareComparison

__all__ = [
    "Answer",
    "Comparison",
    "Description",
    "Report",
    "ShareComparison",
    "compare",
    "describe",
    "measure_table",
    "run",
]

__getattr__, __dir__ = on_first_use(__name__, __file__)
