"""The fixed effects of a mixed model: their tests with degrees of freedom by Kenward and Roger or by Satterthwaite."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, meant, shown
from negstats.stats.means.grid import Grid, reference_rows
from negstats.stats.models.random_intercept import Information, adjusted, fai_cornelius, kenward_roger
from negstats.stats.models.results import DF, Coefficient, TermTest, coefficient
from negstats.stats.results.numbers import FloatArray, floats, plain
from negstats.stats.results.options import check_choice, check_number
from negstats.stats.results.result import Result
from negstats.stats.summaries.coding import Coding

Estimator: TypeAlias = Literal["reml", "ml"]


class FixedEffects(Result):
    """What every mixed model says of its coefficients, whatever its random effects are; arrays have a study first.

    A model is fitted in orthonormal columns, so that columns which nearly follow from each other cost no digits of the
    adjusted degrees of freedom: the coefficients of the coded columns, measured from `origin`, are ``turn @ beta``.
    """

    __slots__ = ()

    names: tuple[str, ...]
    method: Estimator
    missing: int
    known: Information
    turn: FloatArray

    @property
    @abstractmethod
    def coding(self) -> Coding:
        """The columns of the model."""

    @property
    @abstractmethod
    def origin(self) -> Mapping[str, float]:
        """What the outcome and the covariates are measured from in the fit."""

    @property
    @abstractmethod
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""

    @property
    @abstractmethod
    def cross(self) -> FloatArray:
        """Σ z z′ over the rows, z being the outcome and the coded columns measured from `origin`; (n, 1 + p, 1 + p)."""

    @property
    @abstractmethod
    def beta(self) -> FloatArray:
        """The coefficients of the fit, (n, p)."""

    @property
    @abstractmethod
    def phi(self) -> FloatArray:
        """Their covariance matrix, (n, p, p)."""

    @abstractmethod
    def _satterthwaite(self, rows: FloatArray) -> FloatArray:
        """Return the degrees of freedom of single contrasts, rows (n, q, p)."""

    @property
    def back(self) -> FloatArray:
        """What turns coefficients of the fit into those of the columns as they are given, (n, p, p)."""
        shift = self.coding.shift({name: -self.origin[name] for name in self.coding.covariates})
        return np.asarray(shift @ self.turn)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the formula without the intercept."""
        return self.coding.term_names

    @property
    def estimates(self) -> FloatArray:
        """The coefficients, shape (*studies, p)."""
        return self._study(np.einsum("nab,nb->na", self.back, self.beta) + self._origin(np.eye(len(self.names))))

    def covariance(self, df: DF | None = None) -> FloatArray:
        """Return the covariance matrix of the coefficients, adjusted as Kenward and Roger do if these are asked for.

        Parameters
        ----------
        df
            As in `coefficients`.

        Returns
        -------
        ndarray of float
            Shape (coefficients, coefficients), behind the axes of a stack.
        """
        return self._study(self.back @ self._phi(self._df(df)) @ np.swapaxes(self.back, 1, 2))

    def coefficients(self, df: DF | None = None) -> tuple[Coefficient, ...]:
        """Return each coefficient with its test.

        Parameters
        ----------
        df
            "kenward-roger" (the default of REML, and REML only) or "satterthwaite" (the default of ML).

        Returns
        -------
        tuple[Coefficient, ...]
            One a coefficient, in the order of the formula.
        """
        rows = np.eye(len(self.names))
        return tuple(self.contrast(row, name, df) for name, row in zip(self.names, rows, strict=True))

    def coefficient(self, name: str, df: DF | None = None) -> Coefficient:
        """Return one coefficient with its test.

        Parameters
        ----------
        name
            The coefficient as `coefficients` names it.
        df
            As in `coefficients`.

        Returns
        -------
        Coefficient
            The estimate in units of the outcome, its standard error, t, df and p.
        """
        if name not in self.names:
            raise DesignError(f"there is no coefficient {shown(name)}; {meant(name, self.names, 'there are')}")
        return self.coefficients(df)[self.names.index(name)]

    def contrast(
        self, weights: Mapping[str, float] | npt.ArrayLike, name: str = "contrast", df: DF | None = None
    ) -> Coefficient:
        """Return a weighted sum of coefficients with its test; weights by name, or one a coefficient.

        Parameters
        ----------
        weights
            Weights by the names of coefficients, or an array with one weight a coefficient.
        name
            What the contrast is called in the result.
        df
            As in `coefficients`.

        Returns
        -------
        Coefficient
            The estimate in units of the outcome, its standard error, t, df and p.
        """
        method = self._df(df)
        rows = self._rows(weights)
        if len(rows) != 1:
            raise DesignError(f"a contrast is one row of weights, and {len(rows)} are given; use test()")
        return self._coefficient(name, rows @ self.back, self._origin(rows), method)

    def _coefficient(self, name: str, rows: FloatArray, constant: FloatArray, method: DF) -> Coefficient:
        """Return the test of one weighted sum, its rows (n, 1, p) in the columns of the fit."""
        estimate = np.einsum("nqa,na->nq", rows, self.beta)[:, 0] + constant[0]
        se = np.sqrt(np.einsum("nqa,nab,nqb->n", rows, self._phi(method), rows))
        if method == "kenward-roger":
            freedom = kenward_roger(self.phi, self.known, rows)[1]
        else:
            freedom = self._satterthwaite(rows)[:, 0]
        return coefficient(name, self._study(estimate), self._study(se), self._study(freedom), method)

    def test(
        self,
        hypothesis: str | Mapping[str, float] | npt.ArrayLike,
        name: str | None = None,
        df: DF | None = None,
        type: Literal[2, 3] = 3,  # noqa: A002 - the field's word
    ) -> TermTest:
        """Return the F test of a term, or that several weighted sums of coefficients are 0 together.

        Parameters
        ----------
        hypothesis
            A term's name, or rows of weights, one a coefficient.
        name
            What the test is called in the result; the term's name by default.
        df
            As in `coefficients`.
        type
            3: the term's coefficients are 0, covariates measured from their means, so that a factor's main effect is
            that at the mean of the covariates (as in `linear_model`; `coefficients` are at 0). 2: the term after all
            that do not contain it.

        Returns
        -------
        TermTest
            F with its degrees of freedom and p.
        """
        method = self._df(df)
        if isinstance(hypothesis, str):
            term_rows, constant, name = *self._term_rows(hypothesis, type), name or hypothesis
        else:
            rows = _independent(self._rows(hypothesis))
            term_rows, constant = rows @ self.back, self._origin(rows)
        return self._test(name or "hypothesis", term_rows, constant, method)

    def _test(self, name: str, term_rows: FloatArray, constant: FloatArray, method: DF) -> TermTest:
        """Return the F test of several weighted sums, their rows (n, q, p) in the columns of the fit."""
        f, scale, freedom = self._f(term_rows, constant, method)
        q = float(term_rows.shape[1])
        p = special.fdtrc(q, freedom, np.maximum(f, 0.0))
        df1 = np.full(f.shape, q)
        f, df1, freedom, p, scale = (self._study(np.asarray(array)) for array in (f, df1, freedom, p, scale))
        return TermTest(name, plain(f), plain(df1), plain(freedom), plain(p), plain(scale), method)

    def tests(self, df: DF | None = None, type: Literal[2, 3] = 3) -> tuple[TermTest, ...]:  # noqa: A002
        """Return the F test of each term.

        Parameters
        ----------
        df
            As in `coefficients`.
        type
            As in `test`.

        Returns
        -------
        tuple[TermTest, ...]
            One a term, in the order of the formula.
        """
        return tuple(self.test(term, None, df, type) for term in self.terms)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a coefficient, its 95 % interval among the columns; for a stack, these rows for each study.

        Returns
        -------
        DataFrame
            The coefficient, its estimate and standard error, t, df, p, and the ends of the interval.
        """
        parts = []
        for one in self.coefficients():
            ends = one.confidence_interval()
            parts.append(one.to_frame().assign(low=np.ravel(ends.low), high=np.ravel(ends.high)))
        frame = pd.concat(parts, keys=range(len(parts)), names=["place", "study"]).reset_index()
        frame = frame.sort_values(["study", "place"], ignore_index=True).drop(columns="place")
        frame = frame if self.studies else frame.drop(columns="study")
        frame.attrs["schema"] = f"{type(self).__name__}/1"
        return frame

    def grid(self, at: Mapping[str, float] | None = None, df: DF | None = None) -> Grid:
        """Return the cells that `margins`, `contrasts`, `pairwise` and `simple_effects` take (they call this).

        Parameters
        ----------
        at
            Values of covariates; those not named stand at their means over the rows.
        df
            As in `coefficients`.

        Returns
        -------
        Grid
            The mean of each cell of the factors, with the covariance of all means.

        Raises
        ------
        DesignError
            If the result is that of a stack of studies, or a covariate is unknown.
        """
        if self.studies:
            raise DesignError("contrasts of a mixed model take one study; take one from the stack")
        coding, method = self.coding, self._df(df)
        means = self._means(0)
        where = {name: self.origin[name] + means[name] for name in coding.covariates}
        for name, value in ({} if at is None else at).items():
            if name not in where:
                raise DesignError(f"the model has no covariate {shown(name)}; {meant(name, list(where), 'it has')}")
            where[name] = check_number(f"at[{name!r}]", value)
        factors, cells = reference_rows(coding, {name: value - self.origin[name] for name, value in where.items()})
        fitted_cells = cells @ self.turn[0]

        def test_each(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            constants = self._origin(rows @ cells)
            contrasts = [
                self._coefficient("cell", row[None, None], constant[None], method)
                for row, constant in zip(rows @ fitted_cells, constants, strict=True)
            ]
            columns = [[float(getattr(one, name)) for one in contrasts] for name in ("estimate", "se", "df")]
            estimate, se, freedom = (np.array(column) for column in columns)
            return estimate, se, freedom

        def test_joint(rows: FloatArray) -> tuple[float, float, float]:
            independent = _independent(rows @ cells)
            one = self._test("cells", (independent @ self.turn[0])[None], self._origin(independent), method)
            return float(np.asarray(one.statistic)), float(np.asarray(one.df1)), float(np.asarray(one.df2))

        unknown = np.full(len(cells), np.nan)  # cross-products do not keep how many rows each cell has
        position_text = ", ".join(f"{name} = {value:.6g}" for name, value in where.items())
        return Grid(factors, unknown, test_each, test_joint, coding.outcome, self.missing, position_text)

    def _study(self, array: FloatArray) -> FloatArray:
        return np.asarray(array).reshape((*self.studies, *np.shape(array)[1:]))

    def _df(self, df: DF | None) -> DF:
        if df is None:
            return "kenward-roger" if self.method == "reml" else "satterthwaite"
        check_choice("df", df, ("kenward-roger", "satterthwaite"))
        if df == "kenward-roger" and self.method == "ml":
            raise DesignError("Kenward and Roger's df are defined for REML; fit with method='reml'")
        return df

    def _phi(self, df: DF) -> FloatArray:
        return adjusted(self.phi, self.known) if df == "kenward-roger" else self.phi

    def _origin(self, rows: FloatArray) -> FloatArray:
        """Return what a weighted sum of coefficients gains because the outcome was measured from its origin."""
        return np.asarray(rows[:, 0] * self.origin[self.coding.outcome])

    def _means(self, study: int) -> dict[str, float]:
        """Return the mean of each covariate over the rows of a study, measured from the origin."""
        cross = self.cross[study]
        parts = self.coding.parts
        return {name: float(cross[1, 1 + parts.index(((name, 0),))] / cross[1, 1]) for name in self.coding.covariates}

    def _rows(self, weights: Mapping[str, float] | npt.ArrayLike) -> FloatArray:
        if isinstance(weights, Mapping):
            for name in weights:
                if name not in self.names:
                    raise DesignError(f"there is no coefficient {shown(name)}; {meant(name, self.names, 'there are')}")
            return np.array([[float(weights.get(name, 0.0)) for name in self.names]])
        rows = np.atleast_2d(floats("weights", weights))
        if rows.shape[-1] != len(self.names) or rows.ndim != 2 or not np.isfinite(rows).all():
            raise DesignError(f"weights are {shown(weights)}; give one for each of {', '.join(self.names)}")
        return rows

    def _term_rows(self, term: str, kind: int) -> tuple[FloatArray, FloatArray]:
        """Return a term's hypothesis in the columns of the fit, (studies, q, p), and its constant."""
        coding = self.coding
        variables = frozenset(str(term).split(":"))
        place = next((at for at, names in enumerate(coding.terms) if frozenset(names) == variables), None)
        if place is None:
            raise DesignError(f"there is no term {shown(term)}; {meant(term, self.terms, 'there are')}")
        columns = coding.columns_of(place)
        if kind == 3:
            at_means = np.stack([coding.shift(self._means(study)) for study in range(len(self.beta))])
            return at_means[:, columns] @ self.turn, np.zeros(len(columns))
        if kind != 2:
            raise DesignError(f"type is {shown(kind)}; choose 2 or 3")
        others = [
            at for at, owner in enumerate(coding.owners) if owner < 0 or not variables <= set(coding.terms[owner])
        ]
        t = self.cross[:, 1:, 1:]
        inner = np.linalg.solve(t[:, others][:, :, others], t[:, others])
        rows = t[:, columns] - t[:, columns][:, :, others] @ inner
        rows[:, :, others] = 0.0  # what is left there is rounding
        return rows @ self.turn, np.zeros(len(columns))

    def _f(self, rows: FloatArray, constant: FloatArray, method: DF) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return F, its scale and the denominator df."""
        q = rows.shape[1]
        value = np.einsum("nqa,na->nq", rows, self.beta) + constant
        transposed = np.swapaxes(rows, 1, 2)
        spread = rows @ self._phi(method) @ transposed
        f = np.einsum("nq,nq->n", value, np.linalg.solve(spread, value[..., None])[..., 0]) / q
        if method == "kenward-roger":
            scale, freedom = kenward_roger(self.phi, self.known, rows)
            return scale * f, scale, freedom
        # Rows that any basis of the same hypothesis gives alike, since the df depend on them; Σ x x′ of the fit is I.
        root = np.linalg.cholesky(rows @ transposed)
        basis = np.linalg.solve(root, rows)
        _, vectors = np.linalg.eigh(basis @ self.phi @ np.swapaxes(basis, 1, 2))
        nu = self._satterthwaite(np.swapaxes(vectors, 1, 2) @ basis)
        return f, np.ones_like(f), fai_cornelius(nu)


def _independent(rows: FloatArray) -> FloatArray:
    """Return rows that span the same hypothesis and do not follow from each other."""
    _, size, basis = np.linalg.svd(rows)
    rank = int((size > 1e-10 * max(size.max(initial=0.0), np.finfo(float).tiny)).sum())
    if rank == 0:
        raise DesignError("the hypothesis has no weight that is not 0")
    return rows if rank == len(rows) else np.asarray(basis[:rank])
