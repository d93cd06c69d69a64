"""The social relations model: how much of what people do to each other lies in the one, the other, and the pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.models import _round_robin as tests
from negstats.stats.models._round_robin import LEAST, Effects, Squares, matrices, squares
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, floats, plain
from negstats.stats.results.options import check_choice, check_single, find_name
from negstats.stats.results.result import Interval, Result, check_level, with_schema
from negstats.stats.summaries.frames import as_pandas, check_columns

Method: TypeAlias = Literal["mean squares", "lashley-bond", "groups"]
VARIANCES = ("actor", "partner", "relationship")


@dataclass(frozen=True, slots=True, repr=False)
class SocialComponent(Result):
    """A variance or covariance of the social relations model.

    Attributes
    ----------
    term : str
        "actor", "partner" or "relationship", a variance; "actor-partner", the covariance of a person's two effects; or
        "dyadic", that of the two of a dyad.
    estimate : float
        In squared units of the outcome; may be negative.
    share : float
        A variance's share of the three (a negative one counts as 0); a covariance's correlation, missing where a
        variance is not positive, and above 1 in size where the estimates disagree.
    se : float
        Lashley and Bond's, or of the groups' estimates.
    statistic, df1, df2, p : float
        F on two degrees of freedom, or t on df1 (df2 is missing). p of a variance is one-sided.
    method : str
    """

    term: str
    estimate: Number
    share: Number
    se: Number
    statistic: Number
    df1: Number
    df2: Number
    p: Number
    method: str

    def apa(self) -> str:
        """Return the share or the correlation and the test, with the tails of p where the statistic has others.

        Returns
        -------
        str
            The component as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        value = f"{100 * float(self.share):.0f}%" if self.term in VARIANCES else f"r = {apa.bounded(self.share)}"
        if np.isnan(self.statistic):
            return value
        is_t = bool(np.isnan(self.df2))
        dfs = (self.df1,) if is_t else (self.df1, self.df2)
        tail_text = ", one-tailed" if is_t else ", two-tailed"
        tails = tail_text if (self.term in VARIANCES) == is_t else ""
        return f"{value}, {apa.statistic('t' if is_t else 'F', self.statistic, dfs, self.p)}{tails}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RoundRobin(Result):
    """The estimates of the social relations model, for groups in which everyone met everyone.

    Attributes
    ----------
    components : tuple of SocialComponent
        Actor, partner and relationship variance, actor-partner and dyadic covariance.
    reliability : tuple of float
        Of the estimated actor effects and partner effects of people; missing where the variance is not positive.
    people, groups : int
    left_out : Mapping of str to str
        Groups that lack a pair or have fewer than four people, and why.
    missing : int
        Rows that were left out: about oneself, or without a name.
    """

    components: tuple[SocialComponent, ...]
    reliability: tuple[Number, Number]
    people: int
    groups: int
    left_out: Mapping[str, str]
    missing: int
    squares: Squares = field(repr=False)
    who: Effects | None = field(repr=False)

    def component(self, term: str) -> SocialComponent:
        """Return a component by its name.

        Parameters
        ----------
        term
            The name as in `to_frame`, such as "actor", "partner" or "relationship".

        Returns
        -------
        SocialComponent
            The estimate with its standard error and test.
        """
        return self.components[find_name(term, [candidate.term for candidate in self.components], "there is no")]

    def confidence_interval(self, term: str, confidence_level: float = 0.95) -> Interval:
        """Return the interval of a component's estimate.

        Of sums and differences of mean squares (Graybill and Wang, 1980; Ting et al., 1990); of the actor-partner
        covariance, and where groups are the sample, t of the standard error.

        Parameters
        ----------
        term
            As in `component`.
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in squared units of the outcome.

        References
        ----------
        - Graybill, F. A., & Wang, C.-M. (1980). Confidence intervals on nonnegative linear combinations of variances.
          Journal of the American Statistical Association, 75, 869–873.
        - Ting, N., Burdick, R. K., Graybill, F. A., Jeyaratnam, S., & Lu, T.-F. C. (1990). Confidence intervals on
          linear combinations of variance components that are unrestricted in sign. Journal of Statistical Computation
          and Simulation, 35, 135–143.
        """
        component = self.component(term)
        check_level(confidence_level)
        if term != "actor-partner" and component.method != "groups":
            low, high = tests.ends(self.squares, term, confidence_level)
            return Interval(plain(low), plain(high), confidence_level, "mean squares")
        return t_interval(component.estimate, component.se, component.df1, confidence_level)

    def dyadic_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the exact interval of the correlation of the two of a dyad, κ/σ², from F over its quantiles.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.
        """
        low, high = tests.dyadic_ends(self.squares, check_level(confidence_level))
        return Interval(plain(low), plain(high), confidence_level, "F")

    def effects(self) -> pd.DataFrame:
        """Return one row a person: ``group``, ``person``, and the ``actor`` and ``partner`` effects.

        Returns
        -------
        DataFrame
            Effects are deviations from the mean of the group, in units of the outcome.
        """
        if self.who is None:
            raise DesignError("effects() names people, and this result was made of a stack of studies")
        return self.who.frame()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a component, its 95 % interval among the columns.

        Returns
        -------
        DataFrame
            The component, its estimate and share, the test, p, and the ends of the interval.
        """
        rows = []
        for component in self.components:
            interval = self.confidence_interval(component.term)
            rows.append(component.to_frame().assign(low=np.ravel(interval.low), high=np.ravel(interval.high)))
        return with_schema(pd.concat(rows, ignore_index=True), "RoundRobin/1")

    def apa(self) -> str:
        """Return each component's share of the variance or correlation, with its test.

        Returns
        -------
        str
            One clause a component, with semicolons between.
        """
        return "; ".join(f"{component.term}: {component.apa()}" for component in self.components)


