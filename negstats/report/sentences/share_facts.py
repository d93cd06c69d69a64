"""Facts of shares: counts of yes, differences in percentage points, ratios of odds, rates and means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negstats.report.labels import level_text
from negstats.report.prose import Prose, Run, listed, prose
from negstats.report.sentences.base_facts import BaseFacts, estimate_name
from negstats.report.sentences.question import own_words
from negstats.stats.results.apa import decimals_of

NARROW = 2.0  # units of a range under which one unit more is not said without it
RATIOS = {"odds_ratio": "the odds", "hazard_ratio": "the rate", "ratio_of_means": "the mean"}
# What a model's ratio is of, where it is not of the outcome.
PREDICTED = {"ordinal": "the odds of a higher answer", "cox": "the rate of agreement"}
MODELS = {
    "mixed": "a mixed model with an intercept for each of the {units}{items}",
    "gee": "estimating equations with the {units} as clusters",
}


class ShareFacts(BaseFacts):
    """Facts of shares and of ratios."""

    @property
    def shares(self) -> bool | Prose:
        """The shares of a few groups; as a condition whether there are counts."""
        if not self.cells or any("count" not in cell for cell in self.cells) or len(self.factor_names) > 1:
            return False
        if not self.few_cells:
            return True
        clauses = [prose("{share} {group}", share=self.question.share(place), group=group)
                for place, group in enumerate(self.question.groups)]  # fmt: skip
        return listed(clauses)

    @property
    def two_shares(self) -> bool:
        """Whether the shares of two levels are compared."""
        return self.two_levels and len(self.cells) == 2

    @property
    def share1(self) -> Prose:
        """``81% (44 of 54)`` of the first level."""
        return self.question.share(0)

    @property
    def share2(self) -> Prose:
        """The same of the second level."""
        return self.question.share(1)

    @property
    def event(self) -> Prose:
        """What was counted: "ended in agreement"."""
        return own_words(self.words.event)

    @property
    def points(self) -> Prose:
        """The difference in percentage points with its interval."""
        return self.question.percentage_points(f"{self.at}/estimate")

    @property
    def model(self) -> Prose:
        """The model of related rows."""
        words = MODELS.get(self.test["method"])
        constant = prose(" that held {names} constant", names=self.covariates) if self.question.covariates else Prose()
        if words is None:
            return self.a_test + constant
        items = [
            self.question.factor_text(name) for name in self.question.plan.questions[self.question.entry["id"]].items
        ]
        crossed = prose(" and for each {items}", items=listed(items)) if items else Prose()
        return prose(words, units=self.question.counted_units(), items=crossed) + constant

    @property
    def n(self) -> Run:
        """How many rows the only group has."""
        return self.question.number("/cells/0/n", "count")

    @property
    def count(self) -> Run:
        """How many of them had the outcome."""
        return self.question.number("/cells/0/count", "count")

    @property
    def percent(self) -> Prose:
        """Their share, with as many decimals as its interval."""
        return prose("{share}%", share=self.question.number(f"{self.at}/estimate/value", "percent", 1))

    @property
    def share_ends(self) -> Prose:
        """The interval of their share."""
        return self.question.ends(f"{self.at}/estimate", "percent", 1)

    # Several groups --------------------------------------------------------------------------------------------------

    @property
    def has_largest(self) -> bool:
        """Whether there are differences between the shares of two levels."""
        return bool(self._pair_differences)

    @property
    def _pair_differences(self) -> list[Mapping[str, Any]]:
        return [
            test
            for test in self.question.tests
            if test["role"] == "follow-up" and estimate_name(test) == "risk_difference"
        ]

    @property
    def largest(self) -> Prose:
        """The largest difference between two shares."""
        test = max(self._pair_differences, key=lambda test: abs(float(test["estimate"]["value"])))
        name = self.factor_names[0]
        first, _, second = str(test["address"]).partition("#")[2].partition(" - ")
        return prose(
            "{first} and {second}, {d}",
            first=level_text(self.question.plan, name, first),
            second=level_text(self.question.plan, name, second),
            d=self.question.percentage_points(f"{self.question.test_at(test)}/estimate"),
        )

    # Ratios ----------------------------------------------------------------------------------------------------------

    @property
    def has_ratio(self) -> bool:
        """Whether the effect is a ratio."""
        return self.effect_record.get("name") in RATIOS and self.effect_record.get("value") is not None

    @property
    def odds_noun(self) -> Prose:
        """What the ratio is of; of a term without one, what its model compares."""
        kind = RATIOS.get(
            str(self.effect_record.get("name")), "the mean" if self.question.entry["kind"] == "count" else "the odds"
        )
        return own_words(PREDICTED.get(self.test["method"], f"{kind} of {self.words.noun}"))

    @property
    def of_odds(self) -> bool:
        """Whether odds are compared, which are a plural."""
        return str(self.odds_noun).startswith("the odds")

    @property
    def is_raised(self) -> bool:
        """Whether the ratio is 1 or more."""
        return float(self.effect_record["value"]) >= 1

    @property
    def has_step(self) -> bool:
        """Whether the ratio is for a step of a share or a large amount, since one unit more says too much or little."""
        return self.details.get("step") is not None and self.is_number

    @property
    def ratio(self) -> Run:
        """The ratio, of a share or a large amount for a step of it."""
        if self.has_step:
            return self.question.number(f"{self.at}/details/step_value", "statistic")
        return self.question.number(f"{self.at}/effect/value", "statistic")

    @property
    def ratio_ends(self) -> Prose:
        """Its interval."""
        if self.has_step:
            return self.question.step_ends(self.at)
        return self.question.ends(f"{self.at}/effect", "statistic")

    @property
    def step_of_x(self) -> Prose:
        """The words “increase of 0.1 in the conflict of priorities”."""
        words = self.question.words_of(self.term_names[0])
        unit = words.unit if words.unit and words.unit not in words.noun else ""
        step = Prose((Run(f"{self.details.get('step') or 1:,g}", named=True),))
        unit_text = own_words(f" {unit.removesuffix('s')}" if unit else "")
        return prose("increase of {step}{unit} in {x}", step=step, unit=unit_text, x=own_words(words.noun))

    @property
    def span(self) -> Prose:
        """The observed range of a predictor of which one more is beyond what was observed."""
        name = self.term_names[0]
        place, variable = next(
            (place, variable) for place, variable in enumerate(self.question.variables) if variable["name"] == name
        )
        if variable["high"] - variable["low"] >= NARROW:
            return Prose()
        words = self.question.words_of(name)
        digits, kind = (2, "share") if words.kind == "share" else (decimals_of(variable["sd"]), "measure")
        low, high = (self.question.number(f"/variables/{place}/{end}", kind, digits) for end in ("low", "high"))
        return prose(" (observed from {low} to {high} only)", low=low, high=high)

    # A logistic curve over one number --------------------------------------------------------------------------------

    @property
    def has_curve(self) -> bool:
        """Whether a curve over one number was fitted."""
        return "fitted_low" in self.details and len(self.numbers) == 1 and self.has_ratio

    @property
    def of_quality(self) -> bool:
        """Whether yes and no say what something is, which is not frequent: deals were Pareto optimal."""
        return self.words.event.startswith("were ")

    @property
    def per_x(self) -> Prose:
        """What the odds ratio is for: " per message"; for one unit where it has no name."""
        if self.details.get("step") is not None:
            return prose(" per {step}", step=f"{self.details['step']:,g}")
        return prose(" per {unit}", unit=self.question.unit_of(next(iter(self.term_names), self.numbers[0])))

    @property
    def more_x(self) -> Prose:
        """The words “more messages” of what is counted, else "higher points"."""
        words = self.question.words_of(self.numbers[0])
        has_things = words.plural or words.counted != words.noun
        return own_words(f"more {words.counted}" if has_things else f"a higher value of {words.noun}")

    @property
    def x_noun(self) -> Prose:
        """What is counted, behind a number."""
        return own_words(self.question.words_of(self.numbers[0]).counted)

    @property
    def has_typical(self) -> bool:
        """Whether the curve is known at two values inside the observed range."""
        return "typical_low" in self.details

    def _typical(self, end: str) -> Run:
        value = float(self.details[f"typical_{end}"])
        digits = 0 if value.is_integer() else 2
        return self.question.number(f"{self.at}/details/typical_{end}", "measure", digits)

    @property
    def typical1(self) -> Run:
        """The lower of the two values."""
        return self._typical("low")

    @property
    def typical2(self) -> Run:
        """The higher of the two values."""
        return self._typical("high")

    @property
    def typical_share1(self) -> Run:
        """The fitted share at the lower."""
        return self.question.number(f"{self.at}/details/typical_share_low", "probability", 1)

    @property
    def typical_share2(self) -> Run:
        """The fitted share at the higher."""
        return self.question.number(f"{self.at}/details/typical_share_high", "probability", 1)
