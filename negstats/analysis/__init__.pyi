from .answers import Answer, Report
from .compare import compare
from .describe import Description, describe, measure_table
from .run import run

__all__ = [
    "Answer",
    "Description",
    "Report",
    "compare",
    "describe",
    "measure_table",
    "run",
]
