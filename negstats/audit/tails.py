"""One question to a paper whose p agree with one tail only, in place of a flag at each of them.

Where the text declares one tail for some tests, or hypotheses with a direction, the question is a note; where it
declares nothing, the first such p is flagged and names the others. A paper that says that all its tests have two tails
is asked nothing: each of its p is flagged.
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
    results: Sequence[Checked], declared: Statement | None, two_tails: Statement | None
) -> tuple[tuple[Checked, ...], tuple[Judgement, ...]]:
    """Return results whose p of one tail are asked about once, and the question where the text declares something.

    Parameters
    ----------
    results
        The results of a text, each checked.
    declared
        What the text says of one-tailed tests or of hypotheses with a direction; None if it says nothing.
    two_tails
        What it says of all tests having two tails.
    """
    places = [place for place, result in enumerate(results) if result.one_tail_alone]
    if two_tails is not None or not places or (declared is None and len(places) < MANY):
        return tuple(results), ()
    raws = [results[place].reported.raw for place in places]
    examples = "; ".join(raws[:SHOWN]) + (f"; and {len(raws) - SHOWN} more" if len(raws) > SHOWN else "")
    judged_results = list(results)
    first = places[0]
    if declared is None:
        crossing = any(results[place].verdict == "decision error" for place in places)
        why = (
            f"{results[first].why}; {len(places)} p of this text do ({examples}): "
            "are these tests one-tailed? Nothing in the text declares it"
        )
        judged_results[first] = dataclasses.replace(
            results[first], verdict="decision error" if crossing else results[first].verdict, why=why
        )
        question: tuple[Judgement, ...] = ()
    else:
        report = results[first].reported
        count = f"{len(places)} p agree" if len(places) > 1 else "one p agrees"
        why = (
            f"{count} with one tail only ({examples}), and the text says “{declared.text}”; it would have to say that "
            "these tests are one-tailed"
        )
        question = (Judgement("fits only if", "p and one tail", why, report.raw, report.sentence, report.place),)
    for place in places[1:] if declared is None else places:
        judged_results[place] = dataclasses.replace(
            judged_results[place], verdict="consistent if one-tailed", asked=True
        )
    return tuple(judged_results), question
