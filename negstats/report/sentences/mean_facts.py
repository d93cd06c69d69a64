"""Facts of means: groups, differences within units, bounds of equivalence, several factors."""

from __future__ import annotations

from collections.abc import Mapping

from negstats.report.labels import level_text
from negstats.report.measures import STEPS
from negstats.report.prose import Prose, Run, listed, prose
from negstats.report.sentences.base_facts import FEW, BaseFacts, tag_of
from negstats.report.sentences.question import EFFECTS, POINTS, own_words
from negstats.sanitize import noun_for
from negstats.stats.results import apa
from negstats.stats.results.apa import decimals_of

UNITS_OF_PEOPLE = ("person", "participant")
ESTIMATES = {
    "slope": "*b*",
    "difference_of_slopes": "difference of slopes",
    "adjusted_difference": "adjusted difference",
}


class MeanFacts(BaseFacts):
    """Facts of means."""

    @property
    def has_means(self) -> bool:
        """Whether all cells have means."""
        return bool(self.cells) and all(cell.get("mean") is not None for cell in self.cells)

    @property
    def two_means(self) -> bool:
        """Whether the means of two levels are compared."""
        return self.two_levels and len(self.cells) == 2 and self.has_means

    @property
    def few_means(self) -> bool:
        """Whether the means stand in the text."""
        return self.one_factor and self.is_first and self.has_means and len(self.cells) <= FEW

    @property
    def subject(self) -> Prose:
        """Who gets the measure."""
        return own_words(self.words.verb[0] if self.words.verb else "")

    @property
    def verb(self) -> Prose:
        """What they do."""
        return own_words(self.words.verb[1] if self.words.verb else "")

    @property
    def more(self) -> Prose:
        """The words “more” or "less", by the estimate."""
        if self.words.verb is None:
            return Prose()
        return own_words(self.words.verb[2 if self.first_leads else 3])

    @property
    def _observed(self) -> str:
        return str((self.question.verdict_record(self.test)[1] or {}).get("observed") or "")

    @property
    def has_order(self) -> bool:
        """Whether it is known which of the two levels of a term lies higher."""
        return self.term_of_two and " > " in self._observed

    @property
    def first_leads(self) -> bool:
        """Whether the first level has more, by the estimate, or where that is a ratio by the means."""
        if (value := self.estimate_record.get("value")) is not None:
            return float(value) >= 0
        if self.has_order:
            return self._observed.startswith(f"{(self.term_factor or {})['levels'][0]} > ")
        first, second = (float(cell["mean"]) for cell in self.cells[:2])
        return first >= second

    @property
    def more_of_verb(self) -> Prose:
        """The word for more."""
        return own_words(self.words.verb[2] if self.words.verb else "")

    @property
    def mean1(self) -> Prose:
        """``(M = 0.750, SD = 0.064)`` of the first level, with n where the groups are of different units."""
        return self.question.mean(0, n=self._is_between, symbol=True)

    @property
    def mean2(self) -> Prose:
        """The same of the second level."""
        return self.question.mean(1, n=self._is_between, symbol=True)

    @property
    def _is_between(self) -> bool:
        return any(factor["lies"] != "within" for factor in self.question.factors)

    @property
    def means(self) -> Prose:
        """The means of a few groups, the unit behind the first."""
        has_unit = self.words.unit != STEPS and self.words.unit not in self.words.noun.split()
        unit = own_words(self.question.unit_after() if has_unit else "")
        clauses = []
        for place, group in enumerate(self.question.groups):
            spread = self.question.spread_of(place, n=self._is_between)
            mean = self.question.number(f"/cells/{place}/mean")
            clauses.append(prose("{m}{unit} {group}{spread}", m=mean, group=group, spread=spread,
                              unit=Prose() if place else unit))  # fmt: skip
        return listed(clauses)

    # Differences -----------------------------------------------------------------------------------------------------

    def _apart(self) -> float | None:
        """Return the first mean minus the second of the levels that the test compares; none without means."""
        pair = tag_of(self.test).split(" - ")
        names = pair if len(pair) == 2 else [str(level) for level in self.question.factors[0]["levels"][:2]]
        means = {str(cell["levels"][self.factor_names[0]]): cell.get("mean") for cell in self.cells}
        first, second = (means.get(name) for name in names)
        return None if first is None or second is None else float(first) - float(second)

    @property
    def is_of_means(self) -> bool:
        """Whether a difference is that of the means that the text shows; a model may estimate another."""
        apart, tolerance = self._apart(), 0.5 * 10.0**-self.question.digits
        return apart is not None and abs(abs(apart) - abs(self.estimate_record["value"])) < tolerance

    @property
    def opposes_means(self) -> bool:
        """Whether a model estimates a difference in the other direction than that of the means."""
        return not self.is_of_means and (self._apart() or 0.0) * self.estimate_record["value"] < 0

    @property
    def a_difference(self) -> Prose:
        """The words “a mean difference” of the same units, else "a difference", or "an estimated difference"."""
        article = "a mean" if self.test["method"] == "paired" else "a" if self.is_of_means else "an estimated"
        return own_words(f"{article} difference")

    @property
    def difference(self) -> Prose:
        """``0.022 points, 95% CI [0.004, 0.040]``."""
        return self.question.difference(self.test)

    @property
    def size_of(self) -> Prose:
        """The difference without its sign: ``0.31 points``; ``0.31`` before "more points together"."""
        is_said = self.words.verb is not None and self.words.unit in self.words.verb[2].split()
        unit = own_words("" if is_said else self.question.unit_after())
        return prose("{d}{unit}", d=self.question.size(f"{self.at}/estimate/value"), unit=unit)

    @property
    def ends(self) -> Prose:
        """The interval of the difference without its sign."""
        return self.question.ends(f"{self.at}/estimate", of_size=True)

    @property
    def with_size(self) -> Prose:
        """``, a difference of differences of 0.25 points, 95% CI [−0.35, 0.85]``; empty where there is none."""
        if self.estimate_record.get("value") is None or self.test["kind"] != "t":
            return Prose()
        name = ESTIMATES.get(self.estimate_record["name"], "difference")
        what = f"{'an' if name.startswith('a') else 'a'} {name} of"
        if self.is_interaction and self.estimate_record["name"] == "difference":
            what = "a difference of differences of"
        elif self.estimate_record["name"] == "difference" and (factor := self.term_factor) and self.term_of_two:
            first, second = (level_text(self.question.plan, factor["name"], level) for level in factor["levels"])
            return prose(", a difference ({one} minus {two}) of {d}", one=first, two=second, d=self.difference)
        return prose(", {what} {d}", what=own_words(what), d=self.difference)

    @property
    def estimate(self) -> Prose:
        """The estimate by its name, with its interval."""
        name, path = self.estimate_record["name"], f"{self.at}/estimate"
        if name in POINTS:
            return prose("difference of {d}", d=self.question.percentage_points(path))
        text = ESTIMATES.get(name, name.replace("_", " "))
        if name in ("slope", "difference_of_slopes"):
            return prose(text + " = {d}{ends}", d=self.slope, ends=self.slope_ends)
        return prose(text + " = {d}", d=self.difference)

    @property
    def _slope_digits(self) -> int:
        return decimals_of(abs(self.estimate_record["value"]) or None)

    @property
    def slope(self) -> Prose:
        """The slope."""
        return Prose((self.question.number(f"{self.at}/estimate/value", "measure", self._slope_digits),))

    @property
    def slope_ends(self) -> Prose:
        """The interval of the slope behind a comma."""
        return prose(", {ends}", ends=self.question.ends(f"{self.at}/estimate", "measure", self._slope_digits))

    @property
    def slope_interval(self) -> Prose:
        """The interval of the slope without its level."""
        return self.question.ends(f"{self.at}/estimate", "measure", self._slope_digits, level=False)

    # Of how many units the difference has which sign -----------------------------------------------------------------

    @property
    def has_signs(self) -> bool:
        """Whether it is known of how many units the difference has which sign."""
        return self.details.get("first") is not None

    @property
    def has_ties(self) -> bool:
        """Whether some units have the same at both levels."""
        return bool(self.details.get("equal"))

    @property
    def of_agent(self) -> bool:
        """Whether the measure is of an agent, which is not a unit."""
        return self.question.entry.get("who") == "agent"

    @property
    def of_people(self) -> bool:
        """Whether the units are people, who have the measure themselves."""
        return self.question.units in UNITS_OF_PEOPLE and not self.of_agent

    @property
    def _contrast_parts(self) -> tuple[str, Prose]:
        """The contrast as the plan calls it, and where it is: "RAP against SP-A", "in China, "."""
        for contrast in self.question.plan.questions[self.question.entry["id"]].contrasts:
            for factor in self.question.factors:
                for level, group in zip(factor["levels"], self.question.groups_of(factor), strict=True):
                    if self.term_name == f"{contrast.name} at {factor['name']} {level}":
                        return contrast.name, prose("{group}, ", group=group)
        return self.term_name, Prose()

    @property
    def contrast(self) -> Prose:
        """The contrast as the plan calls it."""
        return self.named(self._contrast_parts[0].replace("_", " "))

    @property
    def contrast_place(self) -> Prose:
        """Where a contrast is, of one within a level of another factor: "in China, "."""
        return self._contrast_parts[1]

    @property
    def people(self) -> Prose:
        """What the units are called, empty where they are not people."""
        n = int(self.details.get("first") or 0)
        units = self.question.units
        return own_words(noun_for(n, units)) if units in UNITS_OF_PEOPLE or not self.of_agent else Prose()

    def _sign(self, key: str) -> Run:
        run = self.question.number(f"{self.at}/details/{key}", "count")
        return run if run.text != "0" else Run("none", slot=run.slot)

    @property
    def n_first(self) -> Run:
        """How many have more at the first level."""
        return self._sign("first")

    @property
    def n_second(self) -> Run:
        """How many have more at the second level."""
        return self._sign("second")

    @property
    def n_equal(self) -> Run:
        """How many have the same at both."""
        return self._sign("equal")

    # Equivalence, and one mean ---------------------------------------------------------------------------------------

    @property
    def bounds(self) -> Prose:
        """The planned bounds: "±0.05", "±0.2 standard deviations"."""
        planned = self.question.plan.questions[self.question.entry["id"]].equivalent
        if isinstance(planned, Mapping):
            return self.named(f"±{planned['sd']:g} standard deviations")
        low, high = (-planned, planned) if isinstance(planned, int | float) else planned
        is_share = self.estimate_record.get("name") == "risk_difference"
        scale, suffix = (100, " percentage points") if is_share else (1, "")
        symmetric = f"±{scale * high:g}{suffix}"
        return self.named(symmetric if -low == high else f"{apa.number(scale * low, 2)} to {scale * high:g}{suffix}")

    @property
    def mean(self) -> Prose:
        """Mean, SD and n of the only cell."""
        return self.question.mean(0, n=True)

    @property
    def mean_unit(self) -> Prose:
        """The mean of the only cell in its unit."""
        value = self.question.number(f"{self.at}/estimate/value")
        return prose("{value}{unit}", value=value, unit=own_words(self.question.unit_after()))

    @property
    def mean_ends(self) -> Prose:
        """The interval of the mean of the only cell."""
        return self.question.ends(f"{self.at}/estimate")

    @property
    def stated(self) -> Prose:
        """The number that was tested against."""
        if self.null_value is None:
            return self.named("the stated value")
        is_share = self.estimate_record.get("name") == "share" or self.test["method"] in ("binomial", "share")
        return self.named(f"{100 * self.null_value:g}%" if is_share else f"{self.null_value:g}")

    @property
    def exceeds_stated(self) -> bool:
        """Whether a mean or share is above the number that was tested against."""
        return float(self.estimate_record["value"]) > (self.null_value or 0.0)

    # Brunner and Munzel's test ---------------------------------------------------------------------------------------

    @property
    def is_ordered(self) -> bool:
        """Whether the values are answers in order."""
        return bool(self.question.entry["kind"] == "ordered")

    @property
    def chance(self) -> Run:
        """The probability that a value of the first group is the larger."""
        return self.question.number(f"{self.at}/effect/value", "share")

    @property
    def chance_ends(self) -> Prose:
        """Its interval."""
        return self.question.ends(f"{self.at}/effect", "share")

    @property
    def detail(self) -> Prose:
        """The effect of a check, which has no interval: ``rank-biserial r = .34``; empty where it has none."""
        for name in ("rank_biserial", "common_language", "rank_epsilon_squared", "epsilon_squared"):
            if self.details.get(name) is not None:
                symbol, kind = EFFECTS[name]
                return prose(symbol + " = {value}", value=self.question.number(f"{self.at}/details/{name}", kind))
        return Prose()
