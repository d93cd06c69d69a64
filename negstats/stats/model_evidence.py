"""The evidence for each of several models against the null model, and the prior of the variance of effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.means.bayes import write_factor
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number, find_name
from negstats.stats.results.result import Result


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
        return float(self.bf10[find_name(model, self.models, "there is no model")])

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
        model_texts = [
            f"{model}: BF₁₀ {write_factor(bf10)}, BF₀₁ {write_factor(bf01)}"
            for model, bf10, bf01 in zip(self.models, self.bf10, self.bf01, strict=True)
        ]
        return f"{'; '.join(model_texts)} ({self.method}; prior: {self.prior}; against {self.null})"


def check_scale(scale: float, name: str = "prior_scale") -> float:
    """Return the width of a prior; DesignError unless it is above 0."""
    if not check_number(name, scale) > 0:
        raise DesignError(f"{name} is {shown(scale)}; give the width of the prior, a number above 0 such as 0.5")
    return float(scale)


def log_prior_density(x: npt.ArrayLike) -> FloatArray:
    """Return ln of the density of ln g for g inverse gamma (½, ½)."""
    log_g = np.asarray(x)
    return np.asarray(-0.5 * np.log(2) - special.gammaln(0.5) - 0.5 * log_g - 0.5 * np.exp(-log_g))
