"""Transitions between acts: how often one follows another, beyond chance, and whether groups differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.results import apa, multiplicity
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_count, check_rng
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries.coerce import as_frame
from negstats.stats.summaries.frames import IntArray, level_codes, level_order

# Shuffled acts that are held at once.
AT_ONCE = 2_000_000
# Two counts or statistics are one if they differ by less.
TIE = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """Acts in order: each one's code, its sequence, and where a transition begins."""

    acts: tuple[str, ...]
    code: IntArray
    sequence: IntArray
    names: tuple[Any, ...]
    begins: IntArray
    lag: int
    missing: int

    @classmethod
    def of(
        cls, data: Any, act: str, sequence: str, order: str, lag: int, acts: Sequence[Any] | None, extra: Sequence[str]
    ) -> tuple[_Steps, pd.DataFrame]:
        lag = check_count("lag", lag, 1)
        frame = as_frame(data, [act, sequence, order, *extra], "act, sequence, order, by and cluster")
        is_complete = frame.notna().all(axis=1).to_numpy()
        rows = frame[is_complete].sort_values([sequence, order], kind="stable").reset_index(drop=True)
        is_repeated = rows.duplicated([sequence, order])
        if is_repeated.any():
            row = rows[is_repeated].iloc[0]
            raise DesignError(f"{sequence} {shown(row[sequence])} has two rows with {order} {row[order]}; order them")
        act_names = level_order(list(pd.unique(rows[act]))) if acts is None else list(acts)
        code_of = {act_name: index for index, act_name in enumerate(act_names)}
        code = rows[act].map(code_of)
        if code.isna().any():
            unknown = rows[act][code.isna()].iloc[0]
            raise DesignError(
                f"{act!r} holds {shown(unknown)}, which acts= lacks; {meant(unknown, act_names, 'they are')}"
            )
        game, names = pd.factorize(rows[sequence])
        # A transition begins at each act that has another `lag` later in the same sequence.
        begins = np.flatnonzero(game[lag:] == game[:-lag]) if len(game) > lag else np.zeros(0, dtype=np.intp)
        if not len(begins):
            raise NotEstimable(f"no {sequence} has {lag + 1} acts; there is no transition")
        steps = cls(
            tuple(map(str, act_names)),
            code.to_numpy(dtype=np.intp),
            game,
            tuple(names),
            begins,
            lag,
            int((~is_complete).sum()),
        )
        return steps, rows

    def counts(self, codes: IntArray) -> FloatArray:
        """Return the transitions of orders of the acts, shape ``(orders, acts)``: counts of shape (orders, k, k)."""
        k = len(self.acts)
        pair_codes = codes[:, self.begins] * k + codes[:, self.begins + self.lag]
        cell_codes = pair_codes + k * k * np.arange(len(codes))[:, None]
        return np.bincount(cell_codes.ravel(), minlength=len(codes) * k * k).reshape(-1, k, k).astype(np.float64)

    def per_sequence(self) -> FloatArray:
        """Return each sequence's own transitions, shape ``(sequences, k, k)``."""
        k = len(self.acts)
        pair_codes = self.code[self.begins] * k + self.code[self.begins + self.lag]
        cell_codes = self.sequence[self.begins] * k * k + pair_codes
        return np.bincount(cell_codes, minlength=len(self.names) * k * k).reshape(-1, k, k).astype(np.float64)

    def expected(self) -> FloatArray:
        """Return the mean count over all orders of the acts inside their sequences."""
        k = len(self.acts)
        n = np.bincount(self.sequence * k + self.code, minlength=len(self.names) * k).reshape(-1, k).astype(np.float64)
        size = n.sum(axis=1)
        # In a random order each two of a sequence's acts follow one
        # another equally often; an act does not follow itself.
        pair_rates = np.maximum(size - self.lag, 0) / np.where(size > 1, size * (size - 1), 1)
        expected_pairs = np.einsum("g,gi,gj->ij", pair_rates, n, n)
        expected_pairs[np.arange(k), np.arange(k)] -= pair_rates @ n
        return np.asarray(expected_pairs)

    def shuffled(self, rng: np.random.Generator, n_resamples: int) -> Iterator[FloatArray]:
        """Yield counts of acts that were shuffled inside their sequences, some orders at a time."""
        step = max(1, AT_ONCE // len(self.code))
        for start in range(0, n_resamples, step):
            keys = rng.random((min(step, n_resamples - start), len(self.code))) + self.sequence
            yield self.counts(self.code[np.argsort(keys, axis=1)])


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Transitions(Result):
    """How often one act follows another.

    Attributes
    ----------
    acts : tuple of str
    counts : ndarray, shape (acts, acts)
        How often the column's act came `lag` acts after the row's.
    lag : int
    z : ndarray, shape (acts, acts)
        Adjusted residuals of the table: chance is what the row's and the column's totals say.
    expected : ndarray, shape (acts, acts)
        The mean count if the acts of each sequence came in any order, lengths and acts of each sequence kept.
    p, p_adjusted : ndarray, shape (acts, acts)
        Two-sided, from such orders; NaN if none were drawn.
    adjust : str
        The correction, over all cells.
    sequences, n_resamples, missing : int
        Sequences, orders drawn (0 if none), and rows that lacked a value.
    """

    acts: tuple[str, ...]
    counts: FloatArray
    lag: int
    z: FloatArray
    expected: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    adjust: str
    sequences: int
    n_resamples: int
    missing: int

    @property
    def probabilities(self) -> FloatArray:
        """Of each row's act, the shares of what follows; NaN for an act that nothing follows."""
        total = self.counts.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(self.counts, total, out=np.full_like(self.counts, np.nan), where=total > 0))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair of acts.

        Returns
        -------
        DataFrame
            The first act and the next, the count, its share of the first act's transitions, the expected count, z,
            and p before and after correction.
        """
        k = len(self.acts)
        columns = {name: getattr(self, name).ravel() for name in ("counts", "probabilities", "expected", "z", "p")}
        firsts, seconds = np.repeat(self.acts, k), np.tile(self.acts, k)
        frame = pd.DataFrame({"first": firsts, "then": seconds} | columns | {"p_adjusted": self.p_adjusted.ravel()})
        frame = frame.rename(columns={"counts": "n", "probabilities": "probability"}).assign(adjust=self.adjust)
        return with_schema(frame, "Transitions/1")

    def apa(self) -> str:
        """Return the transitions that are more or less frequent than in other orders, at 5 % after correction.

        Returns
        -------
        str
            One clause a transition, with semicolons between.
        """
        total = f"{int(self.counts.sum())} transitions in {self.sequences} sequences"
        rows = self.to_frame().query("p_adjusted < 0.05").sort_values("p_adjusted", kind="stable")
        texts = [
            f"{row['first']} → {row['then']}: {row['n']:.0f} (expected {apa.number(row['expected'])}), "
            f"z = {apa.number(row['z'])}, {apa.p_value(row['p_adjusted'])}"
            for row in rows.to_dict("records")
        ]
        if not self.n_resamples:
            return f"{total}; no order was drawn, so no p"
        return f"{total}; {'; '.join(texts) or 'none beyond chance'} ({multiplicity.METHODS[self.adjust]})"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TransitionComparison(Result):
    """The comparison of two groups' transition probabilities.

    Attributes
    ----------
    statistic, df : float
        Likelihood-ratio G² that each row of transition probabilities is the same, and its degrees of freedom if
        transitions were independent (they are not, so p does not use them).
    p : float
        From groups dealt to the sequences (or clusters) anew.
    labels : tuple of str
        The two groups.
    acts : tuple of str
    difference : ndarray, shape (acts, acts)
        First group's transition probability less the second's; NaN where a group lacks the first act.
    difference_p, p_adjusted : ndarray, shape (acts, acts)
        Two-sided by the same deals, and corrected over the cells.
    adjust : str
    sequences : tuple of int
        Of each group.
    units, n_resamples, missing : int
        What was dealt, how often, and rows that lacked a value.
    """

    statistic: float
    df: float
    p: float
    labels: tuple[str, str]
    acts: tuple[str, ...]
    difference: FloatArray
    difference_p: FloatArray
    p_adjusted: FloatArray
    adjust: str
    sequences: tuple[int, int]
    units: int
    n_resamples: int
    missing: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair of acts.

        Returns
        -------
        DataFrame
            The first act and the next, the difference of the groups' shares, and p before and after correction.
        """
        k = len(self.acts)
        names = ("difference", "difference_p", "p_adjusted")
        columns = {name: getattr(self, name).ravel() for name in names}
        frame = pd.DataFrame({"first": np.repeat(self.acts, k), "then": np.tile(self.acts, k)} | columns)
        frame = frame.rename(columns={"difference_p": "p"}).assign(adjust=self.adjust)
        return with_schema(frame, "TransitionComparison/1")

    def apa(self) -> str:
        """Return such as ``fair – tough: G² = 14.20, p = .031 (9999 deals of 36 units)``.

        Returns
        -------
        str
            The comparison of the groups as a results section prints it.
        """
        head = f"{self.labels[0]} – {self.labels[1]}: G² = {apa.number(self.statistic)}, {apa.p_value(self.p)}"
        return f"{head} ({self.n_resamples} deals of {self.units} units)"


