"""Facts of times to an end, and of a verdict: how games ended, what follows for the hypothesis, whether it matters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from negstats.report.measures import ends_at_goal
from negstats.report.numerals import interval
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences.base_facts import BaseFacts
from negstats.report.sentences.question import own_words

GOAL = "{n} reached the goal"
ENDINGS = (
    ("agreement", "{n} ended in agreement"),
    ("left", "{n} ended without one"),
    ("censored", "{n} {was} cut off"),
)


class TimeFacts(BaseFacts):
    """Facts of times."""

    @property
    def has_endings(self) -> bool:
        """Whether it is known how the games ended."""
        return "agreement" in self.details

    @property
    def endings(self) -> Prose:
        """How the games ended, with the median times where no end competes."""
        at = f"{self.at}/details"
        words = {**dict(ENDINGS), **({"agreement": GOAL} if self.of_goal else {})}
        clauses = [
            prose(text, n=self.question.number(f"{at}/{key}", "count"), was="was" if n == 1 else "were")
            for key, text in words.items() if (n := self.details.get(key))
        ]  # fmt: skip
        text = prose(
            "Of {n} {rows}, {each}",
            rows=self.rows,
            n=self.question.number(f"{self.at}/n/0", "count"),
            each=listed(clauses),
        )
        medians = [place for place in range(len(self.question.levels)) if f"median_{place}" in self.details]
        if not medians or len(medians) < len(self.question.levels) or not self.few_cells:
            return text
        unit = own_words(self.question.unit_after())
        is_whole = all(float(self.details[f"median_{place}"]).is_integer() for place in medians)
        digits = 0 if is_whole else None
        times = [
            prose("{m}{unit} {group}", m=self.question.number(f"{at}/median_{place}", digits=digits), unit=unit,
                  group=self.question.groups[place])
            for place in medians
        ]  # fmt: skip
        noun = own_words(self.words.noun.removeprefix("the "))
        return prose("{text}; the median {noun} was {times}", text=text, noun=noun, times=listed(times))

    @property
    def of_goal(self) -> bool:
        """Whether games end with a goal that is reached, rather than with an agreement."""
        return ends_at_goal(self.question.results["study"])

    @property
    def has_until(self) -> bool:
        """Whether there is a time until which groups are compared."""
        return self.details.get("until") is not None

    @property
    def until(self) -> Prose:
        """That time."""
        digits = 0 if float(self.details["until"]).is_integer() else None
        value = self.question.number(f"{self.at}/details/until", digits=digits)
        return prose("{until}{unit}", until=value, unit=own_words(self.question.unit_after()))

    @property
    def of_incidence(self) -> bool:
        """Whether the effect is a difference of shares that have agreed."""
        return self.effect_record.get("name") == "difference_of_incidence"

    @property
    def effect_size(self) -> Run:
        """The effect without its sign."""
        path, kind, digits = self._effect_path
        return self.question.number(f"{path}/value", f"size of {kind}" if kind else "size", digits)

    @property
    def has_gap(self) -> bool:
        """Whether the effect is not 0 as it is printed."""
        return any(digit in "123456789" for digit in self.effect_size.text)

    @property
    def effect_ends(self) -> Prose:
        """The interval of the effect without its sign."""
        path, kind, digits = self._effect_path
        return self.question.ends(path, kind, digits, of_size=True)

    @property
    def _effect_path(self) -> tuple[str, str, int | None]:
        return (f"{self.at}/effect", "percent", 1) if self.of_incidence else (f"{self.at}/effect", "", None)

    @property
    def unit_after(self) -> Prose:
        """The unit of the times."""
        return own_words(self.question.unit_after())

    @property
    def is_gray(self) -> bool:
        """Whether Gray's test compares the shares that have agreed by each time."""
        return bool(self.test["method"] == "gray")

    @property
    def is_sooner(self) -> bool:
        """Whether the first level agrees sooner."""
        return (float(self.effect_record["value"]) > 0) is self.of_incidence


