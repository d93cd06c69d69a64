"""Sentences of what the data say of a test's assumptions."""

from __future__ import annotations

from collections.abc import Iterator

from negstats.report.prose import Prose, prose
from negstats.report.sentences.question import Question, own_words


def assumption_sentences(question: Question) -> Iterator[Prose]:
    """Yield what was seen of the test's assumptions, and whether the test is known to be robust to it."""
    entries = question.entry.get("assumptions") or ()
    robust = []
    for place, one in enumerate(entries):
        at = f"/assumptions/{place}"
        value = question.number(f"{at}/value", "statistic")
        percent = question.number(f"{at}/value", "percent", 1)
        unit = own_words(question.units)
        robust.append(bool(one["robust"]))
        match one["kind"]:
            case "skew":
                yield prose("Residuals were skewed (skewness = {v}).", v=value)
            case "band":
                yield prose("Of the residuals {v}% lay outside the 95% band of a normal sample.", v=percent)
            case "bound":
                end = question.number(f"{at}/at", digits=0 if float(one["at"]).is_integer() else None)
                yield prose("Of the values {v}% were the {which} that occurred ({end}).", v=percent,
                            which=own_words(one["which"]), end=end)  # fmt: skip
            case "spread":
                yield prose("Standard deviations differed by a factor of {v}, and group sizes by {w}.", v=value,
                            w=question.number(f"{at}/sizes", "statistic"))  # fmt: skip
            case "influence":
                yield prose("Without one {unit} the difference moves by {v} of its standard error.", unit=unit, v=value)
            case "curve":
                yield prose(
                    "The observed shares did not follow the fitted curve: the 95% CI of {apart} of {shares} shares "
                    "({over}) did not include it, and the largest difference was {v} percentage points.",
                    apart=question.number(f"{at}/apart", "count"), shares=question.number(f"{at}/shares", "count"),
                    over=own_words("in deciles" if one["tenths"] else "at each value"), v=percent,
                )  # fmt: skip
            case _:
                yield prose("There were {v} of the rarer outcome for each predictor, fewer than ten.",
                            v=question.number(f"{at}/value", "statistic"))  # fmt: skip
    if not entries:
        return
    smallest = min(range(len(entries)), key=lambda place: entries[place]["n"])
    n = prose("*n* = {n}", n=question.number(f"/assumptions/{smallest}/n", "count"))
    group = " in the smallest group" if len(question.entry["cells"]) > 1 else ""
    claim = "is known to be robust to this" if all(robust) else "is not known to be robust to this"
    yield prose("The test {claim} at this size ({n}{group}).", claim=own_words(claim), n=n, group=own_words(group))
