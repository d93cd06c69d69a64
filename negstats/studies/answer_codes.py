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
    for what, better in _BENEFITS.items():
        rows = answered_offers.dropna(subset=[what])
        is_accepted = rows["response"] == "accepted"
        strata = _comparable(study, rows, what)
        z, means = _pooled(rows[what], strata, is_accepted)
        side, verb, turn = ("proposer", "keeps", "rises") if better < 0 else ("responder", "gets", "falls")
        change = _find_change(study, rows, what, strata, is_accepted)
        if change:
            before, after = ("rises", "falls") if change[1] else ("falls", "rises")
            yield Record("acceptance_changes", "offers.response", values=(change[0], before, f"{side} {verb}", after))
            return
        if z * better < -LIKELY:
            yield Record("acceptance_reversed", "offers.response", values=(turn, f"{side} {verb}", *means))
            return
        if z:
            return  # values say more than units, and both sides' the same


def _comparable(study: Study, rows: pd.DataFrame, what: str) -> list[pd.Series]:
    """Return scenario and total of each offer: offers that share both are compared."""
    total = (rows[what] + rows[_OTHER_SIDE[what]]).fillna(0.0).round(6)
    return [rows["game_id"].map(study.games.set_index("game_id")["scenario"]).fillna(""), total]


def _find_change(
    study: Study, rows: pd.DataFrame, what: str, strata: list[pd.Series], is_accepted: pd.Series
) -> tuple[str, bool] | None:
    """Return the game up to which acceptance rises (or falls, then False) with a benefit, and after which it turns.

    Games stand as in the log, in blocks; of the cuts between blocks at which both sides are clear, the clearest.
    """
    games = study.games["game_id"]
    if len(rows) < 4 * FEWEST:
        return None
    place = rows["game_id"].map(pd.Series(np.arange(len(games)), index=games))
    block = place * BLOCKS // max(len(games), 1)
    each = _van_elteren(rows[what], strata, is_accepted, block.to_numpy(dtype=np.intp), BLOCKS)[:, :2]
    before, after = each.cumsum(axis=0)[:-1], each[::-1].cumsum(axis=0)[::-1][1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (np.nan_to_num(part[:, 0] / np.sqrt(part[:, 1])) for part in (before, after))
    is_clear = (first * second < 0) & (np.minimum(np.abs(first), np.abs(second)) > LIKELY)
    if not is_clear.any():
        return None
    cut = int(np.where(is_clear, first**2 + second**2, 0.0).argmax())
    return str(games.iloc[int(np.flatnonzero(np.arange(len(games)) * BLOCKS // len(games) <= cut)[-1])]), first[cut] > 0


def _pooled(values: pd.Series, strata: list[pd.Series], is_accepted: pd.Series) -> tuple[float, tuple[float, ...]]:
    """Return van Elteren's z of accepted against rejected offers within strata, and both means; 0 if there are few."""
    whole = _van_elteren(values, strata, is_accepted, np.zeros(len(values), dtype=np.intp), 1)[0]
    difference, variance, counts, sums = float(whole[0]), float(whole[1]), whole[2:4], whole[4:]
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
    stratum, yes, numbers = groups.ngroup().to_numpy(), is_accepted.to_numpy(dtype=bool), values.to_numpy(dtype=float)
    n, first = np.bincount(stratum), np.bincount(stratum[yes], minlength=groups.ngroups)
    away = groups.rank().to_numpy() - (n[stratum] + 1) / 2  # multiples of a half, whose sums are exact
    differences = np.bincount(stratum, away * yes) / (n + 1)
    spreads = first * (n - first) / (n * np.maximum(n - 1, 1)) * np.bincount(stratum, away**2) / (n + 1) ** 2
    sums = [np.bincount(stratum[side], numbers[side], minlength=len(n)) for side in (~yes, yes)]
    whose = np.zeros(len(n), dtype=np.intp)
    whose[stratum] = block
    both = (first > 0) & (first < n)
    each = (differences, spreads, n - first, first, *sums)
    return np.column_stack([np.bincount(whose[both], column[both], minlength=blocks) for column in each])
