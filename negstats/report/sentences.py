"""The paragraph of a question: what was found, in the plan's words, by the test that was planned.

The order is always the same: finding with mean and SD of each group, raw difference with its interval, test, effect
with its interval, verdict, checks, meaning. A template computes nothing but roundings: each number is a slot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from negstats.report.labels import CORRECTIONS, NAME, SENTENCE, UNITS, method_name
from negstats.report.measures import Words, words_of_measure
from negstats.report.numerals import decimals_of, ends_of, interval, percent_digits, rounded
from negstats.report.prose import NO_BREAK, Prose, Run, Slot, join, prose
from negstats.report.result_tables import level_text
from negstats.sanitize import counted, line
from negstats.stats.results import apa

__all__ = [
    "DIGITS",
    "EFFECTS",
    "POINTS",
    "SMALL",
    "Question",
    "generic_sentences",
    "group_means",
    "listed",
    "own_words",
    "pair_means",
    "paragraph",
    "reference",
    "symbols",
    "term_of",
    "two_means",
]

SMALL = 4  # cells whose means stand in the sentence; of more a table has them
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LETTERS = {
    "t": "*t*",
    "f": "*F*",
    "chi2": "χ²",
    "g2": "*G*²",
    "q": "*Q*",
    "h": "*H*",
    "r": "*r*",
    "rho": "*r*_s",
    "tau": "*τ*_b",
    "z": "*z*",
    "u": "*U*",
}
# The symbol of an effect, and how it is rounded.
EFFECTS = {
    "d": ("*d*", "statistic"),
    "g": ("*g*", "statistic"),
    "d_z": ("*d*_z", "statistic"),
    "r": ("*r*", "share"),
    "rho": ("*r*_s", "share"),
    "tau_b": ("*τ*_b", "share"),
    "omega_squared": ("ω²", "share"),
    "partial_omega_squared": ("ωp²", "share"),
    "eta_squared": ("η²", "share"),
    "epsilon_squared": ("ε²", "share"),
    "rank_epsilon_squared": ("ε²", "share"),
    "cramers_v": ("*V*", "share"),
    "phi": ("φ", "share"),
    "odds_ratio": ("*OR*", "statistic"),
    "hazard_ratio": ("*HR*", "statistic"),
    "risk_ratio": ("*RR*", "statistic"),
    "ratio_of_means": ("ratio of means", "statistic"),
    "kendall_w": ("*W*", "share"),
    "beta": ("β", "statistic"),
    "r_squared": ("*R*²", "share"),
    "rank_biserial": ("rank-biserial *r*", "share"),
    "common_language": ("probability of superiority", "share"),
    "icc": ("*ICC*", "share"),
    "partner_r": ("correlation of partners' residuals", "share"),
    "difference_of_incidence": ("difference in cumulative incidence", "share"),
}
POINTS = {"risk_difference", "average_marginal_effect", "difference_of_incidence"}  # said in percentage points


class Question:
    """A question of ``results.json`` with what its sentences need: words, levels and slots.

    Parameters
    ----------
    results
        ``results.json``.
    place
        Which of its questions.
    plan
        The plan, for labels and measures.
    """

    def __init__(self, results: Mapping[str, Any], place: int, plan: Any) -> None:
        self.results, self.plan = results, plan
        self.entry: Mapping[str, Any] = results["questions"][place]
        self.at = f"/questions/{place}"
        self.id = line(self.entry["id"], NAME)
        self.tests: Sequence[Mapping[str, Any]] = self.entry["tests"]
        self.answers = [test for test in self.tests if test["role"] == "answer"]
        self.words: Words = words_of_measure(self.entry, plan)
        self.digits = 2 if self.words.kind == "share" else decimals_of(self._spread())

    def _spread(self) -> float | None:
        known = [(cell["n"] - 1, cell["sd"]) for cell in self.entry["cells"] if cell.get("sd") and cell["n"] > 1]
        if known:
            return math.sqrt(sum(df * sd**2 for df, sd in known) / sum(df for df, _ in known))
        own = next((one for one in self.entry.get("variables") or () if not one["name"]), None)
        return None if own is None else own["sd"]

    # Slots -----------------------------------------------------------------------------------------------------------

    def value(self, path: str) -> Any:
        """Return what stands at a path below the question."""
        found: Any = self.entry
        for part in path.strip("/").split("/"):
            found = found[int(part)] if isinstance(found, Sequence) and not isinstance(found, str) else found.get(part)
            if found is None:
                return None
        return found

    def number(self, path: str, kind: str = "", digits: int | None = None) -> Run:
        """Return the number at a path below the question, rounded as its kind is; a dash where there is none."""
        value = self.value(path)
        kind = kind or self.words.kind
        if value is None:
            return Run("–")
        digits = digits if digits is not None else self.digits if kind in ("measure", "size") else 2
        return rounded(float(value), kind, f"{self.at}{path}", digits)

    def size(self, path: str) -> Run:
        """Return the size of a number of the measure, without its sign."""
        return self.number(path, "size of share" if self.words.kind == "share" else "size")

    def ends(self, path: str, kind: str = "", digits: int | None = None, *, level: bool = True) -> Prose:
        """Return the interval of the estimate or effect at a path."""
        found = self.value(path)
        kind = kind or self.words.kind
        digits = digits if digits is not None else self.digits if kind == "measure" else 2
        return interval(found or {}, kind, f"{self.at}{path}", digits, level=level)

    def test_at(self, test: Mapping[str, Any]) -> str:
        """Return the path of a test below the question."""
        others = self.entry.get("alternatives") or ()
        for place, one in enumerate(others):
            if one is test:
                return f"/alternatives/{place}"
        return f"/tests/{next(place for place, one in enumerate(self.tests) if one is test)}"

    # Pieces ----------------------------------------------------------------------------------------------------------

    @property
    def factors(self) -> list[Mapping[str, Any]]:
        """The factors of the design."""
        return list((self.entry.get("design") or {}).get("factors") or [])

    @property
    def levels(self) -> list[str]:
        """The labels of the only factor's levels."""
        if len(self.factors) != 1:
            return []
        name = self.factors[0]["name"]
        return [level_text(self.plan, name, level) for level in self.factors[0]["levels"]]

    @property
    def units(self) -> str:
        """What a unit of analysis is called."""
        return UNITS.get(
            self.entry["design"].get("units") or "", line(self.entry["design"].get("units") or "unit", NAME)
        )

    def counted_units(self) -> Prose:
        """Return how many units there are."""
        n = int(self.entry["design"]["n_units"])
        return prose(
            "{n} {units}",
            n=self.number("/design/n_units", "count"),
            units=own_words(counted(n, self.units).split(" ", 1)[1]),
        )

    def p_of(self, test: Mapping[str, Any], key: str = "p") -> Prose:
        """Return ``p = .017``."""
        value = self.number(f"{self.test_at(test)}/{key}", "p")
        equal = "" if value.text[:1] in "<>" else "= "
        run = Run(equal.replace(" ", NO_BREAK) + value.text.replace(" ", NO_BREAK), slot=value.slot)
        return Prose((Run("p", "i"), Run(NO_BREAK), run))

    def statistic_of(self, test: Mapping[str, Any]) -> Prose:
        """Return ``t(65) = 2.46``; empty where the test has no statistic."""
        if test.get("statistic") is None:
            return Prose()
        at, kind = self.test_at(test), test["kind"]
        inside = [
            Prose((self.number(f"{at}/df/{place}", "df"),))
            for place in range(len(test["df"]))
            if test["df"][place] is not None
        ]
        if kind in ("chi2", "g2", "q", "h") and test["n"]:
            n = sum(test["n"])
            slot = (
                self.number(f"{at}/n/0", "count")
                if len(test["n"]) == 1
                else Run(f"{n:,.0f}", slot=rounded(n, "count", f"{self.at}{at}/n").slot)
            )
            inside.append(prose("*N* = {n}", n=slot))
        bounded = kind in ("r", "rho", "tau")
        value = self.number(f"{at}/statistic", "share" if bounded else "statistic")
        around = prose("({inside})", inside=join(inside, "," + NO_BREAK)) if inside else Prose()
        return prose(LETTERS.get(kind, kind) + "{around} = {value}", around=around, value=value)

    def effect_of(self, test: Mapping[str, Any], key: str = "effect") -> Prose:
        """Return ``g = 0.32, 95% CI [−0.16, 0.80]``; empty where there is none."""
        found = test.get(key)
        if not found or found.get("value") is None:
            return Prose()
        symbol, kind = EFFECTS.get(found["name"], (found["name"].replace("_", " "), "statistic"))
        path = f"{self.test_at(test)}/{key}"
        if found["name"] in POINTS:
            return join(
                [
                    prose("a difference of {d} percentage points", d=self.number(f"{path}/value", "percent", 1)),
                    self.ends(path, "percent", 1),
                ],
                ", ",
            )
        return join(
            [prose(symbol + " = {value}", value=self.number(f"{path}/value", kind)), self.ends(path, kind)], ", "
        )

    def tested(self, test: Mapping[str, Any], *, effect: bool = True) -> Prose:
        """Return statistic, p and effect of a test; p after correction where it was corrected."""
        parts = [self.statistic_of(test), self.p_of(test) if test.get("p") is not None else Prose()]
        parts += self.corrected(test)
        return join([*parts, self.effect_of(test) if effect else Prose()], ", ")

    def corrected(self, test: Mapping[str, Any]) -> list[Prose]:
        """Return the corrected p of a member of a family."""
        if test.get("p_adjusted") is None or test.get("correction") in (None, "none"):
            return []
        name = CORRECTIONS.get(test["correction"], line(test["correction"], NAME))
        if test["role"] != "answer":
            return [prose("{name}-corrected {p}", name=own_words(name), p=self.p_of(test, "p_adjusted"))]
        place, family = self._family(test["address"])
        if family is None:
            return [prose("{name}-corrected {p}", name=own_words(name), p=self.p_of(test, "p_adjusted"))]
        size = len(family["members"])
        asked = {str(member).partition("/")[0].partition("#")[0] for member in family["members"]}
        what = "hypothesis" if len(asked) == size else "test"
        of = rounded(size, "count", f"/families/{place}/members")
        words = Run(DIGITS[size] if size < len(DIGITS) else of.text, slot=of.slot)
        noun = counted(size, what).partition(" ")[2]
        alike = (
            self.number(f"{self.test_at(test)}/p", "p").text
            == self.number(f"{self.test_at(test)}/p_adjusted", "p").text
        )
        if alike:
            return [
                prose(
                    "also after {name}'s correction for {n} {noun}", name=own_words(name), n=words, noun=own_words(noun)
                )
            ]
        return [
            prose(
                "{p} after {name}'s correction for {n} {noun}",
                p=self.p_of(test, "p_adjusted"),
                name=own_words(name),
                n=words,
                noun=own_words(noun),
            )
        ]

    def _family(self, address: str) -> tuple[int, Mapping[str, Any] | None]:
        for place, family in enumerate(self.results.get("families") or ()):
            if address in [str(member) for member in family["members"]] or (
                self.entry["id"] in [str(member) for member in family["members"]]
            ):
                return place, family
        return 0, None

    def mean(self, place: int, *, n: bool = False, symbol: bool = False) -> Prose:
        """Return ``(M = 0.750, SD = 0.064)`` of a cell, or ``0.750 points (SD = 0.064)``."""
        at = f"/cells/{place}"
        parts = [prose("*SD* = {sd}", sd=self.number(f"{at}/sd"))] if self.value(f"{at}/sd") is not None else []
        if n:
            parts.append(prose("*n* = {n}", n=self.number(f"{at}/n", "count")))
        if symbol:
            return prose("({all})", all=join([prose("*M* = {m}", m=self.number(f"{at}/mean")), *parts], ", "))
        around = prose(" ({all})", all=join(parts, ", ")) if parts else Prose()
        return prose("{m}{around}", m=self.number(f"{at}/mean"), around=around)

    def share(self, place: int) -> Prose:
        """Return ``4 of 236 (1.7%)`` of a cell."""
        at, n, share = f"/cells/{place}", self.value(f"/cells/{place}/n"), self.value(f"/cells/{place}/share")
        if share is None:
            return prose("none of {n}", n=self.number(f"{at}/n", "count"))
        percent = self.number(f"{at}/share", "percent", percent_digits(share, n))
        return prose(
            "{count} of {n} ({percent}%)",
            count=self.number(f"{at}/count", "count"),
            n=self.number(f"{at}/n", "count"),
            percent=percent,
        )

    def unit_after(self) -> str:
        """Return the unit with a blank before it."""
        return f" {self.words.unit}" if self.words.unit else ""

    def difference(self, test: Mapping[str, Any]) -> Prose:
        """Return ``0.022 points, 95% CI [0.004, 0.040]`` with what is special of the interval."""
        path = f"{self.test_at(test)}/estimate"
        value = prose("{d}{unit}", d=self.number(f"{path}/value"), unit=own_words(self.unit_after()))
        return join([value, self.interval_of(test)], ", ")

    def interval_of(self, test: Mapping[str, Any]) -> Prose:
        """Return the interval of the estimate, and that the test is one-sided."""
        ends = self.ends(f"{self.test_at(test)}/estimate")
        if ends and test["alternative"] != "two-sided" and test["method"] != "equivalence":
            alpha = apa.bounded(self.plan.alpha, max(2, len(f"{self.plan.alpha:g}") - 2))
            slot = Slot("/plan/alpha", "share", max(2, len(f"{self.plan.alpha:g}") - 2))
            ends = ends + prose(" (one-sided test at α = {alpha})", alpha=Run(alpha, slot=slot))
        return ends

    def directed(self, test: Mapping[str, Any]) -> bool:
        """Whether a direction may be said: where the answer is supported, or an explored p is below alpha."""
        if self.entry["explored"]:
            return test.get("p") is not None and test["p"] < self.plan.alpha
        return self.verdict(test) == "supported"

    def verdict(self, test: Mapping[str, Any]) -> str:
        """Return the verdict of an answering test."""
        return next((one["word"] for one in self.entry.get("verdicts") or () if one["address"] == test["address"]), "")


