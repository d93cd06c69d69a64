"""Whether the codes of accepted and rejected offers were read the right way round, in the whole log and at its ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.studies.records import Record
from negstats.studies.study import Study

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.intp]

LIKELY = 3.0  # standard errors
FEWEST = 5  # accepted and rejected offers that are compared
BLOCKS = 10  # of a log, at whose ends a coding may change
SIDES = ("proposer", "responder")
# What tells how good an offer is for the responder, first what tells most, and whether more of it is better.
_BENEFITS = {"value_responder": 1, "units_to_responder": 1, "value_proposer": -1, "units_to_proposer": -1}
_OTHER_SIDE = {
    "value_responder": "value_proposer",
    "value_proposer": "value_responder",
    "units_to_responder": "units_to_proposer",
    "units_to_proposer": "units_to_responder",
}


def find_reversed_codes(study: Study) -> Iterator[Record]:
    """Yield that offers are accepted the less, the better they are for the side that answers: in the log, or its part.

    Where acceptance is coded the wrong way round, it falls with what the responder gets and rises with what the
    proposer keeps. Offers of one total (of one scenario, where there are no totals) are compared with each other: what
    is much of a small pie is little of a large one.
    """
    answered_offers = study.offers[study.offers["response"].isin(["accepted", "rejected"])]
    for benefit_column, direction in _BENEFITS.items():
        rows = answered_offers.dropna(subset=[benefit_column])
        is_accepted = rows["response"] == "accepted"
        strata = _comparable(study, rows, benefit_column)
        z, means = _pooled(rows[benefit_column], strata, is_accepted)
        seat, verb_word, turn_word = ("proposer", "keeps", "rises") if direction < 0 else ("responder", "gets", "falls")
        change = _find_change(study, rows, benefit_column, strata, is_accepted)
        if change:
            before_word, after_word = ("rises", "falls") if change[1] else ("falls", "rises")
            yield Record(
                "acceptance_changes",
                "offers.response",
                values=(change[0], before_word, f"{seat} {verb_word}", after_word),
            )
            return
        if z * direction < -LIKELY:
            yield Record("acceptance_reversed", "offers.response", values=(turn_word, f"{seat} {verb_word}", *means))
            return
        if z:
            return  # values say more than units, and both sides' the same


def _comparable(study: Study, rows: pd.DataFrame, benefit_column: str) -> list[pd.Series]:
    """Return scenario and total of each offer: offers that share both are compared."""
    total = (rows[benefit_column] + rows[_OTHER_SIDE[benefit_column]]).fillna(0.0).round(6)
    return [rows["game_id"].map(study.games.set_index("game_id")["scenario"]).fillna(""), total]


def _find_change(
    study: Study, rows: pd.DataFrame, benefit_column: str, strata: list[pd.Series], is_accepted: pd.Series
) -> tuple[str, bool] | None:
    """Return the game up to which acceptance rises (or falls, then False) with a benefit, and after which it turns.

    Games stand as in the log, in blocks; of the cuts between blocks at which both sides are clear, the clearest.
    """
    games = study.games["game_id"]
    if len(rows) < 4 * FEWEST:
        return None
    game_index = rows["game_id"].map(pd.Series(np.arange(len(games)), index=games))
    block = game_index * BLOCKS // max(len(games), 1)
    block_sums = _van_elteren(rows[benefit_column], strata, is_accepted, block.to_numpy(dtype=np.intp), BLOCKS)[:, :2]
    # Summed over all cuts at once: van Elteren's z of the games before a cut and of those after it.
    sums_before, sums_after = block_sums.cumsum(axis=0)[:-1], block_sums[::-1].cumsum(axis=0)[::-1][1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        z_before, z_after = (np.nan_to_num(sums[:, 0] / np.sqrt(sums[:, 1])) for sums in (sums_before, sums_after))
    is_clear = (z_before * z_after < 0) & (np.minimum(np.abs(z_before), np.abs(z_after)) > LIKELY)
    if not is_clear.any():
        return None
    cut_block = int(np.where(is_clear, z_before**2 + z_after**2, 0.0).argmax())
    return str(
        games.iloc[int(np.flatnonzero(np.arange(len(games)) * BLOCKS // len(games) <= cut_block)[-1])]
    ), z_before[cut_block] > 0


def _pooled(values: pd.Series, strata: list[pd.Series], is_accepted: pd.Series) -> tuple[float, tuple[float, ...]]:
    """Return van Elteren's z of accepted against rejected offers within strata, and both means; 0 if there are few."""
    total = _van_elteren(values, strata, is_accepted, np.zeros(len(values), dtype=np.intp), 1)[0]
    difference, variance, counts, sums = float(total[0]), float(total[1]), total[2:4], total[4:]
    if counts.min() < FEWEST or variance <= 0:
        return 0.0, ()
    rejected_mean, accepted_mean = sums / counts
    return difference / variance**0.5, (float(accepted_mean), float(rejected_mean))


def _van_elteren(
    values: pd.Series, strata: list[pd.Series], is_accepted: pd.Series, block: IntArray, blocks: int
) -> FloatArray:
    """Return the weighted sum of ranks of accepted offers within strata, less its expectation, and its variance.

    A row for each block of offers. Behind these, of rejected and accepted offers, how many there are and their sums.
    Source: P. H. van Elteren, On the combination of independent two sample tests of Wilcoxon, Bulletin of the
    International Statistical Institute 37 (1960) 351-361.
    """
    groups = values.groupby([block, *strata])
    stratum, is_yes, numbers = (
        groups.ngroup().to_numpy(),
        is_accepted.to_numpy(dtype=bool),
        values.to_numpy(dtype=float),
    )
    stratum_sizes, n_accepted = np.bincount(stratum), np.bincount(stratum[is_yes], minlength=groups.ngroups)
    # Multiples of a half, whose sums are exact.
    deviations = groups.rank().to_numpy() - (stratum_sizes[stratum] + 1) / 2
    differences = np.bincount(stratum, deviations * is_yes) / (stratum_sizes + 1)
    spreads = (
        n_accepted
        * (stratum_sizes - n_accepted)
        / (stratum_sizes * np.maximum(stratum_sizes - 1, 1))
        * np.bincount(stratum, deviations**2)
        / (stratum_sizes + 1) ** 2
    )
    sums = [
        np.bincount(stratum[is_side], numbers[is_side], minlength=len(stratum_sizes)) for is_side in (~is_yes, is_yes)
    ]
    block_of_stratum = np.zeros(len(stratum_sizes), dtype=np.intp)
    block_of_stratum[stratum] = block
    has_both = (n_accepted > 0) & (n_accepted < stratum_sizes)
    columns = (differences, spreads, stratum_sizes - n_accepted, n_accepted, *sums)
    return np.column_stack(
        [np.bincount(block_of_stratum[has_both], column[has_both], minlength=blocks) for column in columns]
    )
