import negstats.printed_numbers

from .audits import Audit, audit_file, audit_text
from .check_p import Checked
from .folder import Paper, audit_papers
from .grim import FittingCounts, Grim, Grimmer, counts_with, debit, grim, grimmer
from .group_sizes import Splits, d_by_definition, splits
from .manuscript import Manuscript, audit_against
from .readings import Rules
from .tables import FittingSamples, FittingTables, samples_with, tables_with
from .written_findings import write_papers

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

Printed = negstats.printed_numbers.Printed
printed = negstats.printed_numbers.printed
