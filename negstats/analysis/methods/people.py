"""Models of linked rows of yes or no and of counts, and of rows with items that are crossed (rows 34, 35, 40, 53)."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, exponential
from negstats.analysis.method import METHODS
from negstats.analysis.methods.answer import OF_MEANS, answer_instead, compute_answers, compute_follow_ups
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import marginal
from negstats.analysis.methods.linked import model_rows
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import holm, per_step, say_difference
from negstats.analysis.methods.terms import linear_terms, ratio_record, renamed, terms_of
from negstats.analysis.questions.units import NOUNS
from negstats.errors import DesignError, NotEstimable
from negstats.sanitize import plural
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval

FEW_BETWEEN = 30  # units below which a bootstrap p stands beside the t of a term between them
LEAST_DRAWS, MOST_DRAWS, MOST_ROWS_DRAWN = 199, 999, 600_000  # a draw is fitted twice
RATIO_OF = {"binomial": "odds_ratio", "poisson": "ratio_of_means", "negative binomial": "ratio_of_means"}
MOST_EFFECTS = 6  # that vary over units, with the intercept: a search for more takes minutes
ROWS_A_CELL = 2.0  # of a unit at a level, on average, from which on the level's effect is let vary over units


def mixed_terms(case: TestInput) -> list[TestRecord]:
    """Return each term's t or F on between–within degrees of freedom, with its ratio; items vary beside units."""
    if case.question.contrasts:
        raise DesignError("contrasts of linked yes or no, or of counts, have no test here; name two levels with only")
    frame, names, formula = model_rows(case, "the mixed model")
    family: Literal["binomial", "negative binomial"] = "negative binomial" if case.asked.kind == "count" else "binomial"
    outcome = frame["value"].astype(int)
    model = stats.mixed(
        frame.assign(value=outcome), f"value ~ {formula or '1'}", random=_random_of(case, frame), family=family
    )
    ratio, remark = RATIO_OF[family], f"{model.clusters} units, {spreads(case, model.sds)}"
    records = []
    for part in terms_of(case, model.terms, names):
        record = ratio_record(case, model, part.term, "mixed", ratio, remark, of_interactions=True)
        if record.effect is not None:
            record = replace(record, estimate=_compare_means(case, model, part.term, record.df[0]))
        record = per_step(record, frame[part.term]) if part.is_number else say_difference(case, record)
        records.append(replace(record, term=part.label, role=part.role, fit=model))
    return records


def _compare_means(case: TestInput, model: stats.MixedResponses, term: str, df: float) -> Quantity | None:
    """Return the difference of mean answers between a factor's two levels, if these data give it."""
    return case.optional("estimate", "difference of means", partial(_difference, case, model, term, df), None)


