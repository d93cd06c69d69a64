"""Agreement of coders, code by code: kappa, alpha, share of agreement, prevalence; confusion of exclusive codes.

A code is a yes or no about each message that two coders or more have coded. Where codes exclude each other, their group
is one question with several answers, and its confusion matrix tells which are taken for which.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from negstats.coding.assignment import Talks, generator
from negstats.coding.codebook import NONE, Codebook
from negstats.coding.coded_file import CodedFile, CodedMessage, check_together
from negstats.errors import NotEstimable
from negstats.stats import Kappa, KrippendorffAlpha, cohens_kappa, fleiss_kappa, krippendorffs_alpha
from negstats.stats.results.result import Interval
from negstats.studies.provenance import CodeReliability

RESAMPLES = 1999


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement on one code, or on a group of codes that exclude each other.

    Attributes
    ----------
    code : str
        The name of the code or group.
    kind : str
        "code" or "group".
    n : int
        Messages that two coders or more coded.
    agreement : float
        Share of pairs of coders on the same message that agree.
    prevalence : dict of str to float
        Each coder's share of messages with the code, or with any code of the group.
    kappa : Kappa or None
        Cohen's of two coders, Fleiss' of more (over the messages that all coded); None where it cannot be told.
    alpha : KrippendorffAlpha or None
    alpha_interval : Interval or None
        Bootstrap over messages.
    reason : str
        Why there is no kappa or alpha; empty where there is.
    """

    code: str
    kind: str
    n: int
    agreement: float
    prevalence: dict[str, float]
    kappa: Kappa | None
    alpha: KrippendorffAlpha | None
    alpha_interval: Interval | None
    reason: str = ""

    def record(self, confidence_level: float = 0.95) -> CodeReliability:
        """Return what a study's provenance keeps of it; the normal interval of kappa ends at 1.

        Parameters
        ----------
        confidence_level
            Level of kappa's interval, between 0 and 1; that of alpha stays as it was drawn, at 0.95.

        Returns
        -------
        CodeReliability
            The estimates and the ends of their intervals; None for what cannot be told. Its prevalence is the mean of
            the coders' shares.
        """
        low = high = alpha_low = alpha_high = None
        if self.kappa is not None:
            ends = self.kappa.confidence_interval(confidence_level)
            low, high = max(-1.0, float(ends.low)), min(1.0, float(ends.high))
        if self.alpha_interval is not None:
            alpha_low, alpha_high = float(self.alpha_interval.low), float(self.alpha_interval.high)
        kappa = None if self.kappa is None else self.kappa.estimate
        alpha = None if self.alpha is None else self.alpha.estimate
        prevalence = float(np.mean(list(self.prevalence.values())))
        return CodeReliability(
            self.code, self.kind, self.n, self.agreement, prevalence, kappa, low, high, alpha, alpha_low, alpha_high
        )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of the coders of a study on every code.

    Attributes
    ----------
    coders : tuple of str
    codebook : Codebook
    coded : dict of str to int
        How many messages each coder coded.
    assigned : dict of str to int
        How many each was asked about.
    talks : int
        Talks with a message that two coders or more coded.
    n : int
        Such messages.
    codes : tuple of CodeAgreement
        Codes in the order of the codebook, then groups.
    confusions : dict of str to pandas.DataFrame
        Of each group and pair of coders ("group: A, B"), how often A's code met B's.
    differences : tuple of tuple of int
        Talk and message of each message on which coders chose different codes.
    """

    coders: tuple[str, ...]
    codebook: Codebook
    coded: dict[str, int]
    assigned: dict[str, int]
    talks: int
    n: int
    codes: tuple[CodeAgreement, ...]
    confusions: dict[str, pd.DataFrame]
    differences: tuple[tuple[int, int], ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a code or group, unrounded.

        Returns
        -------
        DataFrame
            The fields of ``CodeReliability``, each coder's share of messages with the code (``prevalence_`` and the
            coder's name), and ``reason``: why there is no kappa or alpha. What cannot be told is missing.
        """
        rows = []
        for one in self.codes:
            record = one.record()
            row = {name: getattr(record, name) for name in CodeReliability.__dataclass_fields__}
            rows.append(row | {f"prevalence_{coder}": share for coder, share in one.prevalence.items()})
        frame = pd.DataFrame(rows)
        numbers = ["kappa", "kappa_low", "kappa_high", "alpha", "alpha_low", "alpha_high"]
        frame = frame.astype(dict.fromkeys(numbers, "float64")).assign(reason=[one.reason for one in self.codes])
        frame.attrs["schema"] = "Agreement/1"
        return frame


