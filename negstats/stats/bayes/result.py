"""What every Bayes factor of models returns: the evidence for each model against the null, and its prior in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from negstats.errors import DesignError, meant, shown
from negstats.stats.means.bayes import write_factor
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number
from negstats.stats.results.result import Result

WIDTHS = tuple(np.round(np.geomspace(0.1, 2.0, 25), 4))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvidence(Result):
    """The evidence for each model against the null model. Arrays have the shape ``(models,)``.

    Attributes
    ----------
    models : tuple of str
        Such as "reward", "reward + partner" and "reward + partner + reward:partner".
    bf10, bf01 : ndarray
        Evidence for the model against the null, and its reciprocal.
    null : str
        What the null is.
    prior : str
        The prior of the effects, in words.
    prior_scale : float
        Its scale.
    method : str
        Which factor it is.

    Examples
    --------
    >>> ModelEvidence(("reward",), np.array([4.81]), "no effect", "Cauchy, r = 0.5", .5, "JZS").apa()
    'reward: BF₁₀ = 4.81, BF₀₁ = 0.21 (JZS; prior: Cauchy, r = 0.5; against no effect)'
    """

    models: tuple[str, ...]
    bf10: FloatArray
    null: str
    prior: str
    prior_scale: float
    method: str

    @property
    def bf01(self) -> FloatArray:
        """Evidence for the null against each model."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / self.bf10, dtype=np.float64)

    def of(self, model: str, against: str | None = None) -> float:
        """Return the Bayes factor of a model against the null, or against another model.

        Parameters
        ----------
        model
            Name of the model in the numerator.
        against
            Name of the model in the denominator; the null model by default.

        Returns
        -------
        float
            How many times likelier the data are under `model`; below 1 they speak for the other.

        Examples
        --------
        >>> result = ModelEvidence(("a", "a + b"), np.array([2.0, 6.0]), "none", "Cauchy", .5, "JZS")
        >>> result.of("a + b", against="a")
        3.0
        """
        return self._one(model) / (1.0 if against is None else self._one(against))

    def _one(self, model: str) -> float:
        if model not in self.models:
            raise DesignError(f"there is no model {shown(model)}; {meant(model, self.models, 'there are')}")
        return float(self.bf10[self.models.index(model)])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a model: ``model``, ``bf10``, ``bf01``, ``null``, ``prior``.

        Returns
        -------
        DataFrame
            ``null`` is the model that each Bayes factor compares with, ``prior`` the prior in words.
        """
        frame = pd.DataFrame({"model": list(self.models), "bf10": self.bf10, "bf01": self.bf01})
        frame = frame.assign(null=self.null, prior=self.prior)
        frame.attrs["schema"] = "ModelEvidence/1"
        return frame

    def apa(self) -> str:
        """Return both Bayes factors of each model, with the prior.

        Returns
        -------
        str
            One clause a model, with semicolons between.
        """
        parts = [
            f"{model}: BF₁₀ {write_factor(bf10)}, BF₀₁ {write_factor(bf01)}"
            for model, bf10, bf01 in zip(self.models, self.bf10, self.bf01, strict=True)
        ]
        return f"{'; '.join(parts)} ({self.method}; prior: {self.prior}; against {self.null})"


def prior_robustness(evidence: Callable[[float], ModelEvidence], scales: Sequence[float] = WIDTHS) -> pd.DataFrame:
    """Return the Bayes factors over widths of the prior, one row for each, for `plots.prior_robustness`.

    Parameters
    ----------
    evidence
        What gives the evidence at a scale, such as ``lambda r: anova_evidence(cells, prior_scale=r)``.
    scales
        Widths, each above 0.

    Returns
    -------
    DataFrame
        ``scale``, ``model``, ``bf10``.

    Examples
    --------
    >>> from negstats.stats.bayes import regression_evidence
    >>> result = prior_robustness(lambda r: regression_evidence(0.22, 40, 2, prior_scale=r), [0.2, 0.5])
    >>> result["bf10"].round(2).tolist()
    [5.22, 4.37]
    """
    rows = []
    for scale in scales:
        model_evidence = evidence(check_scale(scale))
        rows += [
            (scale, model, value)
            for model, value in zip(model_evidence.models, model_evidence.bf10.tolist(), strict=True)
        ]
    frame = pd.DataFrame(rows, columns=["scale", "model", "bf10"])
    frame.attrs["schema"] = "prior_robustness/1"
    return frame


def check_scale(scale: float, name: str = "prior_scale") -> float:
    """Return the width of a prior; DesignError unless it is above 0."""
    if not check_number(name, scale) > 0:
        raise DesignError(f"{name} is {shown(scale)}; give the width of the prior, a number above 0 such as 0.5")
    return float(scale)


def log_mean_exp(values: FloatArray, log_weights: FloatArray) -> float:
    """Return ln Σ exp(value + weight)."""
    from scipy.special import logsumexp

    return float(logsumexp(values + log_weights))
