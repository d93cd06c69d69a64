"""What thresholds are made of in a mixed model of accepting: rows at benefit 0, the slope, the spread of people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from negstats.stats.models.responses.population import means_of_rows
from negstats.stats.models.responses.result import MixedResponses
from negstats.stats.results.numbers import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ModelPoints:
    """Rows of the model's columns at benefit 0 of its origin, one a group, and what thresholds are made of."""

    model: MixedResponses
    rows: FloatArray
    place: int
    groups: tuple[str, ...]

    @property
    def beta(self) -> FloatArray:
        beta: FloatArray = self.model.fit.beta
        return beta

    @property
    def slope(self) -> float:
        return float(self.beta[self.place])

    @property
    def sigma(self) -> float:
        return float(np.sqrt(self.model.fit.random[0][0, 0]))

    @property
    def origin(self) -> float:
        return self.model.rows.origin["benefit"]

    def mean(self, group: int) -> tuple[float, FloatArray]:
        """Return μ_T of a group and its gradient in (β, ln σ)."""
        value = float(self.rows[group] @ self.beta)
        gradient = np.append(-self.rows[group] / self.slope, 0.0)
        gradient[self.place] = value / self.slope**2
        return self.origin - value / self.slope, gradient

    def spread(self) -> tuple[float, FloatArray]:
        """Return σ_T and its gradient."""
        sd = self.sigma / self.slope
        gradient = np.zeros(len(self.beta) + 1)
        gradient[self.place], gradient[-1] = -sd / self.slope, sd
        return sd, gradient

    def people(self, group: int, share: float) -> tuple[float, FloatArray]:
        """Return the benefit that a share of people accepts."""
        z = float(special.ndtri(share))
        (mean, first), (sd, second) = self.mean(group), self.spread()
        return mean + z * sd, first + z * second

    def row(self, group: int, benefit: float) -> FloatArray:
        """Return the columns of a group at a benefit."""
        row: FloatArray = self.rows[group].copy()
        row[self.place] = benefit - self.origin
        return row

    def decisions(self, group: int, share: float) -> tuple[float, FloatArray]:
        """Return the benefit at which a share of decisions is acceptance: dB = −(dP/dθ)/(dP/dB)."""
        centre, sd = self.mean(group)[0], np.hypot(self.sigma, 2.0) / self.slope

        def compute_gap(benefit: float) -> float:
            return float(means_of_rows(self.model, self.row(group, benefit)[None], "population")[0][0]) - share

        reach = 2.0
        while compute_gap(centre - reach * sd) > 0 or compute_gap(centre + reach * sd) < 0:
            reach *= 2
        root = float(
            optimize.brentq(compute_gap, centre - reach * sd, centre + reach * sd, xtol=1e-11 * sd, rtol=1e-13)
        )
        _, gradient = means_of_rows(self.model, self.row(group, root)[None], "population")
        # The intercept's column is 1: its entry is dP/dη, and η rises by the slope with the benefit.
        return root, -gradient[0] / (gradient[0, 0] * self.slope)


def read_points(model: MixedResponses, groups: tuple[str, ...]) -> ModelPoints:
    """Return the rows of the groups at benefit 0 of the model's origin."""
    coding = model.rows.coding
    codes = {"benefit": np.zeros(len(groups))}
    if "group" in coding.levels:
        codes["group"] = np.array([coding.levels["group"].levels.index(group) for group in groups], dtype=float)
    return ModelPoints(model, coding.matrix(codes), coding.parts.index((("benefit", 0),)), groups)
