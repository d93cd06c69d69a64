"""dominance: the note on agent utterances in dialogues of cooperative negotiation, without author and year.

It prints definitions and trees, and no number: what its ledger holds are the definitions, the contradictions in its
words, and its trees, drawn from the text (their pictures are lost).
"""

from __future__ import annotations

from negstats.papers.recipes import recompute_rows
from negstats.papers.verdict import Finding

PAPER = "dominance"


def findings() -> list[Finding]:
    """Return the finding of every row that has a verdict: the contradictions."""
    return recompute_rows(PAPER, {})
