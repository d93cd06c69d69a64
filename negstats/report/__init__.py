"""From tables and tests to what a paper prints: comparisons of conditions, descriptions, text."""

from negstats.report.comparison import Comparison, compare
from negstats.report.description import Description, describe, measure_table

__all__ = ["Comparison", "Description", "compare", "describe", "measure_table"]