class VerdictFacts(BaseFacts):
    """Facts of a verdict."""

    @cached_property
    def _verdict(self) -> tuple[int, Mapping[str, Any]]:
        place, record = self.question.verdict_record(self.test)
        return place, record or {}

    @property
    def name(self) -> Prose:
        """The hypothesis, with its term where several answer."""
        name = self.question.hypothesis
        if self.several_terms and self.term_name and not self.is_of_all:
            return prose("{id} ({term})", id=name, term=self.term)
        return name

    @property
    def noun(self) -> Prose:
        """The words “difference”, "relation" or "interaction"."""
        return own_words(str(self._verdict[1].get("noun", "difference")))

    @property
    def effect(self) -> str:
        """What was found: "found", "not found after correction", "inconclusive"; empty without a verdict."""
        return str(self._verdict[1].get("effect") or "")

    @property
    def match(self) -> str:
        """How it lies to the prediction: "as predicted", "opposite"; empty without one."""
        return str(self._verdict[1].get("match") or "")

    @property
    def size(self) -> str:
        """Whether effects that matter are "ruled out", smaller ones are ("reached"), or neither ("open")."""
        return str(self._size.get("answer") or "")

    @property
    def has_prediction(self) -> bool:
        """Whether the plan predicts a sign for the term."""
        return self._verdict[1].get("predicted") is not None

    @property
    def lies_opposite(self) -> bool:
        """Whether a test with a direction would reject in the other one."""
        record = self._verdict[1]
        return record.get("effect") == "not found" and str(record.get("word", "")).endswith("in the opposite direction")

    @property
    def equivalent(self) -> bool:
        """Whether equivalence was shown."""
        if self.question.entry["explored"]:
            return bool(self.test["p"] < self.question.plan.alpha)
        return self._verdict[1].get("effect") == "equivalent"

    # The smallest effect that would matter ---------------------------------------------------------------------------

    @property
    def _size(self) -> Mapping[str, Any]:
        return self._verdict[1].get("size") or {}

    @property
    def _scale(self) -> tuple[str, int, str]:
        name = self.estimate_record.get("name")
        if name == "risk_difference":
            return "percent", 1, " percentage points"
        if name == "r":
            return "share", 2, ""
        return self.words.kind, self.question.digits, self.question.unit_after()

    @property
    def smallest(self) -> Prose:
        """The smallest effect that would matter, as the plan has it."""
        unit = self._scale[2]
        value = self._verdict[1]["smallest"]
        if self._scale[0] == "measure" and float(value).is_integer():
            number = self.question.number(f"/verdicts/{self._verdict[0]}/smallest", "measure", 0)
            return prose("{s}{unit}", s=number, unit=own_words(unit.removesuffix("s") if value == 1 else unit))
        number = self.question.number(f"/verdicts/{self._verdict[0]}/smallest", self._scale[0], self._scale[1])
        return prose("{s}{unit}", s=number, unit=own_words(unit))

    @property
    def size_interval(self) -> Prose:
        """The interval that decides, behind a comma; empty where it is that of the effect, which the sentence has."""
        ends = [(quantity.get("low"), quantity.get("high")) for quantity in (self.estimate_record, self.effect_record)]
        if (self._size.get("low"), self._size.get("high")) in ends:
            return Prose()
        at = f"{self.question.at}/verdicts/{self._verdict[0]}/size"
        return prose(", {ends}", ends=interval(self._size, self._scale[0], at, self._scale[1]))

    @property
    def size_numbers(self) -> Prose:
        """The interval and the test that rule an effect out, behind a comma."""
        at = f"/verdicts/{self._verdict[0]}/size"
        parts = [self.size_interval]
        if self._size.get("statistic") is not None and self.size == "ruled out":
            df = prose("({df})", df=self.question.number(f"{at}/df", "df")) if self._size["df"] else Prose()
            parts.append(prose(", *t*{df} = {t}", df=df, t=self.question.number(f"{at}/statistic", "statistic")))
            parts.append(prose(", {p}", p=self.question.p_at(f"{at}/p")))
        return join(parts, "")
