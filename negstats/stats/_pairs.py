"""Complete pairs of measures of the same subjects, for the tests that need more than means and covariances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from negstats.errors import DesignError
from negstats.stats._frames import Factor
from negstats.stats._options import two_levels
from negstats.stats._result import FloatArray
from negstats.stats.summaries._layout import sample_of
from negstats.stats.summaries.within import complete_subjects

__all__ = ["Pairs", "as_pairs"]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Two measures of each subject: `first` and `second` have the shape ``(*studies, subjects)``."""

    first: FloatArray
    second: FloatArray
    labels: tuple[str, str]
    outcome: str = "outcome"
    missing: int = 0


def as_pairs(
    data: Any,
    outcome: str | None,
    within: str | None,
    subject: str | None,
    levels: Sequence[object] | None,
    what: str,
) -> Pairs:
    """Return the complete pairs of a long frame, or of samples by name whose places are the subjects.

    A subject that lacks one of the two measures is left out and counted.

    Raises
    ------
    DesignError
        If columns are not named, samples differ in length, a subject has two rows for one level, or there are not two
        levels.
    """
    if isinstance(data, Mapping):
        return _of_samples(data, outcome or "outcome", within or "measure", levels, what)
    if outcome is None or within is None or subject is None:
        raise DesignError("with a frame, outcome, within and subject name the measured column, the factor and the ids")
    wide, factor, missing = complete_subjects(data, outcome, within, subject, levels=levels)
    one, two = two_levels(factor, levels, what)
    y = wide.to_numpy(dtype=np.float64)
    return Pairs(y[:, one], y[:, two], (factor.levels[one], factor.levels[two]), outcome, missing)


def _of_samples(
    samples: Mapping[str, Any], outcome: str, within: str, levels: Sequence[object] | None, what: str
) -> Pairs:
    factor = Factor(within, tuple(map(str, samples)))
    one, two = two_levels(factor, levels, what)
    arrays = [sample_of(values, level) for level, values in samples.items()]
    first, second = arrays[one], arrays[two]
    if first.shape != second.shape:
        sizes = " and ".join(f"{factor.levels[place]!r} {arrays[place].size}" for place in (one, two))
        raise DesignError(f"paired samples differ in length: {sizes}; give each subject one in both, NaN if missing")
    whole = ~(np.isnan(first) | np.isnan(second))
    missing = int((~whole).sum())
    if missing and first.ndim > 1:
        raise DesignError("a stack of samples has missing values; leave them out before")
    if missing:
        first, second = first[whole], second[whole]
    return Pairs(first, second, (factor.levels[one], factor.levels[two]), outcome, missing)