def own_words(text: str) -> Prose:
    """Return a word of ours as prose: no name of the data."""
    return Prose((Run(text.replace(" = ", f"{NO_BREAK}={NO_BREAK}")),)) if text else Prose()


def reference(kind: str, question: str) -> Run:
    """Return where a table or figure is named; its number is known when the report is put together."""
    return Run(f"\ue000{kind}:{question}\ue000")


SYMBOL = re.compile(r"(?<![\w])(d_z|r_s|t|F|p|z|r|M|SD|N|n|g|d|U|H|V|W|Q|OR|HR|RR|b)(?=\s?[=<>(])")


def symbols(text: str, address: str = "") -> Prose:
    """Return an APA line with its symbols in italics; its numbers are those of the address.

    Examples
    --------
    >>> [run.text for run in symbols("t(65) = 2.46, p = .017").runs if run.style == "i"]
    ['t', 'p']
    """
    slot = Slot(address, "text") if address else None
    runs, at = [], 0
    tied = re.sub(r" ([=<>]) ", rf"{NO_BREAK}\1{NO_BREAK}", text)
    for match in SYMBOL.finditer(tied):
        runs += [Run(tied[at : match.start()], slot=slot, named=True), Run(match[0], "i", named=True)]
        at = match.end()
    return Prose(tuple(run for run in [*runs, Run(tied[at:], slot=slot, named=True)] if run.text))


