"""A question of ``results.json`` with what its sentences need: words, levels and slots."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from negstats.analysis.effect_sizes import RATIOS, pooled_spread
from negstats.analysis.method import METHODS
from negstats.analysis.methods.linked import OF_PARTNER
from negstats.report.labels import INDICES, NAME, UNITS, game_noun, level_text, method_name
from negstats.report.measures import SINGULARS, Words, base_of, definition_of, role_name, spell, words_of_measure
from negstats.report.numerals import counted_at, interval, interval_digits, percent_digits, rounded
from negstats.report.prose import NO_BREAK, Prose, Run, join, listed, prose
from negstats.report.sentences.level_places import IN, MANY_WORDS, PARTNER, PLACES, is_digits, place_of
from negstats.sanitize import line, plural
from negstats.stats.results.apa import decimals_of

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
RANK_SUMS = {"wilcoxon": "*T*+"}


# The symbol of an effect, and how it is rounded.
EFFECTS = {
    "d": ("*d*", "statistic"),
    "g": ("*g*", "statistic"),
    "d_z": ("*d*_z", "statistic"),
    "r": ("*r*", "share"),
    "rho": ("*r*_s", "share"),
    "tau_b": ("*τ*_b", "share"),
    "omega_squared": ("ω²", "share"),
    "partial_omega_squared": ("partial ω²", "share"),
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
    "difference_of_incidence": ("difference in cumulative incidence", "share"),
}


OF_RESIDUALS = "partner_r"  # how two partners are alike is no effect; the supplement says it
POINTS = {"risk_difference", "average_marginal_effect", "difference_of_incidence"}  # said in percentage points


HYPOTHESIS = re.compile(r"[Hh](\d+[a-z]?)")
SEAT_FACTORS = ("role", "kind", "agent")  # which a plan need not define


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
        self.alternatives: Sequence[Mapping[str, Any]] = self.entry.get("alternatives") or ()
        self.verdicts: Sequence[Mapping[str, Any]] = self.entry.get("verdicts") or ()
        self.variables: Sequence[Mapping[str, Any]] = self.entry.get("variables") or ()
        self.number_names = [variable["name"] for variable in self.variables if variable["name"]]
        # What an effect depends on comes before the effect.
        self.answers = sorted(
            (test for test in self.tests if test["role"] == "answer"), key=lambda test: -test["address"].count(":")
        )
        self.words = self.words_of()
        if self.words.verb and any(self.words.verb[0] in level.split() for level in self.levels):
            self.words = replace(self.words, verb=None)  # no "pairs reached 37 points in prosocial pairs"
        self.digits = 2 if self.words.kind == "share" else decimals_of(self._spread())

    def _spread(self) -> float | None:
        spread = pooled_spread((cell["n"], cell.get("sd")) for cell in self.entry["cells"])
        if spread is not None:
            return spread
        own = next((variable for variable in self.variables if not variable["name"]), None)
        return None if own is None else own["sd"]

    # Slots -----------------------------------------------------------------------------------------------------------

    def value(self, path: str) -> Any:
        """Return what stands at a path below the question."""
        value: Any = self.entry
        for part in path.strip("/").split("/"):
            value = value[int(part)] if isinstance(value, Sequence) and not isinstance(value, str) else value.get(part)
            if value is None:
                return None
        return value

    def number(self, path: str, kind: str = "", digits: int | None = None) -> Run:
        """Return the number at a path below the question, rounded as its kind is; a dash where there is none.

        An estimate or effect has as many decimals as its interval.
        """
        value = self.value(path)
        kind = kind or self.words.kind
        if value is None:
            return Run("–")
        digits = digits if digits is not None else self.digits if kind in ("measure", "size") else 2
        whole, _, name = path.rpartition("/")
        if name == "value":
            digits = interval_digits(self.value(whole), kind, digits)
        return rounded(float(value), kind, f"{self.at}{path}", digits)

    def size(self, path: str) -> Run:
        """Return the size of a number of the measure, without its sign."""
        return self.number(path, "size of share" if self.words.kind == "share" else "size")

    def ends(
        self, path: str, kind: str = "", digits: int | None = None, *, level: bool = True, of_size: bool = False
    ) -> Prose:
        """Return the interval of the estimate or effect at a path, or that of its size."""
        estimate = self.value(path)
        kind = kind or self.words.kind
        digits = digits if digits is not None else self.digits if kind == "measure" else 2
        return interval(estimate or {}, kind, f"{self.at}{path}", digits, level=level, of_size=of_size)

    def test_at(self, test: Mapping[str, Any]) -> str:
        """Return the path of a test below the question."""
        for place, other in enumerate(self.alternatives):
            if other is test:
                return f"/alternatives/{place}"
        return f"/tests/{next(place for place, own in enumerate(self.tests) if own is test)}"

    # Pieces ----------------------------------------------------------------------------------------------------------

    @property
    def measure_names(self) -> list[str]:
        """The measures of the question: the outcome and the numbers that it is related to, covariates among them."""
        return [self.entry["measure"], *self.number_names]

    @property
    def related(self) -> list[str]:
        """The numbers that the outcome is related to, without the covariates."""
        return [name for name in self.number_names if name not in self.covariates]

    def plain(self, text: str) -> str:
        """Return a text of the results with the names of measures as words: "no value of Pareto optimality"."""
        for name in self.measure_names:
            if name and "_" in name:
                noun = words_of_measure(self.entry, self.plan, name).noun
                text = noun.join(re.split(rf"\b{re.escape(name)}\b", text))
        return text

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
    def covariates(self) -> list[str]:
        """The numbers that are held constant."""
        return list(self.plan.questions[self.entry["id"]].covariates)

    @property
    def groups(self) -> list[Prose]:
        """Where the values of the only factor's levels are: "in CL", "in the female group", "as buyer"."""
        return self.groups_of(self.factors[0]) if len(self.factors) == 1 else []

    def between_of(self, place: int) -> Prose:
        """Return a level of the only factor as it stands behind "between": "CL", "the female group"."""
        template, *values = self._places_of(self.factors[0])[place]
        for preposition in ("in ", "with ", "at "):
            template = template.removeprefix(preposition)
        return prose(template if template[0] in "{t" else "{level}", level=values[0], factor=values[1])

    def level_names(self, levels: Sequence[object]) -> list[str]:
        """Return levels of the only factor as the subject of a sentence, which no number begins: "level 2".

        A level that says nothing without its factor stands with it: "the none-pressure condition".
        """
        names = []
        for level in levels:
            place = [str(name) for name in self.factors[0]["levels"]].index(str(level))
            template, text, _ = self._places_of(self.factors[0])[place]
            needs_factor = "{factor} " in template
            names.append(str(self.between_of(place)) if needs_factor else f"level {text}" if is_digits(text) else text)
        return names

    def between_all(self) -> Prose:
        """Return all levels behind "between": "CL and FC", "the silent and chat conditions", "the levels 1 and 2"."""
        templates = {template for template, *_ in self._places_of(self.factors[0])}
        whole = next(iter(templates))
        if all(map(is_digits, self.levels)):
            levels = listed([prose("{level}", level=level) for level in self.levels])
            return prose(
                "the levels {levels} of {factor}", levels=levels, factor=self.factor_text(self.factors[0]["name"])
            )
        if len(templates) > 1 or not whole.startswith("in the {level}") or whole.endswith("{level}"):
            return listed([self.between_of(place) for place in range(len(self.levels))])
        inside, _, noun = whole.removeprefix("in the ").rpartition(" ")
        factor = self._factor_noun(self.factors[0]["name"])
        levels = listed([prose(inside, level=level, factor=factor) for level in self.levels])
        return prose("the {levels} {nouns}", levels=levels, nouns=plural(noun.format(factor=factor)))

    @staticmethod
    def _factor_noun(name: str) -> str:
        return line(name, NAME).replace("_", " ")

    @property
    def hypothesis(self) -> Prose:
        """What the question is called in a sentence: "Hypothesis 1a", "the exploratory analysis"."""
        number = HYPOTHESIS.fullmatch(self.id)
        if number is not None and not self.entry["explored"]:
            return prose("Hypothesis" + NO_BREAK + "{number}", number=number[1])
        if not self.entry["explored"]:
            return prose("Hypothesis {id}", id=self.id)
        is_only = sum(bool(entry["explored"]) for entry in self.results["questions"]) == 1
        return prose("the exploratory analysis" if is_only else "exploratory analysis {id}", id=self.id)

    def words_of(self, name: str | None = None) -> Words:
        """Return how sentences name the outcome, or another measure of the question."""
        return words_of_measure(self.entry, self.plan, name, self.results["study"])

    def noun_of(self, name: str) -> Prose:
        """Return what a measure of the question is called."""
        return own_words(self.words_of(name).noun)

    def unit_of(self, name: str) -> Prose:
        """Return one unit of a measure: "utterance", "unit of the conflict of priorities"."""
        words = self.words_of(name)
        things, *rest = words.counted.split(" ")
        is_counted = words.counted != words.noun or rest[:1] == ["per"] or (words.plural and not rest)
        singular = SINGULARS.get(base_of(self.plan, name)) or (
            is_counted and things.endswith("s") and " ".join([things.removesuffix("s"), *rest])
        )
        return own_words(singular) if singular else prose("unit of {noun}", noun=self.noun_of(name))

    def term_text(self, term: str) -> Prose:
        """Return a term in words: its factors and numbers, with a cross between."""
        numbers = self.number_names
        if not numbers:
            return self.factors_text(term.split(":"), " × ")
        parts = [
            self.noun_of(name) if name in numbers
            else self.partners_number(name.removesuffix(OF_PARTNER)) if name.removesuffix(OF_PARTNER) in numbers
            else self.factor_text(name)
            for name in term.split(":")
        ]  # fmt: skip
        return join(parts, " × ")

    def partners_number(self, name: str) -> Prose:
        """Return what the partner's value of a number is called: "the partner's age"."""
        noun = str(self.noun_of(name)).removeprefix("the ")
        return own_words(f"the partner's {'value' if ' of a ' in noun else noun}")

    def groups_of(self, design_factor: Mapping[str, Any]) -> list[Prose]:
        """Return where the values of each level of a factor are."""
        return [
            prose(template, level=level, factor=factor) for template, level, factor in self._places_of(design_factor)
        ]

    def _places_of(self, design_factor: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        """Return for each level of a factor the words of its place, what it is called, and its factor."""
        name = design_factor["name"]
        factor, noun = self.plan.factors.get(name), self._factor_noun(name)
        column = factor.column if factor is not None else f"players.{name}" if name in SEAT_FACTORS else ""
        of_column = next((words for start, words in PLACES.items() if column.startswith(start)), IN)
        labels = factor.labels if factor is not None else {}
        texts = [level_text(self.plan, name, level) for level in design_factor["levels"]]
        places = [place_of(text, texts, noun, of_column) for text in texts]
        is_code = [place == IN and str(level) not in labels and MANY_WORDS.search(text) is not None
                   for place, level, text in zip(places, design_factor["levels"], texts, strict=True)]  # fmt: skip
        return [
            (place, f"“{text}”" if quoted else text, noun)
            for place, text, quoted in zip(places, texts, is_code, strict=True)
        ]

    def is_first_level(self, name: str) -> bool:
        """Whether a factor says which level of a column of games a person met first."""
        column: str = self.plan.factor(name).column
        return column.startswith("first.")

    def factor_text(self, name: str) -> Prose:
        """Return a factor as words of a sentence: its name, or "which condition came first"."""
        if self.is_first_level(name):
            column = self.plan.factor(name).column.partition(".")[2]
            return prose("which {column} came first", column=line(column, NAME).replace("_", " "))
        of = self._whose(name)
        return (
            prose("{whose}{of}", whose=own_words(of[0]), of=spell(of[1])) if of else prose("{name}", name=spell(name))
        )

    def factors_text(self, names: Sequence[str], sign: str = "") -> Prose:
        """Return factors as a list, or with a sign between; of a trait of both partners its name stands once."""
        texts, of = [self.factor_text(name) for name in names], [self._whose(name) for name in names]
        if len(of) == 2 and of[0] and of[1] and of[0][1] == of[1][1]:
            texts[0] = own_words(of[0][0].strip())
        return join(texts, sign) if sign else listed(texts)

    def _whose(self, name: str) -> tuple[str, str] | None:
        """Return whose trait a factor is, where both are compared or its name says no more: "own ", "svo"."""
        columns = {factor["name"]: str(self.plan.factor(factor["name"]).column) for factor in self.factors}
        own = {column.removeprefix(PARTNER) for column in columns.values() if column.startswith(PARTNER)}
        column = columns.get(name, "")
        trait = column.removeprefix(PARTNER)
        is_compared = trait in own and trait in columns.values()
        if not is_compared and (name not in ("own", "partner") or trait == name):
            return None
        return "the partner's " if column.startswith(PARTNER) else "own ", trait.rpartition(".")[2]

    @property
    def row(self) -> str:
        """What a value is of: a seat, an offer, a negotiation, a deal where no other game has a value."""
        row = str((self.entry.get("rows") or {}).get("row", "game"))
        definition = definition_of(self.plan, self.entry["measure"])
        if row == "game" and definition is not None and definition.is_of_deals:
            return "deal"
        return game_noun(self.results["study"]) if row == "game" else row

    @property
    def row_noun(self) -> str:
        """What a value is of in a sentence: a seat by its role, where the question is of one."""
        who = self.entry["who"] if self.row == "seat" else None
        return f"{role_name(who, self.plan)} seat" if who and who not in ("human", "agent") else self.row

    @property
    def units(self) -> str:
        """What a unit of analysis is called: a dyad where two people play each game."""
        return unit_name(self.entry, self.results["study"])

    def counted_units(self) -> Prose:
        """Return how many units there are."""
        return counted_at(int(self.entry["design"]["n_units"]), self.units, f"{self.at}/design/n_units")

    def p_of(self, test: Mapping[str, Any], key: str = "p", *, index: str = "") -> Prose:
        """Return ``p = .017``; with the index of its correction ``p_Holm = .017``."""
        return self.p_at(f"{self.test_at(test)}/{key}", index=index)

    def p_at(self, path: str, *, index: str = "") -> Prose:
        """Return the p at a path below the question: ``p = .017``."""
        sign, number = self.number(path, "p sign"), self.number(path, "p behind its sign")
        return Prose((Run("p", "i"), Run(index + NO_BREAK), sign, Run(NO_BREAK), number))

    def statistic_of(self, test: Mapping[str, Any]) -> Prose:
        """Return ``t(65) = 2.46``; empty where the test has no statistic."""
        if test.get("statistic") is None:
            return Prose()
        at, kind = self.test_at(test), test["kind"]
        arguments = [
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
            arguments.append(prose("*N* = {n}", n=slot))
        is_bounded = kind in ("r", "rho", "tau")
        value = self.number(f"{at}/statistic", "share" if is_bounded else "statistic")
        brackets = prose("({inside})", inside=join(arguments, "," + NO_BREAK)) if arguments else Prose()
        letter = RANK_SUMS.get(test["method"], LETTERS["u"]) if kind == "u" else LETTERS.get(kind, kind)
        return prose(letter + "{around} = {value}", around=brackets, value=value)

    def effect_of(self, test: Mapping[str, Any], key: str = "effect") -> Prose:
        """Return ``g = 0.32, 95% CI [−0.16, 0.80]``; empty where there is none."""
        effect = test.get(key)
        if not effect or effect.get("value") is None or effect["name"] == OF_RESIDUALS:
            return Prose()
        symbol, kind = EFFECTS.get(effect["name"], (effect["name"].replace("_", " "), "statistic"))
        path = f"{self.test_at(test)}/{key}"
        if effect["name"] in POINTS:
            return join(
                [
                    prose("a difference of {d} percentage points", d=self.number(f"{path}/value", "percent", 1)),
                    self.ends(path, "percent", 1),
                ],
                ", ",
            )
        value = prose(symbol + " = {value}", value=self.number(f"{path}/value", kind))
        return join([value, self.ends(path, kind)], ", ")

    def tested(self, test: Mapping[str, Any], *, effect: bool = True) -> Prose:
        """Return the statistic by its name, p and effect of a test; of an exact test its name and p."""
        parts = [self.named_statistic(test), self.p_text(test) if test.get("p") is not None else Prose()]
        if test.get("statistic") is None:
            is_permuted = test["kind"] in ("t", "f")  # its p is of no distribution of t or F
            name = Prose((Run("permutation test" if is_permuted else method_name(test["method"]), named=True),))
            parts = [prose("{name} {p}", name=name, p=parts[1]) if parts[1] else name]
        return join([*parts, self.effect_of(test) if effect else Prose()], ", ")

    def named_statistic(self, test: Mapping[str, Any]) -> Prose:
        """Return ``Welch's t(97.58) = −6.46``: the statistic by the name of a test that is not the usual one."""
        record = METHODS.get(test["method"])
        name = own_words(f"{record.statistic} " if record is not None and record.statistic else "")
        return prose("{name}{value}", name=name, value=self.statistic_of(test))

    def p_text(self, test: Mapping[str, Any]) -> Prose:
        """Return p; of a corrected test the corrected one, and both where the correction decides."""
        raw = self.p_of(test)
        is_one_sided = test["alternative"] != "two-sided" and test["method"] != "equivalence"
        side = own_words(f"{'one-sided ' if is_one_sided else ''}{'exact ' if test.get('exact') else ''}")
        if test.get("p_adjusted") is None or test.get("correction") in (None, "none") or self._is_only_member(test):
            return side + raw
        name = INDICES.get(test["correction"], "")
        corrected = self.p_of(test, "p_adjusted", index=f"_{name}" if name else "")
        if test["role"] == "answer" and self.effect_found(test).endswith("after correction"):
            return join([side + raw, corrected], ", ")
        return side + corrected

    def _is_only_member(self, test: Mapping[str, Any]) -> bool:
        """Return whether an answer is the only one of its family, so that nothing was corrected."""
        families = [family["members"] for family in self.results.get("families") or ()]
        own = next((members for members in families if {test["address"], self.entry["id"]} & set(members)), None)
        return test["role"] == "answer" and own is not None and len(own) == 1

    def spread_of(self, place: int, *, n: bool) -> Prose:
        """Return the SD of a group in parentheses, with its size where asked."""
        parts = []
        if self.value(f"/cells/{place}/sd") is not None:
            parts.append(prose("*SD* = {sd}", sd=self.number(f"/cells/{place}/sd")))
        if n:
            parts.append(prose("*n* = {n}", n=self.number(f"/cells/{place}/n", "count")))
        return prose(" ({all})", all=join(parts, ", ")) if parts else Prose()

    def mean(self, place: int, *, n: bool = False, symbol: bool = False) -> Prose:
        """Return ``(M = 0.750, SD = 0.064)`` of a cell, or ``0.750 points (SD = 0.064)``."""
        at = f"/cells/{place}"
        parts = [prose("*SD* = {sd}", sd=self.number(f"{at}/sd"))] if self.value(f"{at}/sd") is not None else []
        if n:
            parts.append(prose("*n* = {n}", n=self.number(f"{at}/n", "count")))
        if symbol:
            return prose("({all})", all=join([prose("*M* = {m}", m=self.number(f"{at}/mean")), *parts], ", "))
        brackets = prose(" ({all})", all=join(parts, ", ")) if parts else Prose()
        return prose("{m}{around}", m=self.number(f"{at}/mean"), around=brackets)

    def share(self, place: int) -> Prose:
        """Return ``1.7% (4 of 236)`` of a cell."""
        at, share = f"/cells/{place}", self.value(f"/cells/{place}/share")
        if share is None:
            return prose("none of {n}", n=self.number(f"{at}/n", "count"))
        shown = [cell for cell in self.entry["cells"] if cell["n"]]  # one number of decimals for all groups
        digits = max(percent_digits(cell["share"] or 0.0, min(group["n"] for group in shown)) for cell in shown)
        percent = self.number(f"{at}/share", "percent", digits)
        return prose(
            "{percent}% ({count} of {n})",
            count=self.number(f"{at}/count", "count"),
            n=self.number(f"{at}/n", "count"),
            percent=percent,
        )

    def unit_after(self) -> str:
        """Return the unit with a blank before it."""
        return f" {self.words.unit}" if self.words.unit else ""

    def difference(self, test: Mapping[str, Any]) -> Prose:
        """Return ``0.022 points, 95% CI [0.004, 0.040]``."""
        path = f"{self.test_at(test)}/estimate"
        value = prose("{d}{unit}", d=self.number(f"{path}/value"), unit=own_words(self.unit_after()))
        return join([value, self.ends(path)], ", ")

    def percentage_points(self, path: str) -> Prose:
        """Return ``0.8 percentage points, 95% CI [−2.4, 4.0]``."""
        value = prose("{d} percentage points", d=self.number(f"{path}/value", "percent", 1))
        return join([value, self.ends(path, "percent", 1)], ", ")

    def step_ends(self, at: str, *, level: bool = True) -> Prose:
        """Return the interval of a ratio for a step of a number."""
        low, high = (self.number(f"{at}/details/step_{end}", "statistic") for end in ("low", "high"))
        if not level:
            return prose("[{low}, {high}]", low=low, high=high)
        whose = "effect" if self.value(f"{at}/effect/level") is not None else "estimate"
        confidence = self.number(f"{at}/{whose}/level", "level")
        return prose("{level}%" + NO_BREAK + "CI" + NO_BREAK + "[{low}, {high}]", level=confidence, low=low, high=high)

    @property
    def scale(self) -> tuple[Run, Run] | None:
        """The least and the most that points can be, where that is known."""
        scale = (self.results["study"].get("scales") or {}).get("points")
        if not scale:
            return None
        low, high = (_end_of_scale(scale[end], f"/study/scales/points/{end}") for end in ("low", "high"))
        return low, high

    def is_of_repetitions(self, alternative: Mapping[str, Any]) -> bool:
        """Whether another analysis counts games that repeat others, so that no conclusion can depend on it."""
        rules = {row["reason"]: str(row["rule"]) for row in self.results.get("flow") or ()}
        return rules.get(alternative["without"], "").endswith(" repeated")

    def directed(self, test: Mapping[str, Any]) -> bool:
        """Whether a direction may be said: where an effect was found, or an explored p is below alpha."""
        if self.entry["explored"]:
            return test.get("p") is not None and test["p"] < self.plan.alpha
        return self.effect_found(test) == "found" or self.is_opposite(test)

    def is_opposite(self, test: Mapping[str, Any]) -> bool:
        """Whether a one-sided test does not reject as the effect lies the other way, with an interval without 0."""
        record = self.verdict_record(test)[1] or {}
        if record.get("effect") != "not found" or not str(record.get("word", "")).endswith("in the opposite direction"):
            return False
        either = (test.get("estimate") or {}, test.get("effect") or {})
        quantity = next((size for size in either if None not in (size.get("low"), size.get("high"))), None)
        none = 1 if quantity is not None and quantity["name"] in RATIOS else 0
        return quantity is not None and (quantity["low"] > none or quantity["high"] < none)

    def verdict_record(self, test: Mapping[str, Any]) -> tuple[int, Mapping[str, Any] | None]:
        """Return the verdict of an answering test and its place; None where it has none."""
        records = enumerate(self.verdicts)
        return next(((place, record) for place, record in records if record["address"] == test["address"]), (0, None))

    def effect_found(self, test: Mapping[str, Any]) -> str:
        """Return whether an answering test found an effect, or equivalence; empty where it has no verdict."""
        verdict = self.verdict_record(test)[1]
        return "" if verdict is None else str(verdict["effect"])

    def lead_of(self, test: Mapping[str, Any]) -> Prose:
        """Return how a sentence begins that says which way an effect lies: "As predicted, "; empty without one."""
        verdict = self.verdict_record(test)[1] or {}
        if verdict.get("effect") != "found" or verdict.get("match") is None:
            return Prose()
        if verdict["match"] == "as predicted":
            return prose("As predicted, ")
        return prose("Contrary to {id}, ", id=self.hypothesis)


def _end_of_scale(value: float, address: str) -> Run:
    return rounded(value, "measure", address, 0 if float(value).is_integer() else 2)


def own_words(text: str) -> Prose:
    """Return a word of ours as prose: no name of the data."""
    return Prose((Run(text.replace(" = ", f"{NO_BREAK}={NO_BREAK}")),)) if text else Prose()


def design_of(entry: Mapping[str, Any], asked: Any) -> tuple[object, ...]:
    """Return what questions share that compare the same values in the same way, and ask of different terms."""
    return entry["measure"], entry["who"], asked.by, asked.with_, asked.covariates, str(asked.only), asked.items


def unit_name(entry: Mapping[str, Any], study: Mapping[str, Any]) -> str:
    """Return what a unit of a question is called: a dyad where two people play each game, else by who played."""
    units = (entry.get("design") or {}).get("units") or "unit"
    if units == "group" and study.get("people") == 2 * int(study.get("units") or 0):
        return "dyad"
    if units == "participant" and study.get("participation") == "simulated":
        return "simulated player"
    if units != "game":
        return UNITS.get(units, line(units, NAME))
    is_of_two = study.get("people") == 2 * study["games"] and study.get("participation") == "people"
    return "dyad" if is_of_two else game_noun(study)