def _test_orders(
    steps: _Steps, counts: FloatArray, expected: FloatArray, rng: np.random.Generator, n_orders: int
) -> FloatArray:
    """Return p of each transition: how often the same acts in another order are as far from what is expected."""
    distance = np.abs(counts - expected) * (1 - TIE)
    n_extreme = sum(
        (np.abs(order_counts - expected) >= distance).sum(axis=0) for order_counts in steps.shuffled(rng, n_orders)
    )
    p = np.asarray((n_extreme + 1) / (n_orders + 1), dtype=np.float64)
    # a pair that no order has, or every order has as often, tells nothing
    return np.where((expected > 0) | (counts > 0), p, np.nan)


def transitions(
    data: Any,
    act: str = "act",
    sequence: str = "game_id",
    order: str = "message",
    *,
    lag: int = 1,
    acts: Sequence[Any] | None = None,
    rng: np.random.Generator | None = None,
    n_resamples: int = 9999,
    adjust: str = "holm",
) -> Transitions:
    """Count which act follows which, and compare with the same acts in any order (lag-sequential analysis).

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row an act.
    act, sequence, order
        What is done, in which game (dialogue), and its place there.
    lag
        How many acts later.
    acts
        The acts in the order to show them; those that occur if not given.
    rng, n_resamples
        For p: orders of the acts inside each sequence. Without `rng` there is no p.
    adjust
        "none" or a name of `negstats.stats.results.multiplicity.METHODS`.

    Returns
    -------
    Transitions
        Square matrices of counts, expected counts, z and p: rows are followed by columns.

    Raises
    ------
    DesignError
        If a column is wrong, a place occurs twice in a sequence, or an act is not among `acts`.
    NotEstimable
        If no sequence is long enough.

    Notes
    -----
    z is that of Allison and Liker (1982); it takes transitions as independent and pools games of unlike mixtures of
    acts, so p comes from orders inside games instead: Bakeman and Gottman (1997, sec. 8.3). A seat that may not act
    twice running makes repeats rare in any case; put the seat into the act's name where that matters.

    References
    ----------
    - Allison, P. D., & Liker, J. K. (1982). Analyzing sequential categorical data on dyadic interaction: A comment on
      Gottman. Psychological Bulletin, 91, 393–403.
    - Bakeman, R., & Gottman, J. M. (1997). Observing Interaction: An Introduction to Sequential Analysis (2nd ed.).
      Cambridge University Press.

    Examples
    --------
    >>> talk = {"game_id": [1] * 6 + [2] * 5, "message": [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5]}
    >>> talk["act"] = ["ask", "tell", "ask", "tell", "offer", "tell", "ask", "tell", "offer", "ask", "tell"]
    >>> transitions(talk).counts.astype(int).tolist()
    [[0, 0, 4], [1, 0, 1], [1, 2, 0]]
    """
    check_choice("adjust", adjust, ("none", *multiplicity.METHODS))
    steps, _ = _Steps.of(data, act, sequence, order, lag, acts, [])
    (counts,) = steps.counts(steps.code[None])
    # What random orders of the same acts give on average, each within its sequence.
    expected = steps.expected()
    p = np.full(counts.shape, np.nan)
    n_orders = 0
    if rng is not None:
        check_rng(rng)
        n_orders = check_count("n_resamples", n_resamples, 1)
        p = _test_orders(steps, counts, expected, rng, n_orders)
    return Transitions(
        acts=steps.acts,
        counts=counts,
        lag=steps.lag,
        z=_residuals(counts),
        expected=expected,
        p=p,
        p_adjusted=_adjust(p, adjust),
        adjust=adjust,
        sequences=len(steps.names),
        n_resamples=n_orders,
        missing=steps.missing,
    )