# The paragraph ------------------------------------------------------------------------------------------------------


def paragraph(question: Question) -> Prose:
    """Return the paragraph of a question, its title in bold."""
    entry = question.entry
    title = question.words.title
    kind = ", equivalence" if any(test["method"] == "equivalence" for test in question.answers) else ""
    head = prose("**{title} ({id}{kind}).**", title=own_words(title), id=question.id, kind=own_words(kind))
    if str(entry.get("verdict") or "").startswith("not tested"):
        reason = line(entry["verdict"], SENTENCE).partition(": ")[2]
        return join([head, prose("{id} was not tested: {reason}.", id=question.id, reason=reason.rstrip("."))])
    opening = [prose("Not planned:")] if entry["explored"] else []
    parts = list(_parts(question))
    if opening and parts and parts[0].runs and not parts[0].runs[0].named:
        first = parts[0].runs[0]
        lower = (
            first.text[:1].lower() + first.text[1:]
            if first.text[1:2].islower() or first.text.startswith("A ")
            else first.text
        )
        parts[0] = Prose((Run(lower, first.style, first.slot, first.named), *parts[0].runs[1:]))
    return join([head, *opening, *parts])


def _parts(question: Question) -> Iterator[Prose]:
    answers = question.answers
    if not answers:
        return
    several = len(answers) > 1
    # Imported here, as its sentences are made of these.
    from negstats.report.model_sentences import FITTED, assumption_sentences, partner_sentences

    for test in answers:
        make = TEMPLATES.get(test["method"]) or FITTED.get(test["method"], generic_sentences)
        yield from (part.capitalised for part in make(question, test) if part)
        if several:
            yield from _verdict(question, test, several=True)
    if not several:
        yield from _verdict(question, answers[0], several=False)
    yield from _follow_ups(question)
    yield from assumption_sentences(question)
    yield from _checks(question)
    yield from partner_sentences(question)


def term_of(test: Mapping[str, Any]) -> str:
    """Return the term that a test is of, empty where the question has one."""
    return str(test["address"].partition("#")[0].partition("/")[2])


def _y(question: Question) -> Prose:
    return own_words(question.words.noun)


def two_means(question: Question, test: Mapping[str, Any], *, n: bool) -> Iterator[Prose]:
    """Yield the sentence of two means: higher and lower only where that is supported."""
    words = question.words
    one, two = question.levels
    sign = (test.get("estimate") or {}).get("value") or 0.0
    means = [question.mean(place, n=n, symbol=question.directed(test)) for place in range(2)]
    if question.directed(test):
        if words.verb:
            subject, verb, more, less = words.verb
            claim = f"{subject} {verb} {more if sign > 0 else less} in"
        else:
            claim = f"{words.noun} {words.was} {'higher' if sign > 0 else 'lower'} in"
        yield prose(
            "{claim} {one} {m1} than in {two} {m2}.", claim=own_words(claim), one=one, two=two, m1=means[0], m2=means[1]
        )
    elif words.verb:
        subject, verb, *_ = words.verb
        unit = question.unit_after()
        first = prose(
            "{m}{unit}{rest}", m=question.number("/cells/0/mean"), unit=own_words(unit), rest=_spread(question, 0, n=n)
        )
        yield prose(
            "{claim} {m1} in {one} and {m2} in {two}.",
            claim=own_words(f"{subject} {verb}"),
            one=one,
            two=two,
            m1=first,
            m2=means[1],
        )
    else:
        yield prose(
            "{y} {was} {m1} in {one} and {m2} in {two}.",
            y=_y(question),
            was=own_words(words.was),
            one=one,
            two=two,
            m1=means[0],
            m2=means[1],
        )


