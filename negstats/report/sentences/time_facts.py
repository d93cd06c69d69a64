"""Facts of times to an end: how games ended, and until when their times are compared."""

from __future__ import annotations

from negstats.report.measures import ends_at_goal
from negstats.report.prose import Prose, Run, listed, prose
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
        each = [
            prose(text, n=self.question.number(f"{at}/{key}", "count"), was="was" if n == 1 else "were")
            for key, text in words.items() if (n := self.details.get(key))
        ]  # fmt: skip
        text = prose(
            "Of {n} {rows}, {each}",
            rows=self.rows,
            n=self.question.number(f"{self.at}/n/0", "count"),
            each=listed(each),
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
    def _is_sooner(self) -> bool:
        return (float(self.effect_record["value"]) > 0) is self.of_incidence

    @property
    def what_of_times(self) -> Prose:
        """What a test of times compares: Gray's the shares that have agreed by each time."""
        is_gray = self.test["method"] == "gray"
        end = "the goal" if self.of_goal else "agreement"
        return own_words(f"the cumulative incidence of {end}" if is_gray else f"the times to {end}")

    @property
    def sooner(self) -> str:
        """The words “sooner” or "later", of the first level."""
        return "sooner" if self._is_sooner else "later"

    @property
    def more_agreed(self) -> str:
        """The words “higher” or "lower", of the share that had agreed."""
        return "higher" if self._is_sooner else "lower"

    @property
    def sooner_mean(self) -> str:
        """The words “shorter” or "longer", of the mean time."""
        return "shorter" if self._is_sooner else "longer"
