"""Checks of printed statistics: whether the numbers of a paper agree with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.audit.audits import Audit, audit_file, audit_text
    from negstats.audit.check_p import Checked
    from negstats.audit.definitions import d_by_definition
    from negstats.audit.folder import Paper, audit_papers
    from negstats.audit.grim import FittingCounts, Grim, Grimmer, counts_with, debit, grim, grimmer
    from negstats.audit.group_sizes import Splits, splits
    from negstats.audit.manuscript import Manuscript, audit_against
    from negstats.audit.pages import write_papers
    from negstats.audit.readings import Rules
    from negstats.audit.samples import FittingSamples, samples_with
    from negstats.audit.tables import FittingTables, tables_with
    from negstats.printed_numbers import Printed, printed

__all__ = [
    "Audit",
    "Checked",
    "FittingCounts",
    "FittingSamples",
    "FittingTables",
    "Grim",
    "Grimmer",
    "Manuscript",
    "Paper",
    "Printed",
    "Rules",
    "Splits",
    "audit_against",
    "audit_file",
    "audit_papers",
    "audit_text",
    "counts_with",
    "d_by_definition",
    "debit",
    "grim",
    "grimmer",
    "printed",
    "samples_with",
    "splits",
    "tables_with",
    "write_papers",
]

__getattr__, __dir__ = on_first_use(__name__, __file__)
