"""From a study to tests: independent units, comparisons of conditions, descriptions."""

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
