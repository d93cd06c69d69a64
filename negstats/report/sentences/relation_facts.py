"""Facts of relations between numbers: correlation, slope, and their parts between and within units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negstats.analysis.methods.linked import OF_PARTNER
from negstats.report.labels import NAME
from negstats.report.measures import to_lower
from negstats.report.numerals import OPPOSITE, counted_at
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences.base_facts import BaseFacts, tag_of
from negstats.report.sentences.question import LETTERS, own_words
from negstats.sanitize import line
from negstats.stats.results.apa import decimals_apart, decimals_of


class RelationFacts(BaseFacts):
    """Facts of relations."""

    @property
    def x(self) -> Prose:
        """What the predictor is called."""
        name = (
            self.term_names[-1]
            if self.term_names and self.term_names[-1] in self.numbers
            else (self.numbers or [""])[0]
        )
        return self.question.noun_of(name) if name else own_words("the other measure")

    @property
    def partner_x(self) -> Prose:
        """What the partner's value of the predictor is called."""
        return self.question.partners_number(self.term_name.removesuffix(OF_PARTNER))

    @property
    def negative(self) -> bool:
        """Whether one falls as the other rises."""
        return (self.test["statistic"] or 0.0) < 0

    @property
    def over(self) -> Prose:
        """Over how many rows, where those of one unit are not independent."""
        if self.test["df"] or not self.test["n"]:
            return Prose()
        row = (self.question.entry.get("rows") or {}).get("row", "row")
        rows = counted_at(int(self.test["n"][0]), row, f"{self.question.at}{self.at}/n/0")
        return prose(" across {rows}", rows=rows)

    @property
    def r(self) -> Prose:
        """``r(1028) = −.17``."""
        df = prose("({df})", df=self.question.number(f"{self.at}/df/0", "df")) if self.test["df"] else Prose()
        r = self.question.number(f"{self.at}/statistic", "share", self._r_digits)
        return prose(LETTERS[self.test["kind"]] + "{df} = {r}", df=df, r=r)

    @property
    def _r_digits(self) -> int:
        """The decimals that keep the ends of the interval apart, so that r is none of them."""
        ends = [self.effect_record.get(end) for end in ("low", "high")]
        return decimals_apart(*(end for end in ends if end is not None))

    @property
    def r_ends(self) -> Prose:
        """The interval of r."""
        return self.question.ends(f"{self.at}/effect", "share", self._r_digits)

    # What one unit more goes with ------------------------------------------------------------------------------------

    @property
    def has_slope(self) -> bool:
        """Whether the slope is known beside r."""
        return self.details.get("slope") is not None

    @property
    def _slope_record(self) -> tuple[Mapping[str, Any], str, tuple[str, str, str]]:
        if self.has_slope:
            return self.details, f"{self.at}/details", ("slope", "slope_low", "slope_high")
        return self.estimate_record, f"{self.at}/estimate", ("value", "low", "high")

    @property
    def x_unit(self) -> Prose:
        """One unit more of the predictor: "message", "point of conflict"."""
        name = self.term_names[-1] if self.term_names[-1] in self.numbers else self.numbers[0]
        return self.question.unit_of(name)

    @property
    def _digits(self) -> int:
        record, _, keys = self._slope_record
        return decimals_of(abs(float(record[keys[0]])) or None)

    @property
    def slope_size(self) -> Run:
        """The slope without its sign."""
        _, path, keys = self._slope_record
        return self.question.number(f"{path}/{keys[0]}", "size", self._digits)

    @property
    def rises(self) -> bool:
        """Whether the outcome rises with the predictor."""
        record, _, keys = self._slope_record
        return float(record[keys[0]]) >= 0

    @property
    def outcome_units(self) -> Prose:
        """What the outcome is counted in: "points"; "units" where that has no name."""
        return own_words(self.words.unit or "units")

    @property
    def slope_size_ends(self) -> Prose:
        """The interval of the slope without its sign behind a comma; empty where it has none."""
        record, path, keys = self._slope_record
        if not self.has_slope:
            return prose(", {ends}", ends=self.question.ends(path, "measure", self._digits, of_size=True))
        if record.get("slope_low") is None:
            return Prose()
        is_negative = float(record[keys[0]]) < 0
        kind = f"{OPPOSITE}measure" if is_negative else "measure"
        ends = keys[:0:-1] if is_negative else keys[1:]
        low, high = (self.question.number(f"{path}/{key}", kind, self._digits) for key in ends)
        level = self.question.number(f"{self.at}/effect/level", "level")
        return prose(", {level}% CI [{low}, {high}]", level=level, low=low, high=high)

    @property
    def has_end_answers(self) -> bool:
        """Whether the answers at both ends of a number that is counted are known."""
        return "low_share" in self.details and self.question.words_of(self.numbers[0]).plural

    @property
    def answers_above(self) -> Prose:
        """The words of the scale above its middle: “satisfied” or “very satisfied”."""
        scale = self.question.plan.measures[self.question.entry["measure"]].scale
        return listed(
            [prose("“{word}”", word=to_lower(line(word, NAME))) for word in scale[-(len(scale) // 2) :]], "or"
        )

    def _end(self, end: str) -> Run:
        value = float(self.details[f"{end}_at"])
        return self.question.number(f"{self.at}/details/{end}_at", "measure", 0 if value.is_integer() else 2)

    @property
    def low_end(self) -> Run:
        """The highest value of the lowest fifth."""
        return self._end("low")

    @property
    def high_end(self) -> Run:
        """The least value of the highest fifth."""
        return self._end("high")

    @property
    def low_share(self) -> Run:
        """The share of answers above the middle in the lowest fifth."""
        return self.question.number(f"{self.at}/details/low_share", "percent", 0)

    @property
    def high_share(self) -> Run:
        """The share of answers above the middle in the highest fifth."""
        return self.question.number(f"{self.at}/details/high_share", "percent", 0)

    # Several predictors ----------------------------------------------------------------------------------------------

    @property
    def _model(self) -> Mapping[str, Any] | None:
        return next((test for test in self.question.tests if test["address"].endswith("#model")), None)

    @property
    def has_model(self) -> bool:
        """Whether all predictors were tested together."""
        return self._model is not None

    @property
    def explained(self) -> Prose:
        """What the predictors explain together."""
        model = self._model or {}
        return join([self.question.effect_of(model), self.question.tested(model, effect=False)], ", ")

    # Parts between and within units ----------------------------------------------------------------------------------

    @property
    def _parts(self) -> dict[str, Mapping[str, Any]]:
        return {
            tag: test
            for test in self.question.tests
            if test["role"] == "beside" and (tag := tag_of(test)) in ("between", "within")
        }

    @property
    def has_parts(self) -> bool:
        """Whether the relation is known between and within units."""
        return self.is_first and len(self._parts) == 2

    @property
    def parts_oppose(self) -> bool:
        """Whether the relation has one sign between units and the other within them, and both are significant."""
        parts = [self._parts[tag] for tag in ("between", "within")]
        opposes = parts[0]["statistic"] * parts[1]["statistic"] < 0
        return bool(opposes and all(part["p"] is not None and part["p"] < self.question.plan.alpha for part in parts))

    def _part(self, tag: str) -> Prose:
        part = self._parts[tag]
        ends = self.question.ends(f"{self.question.test_at(part)}/estimate", "share")
        return join([self.question.statistic_of(part), ends], ", ")

    @property
    def r_between(self) -> Prose:
        """The relation of the means of units."""
        return self._part("between")

    @property
    def r_within(self) -> Prose:
        """The relation of deviations from them."""
        return self._part("within")