def _test_components(mean_squares: Squares, method: Method) -> tuple[FloatArray, ...]:
    """Return standard errors, statistics, two degrees of freedom and p of all components."""
    if method == "groups":
        component_tests, errors = tests.by_groups(mean_squares)
    else:
        component_tests = (tests.by_mean_squares if method == "mean squares" else tests.by_se)(mean_squares)
        errors = tests.standard_errors(mean_squares)
    return errors, component_tests.statistic, component_tests.df1, component_tests.df2, component_tests.p


def _compute_reliability(mean_squares: Squares, values: FloatArray) -> tuple[Number, Number]:
    """Return the reliability of the actor and of the partner effects; missing where their variance is not positive."""
    weights = mean_squares.df / mean_squares.df.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        actor_reliability, partner_reliability = (
            plain(np.where(values[index] > 0, values[index] / (square @ weights), np.nan))
            for index, square in enumerate((mean_squares.actor, mean_squares.partner))
        )
    return actor_reliability, partner_reliability


def round_robin(
    data: Any,
    outcome: str | None = None,
    *,
    actor: str | None = None,
    partner: str | None = None,
    group: str | None = None,
    method: Method = "mean squares",
) -> RoundRobin:
    """Split the variance of what people do to each other into actor, partner and relationship (social relations model).

    Person i's value towards j is the group's mean + actor effect of i + partner effect of j + relationship of i to j.
    With one value a pair the relationship holds the error of measurement too.

    Parameters
    ----------
    data
        A long frame of any engine with one row an ordered pair; or arrays (people, people), (groups, people, people) or
        (studies, groups, people, people), rows the actors. The diagonal, what someone does to oneself, is not used.
    outcome, actor, partner, group
        Columns of the frame; without `group` all people are one group.
    method
        "mean squares": F and t of the mean squares of people, sums and differences of dyads. "lashley-bond": each
        estimate over its standard error, t on Σ(n − 1) df, as TripleR; with few groups it finds a variance of people
        less often than its level says (`docs/calibration.md`). "groups": t of the groups' estimates, weighted by n − 1,
        as SOREMO; it needs two groups or more.

    Returns
    -------
    RoundRobin
        The components of variance, the reliabilities, and how many people and groups they come from.

    Raises
    ------
    DesignError
        If an ordered pair has two rows, or no group is whole: in a group that is left out a pair is missing, or there
        are fewer than four people.
    NotEstimable
        If nothing is left of the dyads once people are taken out.

    Notes
    -----
    Estimates: Warner, Kenny and Stoto (1979); groups weigh n − 1 (Kenny and La Voie, 1984). Standard errors: Lashley
    and Bond (1997); they are the unbiased estimates of the variances of these mean squares. Tests of mean squares: the
    dyadic covariance by F = same/apart, which is exact; actor and partner variance by F over the sum that is expected
    without it (Satterthwaite, 1946); the actor-partner covariance as the correlation that it would be, t on Σ(n − 1) −
    1 df. A relationship variance has no test by mean squares: it is 0 only if people and their sums explain everything.

    References
    ----------
    - Kenny, D. A., & La Voie, L. (1984). The social relations model. Advances in Experimental Social Psychology, 18,
      141–182.
    - Lashley, B. R., & Bond, C. F. (1997). Significance testing for round robin data. Psychological Methods, 2,
      278–291.
    - Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin,
      2, 110–114.
    - Warner, R. M., Kenny, D. A., & Stoto, M. (1979). A new round robin analysis of variance for social interaction
      data. Journal of Personality and Social Psychology, 37, 1742–1757.

    Examples
    --------
    >>> import pandas as pd
    >>> ask = {"Ann": [5, 4, 6], "Bob": [2, 1, 3], "Cem": [4, 2, 6], "Dan": [3, 2, 4]}
    >>> rows = [(one, other, y) for one in ask
    ...         for other, y in zip([other for other in ask if other != one], ask[one], strict=True)]
    >>> result = round_robin(pd.DataFrame(rows, columns=["who", "whom", "asked"]), "asked", actor="who", partner="whom")
    >>> result.component("actor").apa()
    '46%, F(3, 2.29) = 4.20, p = .175'
    >>> result.component("dyadic").apa()
    'r = .75, F(2, 3) = 7.00, p = .148, two-tailed'
    """
    check_choice("method", method, ("mean squares", "lashley-bond", "groups"))
    mean_squares, effects, left_out, missing = _read(data, outcome, actor, partner, group)
    if method == "groups" and len(mean_squares.size) < 2:
        raise DesignError("method='groups' takes the groups' estimates as its sample, and there is one group")
    if mean_squares.same.ndim == 1 and not (mean_squares.same.sum() > 0 and mean_squares.apart.sum() > 0):
        raise NotEstimable("the two of each pair do the same once people are taken out, or nothing is left of pairs")
    # The components of variance and covariance follow from the mean squares.
    values = tests.estimates(mean_squares)
    columns = (values, _shares(values), *_test_components(mean_squares, method))
    components = tuple(
        _component(term, method, [plain(column[index]) for column in columns]) for index, term in enumerate(tests.TERMS)
    )
    return RoundRobin(
        components=components,
        reliability=_compute_reliability(mean_squares, values),
        people=int(mean_squares.size.sum()),
        groups=len(mean_squares.size),
        left_out=left_out,
        missing=missing,
        squares=mean_squares,
        who=effects,
    )