def bootstrap(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the bootstrap p of the terms that answer and rest on few units."""
    model = records[0].fit
    if model is None:
        return []
    tests: list[TestRecord] = []
    for part in terms_of(case, model.terms, case.coded_names):
        if part.role == "answer" and _rests_on_few(model, part.term):
            make = partial(_bootstrap_term, case, model, part.term, part.label)
            test = case.optional("check", "bootstrap", make, None, f"/{part.label}" if part.label else "")
            tests += [] if test is None else [test]
    return tests


def pairs_of_levels(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return each two levels of the only factor, by their odds ratio (ratio of means); Holm."""
    model = records[0].fit
    if model is None or len(case.factors) != 1 or len(case.levels) < 3 or case.numbers:
        return []
    return _compare_pairs(case, model)


def _compare_pairs(case: TestInput, model: stats.MixedResponses) -> list[TestRecord]:
    pairs = stats.pairwise(model, specs="f0", scale="link", adjust="holm")
    ends = pairs.confidence_interval(case.level)
    ratio, n, records = RATIO_OF[model.family], (float(model.n),), []
    for place, levels in enumerate(itertools.combinations(case.levels, 2)):
        estimate, t, df, p, low, high = (
            float(np.ravel(array)[place])
            for array in (pairs.estimate, pairs.statistic, pairs.df, pairs.p, ends.low, ends.high)
        )
        size = exponential(ratio, estimate, stats.Interval(low, high, case.level, "t"))
        records.append(TestRecord(pairs, "mixed", "t", t, p, (df,), n, effect=size, tag=" - ".join(levels)))
    return holm(records)


def _columns(model: stats.MixedResponses, term: str) -> list[int]:
    return [place for place, name in enumerate(model.names)
            if ":".join(part.split("[")[0] for part in name.split(":")) == term]  # fmt: skip


def _rests_on_few(model: stats.MixedResponses, term: str) -> bool:
    """Return whether a term differs between units only, and these are too few for t and chi-squared to be relied on."""
    part = model.rows.parts[0]
    if len(part.levels) >= FEW_BETWEEN:
        return False
    own = model.rows.x[:, _columns(model, term)]
    first = np.unique(part.codes, return_index=True)[1]
    return bool(np.allclose(own, own[first][part.codes]))


def _bootstrap_term(case: TestInput, model: stats.MixedResponses, term: str, label: str) -> TestRecord:
    """Return the term's likelihood ratio with a p from answers that are drawn without it."""
    draws = int(np.clip(MOST_ROWS_DRAWN // model.n, LEAST_DRAWS, min(MOST_DRAWS, case.plan.resamples)))
    test = model.bootstrap_test(term, case.rng(), n_resamples=draws)
    text = f"likelihood ratio {test.apa()} by {draws:,} bootstrap draws"
    return TestRecord.of(test, "mixed", "chi2", n=(float(model.n),), term=label, text=text).beside("bootstrap")


def spreads(case: TestInput, sds: Mapping[str, float]) -> str:
    """Return the SDs of random effects: of units alone without a name, of items by theirs."""
    items = {f"i{place}": name for place, name in enumerate(case.question.items)}
    if not items:
        effect_texts = (f" of the effect of {_effect_name(case, name.partition(': ')[2])}"
                        if ": " in name else "" for name in sds)  # fmt: skip
        return ", ".join(f"SD {apa.number(sd)}{whose}" for sd, whose in zip(sds.values(), effect_texts, strict=True))
    unit = plural(NOUNS.get(case.asked.what, case.asked.what))
    parts = []
    for name, sd in sds.items():
        cluster, _, effect = name.partition(": ")
        whose = f" for {_effect_name(case, effect)}" if effect else ""
        parts.append(f"{apa.number(sd)} between {unit if cluster == 'unit' else f'levels of {items[cluster]}'}{whose}")
    return f"SD {', '.join(parts)}"


def _effect_name(case: TestInput, effect: str) -> str:
    """Return the name of a random effect in the plan's names: of the term that a column such as f0[b]:f1[c] is of."""
    return renamed(re.sub(r"\[[^\]]*\]", "", effect), case.coded_names)


def _random_of(case: TestInput, frame: Any) -> str:
    return random_terms(frame, len(case.factors), len(case.question.items))


def random_terms(frame: Any, n_factors: int, n_items: int) -> str:
    """Return the random terms of rows with the columns ``unit``, ``f0``, ``f1``, ..., ``i0``, ``i1``, ...

    These are an intercept a unit and a level of each item, and effects that vary over units: of factors whose levels a
    unit meets repeatedly, and of the interactions of those whose cells it does. An effect is only as certain as the
    units in which it varies allow.

    Raises
    ------
    NotEstimable
        If these are more effects of rows without items than a search can be waited for.
    """
    columns = [f"f{place}" for place in range(n_factors)]
    subsets = itertools.chain.from_iterable(itertools.combinations(columns, size) for size in range(1, n_factors + 1))
    effects = [subset for subset in subsets if _meets_repeatedly(frame, subset)]
    count = 1 + sum(math.prod(frame[column].nunique() - 1 for column in effect) for effect in effects)
    if count > MOST_EFFECTS and not n_items:
        raise NotEstimable(f"{count} effects would vary over units, and at most {MOST_EFFECTS} are fitted")
    slopes = [":".join(effect) for effect in effects if count <= MOST_EFFECTS or len(effect) == 1]
    items = [f"(1 | i{place})" for place in range(n_items)]
    return " + ".join([f"({' + '.join(['1', *slopes])} | unit)", *items])


def _meets_repeatedly(frame: Any, columns: tuple[str, ...]) -> bool:
    """Return whether most units meet several levels of each factor, and each cell of these several times."""
    differs = [(frame.groupby("unit", observed=True)[column].nunique() > 1).mean() > 0.5 for column in columns]
    return all(differs) and frame.groupby(["unit", *columns], observed=True).size().mean() >= ROWS_A_CELL


def _difference(case: TestInput, model: stats.MixedResponses, term: str, df: float) -> Quantity | None:
    """Return the difference of mean answers over people and rows between a factor's two levels, first less second."""
    from negstats.stats.models.responses.population import joint_covariance, means_of_rows  # brings scipy.optimize

    if term not in model.rows.coding.levels:
        return None
    sides = []
    for code in (0.0, 1.0):
        x = model.rows.matrix({**model.rows.coded, term: np.full(model.n, code)})
        mean, gradient = means_of_rows(model, x, "population")
        sides.append((float(mean.mean()), gradient.mean(axis=0)))
    (first, first_gradient), (second, second_gradient) = sides
    gradient = first_gradient - second_gradient
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        se = float(np.sqrt(gradient @ joint_covariance(model) @ gradient))
    ends = t_interval(first - second, se, df, case.level)
    return Quantity("difference", first - second, float(ends.low), float(ends.high), case.level, "delta method")


def mixed_or_another(case: TestInput) -> list[TestRecord]:
    """Compare yes or no (row 35) or counts (row 40) of one person by a mixed model.

    Estimating equations answer, and say why, where the model cannot be had.
    """
    try:
        return mixed_terms(case)
    except NotEstimable as error:
        try:
            records = equations(case)
        except NotEstimable:
            records = _compare_averages(case)
            if not records:
                raise
        return answer_instead(records, f"no mixed model: {error.statement}")


def equations_or_another(case: TestInput) -> list[TestRecord]:
    """Compare yes or no of linked units by estimating equations (row 35); another test answers where these cannot.

    A column that separates yes from no leaves no equations to solve: units of a row each then get Firth's logistic
    regression, others a test of their averages.
    """
    from negstats.analysis.methods.likelihood import logistic

    try:
        return equations(case)
    except NotEstimable as error:
        features = case.design.features
        is_alone = not (features.several or features.inside or case.design.within)
        records = logistic(case) if is_alone else _compare_averages(case)
        if not records:
            raise
        return answer_instead(records, f"no estimating equations: {error.statement}")


def pooled(case: TestInput) -> list[TestRecord]:
    """Compare yes or no of linked units by one logistic regression of the rows, errors by unit (row 35)."""
    return equations(case, pooled=True)


def equations_beside(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer by estimating equations, unless these are the answer already."""
    if case.choice.rule.test == "mixed" and records[0].fit is None:
        return []
    return [equation.beside("gee") for equation in equations(case) if equation.role == "answer"]


def _compare_averages(case: TestInput) -> list[TestRecord]:
    """Return the test of one average a person and level, where each factor lies wholly between or within people."""
    features = case.design.features
    if features.linked != "alone" or features.items or case.numbers or "partly" in case.design.factors.values():
        return []
    key = OF_MEANS.get(features.shape)
    if key is None:
        return []
    records = compute_answers(METHODS[key], case)
    return [*records, *compute_follow_ups(key, case, records)]


def equations(case: TestInput, *, pooled: bool = False) -> list[TestRecord]:
    """Return each term's test by Mancl and DeRouen's errors (rows 35 and 40); of one coefficient its t and ratio.

    With `pooled` all rows weigh alike, as in one logistic regression of them.
    """
    from negstats.stats.outcomes.gee import gee

    if case.question.contrasts:
        raise DesignError("contrasts of linked yes/no answers or counts have no test here; keep two levels with only")
    frame, names, formula = model_rows(case, "estimating equations")
    family: Literal["binomial", "poisson"] = "poisson" if case.asked.kind == "count" else "binomial"
    frame["value"] = frame["value"].astype(int) if family == "binomial" else frame["value"]
    is_alone = not frame["unit"].duplicated().any()  # each unit a row: nothing is correlated
    correlation: Literal["exchangeable", "independence"] = "independence" if pooled or is_alone else "exchangeable"
    gee_fit = gee(frame, f"value ~ {formula}", cluster="unit", family=family, correlation=correlation)
    method = "logistic" if pooled else "gee"
    remark = f"{gee_fit.clusters} units, working r = {apa.bounded(gee_fit.correlation)}"
    records = []
    for part in terms_of(case, gee_fit.terms, names):
        record = ratio_record(case, gee_fit, part.term, method, RATIO_OF[family], remark)
        if record.effect is not None:
            record = replace(record, estimate=marginal(gee_fit, part.term, case.level))
        record = per_step(record, frame[part.term]) if part.is_number else record
        records.append(replace(record, term=part.label, role=part.role))
    return records


def numbers_on_items(case: TestInput) -> list[TestRecord]:
    """Return the terms of a linear mixed model with random intercepts of units and items, by Kenward and Roger."""
    frame, names, formula = model_rows(case, "the mixed model")
    model = stats.mixed(frame, f"value ~ {formula or '1'}", random=_random_of(case, frame))
    table = model.variances()
    sds = {str(cluster): float(sd) for cluster, effect, sd in zip(table["cluster"], table["effect"], table["sd"],
                                                                  strict=True) if effect == "Intercept"}  # fmt: skip
    within_sd = float(np.sqrt(np.asarray(model.sigma2)))
    ends = f"({spreads(case, sds)}, {within_sd:.2f} within)"
    records = linear_terms(case, model, names, "mixed")
    records = [
        replace(record, text=f"{record.text or record.apa()} {ends}") if record.role == "answer" else record
        for record in records
    ]
    return [say_difference(case, record) for record in records]
