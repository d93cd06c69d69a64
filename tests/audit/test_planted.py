"""Wrong p that stand in the reach of what a text says of a correction: nearly all are flagged all the same."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.audit import audit_text
from tests.audit.test_generated import drawn, number, wrong

STATEMENTS = (
    "All pairwise comparisons were Bonferroni-corrected.",
    "P values of the post hoc tests were corrected for three comparisons (Holm).",
    "Post hoc tests were corrected by Tukey's method.",
    "P values were corrected by the false discovery rate of Benjamini and Hochberg.",
    "Pairwise comparisons used Šidák's correction.",
)
PLANTED = 100  # wrong p for each statement
LEAST = 0.93  # 38 of 41


def planted(statement: str, rng: np.random.Generator) -> str:
    """Return a text with a statement about a correction and a t whose p neither one tail nor two give."""
    while True:
        value, df, p_of = drawn("t", rng)
        size = abs(float(f"{value:.2f}"))
        if size < 0.02:
            continue
        p = wrong(p_of(size + 0.005), p_of(size - 0.005), rng)
        if p is not None and p.startswith("="):
            return f"{statement}\n\nThe first agent did better, t({df['d']}) = {number(value, rng, 't')}, p {p}."


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_errors_in_the_reach_of_a_correction_are_flagged(statement: str) -> None:
    rng = np.random.default_rng(STATEMENTS.index(statement))
    texts = [planted(statement, rng) for _ in range(PLANTED)]
    flagged = [audit_text(text).results[0].flagged for text in texts]
    print(f"{statement} {sum(flagged)} of {PLANTED} flagged")
    assert sum(flagged) >= LEAST * PLANTED, [
        audit_text(text).results[0].why[:120] for text, flag in zip(texts, flagged, strict=True) if not flag
    ]
