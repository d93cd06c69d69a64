"""What a report calls the tests, corrections and roles of ``results.json``."""

from __future__ import annotations

from negstats.analysis.method import label_of
from negstats.sanitize import line

NAME = 200  # characters of a title or a level
SENTENCE = 2000

CORRECTIONS = {
    "holm": "Holm", "bonferroni": "Bonferroni", "hochberg": "Hochberg", "hommel": "Hommel", "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli", "none": "none",
}  # fmt: skip
ROLES = {"answer": "main test", "part": "component", "follow-up": "follow-up", "beside": "additional check"}
UNITS = {"participant": "person"}


def method_name(name: str) -> str:
    """Return what a test is called in a report; a name that is not known stands as it is.

    Examples
    --------
    >>> method_name("mann_whitney"), method_name("new_test")
    ('Mann–Whitney test', 'new test')
    """
    return label_of(line(name, NAME))
