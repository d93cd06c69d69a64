"""The plan of a study: what it asks, written down, checked and registered before it is answered."""

from negstats.analysis.plan.canonical import canonical, sha256
from negstats.analysis.plan.faults import Fault
from negstats.analysis.plan.model import (
    Contrast,
    Data,
    Exclusion,
    Factor,
    Family,
    Measure,
    Plan,
    Power,
    Question,
)
from negstats.analysis.plan.parse import parse, read

__all__ = [
    "Contrast",
    "Data",
    "Exclusion",
    "Factor",
    "Family",
    "Fault",
    "Measure",
    "Plan",
    "Power",
    "Question",
    "canonical",
    "parse",
    "read",
    "sha256",
]
