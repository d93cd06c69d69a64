"""Facts of a verdict: what follows for the hypothesis, and whether the effect is large enough to matter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from negstats.report.numerals import interval
from negstats.report.prose import Prose, join, prose
from negstats.report.sentences.base_facts import BaseFacts
from negstats.report.sentences.question import own_words


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
            return prose("{id} ({term})", id=name, term=self.question.term_text(self.term_name))
        return name

    @property
    def noun(self) -> Prose:
        """The words “difference”, "relation" or "interaction"."""
        return own_words(str(self._verdict[1].get("noun", "difference")))

    @property
    def a_noun(self) -> Prose:
        """The same with its article, at the beginning of a sentence."""
        noun = str(self._verdict[1].get("noun", "difference"))
        return own_words(f"an {noun}" if noun == "interaction" else f"a {noun}")

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

    @property
    def inside(self) -> str:
        """Whether a difference was shown to lie within the planned bounds."""
        return "lies within" if self.equivalent else "was not shown to lie within"

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
        ends = [(one.get("low"), one.get("high")) for one in (self.estimate_record, self.effect_record)]
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
