"""Models of linked rows of yes or no and of counts, and of rows with items that are crossed (rows 34, 35, 40, 53)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.special import stdtr

from negstats import stats
from negstats.analysis.effect_sizes import Quantity
from negstats.analysis.method import METHODS
from negstats.analysis.methods.answer import OF_MEANS, answer_instead, compute_answers, compute_follow_ups
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import marginal
from negstats.analysis.methods.linked import linear_terms, model_rows, one_sided, renamed
from negstats.analysis.methods.records import Role, TestRecord
from negstats.analysis.methods.shared import describe_difference, direction_of, holm, per_step
from negstats.analysis.questions.units import NOUNS
from negstats.errors import DesignError, NotEstimable
from negstats.sanitize import plural
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval

FEW_BETWEEN = 30  # units below which a bootstrap p stands beside the t of a term between them
LEAST_DRAWS, MOST_DRAWS, MOST_ROWS_DRAWN = 199, 999, 600_000  # a draw is fitted twice
ROWS_A_CELL = 2.0  # of a unit at a level, on average, from which on the level's effect is let vary over units


def mixed_terms(case: TestInput, kind: Literal["binomial", "poisson"]) -> list[TestRecord]:
    """Return each term's t or F on between–within degrees of freedom, with its ratio."""
    if case.question.contrasts:
        raise DesignError("contrasts of linked yes or no, or of counts, have no test here; name two levels with only")
    frame, names, formula = model_rows(case, "the mixed model")
    family: Literal["binomial", "negative binomial"] = "binomial" if kind == "binomial" else "negative binomial"
    outcome = frame["value"].astype(int)
    model = stats.mixed(
        frame.assign(value=outcome), f"value ~ {formula or '1'}", random=random_terms(case, frame), family=family
    )
    answer_terms = _select_answer_terms(case, model)
    records = []
    for term in model.terms:
        name = renamed(term, names)
        one = _term(case, model, term, "odds_ratio" if kind == "binomial" else "ratio_of_means")
        role: Role = "answer" if name in answer_terms else "part"
        label = "" if len(answer_terms) == 1 and name in answer_terms else name
        records.append(replace(one, term=label, role=role, fit=model))
    return records


