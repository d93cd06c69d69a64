"""Questions to a paper: one in place of a flag at each p that agrees with one tail only.

Where the text declares one tail for some tests, or hypotheses with a direction, the question is a note; where it
declares nothing, the first such p is flagged (the first whose decision it changes) and names the others. What is asked
is a record of its own: the verdict of each result stays what its numbers and the facts that reach it say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from negstats.audit.beyond_p.judgement import Judgement
from negstats.audit.check_p import Checked
from negstats.audit.context import Statement

MANY = 3  # p of one tail that are one question, not an error each
SHOWN = 8


def ask_once(
    results: Sequence[Checked], declared: Statement | None
) -> tuple[tuple[Checked, ...], tuple[Judgement, ...]]:
    """Return results whose p of one tail are asked about once, and the question where the text declares something.

    Parameters
    ----------
    results
        The results of a text, each checked.
    declared
        What the text says of one-tailed tests or of hypotheses with a direction; None if it says nothing.
    """
    places = [place for place, result in enumerate(results) if result.one_tail_alone]
    if not places or (declared is None and len(places) < MANY):
        return tuple(results), ()
    crossing = [place for place in places if results[place].verdict == "decision error"]
    first = results[(crossing or places)[0]]
    raws = [results[place].reported.raw for place in places]
    examples = "; ".join(raws[:SHOWN]) + (f"; and {len(raws) - SHOWN} more" if len(raws) > SHOWN else "")
    judged_results = list(results)
    question: tuple[Judgement, ...] = ()
    for place in places:
        judged_results[place] = dataclasses.replace(results[place], asked=True)
    if declared is None:
        why = (
            f"{first.why}; {len(places)} p of this text do ({examples}): "
            "are these tests one-tailed? Nothing in the text declares it"
        )
        judged_results[(crossing or places)[0]] = dataclasses.replace(first, why=why)
    else:
        report = first.reported
        count = f"{len(places)} p agree" if len(places) > 1 else "one p agrees"
        why = (
            f"{count} with one tail only ({examples}), and the text says “{declared.text}”; it would have to say that "
            "these tests are one-tailed"
        )
        question = (Judgement("fits only if", "p and one tail", why, report.raw, report.sentence, report.place),)
        for place in crossing:  # what the text declares of its tests is a fact for one tail, if a weak one
            judged_results[place] = dataclasses.replace(judged_results[place], verdict="consistent if one-tailed")
    return tuple(judged_results), question
