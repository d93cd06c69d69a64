"""The plan of a study: what it asks, written down, checked and registered before it is answered.

Glossary
--------
fault : a place in the plan and what is wrong there; *field* : a name that a table of the plan may have; *reader* : what
turns a field's text into its value, or a fault; *target* : the factors or numbers that a prediction is about, and the
sign of their effect; *canonical* : a plan without what does not matter to its meaning, of which the hash is taken.
"""

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