def agreement_of(
    files: Sequence[CodedFile], talks: Talks, *, seed: int = 1, codebook: Codebook | None = None
) -> Agreement:
    """Measure the agreement of coders on every code.

    Parameters
    ----------
    files
        One file a coder.
    talks
        The talks of the study that they coded.
    seed
        Of the bootstrap of alpha.
    codebook
        That which all must have been coded with, if it is to be checked.

    Returns
    -------
    Agreement
        Kappa, alpha, agreement and prevalence by code, and the confusion of codes that exclude each other.

    Raises
    ------
    LogError
        If a file does not fit the study.
    UsageError
        If files do not fit each other.
    NotEstimable
        If no message was coded by two coders.

    Examples
    --------
    >>> from negstats import datasets
    >>> from negstats.coding import read_coded, talks_of
    >>> files = [read_coded(f"datasets/casino/coded/{name}.json") for name in ("anna", "ben")]
    >>> agreement = agreement_of(files, talks_of(datasets.casino()))
    >>> agreement.codes[0].kappa.apa()
    "Cohen's κ = .90, 95% CI [.79, 1.01], z = 10.24, p < .001"
    """
    check_together(files, talks, codebook)
    book = files[0].codebook
    decisions = {one.coder: one.decisions for one in files}
    keys = select_double(files)
    if not keys:
        raise NotEstimable(
            "no message was coded by two coders; agreement is of messages that both coded (--shared of `negstats code`)"
        )
    codes = [_measure_agreement(name, "code", (name,), decisions, keys, seed) for name in book.names]
    groups = [
        _measure_agreement(name, "group", members, decisions, keys, seed) for name, members in book.groups.items()
    ]
    confusions = {
        f"{group}: {first}, {second}": _count_confusions(members, decisions[first], decisions[second])
        for group, members in book.groups.items()
        for first, second in combinations(decisions, 2)
        if decisions[first].keys() & decisions[second].keys()
    }
    return Agreement(
        tuple(decisions),
        book,
        {name: len(own) for name, own in decisions.items()},
        {one.coder: one.assigned for one in files},
        len({talk for talk, _ in keys}),
        len(keys),
        (*codes, *groups),
        confusions,
        tuple(find_differences(files)),
    )


def select_double(files: Sequence[CodedFile]) -> list[tuple[int, int]]:
    """Return the messages that two coders or more coded, in order of talk and message."""
    times = Counter(key for one in files for key in one.decisions)
    return sorted(key for key, count in times.items() if count > 1)


def find_differences(files: Sequence[CodedFile]) -> list[tuple[int, int]]:
    """Return talk and message of each message to which coders gave different codes.

    Parameters
    ----------
    files
        One file a coder.

    Returns
    -------
    list[tuple[int, int]]
        In order of talk and message.
    """
    chosen = defaultdict[tuple[int, int], set[frozenset[str]]](set)
    for one in files:
        for key, own in one.decisions.items():
            chosen[key].add(frozenset(own.codes))
    return sorted(key for key, sets in chosen.items() if len(sets) > 1)


def _answer(decision: CodedMessage | None, members: tuple[str, ...]) -> str | None:
    """Return which of the members a decision names, NONE for none of them; None without a decision."""
    if decision is None:
        return None
    return next((name for name in decision.codes if name in members), NONE)


def _measure_agreement(
    name: str,
    kind: str,
    members: tuple[str, ...],
    decisions: dict[str, dict[tuple[int, int], CodedMessage]],
    keys: list[tuple[int, int]],
    seed: int,
) -> CodeAgreement:
    ratings = pd.DataFrame({
        coder: pd.Series([_answer(own.get(key), members) for key in keys], dtype=object)
        for coder, own in decisions.items()
    })  # fmt: skip
    coders = list(ratings.columns)
    pairs = [ratings[[one, other]].dropna() for one, other in combinations(coders, 2)]
    alike = sum(int((pair.iloc[:, 0] == pair.iloc[:, 1]).sum()) for pair in pairs)
    prevalence = {coder: float((ratings[coder].dropna() != NONE).mean()) for coder in coders}
    kappa, reason = _estimate_kappa(ratings, [NONE, *members])
    alpha, interval = None, None
    try:
        alpha = krippendorffs_alpha(ratings, coders)
        interval = alpha.confidence_interval(rng=generator(seed, "alpha", name), n_resamples=RESAMPLES)
    except NotEstimable as error:
        reason = reason or str(error)
    share = alike / sum(map(len, pairs))
    return CodeAgreement(name, kind, len(keys), share, prevalence, kappa, alpha, interval, reason)


def _estimate_kappa(ratings: pd.DataFrame, categories: list[str]) -> tuple[Kappa | None, str]:
    """Return Cohen's kappa of two coders, Fleiss' of more; or None, and why."""
    coders, whole = list(ratings.columns), ratings.dropna()
    if whole.empty:
        return None, f"no message was coded by all {len(coders)} coders, so there is no kappa over all of them"
    constant = [coder for coder in coders if whole[coder].nunique() == 1]
    if len(coders) == 2 and len(constant) == 1:
        return None, f"{constant[0]} gave all messages the same answer, so kappa is 0 whatever the agreement"
    try:
        measure = cohens_kappa if len(coders) == 2 else fleiss_kappa
        return measure(whole, coders, categories=categories), ""
    except NotEstimable as error:
        return None, str(error)


def _count_confusions(
    members: tuple[str, ...],
    first: dict[tuple[int, int], CodedMessage],
    second: dict[tuple[int, int], CodedMessage],
) -> pd.DataFrame:
    """Return how often the first coder's code of a group (rows) met the second's (columns)."""
    names = [*members, NONE]
    both = [(_answer(first[key], members), _answer(second[key], members)) for key in first.keys() & second.keys()]
    met = Counter(both)
    rows = [[met[one, other] for other in names] for one in names]
    return pd.DataFrame(rows, index=pd.Index(names, name="first"), columns=pd.Index(names, name="second"))
