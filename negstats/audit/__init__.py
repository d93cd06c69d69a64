"""Checks of printed statistics: whether the numbers of a paper agree with each other."""

from negstats.audit.printed import Printed, printed
from negstats.audit.splits import Splits, splits
from negstats.audit.tables import FittingTables, tables_with

__all__ = ["FittingTables", "Printed", "Splits", "printed", "splits", "tables_with"]