def _sum_by_unit(counts: FloatArray, unit: IntArray, n_units: int) -> FloatArray:
    """Return the transitions of all sequences of each unit."""
    sums = np.zeros((n_units, *counts.shape[1:]))
    np.add.at(sums, unit, counts)
    return sums


def _count_hits(
    counts: FloatArray,
    group: IntArray,
    observed: float,
    differences: FloatArray,
    rng: np.random.Generator,
    n_orders: int,
) -> tuple[int, FloatArray]:
    """Return in how many deals of the units into groups the statistic, and each difference, is as large as observed."""
    n_extreme, n_cell_extreme = 0, np.zeros(differences.shape)
    batch_size = max(1, AT_ONCE // len(group))
    for start in range(0, n_orders, batch_size):
        n_deals = min(batch_size, n_orders - start)
        deals = rng.permuted(np.broadcast_to(group == 0, (n_deals, len(group))), axis=1)
        g, cells = _compared(counts, deals)
        n_extreme += int((g >= observed * (1 - TIE)).sum())
        # a deal that leaves a group without the act says nothing of its cells, and counts as a hit
        n_cell_extreme += (~(np.abs(cells) < np.abs(differences) * (1 - TIE))).sum(axis=0)
    return n_extreme, n_cell_extreme


def compare_transitions(
    data: Any,
    by: str,
    act: str = "act",
    sequence: str = "game_id",
    order: str = "message",
    *,
    rng: np.random.Generator,
    cluster: str | None = None,
    lag: int = 1,
    acts: Sequence[Any] | None = None,
    n_resamples: int = 9999,
    adjust: str = "holm",
) -> TransitionComparison:
    """Test whether two groups of sequences have the same transition probabilities.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row an act.
    by
        The column of the group; two levels, one for each sequence.
    act, sequence, order
        As of `transitions`.
    rng
        Where randomness comes from; the same state gives the same p.
    cluster
        The column of what has several sequences (pair, person): it is then dealt as a whole.
    lag, acts
        As of `transitions`.
    n_resamples
        How often groups are dealt to the sequences anew.
    adjust
        As of `transitions`.

    Returns
    -------
    TransitionComparison
        The statistic of all transitions with p, and the difference of each transition with its p, corrected too.

    Raises
    ------
    DesignError
        If there are not two groups, or a sequence (cluster) is in both.

    Notes
    -----
    G² = 2 Σ n_gij ln(p_gij/p_ij) (Anderson and Goodman, 1957); its p is a permutation's, (hits + 1)/(deals + 1), since
    transitions of one game are not independent.

    References
    ----------
    Anderson, T. W., & Goodman, L. A. (1957). Statistical inference about Markov chains. Annals of Mathematical
    Statistics, 28, 89–110.

    Examples
    --------
    >>> talk = {"game_id": np.repeat([1, 2, 3, 4], 4), "message": [1, 2, 3, 4] * 4, "agent": np.repeat(["A", "B"], 8)}
    >>> talk["act"] = ["ask", "tell", "ask", "tell"] * 2 + ["ask", "ask", "tell", "tell"] * 2
    >>> result = compare_transitions(talk, "agent", rng=np.random.default_rng(1), n_resamples=99)
    >>> result.difference.round(2).tolist()
    [[-0.5, 0.5], [1.0, -1.0]]
    """
    check_choice("adjust", adjust, ("none", *multiplicity.METHODS))
    check_rng(rng)
    n_orders = check_count("n_resamples", n_resamples, 1)
    steps, rows = _Steps.of(data, act, sequence, order, lag, acts, [by] if cluster is None else [by, cluster])
    labels, group, unit = _groups(rows, by, sequence if cluster is None else cluster)
    first_rows = np.unique(steps.sequence, return_index=True)[1]
    # What is exchanged between the groups are whole sequences, or whole clusters of them.
    counts = _sum_by_unit(steps.per_sequence(), unit[first_rows], len(group))
    observed, differences = (values[0] for values in _compared(counts, group[None] == 0))
    n_extreme, n_cell_extreme = _count_hits(counts, group, observed, differences, rng, n_orders)
    p = np.where(np.isnan(differences), np.nan, (n_cell_extreme + 1) / (n_orders + 1))
    # Acts that occur as the first and as the second of a transition: the df of the comparison.
    row, column = (int((counts.sum(axis=(0, axis)) > 0).sum()) for axis in (2, 1))
    of_unit = np.bincount(unit[first_rows], minlength=len(group))
    return TransitionComparison(
        statistic=float(observed),
        df=float(row * (column - 1)),
        p=(n_extreme + 1) / (n_orders + 1),
        labels=labels,
        acts=steps.acts,
        difference=differences,
        difference_p=p,
        p_adjusted=_adjust(p, adjust),
        adjust=adjust,
        sequences=(int(of_unit[group == 0].sum()), int(of_unit[group == 1].sum())),
        units=len(group),
        n_resamples=n_orders,
        missing=steps.missing,
    )


def _groups(rows: pd.DataFrame, by: str, unit_column: str) -> tuple[tuple[str, str], IntArray, IntArray]:
    """Return the two groups' names, each unit's group, and each row's unit."""
    code, levels, _ = level_codes(rows[by])
    code = np.asarray(code, dtype=np.intp)
    group_codes, code = np.unique(code, return_inverse=True)
    if len(group_codes) != 2:
        names_of_groups = ", ".join(shown(levels[group_code]) for group_code in group_codes[:6])
        raise DesignError(f"two groups are compared, and {by!r} has {len(group_codes)}: {names_of_groups}")
    unit, names = pd.factorize(rows[unit_column])
    group = np.zeros(len(names), dtype=np.intp)
    group[unit] = code
    in_both = np.flatnonzero(group[unit] != code)
    if len(in_both):
        name = shown(rows[unit_column].tolist()[in_both[0]])
        raise DesignError(f"{unit_column} {name} is in both groups of {by!r}; give each one group")
    return (str(levels[group_codes[0]]), str(levels[group_codes[1]])), group, np.asarray(unit, dtype=np.intp)


def _compared(counts: FloatArray, is_first: Any) -> tuple[FloatArray, FloatArray]:
    """Return G² and differences of probabilities, for deals (deals, units) of units to the first group."""
    cells = counts.reshape(len(counts), -1)
    first_counts = (is_first.astype(np.float64) @ cells).reshape(-1, *counts.shape[1:])
    total = counts.sum(axis=0)
    group_counts = np.stack([first_counts, total - first_counts])
    # G² of homogeneity, summed over the first acts: groups against the shares of both together.
    rows = group_counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = group_counts / rows
        pooled = total / total.sum(axis=-1, keepdims=True)
        g = 2 * (special.xlogy(group_counts, shares) - special.xlogy(group_counts, pooled))
    return np.nansum(g, axis=(0, -2, -1)), np.asarray(shares[0] - shares[1])


def _residuals(counts: FloatArray) -> FloatArray:
    n = counts.sum()
    row, column = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (counts - row * column / n) / np.sqrt(row * column / n * (1 - row / n) * (1 - column / n))
    return np.asarray(np.where(np.isfinite(z), z, np.nan))


def _adjust(p: FloatArray, adjust: str) -> FloatArray:
    if adjust == "none" or np.isnan(p).all():
        return p
    return multiplicity.adjust(p.ravel(), adjust).p_adjusted.reshape(p.shape)
