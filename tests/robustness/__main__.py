"""Damage logs and see what comes of them: `python -m tests.robustness SEED N [FIRST] [LOG]`.

Prints a table of outcomes by log and by mutation, and each failure with the words that repeat it. Ends with 1 if there
is a failure.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence

import pandas as pd

from tests.robustness.running import GOOD, Outcome, run


def main(words: Sequence[str]) -> int:
    """Run cases FIRST to FIRST + N - 1 of a seed; LOG is a part of the names of the logs to damage."""
    seed, count = int(words[0]), int(words[1])
    first = int(words[2]) if len(words) > 2 else 0
    only = words[3] if len(words) > 3 else ""
    values = list(run(seed, range(first, first + count), only=only))
    table(values, "log")
    table([each for each in values if " + " not in each.mutation], "mutation")
    bad = [each for each in values if each.end not in GOOD]
    for each in bad:
        print(f"{each.end}: {each.log}, {each.mutation}: {each.why}")
        print(f"    python -m tests.robustness {seed} 1 {each.number}" + (f" '{only}'" if only else ""))
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(used.ru_utime + used.ru_stime for used in spent)
    slowest = max(values, key=lambda each: each.seconds)
    print(f"{len(values)} cases, {len(bad)} failures; {seconds:.0f} s of CPU, the slowest case {slowest.seconds:.2f} s")
    return int(bool(bad))


def table(found: Sequence[Outcome], by: str) -> None:
    """Print how many cases ended how."""
    frame = pd.DataFrame([(getattr(each, by), each.end) for each in found], columns=[by, "end"])
    print(pd.crosstab(frame[by], frame["end"], margins=True, margins_name="all").to_string(), end="\n\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