def _spread(question: Question, place: int, *, n: bool) -> Prose:
    parts = []
    if question.value(f"/cells/{place}/sd") is not None:
        parts.append(prose("*SD* = {sd}", sd=question.number(f"/cells/{place}/sd")))
    if n:
        parts.append(prose("*n* = {n}", n=question.number(f"/cells/{place}/n", "count")))
    return prose(" ({all})", all=join(parts, ", ")) if parts else Prose()


def pair_means(question: Question) -> bool:
    """Whether the question compares two levels whose means are known."""
    return (
        len(question.levels) == 2
        and len(question.entry["cells"]) == 2
        and all(cell.get("mean") is not None for cell in question.entry["cells"])
    )


def _welch(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    if not pair_means(question) or not test.get("estimate"):
        yield from generic_sentences(question, test)
        return
    yield from two_means(question, test, n=True)
    yield prose("The difference was {d}, {tested}.", d=question.difference(test), tested=question.tested(test))


def _paired(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    if not pair_means(question) or not test.get("estimate"):
        yield from generic_sentences(question, test)
        return
    yield from two_means(question, test, n=False)
    where = {"person": "within persons", "game": "within games", "group": "within groups"}.get(
        question.units, "within units"
    )
    yield prose(
        "The mean difference {where} was {d}, {tested}.",
        where=own_words(where),
        d=question.difference(test),
        tested=question.tested(test),
    )
    if (test.get("details") or {}).get("first") is None:
        return
    at = f"{question.test_at(test)}/details"
    first, second, equal = (question.number(f"{at}/{key}", "count") for key in ("first", "second", "equal"))
    n = int(test["details"]["equal"])
    one, two = question.levels
    yield prose(
        "Values were higher in {one} for {a} {units}, higher in {two} for {b}, and equal for {c}.",
        one=one,
        two=two,
        a=first,
        b=second,
        c=equal if n else Run("none", slot=equal.slot),
        units=own_words(counted(int(test["details"]["first"]), question.units).partition(" ")[2]),
    )


def _equivalence(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    yield from two_means(question, test, n=False) if pair_means(question) else ()
    bounds = question.plan.questions[question.entry["id"]].equivalent
    low, high = (
        (-bounds, bounds)
        if isinstance(bounds, int | float)
        else (None, None)
        if isinstance(bounds, Mapping)
        else bounds
    )
    percent = (test.get("estimate") or {}).get("name") == "risk_difference"
    if percent:
        path = f"{question.test_at(test)}/estimate"
        difference = join(
            [
                prose("{d} percentage points", d=question.number(f"{path}/value", "percent", 1)),
                question.ends(path, "percent", 1),
            ],
            ", ",
        )
    else:
        difference = question.difference(test)
    if low is None or high is None:
        planned = own_words(f"±{bounds['sd']:g} standard deviations")
    else:
        scale, after = (100, " percentage points") if percent else (1, "")
        planned = own_words(
            f"±{scale * high:g}{after}" if -low == high else f"{apa.number(scale * low, 2)} to {scale * high:g}{after}"
        )
    planned = Prose(tuple(Run(run.text, named=True) for run in planned.runs))
    place = {"equivalent": "inside", "equivalent after correction": "inside", "not equivalent": "outside"}.get(
        question.verdict(test), ""
    )
    if question.entry["explored"]:
        place = "inside" if test["p"] < question.plan.alpha else ""
    where = f"{place} the planned bounds of" if place else "which is not inside the planned bounds of"
    yield prose(
        "The difference was {d}, {where} {bounds}, larger {p} of the two one-sided tests, {rest}.",
        d=difference,
        where=own_words(where),
        bounds=planned,
        p=question.p_of(test),
        rest=join([question.statistic_of(test), *question.corrected(test)], ", "),
    )


def group_means(question: Question) -> Prose:
    """Return the means of a few cells, or where the table has them."""
    cells = question.entry["cells"]
    if len(question.factors) == 1 and len(cells) <= SMALL and all(cell.get("mean") is not None for cell in cells):
        each = [
            prose("{m} in {level}", m=question.mean(place, n=True), level=question.levels[place])
            for place in range(len(cells))
        ]
        return prose("{y} averaged {all}.", y=_y(question), all=listed(each))
    return prose("{table} has *M*, *SD* and *n* of each group.", table=reference("cells", question.id))


def listed(parts: Sequence[Prose]) -> Prose:
    """Return parts as a list in a sentence."""
    if len(parts) < 2:
        return join(parts)
    return join([join(parts[:-1], ", "), parts[-1]], " and " if len(parts) == 2 else ", and ")


def _differed(question: Question, test: Mapping[str, Any]) -> str:
    return (
        "differed"
        if question.directed(test)
        else "was not shown to differ"
        if not question.words.plural
        else "were not shown to differ"
    )


def _one_way(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    yield group_means(question)
    k = len(question.levels)
    number = DIGITS[k] if k < len(DIGITS) else str(k)
    name = "Welch " if test["method"] == "welch_anova" else ""
    yield prose(
        "{y} {differed} between the {k} groups, {name}{tested}.",
        y=_y(question),
        differed=own_words(_differed(question, test)),
        k=Run(number, named=True),
        name=own_words(name),
        tested=question.tested(test),
    )


def _repeated(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    if term_of(test) or not question.levels:
        yield from _terms(question, test)
        return
    yield group_means(question)
    changed = "changed over" if question.directed(test) else "was not shown to change over"
    if question.words.plural and not question.directed(test):
        changed = "were not shown to change over"
    corrected = (
        " (Greenhouse–Geisser)" if any(df is not None and not float(df).is_integer() for df in test["df"]) else ""
    )
    factor = line(question.factors[0]["name"], NAME)
    yield prose(
        "{y} {changed} {factor}, {tested}{corrected}.",
        y=_y(question),
        changed=own_words(changed),
        factor=factor,
        tested=question.tested(test),
        corrected=own_words(corrected),
    )


def _terms(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of several factors: the interaction says whether an effect differs by the other factor."""
    term = term_of(test)
    names = (
        [line(name, NAME) for name in term.split(":")]
        if term
        else [line(one["name"], NAME) for one in question.factors]
    )
    numbers = [one["name"] for one in question.entry.get("variables") or () if one["name"]]
    estimate = test.get("estimate") or {}
    if test is question.answers[0] and question.factors:
        yield group_means(question)
    if term in numbers and estimate.get("name") == "slope":
        from negstats.report.model_sentences import FITTED

        yield from FITTED["regression"](question, test)
        return
    if len(names) == 1:
        claim = prose(
            "{y} {differed} by {name}", y=_y(question), differed=own_words(_differed(question, test)), name=names[0]
        )
    else:
        others = listed([prose("{name}", name=name) for name in names[1:]])
        differed = "differed" if question.directed(test) else "was not shown to differ"
        claim = prose(
            "The effect of {first} on {y} {differed} by {others}",
            first=names[0],
            y=_y(question),
            differed=own_words(differed),
            others=others,
        )
    size = Prose()
    if estimate.get("value") is not None and test["kind"] == "t":
        of = "slopes of" if estimate["name"] == "difference_of_slopes" else "a difference of"
        size = prose(
            ", {of} {d}",
            of=own_words(of.replace("slopes of", "a difference of slopes of")),
            d=question.difference(test),
        )
    yield prose("{claim}{size}, {tested}.", claim=claim, size=size, tested=question.tested(test))


def _model(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of a model of related rows."""
    if (term_of(test) and len(question.answers) > 1) or test["kind"] == "f":
        yield from _terms(question, test)
        return
    estimate = test.get("estimate") or {}
    if estimate.get("name") == "slope" or not pair_means(question):
        yield from generic_sentences(question, test)
        return
    yield from two_means(question, test, n=True)
    model = "in the model of pairs" if test["method"] == "dyad" else "in the mixed model"
    whole = join([question.statistic_of(test), question.p_of(test), *question.corrected(test)], ", ")
    yield prose(
        "The difference {model} was {d}, {tested}.", model=own_words(model), d=question.difference(test), tested=whole
    )
    if test.get("effect"):
        path = f"{question.test_at(test)}/effect/value"
        name = (
            "The correlation of partners' residuals"
            if test["effect"]["name"] == "partner_r"
            else f"The correlation within a {question.units} (ICC)"
        )
        yield prose("{name} was {r}.", name=own_words(name), r=question.number(path, "share"))


def _correlation(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    numbers = [one for one in question.entry.get("variables") or () if one["name"]]
    x = words_of_measure(question.entry, question.plan, numbers[0]["name"]) if numbers else None
    with_ = own_words(x.noun) if x else own_words("the other measure")
    way = "negatively" if (test["statistic"] or 0.0) < 0 else "positively"
    related = f"were {way} related" if question.directed(test) else "were not shown to be related"
    linked = not test["df"] and test["n"]
    value = prose(
        LETTERS[test["kind"]] + "{df} = {r}",
        df=prose("({df})", df=question.number(f"{question.test_at(test)}/df/0", "df")) if test["df"] else Prose(),
        r=question.number(f"{question.test_at(test)}/statistic", "share"),
    )
    over = Prose()
    if linked:
        row = (question.entry.get("rows") or {}).get("row", "row")
        n = int(test["n"][0])
        over = prose(
            " over {n} {rows} of {units}",
            n=question.number(f"{question.test_at(test)}/n/0", "count"),
            rows=own_words(counted(n, row).partition(" ")[2]),
            units=question.counted_units(),
        )
    rest = join(
        [question.ends(f"{question.test_at(test)}/effect", "share"), question.p_of(test), *question.corrected(test)],
        ", ",
    )
    yield prose(
        "{y} and {x} {related}{over}, {r}, {rest}.",
        y=_y(question),
        x=with_,
        related=own_words(related),
        over=over,
        r=value,
        rest=rest,
    )
    yield from _step(question, test, numbers[0]["name"] if numbers else "", with_)
    parts = {
        tag: one
        for one in question.tests
        if one["role"] == "beside" and (tag := one["address"].partition("#")[2]) in ("between", "within")
    }
    if len(parts) == 2:
        unit = {"person": "persons", "game": "games"}.get(question.units, f"{question.units}s")
        each = [
            prose(
                "{tag} {unit} {was}{r}, {ends}",
                tag=own_words(tag),
                was=own_words("it was " if tag == "between" else ""),
                unit=own_words(unit),
                r=question.statistic_of(one),
                ends=question.ends(f"{question.test_at(one)}/estimate", "share"),
            )
            for tag, one in parts.items()
        ]
        yield prose("{between}, and {within}.", between=each[0].capitalised, within=each[1])
        if _apart(parts["between"]["estimate"], parts["within"]["estimate"]):
            yield prose(
                "As these intervals do not overlap, the pooled {r} is a mixture of both.",
                r=question.number(f"{question.test_at(test)}/statistic", "share"),
            )


def _step(question: Question, test: Mapping[str, Any], name: str, x: Prose) -> Iterator[Prose]:
    """Yield what one standard deviation more of the predictor goes with, where the relation is shown."""
    details = test.get("details") or {}
    if details.get("step") is None or not question.directed(test):
        return
    words = words_of_measure(question.entry, question.plan, name)
    at = f"{question.test_at(test)}/details"
    digits, kind = (2, "share") if words.kind == "share" else (decimals_of(details["sd"]), "measure")
    yield prose(
        "One standard deviation more of {x} ({sd}) went with {step}{unit} {way} of {y}.",
        x=x,
        sd=question.number(f"{at}/sd", kind, digits),
        step=question.size(f"{at}/step"),
        unit=own_words("" if question.words.unit in question.words.noun else question.unit_after()),
        way=own_words("more" if details["step"] > 0 else "less"),
        y=_y(question),
    )


def _apart(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    ends = [float(end) for each in (one, two) for name in ("low", "high") if (end := each.get(name)) is not None]
    return len(ends) == 4 and (ends[1] < ends[2] or ends[3] < ends[0])


def _shares(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    cells = question.entry["cells"]
    if not cells or any("count" not in cell for cell in cells) or len(question.factors) > 1:
        yield from generic_sentences(question, test)
        return
    rows = (question.entry.get("rows") or {}).get("row", "game")
    noun = counted(2, rows).partition(" ")[2]
    if question.levels and len(cells) <= SMALL:
        each = [
            prose("{share} in {level}", share=question.share(place), level=question.levels[place])
            for place in range(len(cells))
        ]
        yield prose("{listed} {event}.", listed=listed(each), event=own_words(question.words.event))
    elif not question.levels:
        n, count = (question.number(f"/cells/0/{key}", "count") for key in ("n", "count"))
        share = question.number("/cells/0/share", "percent", percent_digits(cells[0]["share"] or 0.0, cells[0]["n"]))
        path = f"{question.test_at(test)}/estimate"
        yield prose(
            "Of {n} {noun} {count} ({share}%) {event}, {ends}.",
            n=n,
            noun=own_words(noun),
            count=count,
            share=share,
            event=own_words(question.words.event),
            ends=question.ends(path, "percent", 1),
        )
        if test.get("p") is not None:
            given = question.plan.questions[question.entry["id"]].against
            yield prose(
                "Against {stated}%, {tested}.",
                stated=Run(f"{100 * given:g}", named=True),
                tested=_exact(question, test),
            )
        return
    else:
        yield prose("{table} has the counts of each group.", table=reference("cells", question.id))
    estimate = test.get("estimate") or {}
    path = f"{question.test_at(test)}/estimate"
    if estimate.get("name") == "risk_difference":
        d = join(
            [
                prose("The difference was {d} percentage points", d=question.number(f"{path}/value", "percent", 1)),
                question.ends(path, "percent", 1),
            ],
            ", ",
        )
        yield prose(
            "{d}, {tested}.",
            d=d,
            tested=question.tested(test) if test.get("statistic") is not None else _exact(question, test),
        )
    elif test.get("p") is not None:
        lead = "The groups differed" if question.directed(test) else "The groups were not shown to differ"
        tested = question.tested(test) if test.get("statistic") is not None else _exact(question, test)
        yield prose("{lead}, {tested}.", lead=own_words(lead), tested=tested)


def _interval_alone(question: Question, test: Mapping[str, Any]) -> Prose:
    path = f"{question.test_at(test)}/estimate"
    kind, digits = ("percent", 1) if test["estimate"]["name"] == "share" else ("", None)
    unit = " percent" if kind else question.unit_after()
    value = question.number(f"{path}/value", kind, digits)
    what = "The share" if kind else "The mean"
    return prose(
        "{what} was {value}{unit}, {ends}.",
        what=own_words(what),
        value=value,
        unit=own_words(unit),
        ends=question.ends(path, kind, digits),
    )


def _against(question: Question, test: Mapping[str, Any], tested: Prose) -> Prose:
    given = question.plan.questions[question.entry["id"]].against
    path = f"{question.test_at(test)}/estimate"
    share = (test.get("estimate") or {}).get("name") == "share"
    ends = question.ends(path, "percent", 1) if share else question.interval_of(test)
    stated = (
        Run(f"{100 * given:g}%" if share else f"{given:g}", named=True)
        if given is not None
        else Run("the stated value")
    )
    return (
        prose("{ends}, tested against {stated}, {tested}.", ends=ends, stated=stated, tested=tested)
        if ends
        else prose("Tested against {stated}, {tested}.", stated=stated, tested=tested)
    )


def _exact(question: Question, test: Mapping[str, Any]) -> Prose:
    return join(
        [
            prose("{name} {p}", name=own_words(method_name(test["method"])), p=question.p_of(test)),
            *question.corrected(test),
            question.effect_of(test),
        ],
        ", ",
    )


def _one_sample(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    yield (
        _interval_alone(question, test)
        if test.get("p") is None
        else prose("{y} averaged {m}.", y=_y(question), m=question.mean(0, n=True))
    )
    if test.get("p") is not None:
        yield _against(question, test, question.tested(test))


def _mixed(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a mixed model: of yes or no and of counts by its ratio, as other models of related rows."""
    if (test.get("effect") or {}).get("name") in ("odds_ratio", "ratio_of_means"):
        from negstats.report.model_sentences import FITTED

        yield from FITTED["gee"](question, test)
        return
    yield from _model(question, test)


def _logistic(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    details = test.get("details") or {}
    numbers = [(place, one) for place, one in enumerate(question.entry.get("variables") or ()) if one["name"]]
    if "fitted_low" not in details or len(numbers) != 1:
        from negstats.report.model_sentences import FITTED

        yield from FITTED["gee"](question, test)
        return
    place, x = numbers[0]
    words = words_of_measure(question.entry, question.plan, x["name"])
    digits, kind = (2, "share") if words.kind == "share" else (decimals_of(x["sd"]), "measure")
    at = f"{question.test_at(test)}/details"
    whole = all(float(x[key]).is_integer() for key in ("low", "high"))
    low, high = (question.number(f"/variables/{place}/{key}", kind, 0 if whole else digits) for key in ("low", "high"))
    sd = question.number(f"/variables/{place}/sd", kind, digits)
    p1, p2 = (question.number(f"{at}/fitted_{key}", "percent", 1) for key in ("low", "high"))
    yield prose(
        "Over the observed range of {x} ({low} to {high}) fitted {y} goes from {p1}% to {p2}%.",
        x=own_words(words.noun),
        low=low,
        high=high,
        y=_y(question),
        p1=p1,
        p2=p2,
    )
    ratio = {
        "value": details.get("ratio_value"),
        "low": details.get("ratio_low"),
        "high": details.get("ratio_high"),
        "level": (test.get("effect") or {}).get("level", 0.95),
    }
    if ratio["value"] is not None:
        ends = interval(ratio, "statistic", f"{question.at}{at}/ratio", level=False)
        ends = Prose(
            tuple(
                Run(
                    run.text,
                    run.style,
                    None
                    if run.slot is None
                    else type(run.slot)(run.slot.address.replace("/ratio/", "/ratio_"), run.slot.kind, run.slot.digits),
                )
                for run in ends.runs
            )
        )
        head = prose(
            "{level}%" + NO_BREAK + "CI" + NO_BREAK,
            level=question.number(f"{question.test_at(test)}/effect/level", "level"),
        )
        each = prose(
            "Per standard deviation ({sd}) *OR* = {ratio}, {head}{ends}",
            sd=sd,
            ratio=question.number(f"{at}/ratio_value", "statistic"),
            head=head,
            ends=ends,
        )
        yield prose("{each}, {tested}.", each=each, tested=question.tested(test, effect=False))
    else:
        yield prose("{tested}.", tested=question.tested(test))


def generic_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield what every test has: the estimate in the measure's unit, the test, and the effect."""
    term = term_of(test)
    estimate = test.get("estimate") or {}
    of = prose(" ({term})", term=term) if term and len(question.answers) > 1 else Prose()
    if (
        test is question.answers[0]
        and question.factors
        and all(cell.get("mean") is not None for cell in question.entry["cells"])
    ):
        yield group_means(question)
    tested = question.tested(test) if test.get("p") is not None else Prose()
    if not tested:
        yield symbols(line(test["apa"], SENTENCE), f"{question.at}{question.test_at(test)}/apa") + prose(".")
        return
    size = Prose()
    if estimate.get("value") is not None and estimate != test.get("effect"):
        path = f"{question.test_at(test)}/estimate"
        name = {
            "slope": "*b*",
            "difference_of_slopes": "difference of slopes",
            "adjusted_difference": "adjusted difference",
        }.get(estimate["name"], estimate["name"].replace("_", " "))
        if estimate["name"] in POINTS:
            size = join(
                [
                    prose("difference of {d} percentage points", d=question.number(f"{path}/value", "percent", 1)),
                    question.ends(path, "percent", 1),
                ],
                ", ",
            )
        elif estimate["name"] == "slope" or estimate["name"] == "difference_of_slopes":
            digits = decimals_of(abs(estimate["value"]) or None)
            size = join(
                [
                    prose(name + " = {d}", d=question.number(f"{path}/value", "measure", digits)),
                    question.ends(path, "measure", digits),
                ],
                ", ",
            )
        else:
            size = prose(name + " = {d}", d=question.difference(test))
    name = method_name(test["method"])
    lead = prose(
        "{name}{of}: {rest}.",
        name=Prose((Run(name[:1].upper() + name[1:], named=True),)),
        of=of,
        rest=join([size, tested], ", "),
    )
    yield lead


TEMPLATES: Mapping[str, Callable[[Question, Mapping[str, Any]], Iterator[Prose]]] = {
    "welch": _welch,
    "paired": _paired,
    "equivalence": _equivalence,
    "welch_anova": _one_way,
    "kruskal_wallis": generic_sentences,
    "anova": _terms,
    "mixed_anova": _terms,
    "repeated": _repeated,
    "dyad": _model,
    "mixed": _mixed,
    "pearson": _correlation,
    "spearman": _correlation,
    "chi_squared": _shares,
    "fisher": _shares,
    "mcnemar": _shares,
    "cochran": _shares,
    "binomial": _shares,
    "share": _shares,
    "one_sample": _one_sample,
    "mean": _one_sample,
    "logistic": _logistic,
}


# Verdicts, follow-ups, checks ---------------------------------------------------------------------------------------


def _verdict(question: Question, test: Mapping[str, Any], *, several: bool) -> Iterator[Prose]:
    found = next(
        (
            (place, one)
            for place, one in enumerate(question.entry.get("verdicts") or ())
            if one["address"] == test["address"]
        ),
        None,
    )
    if found is None:
        return
    place, one = found
    name: Prose = prose("{id}", id=question.id)
    if several and term_of(test):
        name = prose("{id} ({term})", id=question.id, term=term_of(test))
    depends = prose(" (depends on the method)") if one["depends"] else Prose()
    word = one["word"]
    smallest = Prose()
    if one.get("smallest") is not None:
        bounded = (test.get("estimate") or {}).get("name") == "r"
        percent = (test.get("estimate") or {}).get("name") == "risk_difference"
        kind, digits = (
            ("percent", 1) if percent else ("share", 2) if bounded else (question.words.kind, question.digits)
        )
        unit = " percentage points" if percent else "" if bounded else question.unit_after()
        smallest = prose(
            "{s}{unit}", s=question.number(f"/verdicts/{place}/smallest", kind, digits), unit=own_words(unit)
        )
    ending = Prose()
    low, high = ((test.get("estimate") or {}).get(key) for key in ("low", "high"))
    between = None not in (low, high) and (test.get("estimate") or {}).get("name") in (
        "difference",
        "adjusted_difference",
        "risk_difference",
    )
    if word == "supported":
        claim = "was supported"
        if (
            smallest
            and low is not None
            and high is not None
            and (abs(low) < one["smallest"] or abs(high) < one["smallest"])
        ):
            ending = prose("; effects below {s} are not ruled out", s=smallest)
    elif word == "not supported":
        claim = "was not supported"
        if between and not several:
            points = test["estimate"]["name"] == "risk_difference"
            kind, decimals = ("percent", 1) if points else (question.words.kind, question.digits)
            unit = " percentage points" if points else question.unit_after()
            first, last = ends_of(test["estimate"], kind, f"{question.at}{question.test_at(test)}/estimate", decimals)
            ending = prose(
                "; the data are compatible with differences from {low} to {high}{unit}",
                low=first,
                high=last,
                unit=own_words(unit),
            )
    elif word == "not supported after correction":
        claim = "was not supported after correction"
        ending = prose("; the interval is not corrected")
    elif word.startswith("not supported, and"):
        claim = "was not supported"
        ending = prose(", and any effect is smaller than {s}", s=smallest)
    elif word == "inconclusive":
        claim = "remains inconclusive"
        if smallest:
            ending = prose(
                ": the interval holds both no difference and differences that would matter ({s})", s=smallest
            )
    elif word.startswith("not supported;"):
        claim = "was not supported; the difference goes the other way"
    elif word == "equivalent":
        claim = "was supported"
        levels = " and ".join("{" + f"l{at}" + "}" for at in range(len(question.levels)))
        ending = prose(
            f"; {levels} were equivalent within these bounds" if levels else "",
            **{f"l{at}": level for at, level in enumerate(question.levels)},
        )
    elif word == "not equivalent":
        claim = "was not supported; the difference lies outside the bounds"
    else:
        claim = f"was {word}"
    yield prose("{name} {claim}{depends}{after}.", name=name, claim=own_words(claim), depends=depends, after=ending)


def _follow_ups(question: Question) -> Iterator[Prose]:
    follow = [
        test
        for test in question.tests
        if test["role"] == "follow-up" and test.get("p_adjusted") is not None and test["method"] != "adjusted_residual"
    ]
    if not follow:
        return
    if not any(question.directed(test) for test in question.answers):
        yield (
            prose("Pairs were not compared further; {table} has them.", table=reference("tests", question.id))
            if any(" - " in test["address"] for test in follow)
            else Prose()
        )
        return
    shown = [test for test in follow if test["p_adjusted"] < question.plan.alpha and test.get("p") is not None]
    if not shown:
        yield prose(
            "After correction no pair of levels differed at the level of the plan; {table} has all of them.",
            table=reference("tests", question.id),
        )
        return
    each = []
    for test in shown[:SMALL]:
        name = _follow_name(question, test)
        size = test.get("estimate") or {}
        if size.get("name") == "difference" and size.get("value") is not None:
            each.append(
                prose(
                    "{name} {d}, {p}",
                    name=name,
                    d=question.difference(test),
                    p=join(question.corrected(test) or [question.p_of(test, "p_adjusted")]),
                )
            )
        else:
            each.append(
                prose(
                    "{name} {stat}, {p}",
                    name=name,
                    stat=question.statistic_of(test),
                    p=join(question.corrected(test) or [question.p_of(test, "p_adjusted")]),
                )
            )
    more = (
        prose("; {table} has the others", table=reference("tests", question.id)) if len(follow) > len(each) else Prose()
    )
    yield prose("Of the follow-up comparisons {listed}{more}.", listed=join(each, "; "), more=more)


def _follow_name(question: Question, test: Mapping[str, Any]) -> Prose:
    tag = test["address"].partition("#")[2]
    one, dash, two = tag.partition(" - ")
    if dash and len(question.factors) == 1:
        name = question.factors[0]["name"]
        return prose(
            "{one} − {two}", one=level_text(question.plan, name, one), two=level_text(question.plan, name, two)
        )
    return prose("{tag}", tag=line(tag.replace(" - ", " − "), NAME))


def _checks(question: Question) -> Iterator[Prose]:
    """Yield what the checks say; where one leads elsewhere that is said, with the reason."""
    by_address = {test["address"]: test for test in question.tests}
    checks = [
        (check, by_address[check["address"]])
        for check in question.entry.get("checks") or ()
        if check["address"] in by_address
    ]
    skip = ("between", "within") if any(test["address"].endswith("#between") for test in question.tests) else ()
    checks = [
        (check, test) for check, test in checks if check["address"].partition("#")[2] not in skip or not check["agrees"]
    ]
    against = [(check, test) for check, test in checks if not check["agrees"]]
    several = len(question.answers) > 1
    if against:
        each = [
            prose(
                "{name} gave {result} ({why})",
                name=_check_name(test, several=several),
                result=_check(question, test, of=""),
                why=own_words(check["why"]),
            )
            for check, test in against
        ]
        yield prose("**The conclusion depends on the method:** {each}.", each=join(each, "; "))
    agreed = [test for check, test in checks if check["agrees"]]
    if several and agreed:
        return
    for test in agreed[:2]:
        yield prose(
            "{name} agreed, {result}.",
            name=_check_name(test, several=several).capitalised,
            result=_check(question, test),
        )


def _check_name(test: Mapping[str, Any], *, several: bool) -> Prose:
    name = CHECKS.get(test["address"].partition("#")[2]) or method_name(test["method"])
    if test["method"] in ("wilcoxon", "mann_whitney", "kruskal_wallis", "friedman"):
        name = method_name(test["method"])
    if not name.startswith(("the ", "a ", "least")) and name[:1].isupper():
        name = f"a {name}" if name.endswith("test") and "'s" not in name else name
    elif name.endswith("test") and not name.startswith(("the ", "a ")) and "'s" not in name:
        name = f"a {name}"
    term = term_of(test)
    called = Prose((Run(name, named="2" in name or "3" in name),))
    return prose("{name} ({term})", name=called, term=term) if several and term else called


CHECKS = {
    "cluster": "cluster-robust regression",
    "complete": "the analysis of complete units",
    "without": "the analysis without the covariate",
    "permutation": "a permutation test",
    "bootstrap": "a parametric bootstrap of the likelihood ratio",
    "hc3": "the analysis with HC3 errors",
    "between": "the relation between units",
    "within": "the relation within units",
    "gee": "a model by estimating equations",
    "mixed": "a mixed model",
}


def _check(question: Question, test: Mapping[str, Any], of: str = "a difference of ") -> Prose:
    estimate, details = test.get("estimate") or {}, test.get("details") or {}
    parts = []
    if estimate.get("value") is not None and estimate["name"] in ("difference", "adjusted_difference"):
        parts.append(own_words(of) + question.difference(test))
        parts += [] if test["method"] == "regression_cr2" else [question.statistic_of(test)]
    elif estimate.get("name") == "r":
        parts += [question.statistic_of(test), question.ends(f"{question.test_at(test)}/estimate", "share")]
    else:
        parts.append(question.statistic_of(test))
    if test.get("p") is not None:
        parts.append(question.p_of(test))
    for name in ("rank_biserial", "common_language", "rank_epsilon_squared", "epsilon_squared"):
        if details.get(name) is not None:
            symbol, kind = EFFECTS[name]
            parts.append(
                prose(symbol + " = {value}", value=question.number(f"{question.test_at(test)}/details/{name}", kind))
            )
            break
    gone = (test.get("why") or {}).get("levels")
    return join(parts, ", ") + (
        prose(" (without {gone}, where there is a single value)", gone=line(gone, SENTENCE)) if gone else Prose()
    )
