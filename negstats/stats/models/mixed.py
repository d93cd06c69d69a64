"""`mixed`: linear models with random effects, and those of yes or no and of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.models.mixed_model import Estimator, MixedModel
from negstats.stats.results.options import check_choice
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.formulas import Reference
from negstats.stats.summaries.frames import as_pandas

if TYPE_CHECKING:
    from negstats.stats.models.responses.likelihood import Family, Link
    from negstats.stats.models.responses.result import MixedResponses

Between: TypeAlias = Literal["positive", "any"]


@overload
def mixed(
    data: Any,
    formula: str | None = None,
    cluster: str | None = None,
    *,
    random: None = None,
    family: Literal["gaussian"] = "gaussian",
    method: Estimator = "reml",
    between: Between = "positive",
    reference: Reference = None,
) -> MixedModel: ...
@overload
def mixed(
    data: Any,
    formula: str,
    cluster: str | None = None,
    *,
    random: str,
    family: Literal["gaussian"] = "gaussian",
    method: Estimator = "reml",
    reference: Reference = None,
) -> MixedModel: ...
@overload
def mixed(
    data: Any,
    formula: str,
    cluster: str | None = None,
    *,
    random: str | None = None,
    family: Family,
    link: Link | None = None,
    nagq: int | None = None,
    event: object = None,
    reference: Reference = None,
) -> MixedResponses: ...
def mixed(
    data: Any,
    formula: str | None = None,
    cluster: str | None = None,
    *,
    random: str | None = None,
    family: Literal["gaussian"] | Family = "gaussian",
    link: Link | None = None,
    nagq: int | None = None,
    event: object = None,
    method: Estimator = "reml",
    between: Between = "positive",
    reference: Reference = None,
) -> Any:
    """Fit a mixed model: numbers (linear), yes or no, or counts, with a random intercept or any random effects.

    Parameters
    ----------
    data
        A frame of any engine with one row an observation, or `ClusterMoments` (one study or a stack).
    formula
        Such as ``"points ~ reward * partner"``. Numbers are covariates; text, truth values and ``C(column)`` are
        factors, compared with their first level or that of `reference`; ``center(x)``, ``log(x)``, ``poly(x, 2)`` and
        the like are computed. Random effects may stand in it as lme4 writes them:
        ``"accepted ~ benefit * country + (1 | person) + (1 | item)"``; this is `random` in another spelling.
    cluster
        The column that says which rows belong together, such as the game.
    random
        What varies over the clusters besides the intercept: ``"x"`` is ``(1 + x | cluster)``. Or terms that name their
        clusters, ``"(1 + x | person) + (1 | item)"``; ``"(1 | session/pair)"`` is an intercept for each session and
        each pair in it; ``0 +`` leaves the intercept out. Random effects of one term correlate. But for one
        intercept, this needs the rows of one study.
    family
        "gaussian"; "binomial" (yes or no), "poisson" or "negative binomial" (counts; variance μ + μ²/θ), by maximum
        likelihood, which give `MixedResponses` and need the package glmm (``pip install negstats[mixed]`` where it
        did not come along).
    link
        Of yes or no: "logit" (default), "probit" or "cloglog".
    nagq
        Nodes of adaptive quadrature, odd, to 25; 1 is Laplace's approximation. Not given: 25 with one random effect, 1
        with several.
    event
        Of yes or no: which value is modelled; true, 1 or the second of two words if not given.
    method
        "reml" or "ml", of family="gaussian".
    between
        Of family="gaussian". "positive": the variance between clusters is at least 0. "any": it may be a negative
        covariance, as in pairs who compete; tests keep their size there (no program's bounded model does).
    reference
        The level that the others of a factor are compared with, such as ``{"country": "Israel"}``.

    Returns
    -------
    Any
        A `MixedModel` of numbers, `MixedResponses` of yes or no and counts: coefficients with tests, predictions, and
        the variances of the random effects.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there or follows from others, or there are too few clusters.
    NotEstimable
        If every cluster has one row, the variances cannot be told apart, or the search for them did not arrive. A stack
        gives NaN for such a study. Of yes or no and counts also if a column separates the answers, or people's spread
        grows without end.

    Notes
    -----
    Every number is a function of Σ z z′ over rows and Σ t t′ over the totals of clusters of each size. Criterion: Bates
    et al. (2015); df: Kenward and Roger (1997), Giesbrecht and Burns (1985).

    Yes or no and counts are fitted by the package glmm (LGPL), the likelihood of the fit held against a sum over 721
    points where there is one random effect; tests are Wald's on between–within degrees of freedom.

    References
    ----------
    - Bates, D., Mächler, M., Bolker, B., & Walker, S. (2015). Fitting linear mixed-effects models using lme4. Journal
      of Statistical Software, 67.
    - Giesbrecht, F. G., & Burns, J. C. (1985). Two-stage analysis based on a mixed model: Large-sample asymptotic
      theory and small-sample simulation results. Biometrics, 41, 477–486.
    - Kenward, M. G., & Roger, J. H. (1997). Small sample inference for fixed effects from restricted maximum
      likelihood. Biometrics, 53, 983–997.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3, 3, 4, 4], "points": [5, 7, 9, 8, 2, 4, 6, 9],
    ...                       "role": ["a", "b"] * 4})
    >>> mixed(frame, "points ~ role", cluster="pair").apa()
    'role: F(1, 3) = 3.00, p = .182; ICC = .77'

    A slope that varies from person to person:

    >>> rows = pd.DataFrame({"person": [place // 4 for place in range(16)], "round": [1, 2, 3, 4] * 4,
    ...                      "points": [5, 6, 8, 9, 4, 4, 5, 5, 7, 9, 12, 14, 6, 8, 8, 11]})
    >>> mixed(rows, "points ~ round", cluster="person", random="round").apa()
    'round: F(1, 3) = 11.71, p = .042; SD(Intercept | person) = 0.48; SD(round | person) = 0.81'

    Yes or no, as lme4 writes it:

    >>> import numpy as np
    >>> draw = np.random.default_rng(3)
    >>> person, offer = np.repeat(np.arange(20), 8), np.tile(np.arange(8), 20)
    >>> yes = draw.random(160) < 1 / (1 + np.exp(3.5 - offer - draw.normal(0, 1, 20)[person]))
    >>> answers = pd.DataFrame({"person": person, "offer": offer, "accepted": yes})
    >>> mixed(answers, "accepted ~ offer + (1 | person)", family="binomial").apa()
    'offer: F(1, 139) = 35.86, p < .001, OR = 3.15, 95% CI [2.16, 4.61] (20 people, SD 0.99)'
    """
    check_choice("method", method, ("reml", "ml"))
    check_choice("between", between, ("positive", "any"))
    if isinstance(formula, str) and "|" in formula:
        formula, random = _split_bars(formula, random, cluster)
    if family != "gaussian":
        return _responses(data, formula, cluster, random, family, link, nagq, event, method, between, reference)
    if link is not None or nagq is not None or event is not None:
        name = "link" if link is not None else "nagq" if nagq is not None else "event"
        raise DesignError(f"{name} is for yes or no and for counts; give family='binomial' (or leave {name} out)")
    if random is not None:
        from negstats.stats.models.random_terms import read_terms

        if isinstance(data, ClusterMoments) or formula is None:
            raise DesignError("random effects need the rows: give a frame and a formula")
        terms = read_terms(random, cluster)
        if len(terms) != 1 or terms[0].slopes or not terms[0].intercept or len(terms[0].clusters) != 1:
            from negstats.stats.models.estimators import mixed_effects

            if between != "positive":
                raise DesignError("between='any' is for a random intercept alone; leave random or between out")
            return mixed_effects(data, formula, random, cluster, method=method, reference=reference)
        (cluster,) = terms[0].clusters  # one random intercept, whichever way it was written
    from negstats.stats.models.estimators import fit_intercept

    moments, rows = _moments(data, formula, cluster, reference)
    return fit_intercept(moments, method, between, rows)


def _split_bars(formula: str, random: str | None, cluster: str | None) -> tuple[str, str]:
    """Return the formula without its random terms, and these; they stand in one place only."""
    from negstats.stats.models.random_terms import split_bars

    fixed, bars = split_bars(formula)
    if random is not None or cluster is not None:
        argument = "random=" if random is not None else "cluster="
        raise DesignError(f"random effects are in the formula and in {argument}; give them once")
    assert bars is not None  # noqa: S101 - the formula has a bar, or split_bars raised
    return fixed, bars


def _responses(
    data: Any, formula: str | None, cluster: str | None, random: str | None, family: Any, link: Link | None,
    nagq: int | None, event: object, method: Estimator, between: Between, reference: Reference,
) -> MixedResponses:  # fmt: skip
    from negstats.stats.models.random_terms import quote_column, read_terms
    from negstats.stats.models.responses.fit import mixed_responses
    from negstats.stats.models.responses.likelihood import check_family

    check_family(family, link)
    for name, value, default in (("method", method, "reml"), ("between", between, "positive")):
        if value != default:
            raise DesignError(f"{name}={value!r} is for family='gaussian'; leave it out")
    if isinstance(data, ClusterMoments) or formula is None:
        raise DesignError(f"family={family!r} needs the rows: give a frame and a formula")
    if random is None:
        if cluster is None:
            raise DesignError("say what belongs together: '(1 | person)' in the formula, or cluster='person'")
        random, cluster = f"(1 | {quote_column(cluster)})", None
    terms = read_terms(random, cluster)
    return mixed_responses(data, formula, terms, family=family, link=link, nagq=nagq, event=event, reference=reference)


def _moments(data: Any, formula: str | None, cluster: str | None, reference: Reference) -> tuple[ClusterMoments, Any]:
    """Return the moments of the rows, and the rows where there are any."""
    if isinstance(data, ClusterMoments):
        if formula is not None or cluster is not None:
            raise DesignError("ClusterMoments were made with a formula and a cluster; leave these out here")
        return data, None
    if formula is None or cluster is None:
        example = "'y ~ x + (1 | person)', or cluster=, the column that says which rows belong together"
        fault = "no formula is given" if formula is None else f"the formula {shown(formula)} has no random effects"
        raise DesignError(f"{fault}; with a frame write them, as in {example}")
    moments = ClusterMoments.from_frame(data, formula, cluster, reference)
    if not isinstance(data, pd.DataFrame):
        return moments, data
    coding = moments.coding
    return moments, as_pandas(data, list(dict.fromkeys([*coding.sources(coding.outcome), *coding.sources(), cluster])))
