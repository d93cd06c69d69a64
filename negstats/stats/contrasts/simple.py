"""Simple effects: the F test of a factor at each level of another, with the pooled error or its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError
from negstats.stats.contrasts.slices import At, ErrorTerm, Names, Slice, slices
from negstats.stats.means.design import Design
from negstats.stats.means.ftest import FTest, f_ratio
from negstats.stats.means.grid import Grid, design_of
from negstats.stats.means.linear import coding, hypothesis_squares, kron
from negstats.stats.means.robust import robust_f
from negstats.stats.results.numbers import plain, shared
from negstats.stats.results.options import check_choice, f_tails
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import By, names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SimpleEffects(Result):
    """F tests of a term at each level of another factor. Iterate over it, or take one by its place.

    Attributes
    ----------
    effects : tuple of FTest
        One a level; its `term` says which.
    error : str
        "pooled", "own", "welch" or "model".
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    """

    effects: tuple[FTest, ...]
    error: str
    missing: int = 0

    def __len__(self) -> int:
        return len(self.effects)

    def __iter__(self) -> Iterator[FTest]:
        return iter(self.effects)

    def __getitem__(self, place: int) -> FTest:
        return self.effects[place]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a simple effect (and study).

        Returns
        -------
        DataFrame
            The effect with the level at which it is tested, F, its degrees of freedom, p, partial eta squared, and
            which error it uses.
        """
        frames = []
        for effect in self.effects:
            frame = effect.to_frame()
            if np.ndim(effect.statistic):
                frame.insert(0, "study", np.arange(len(frame)))
            frames.append(frame.assign(partial_eta_squared=effect.effect_size().value, error=self.error))
        table = pd.concat(frames, ignore_index=True)
        table.attrs["schema"] = "SimpleEffects/1"
        return table

    def apa(self, confidence_level: float = 0.90) -> str:
        """Return every simple effect as APA style prints it, behind its name.

        Parameters
        ----------
        confidence_level
            Level of the intervals of partial eta squared, between 0 and 1.

        Returns
        -------
        str
            One clause an effect, with semicolons between.
        """
        return "; ".join(f"{effect.term}: {effect.apa(confidence_level)}" for effect in self.effects)


def simple_effects(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    specs: Names,
    at: At,
    error: ErrorTerm = "pooled",
) -> SimpleEffects:
    """Test a factor (or the interaction of several) at each level of another.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    specs
        The factor that is tested; of several, their interaction.
    at
        The factors at whose levels it is tested; one level only if ``{factor: level}`` is given. Cells of factors that
        neither `specs` nor `at` names are averaged with equal weights.
    error
        "pooled": the error of the whole design. "own": that of the cells at this level alone. "welch": each cell its
        own variance (Welch–James, as `robust_anova`).

    Returns
    -------
    SimpleEffects
        One F test a level of the other factor, in order; `error` says what all are tested against.

    Raises
    ------
    DesignError
        If a factor or level is unknown, or the design cannot be analysed (see `anova`).
    NotEstimable
        If a cell that a test needs is empty.

    Notes
    -----
    The same as R's ``emmeans::joint_tests(model, by = at)``. With two levels F is the square of the t that `pairwise`
    gives.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(
    ...     n=10, mean=[[1, 3], [2, 6]], sd=2, factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]}
    ... )
    >>> print(simple_effects(cells, specs="reward", at="sex").apa())
    reward at sex = f: F(1, 36) = 1.25, p = .271, ηp² = .03, 90% CI [.00, .18]; reward at sex = m: ...
    """
    design = design_of(data, outcome, by)
    if at is None:
        raise DesignError("at names the factor at whose levels the effect is tested; without one, anova tests it")
    check_choice("error", error, ("pooled", "own", "welch"))
    names = names_of(specs)
    tests = tuple(_test(design, part, ":".join(names), error) for part in slices(design, names, at))
    return SimpleEffects(effects=tests, error="model" if isinstance(design, Grid) else error, missing=design.missing)


def _test(design: Design | Grid, part: Slice, name: str, error: str) -> FTest:
    rows = kron([coding(len(factor)) for factor in part.factors]) @ part.rows
    if isinstance(design, Grid):
        if error != "pooled":
            raise DesignError(f"error is {error!r}, and a model has the errors that it was fitted with; leave it out")
        ratio, df1, df2 = design.joint(rows)
        return FTest(f"{name} at {part.name}", ratio, df1, df2, float(f_tails(ratio, df1, df2)))
    cells = part.cells
    design.check_filled(f"{name} at {part.name}", cells)
    if error == "welch":
        robust = robust_f(design, rows, "welch-james")
        f_own, p_own = robust[0], special.fdtrc(robust[1], robust[2], robust[0])
        df_own = (plain(robust[1]), plain(robust[2]))
        within = plain((shared(design.n)[..., list(cells)] - 1.0).sum(axis=-1) + np.zeros(np.shape(f_own)))
        return FTest(f"{name} at {part.name}", plain(f_own), *df_own, plain(p_own), np.nan, np.nan, within)
    ss_error, df_error = design.pooled(cells if error == "own" else None)
    ss = hypothesis_squares(rows[:, cells], shared(design.n)[..., cells], design.mean[..., cells])
    df = np.full(ss.shape, float(len(rows)))
    f, p = f_ratio(ss, df, ss_error, df_error)
    return FTest(
        term=f"{name} at {part.name}",
        statistic=plain(f),
        df1=plain(df),
        df2=plain(df_error),
        p=plain(p),
        ss=plain(ss),
        ss_error=plain(ss_error),
    )