def bootstrap(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the bootstrap p of the terms that answer and rest on few units."""
    model = records[0].fit
    if model is None:
        return []
    terms = _select_answer_terms(case, model)
    tests: list[TestRecord] = []
    for name, term in terms.items():
        label = "" if len(terms) == 1 else name
        if _rests_on_few(model, term):
            make = partial(_bootstrap_term, case, model, term, label)
            test = case.optional("check", "bootstrap", make, None, f"/{label}" if label else "")
            tests += [] if test is None else [test]
    return tests


def _select_answer_terms(case: TestInput, model: stats.MixedResponses) -> dict[str, str]:
    """Return the model's term of each term in the plan's names that answers: those asked, or all but covariates."""
    terms = {renamed(term, case.coded_names): term for term in model.terms}
    answer_terms = case.asked_terms([name for name in terms if name not in case.question.covariates] or list(terms))
    return {name: terms[name] for name in answer_terms}


def pairs_of_levels(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return each two levels of the only factor, by their odds ratio (ratio of means); Holm."""
    model = records[0].fit
    if model is None or len(case.factors) != 1 or len(case.levels) < 3 or case.numbers:
        return []
    return _compare_pairs(case, model)


def _compare_pairs(case: TestInput, model: stats.MixedResponses) -> list[TestRecord]:
    pairs = stats.pairwise(model, specs="f0", scale="link", adjust="holm")
    ends = pairs.confidence_interval(case.level)
    ratio, n, records = "odds_ratio" if model.family == "binomial" else "ratio_of_means", (float(model.n),), []
    for place, (one, two) in enumerate(itertools.combinations(case.levels, 2)):
        estimate, t, df, p = (float(np.ravel(array)[place])
                              for array in (pairs.estimate, pairs.statistic, pairs.df, pairs.p))  # fmt: skip
        low, high = (float(np.ravel(end)[place]) for end in (ends.low, ends.high))
        with np.errstate(over="ignore"):
            size = Quantity(ratio, float(np.exp(estimate)), float(np.exp(low)), float(np.exp(high)), case.level, "t")
        records.append(TestRecord(pairs, "mixed", "t", t, p, (df,), n, effect=size, tag=f"{one} - {two}"))
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
        effect_texts = (f" of the effect of {case.coded_names[name.partition(': ')[2].split('[')[0]]}"
                        if ": " in name else "" for name in sds)  # fmt: skip
        return ", ".join(f"SD {apa.number(sd)}{of}" for sd, of in zip(sds.values(), effect_texts, strict=True))
    unit = plural(NOUNS.get(case.asked.what, case.asked.what))
    parts = []
    for name, sd in sds.items():
        cluster, _, effect = name.partition(": ")
        of = f" for {case.coded_names[effect.split('[')[0]]}" if effect else ""
        parts.append(f"{apa.number(sd)} between {unit if cluster == 'unit' else f'levels of {items[cluster]}'}{of}")
    return f"SD {', '.join(parts)}"


def random_terms(case: TestInput, frame: Any) -> str:
    """Return the random terms: an intercept a unit and a level of each item, and effects that vary over units.

    These are the effects of factors whose levels a unit meets repeatedly.
    """
    columns = {name: f"f{place}" for place, name in enumerate(case.factors)}
    slopes = []
    for name in case.factors:
        column = columns[name]
        levels_per_unit = frame.groupby("unit", observed=True)[column].nunique()
        cells = frame.groupby(["unit", column], observed=True).size()
        if (levels_per_unit > 1).mean() > 0.5 and cells.mean() >= ROWS_A_CELL:
            slopes.append(column)
    items = [f"(1 | i{place})" for place in range(len(case.question.items))]
    return " + ".join([f"({' + '.join(['1', *slopes])} | unit)", *items])


def _term(case: TestInput, model: stats.MixedResponses, term: str, ratio: str) -> TestRecord:
    columns = _columns(model, term)
    is_single = len(columns) == 1 and not any(":" in other and term in other.split(":") for other in model.terms)
    spread = spreads(case, model.sds)
    units, n = f"{model.clusters} units, {spread}", (float(model.n),)
    if not is_single:
        test = model.test(term)
        text = f"{test.apa()} ({units})"
        why = {"effect": "a term of several coefficients has no single ratio"}
        return TestRecord.of(test, "mixed", result=model, n=n, text=text, why=why)
    (place,) = columns
    # A factor's coefficient is the second level against the first; answers are of the first against the second.
    turn = -1.0 if "[" in model.names[place] else 1.0
    df, t = float(model.df[place]), turn * float(model.statistic[place])
    ends = model.confidence_interval(case.level, of=model.names[place])
    low, high = sorted(turn * float(np.asarray(end)) for end in (ends.low, ends.high))
    with np.errstate(over="ignore"):
        value, low, high = (float(np.exp(one)) for one in (turn * float(model.estimate[place]), low, high))
    size = Quantity(ratio, value, low, high, case.level, "t")
    p = one_sided(case, t, df, float(model.p[place]))
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    text = f"{apa.statistic('t', t, (df,), p)}{sided}, {size.apa()} ({units})"
    record = TestRecord(
        model, "mixed", "t", t, p, (df,), n, alternative=case.alternative, effect=size, text=text,
        estimate=case.optional("estimate", "difference of means", lambda: _difference(case, model, term, df), None),
    )  # fmt: skip
    if term.startswith("x"):
        return per_step(record, model.rows.x[:, place])
    if len(case.factors) == 1 and term == "f0" and len(case.levels) == 2 and record.estimate is not None:
        record = replace(record, says=describe_difference(case, case.levels, record.estimate.value))
    return record


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
    (first, one), (second, other) = sides
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        se = float(np.sqrt((one - other) @ joint_covariance(model) @ (one - other)))
    ends = t_interval(first - second, se, df, case.level)
    return Quantity("difference", first - second, float(ends.low), float(ends.high), case.level, "delta method")


def decisions(case: TestInput) -> list[TestRecord]:
    """Compare yes or no that a person says repeatedly, by a mixed model (row 35)."""
    return _fit_or_replace(case, "binomial")


def counts(case: TestInput) -> list[TestRecord]:
    """Compare counts of one person, by a mixed model (row 40)."""
    return _fit_or_replace(case, "poisson")


def equations_of_decisions(case: TestInput) -> list[TestRecord]:
    """Compare yes or no of linked units by estimating equations (row 35); another test answers where these cannot.

    A column that separates yes from no leaves no equations to solve: units of a row each then get Firth's logistic
    regression, others a test of their averages.
    """
    from negstats.analysis.methods.likelihood import logistic

    try:
        return _fit_equations(case, "binomial")
    except NotEstimable as error:
        features = case.design.features
        is_alone = not (features.several or features.inside or case.design.within)
        records = logistic(case) if is_alone else _compare_averages(case)
        if not records:
            raise
        return answer_instead(records, f"no estimating equations: {error.statement}")


def equations_of_counts(case: TestInput) -> list[TestRecord]:
    """Compare counts of linked units by estimating equations (row 40)."""
    return _fit_equations(case, "poisson")


def pooled(case: TestInput) -> list[TestRecord]:
    """Compare yes or no of linked units by one logistic regression of the rows, errors by unit (row 35)."""
    return _fit_equations(case, "binomial", pooled=True)


def equations_beside(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer by estimating equations, unless these are the answer already."""
    if case.choice.rule.test == "mixed" and records[0].fit is None:
        return []
    kind: Literal["binomial", "poisson"] = "poisson" if case.asked.kind == "count" else "binomial"
    return [equation.beside("gee") for equation in _fit_equations(case, kind) if equation.role == "answer"]


def _fit_or_replace(case: TestInput, kind: Literal["binomial", "poisson"]) -> list[TestRecord]:
    """Fit a mixed model; estimating equations answer, and say why, where the model cannot be had."""
    try:
        return mixed_terms(case, kind)
    except NotEstimable as error:
        try:
            records = _fit_equations(case, kind)
        except NotEstimable:
            records = _compare_averages(case)
            if not records:
                raise
        return answer_instead(records, f"no mixed model: {error.statement}")


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


def _fit_equations(
    case: TestInput, family: Literal["binomial", "poisson"], *, pooled: bool = False
) -> list[TestRecord]:
    """Return each term's test by Mancl and DeRouen's errors; of one coefficient its t and ratio.

    With `pooled` all rows weigh alike, as in one logistic regression of them.
    """
    from negstats.stats.outcomes.gee import gee

    if case.question.contrasts:
        raise DesignError("contrasts of linked yes/no answers or counts have no test here; keep two levels with only")
    frame, names, formula = model_rows(case, "estimating equations")
    frame["value"] = frame["value"].astype(int) if family == "binomial" else frame["value"]
    is_alone = not frame["unit"].duplicated().any()  # each unit a row: nothing is correlated
    correlation: Literal["exchangeable", "independence"] = "independence" if pooled or is_alone else "exchangeable"
    gee_fit = gee(frame, f"value ~ {formula}", cluster="unit", family=family, correlation=correlation)
    terms = {renamed(term, names): term for term in gee_fit.terms}
    answer_terms = case.asked_terms([name for name in terms if name not in case.question.covariates] or list(terms))
    records = []
    for name, term in terms.items():
        one = _term_of_equations(case, gee_fit, term, "odds_ratio" if family == "binomial" else "ratio_of_means")
        one = per_step(one, frame[term]) if term.startswith("x") and term in frame else one
        label = "" if len(answer_terms) == 1 and name in answer_terms else name
        role: Role = "answer" if name in answer_terms else "part"
        records.append(replace(one, term=label, role=role, method="logistic" if pooled else one.method))
    return records


def _term_of_equations(case: TestInput, gee_fit: Any, term: str, ratio: str) -> TestRecord:
    own = [name for name in gee_fit.names if name == term or (name.startswith(f"{term}[") and ":" not in name)]
    is_single = len(own) == 1 and not any(":" in other and term in other.split(":") for other in gee_fit.terms)
    n, clusters = (float(gee_fit.n),), f"{gee_fit.clusters} units, working r = {apa.bounded(gee_fit.correlation)}"
    if not is_single:
        test = gee_fit.test(term)
        text = f"{apa.statistic('F', test.statistic, (test.df1, test.df2), test.p)} ({clusters})"
        why = {"effect": "a term of several coefficients has no single ratio"}
        direction = direction_of(gee_fit, term)
        return TestRecord.of(test, "gee", result=gee_fit, n=n, text=text, why=why, direction=direction)
    place = gee_fit.names.index(own[0])
    sign = 1.0 if term.startswith("x") else -1.0  # a level against the first; a difference is first minus second
    df = float(np.broadcast_to(gee_fit.df, gee_fit.estimate.shape)[place])
    t = sign * float(gee_fit.statistic[place])
    ends = gee_fit.confidence_interval(case.level, of=own[0])
    low, high = sorted((sign * float(ends.low), sign * float(ends.high)))
    value = sign * float(gee_fit.estimate[place])
    effect = Quantity(ratio, float(np.exp(value)), float(np.exp(low)), float(np.exp(high)), case.level, ends.method)
    p = one_sided(case, t, df, float(2 * stdtr(df, -abs(t))))
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    text = f"{apa.statistic('t', t, (df,), p)}{sided}, {effect.apa()} ({clusters})"
    return TestRecord(
        gee_fit, "gee", "t", t, p, (df,), n, alternative=case.alternative, effect=effect, text=text,
        estimate=marginal(gee_fit, term, case.level),
    )  # fmt: skip


def decisions_on_items(case: TestInput) -> list[TestRecord]:
    """Return the terms of a mixed logistic model with random intercepts of units and items."""
    return mixed_terms(case, "binomial")


def counts_on_items(case: TestInput) -> list[TestRecord]:
    """Return the terms of a mixed negative binomial model with random intercepts of units and items."""
    return mixed_terms(case, "poisson")


def numbers_on_items(case: TestInput) -> list[TestRecord]:
    """Return the terms of a linear mixed model with random intercepts of units and items, by Kenward and Roger."""
    frame, names, formula = model_rows(case, "the mixed model")
    model = stats.mixed(frame, f"value ~ {formula or '1'}", random=random_terms(case, frame))
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
    if len(case.factors) == 1 and len(case.levels) == 2 and len(records) == 1 and records[0].estimate is not None:
        records = [replace(records[0], says=describe_difference(case, case.levels, records[0].estimate.value))]
    return records
