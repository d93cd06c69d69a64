from .answers import Answer, Report
from .compare import Comparison, compare
from .describe import Description, describe, measure_table
from .run import run
from .shares import ShareComparison

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