def _component(term: str, method: Method, numbers: list[Number]) -> SocialComponent:
    estimate, share, se, statistic, df1, df2, p = numbers
    return SocialComponent(term, estimate, share, se, statistic, df1, df2, p, method)


def _shares(values: FloatArray) -> FloatArray:
    """Return shares of the three variances, and the correlations that the two covariances are."""
    positive_values = np.maximum(values[:3], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        people = np.sqrt(np.where((values[0] > 0) & (values[1] > 0), values[0] * values[1], np.nan))
        return np.stack([*(positive_values / positive_values.sum(axis=0)), values[3] / people, values[4] / values[2]])


def _read(
    data: Any, outcome: str | None, actor: str | None, partner: str | None, group: str | None
) -> tuple[Squares, Effects | None, Mapping[str, str], int]:
    """Return the mean squares of a frame or of arrays, who is in it, which groups are left out, and rows left out."""
    if isinstance(data, np.ndarray | list | tuple):
        return _read_arrays(data, (outcome, actor, partner, group))
    if outcome is None or actor is None or partner is None:
        raise DesignError(
            "with a frame name outcome, actor= and partner=, the columns of what was done, by whom and to whom"
        )
    names = [outcome, actor, partner, *([group] if group is not None else [])]
    check_columns(data, names, "outcome, actor, partner and group")
    rows = as_pandas(data, names)
    groups, left_out, missing = matrices(rows, outcome, actor, partner, group)
    if not groups:
        raise DesignError(next(iter(left_out.values()), f"no row names who did {outcome!r} to whom"))
    # Each group has mean squares of its own, and one effect of each person as actor and as partner.
    group_results = [squares(matrix[None]) for _, _, matrix in groups]
    squares_of_groups = [result for result, _, _ in group_results]
    joined_squares = {
        name: np.concatenate([getattr(mean_squares, name) for mean_squares in squares_of_groups])
        for name in Squares.__slots__
    }
    sizes = [len(people) for _, people, _ in groups]
    effects = Effects(
        np.repeat(np.array([name for name, _, _ in groups], dtype=object), sizes),
        np.array([person for _, people, _ in groups for person in people], dtype=object),
        np.concatenate([actor_effects[0] for _, actor_effects, _ in group_results]),
        np.concatenate([partner_effects[0] for _, _, partner_effects in group_results]),
    )
    return Squares(**joined_squares), effects, left_out, missing


def _read_arrays(data: Any, names: tuple[str | None, ...]) -> tuple[Squares, Effects | None, Mapping[str, str], int]:
    values = floats("data", data)
    if any(name is not None for name in names):
        raise DesignError("outcome, actor, partner and group name the columns of a frame; leave them out with arrays")
    if values.ndim not in (2, 3, 4) or values.shape[-1] != values.shape[-2] or values.shape[-1] < LEAST:
        raise DesignError(
            f"data has the shape {values.shape}; give (people, people), after groups and studies if any, and at least "
            f"{LEAST} people"
        )
    # The diagonal is what people do to themselves, which is not looked at.
    looked_at = np.where(np.eye(values.shape[-1], dtype=bool), 0.0, values)
    for is_valid, fault in ((~np.isnan(looked_at), "lacks"), (~np.isinf(looked_at), "has infinite")):
        if not is_valid.all():
            index = np.argwhere(~is_valid)[0]
            raise DesignError(
                f"data {fault} {int((~is_valid).sum())} values, such as that of {shown(index.tolist())}; give whole "
                "groups"
            )
    values = values if values.ndim > 2 else values[None]
    mean_squares, actor_effects, partner_effects = squares(values)
    if values.ndim == 4:
        return mean_squares, None, {}, 0
    groups, n = values.shape[:2]
    effects = Effects(
        np.repeat(np.arange(groups).astype(object), n),
        np.tile(np.arange(n).astype(object), groups),
        actor_effects.ravel(),
        partner_effects.ravel(),
    )
    return mean_squares, effects, {}, 0
