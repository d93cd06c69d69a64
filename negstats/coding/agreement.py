"""Agreement of coders, code by code: kappa, alpha, share of agreement, prevalence; confusion of exclusive codes.

A code is a yes or no about each message that two coders or more have coded. Where codes exclude each other, their group
is one question with several answers, and its confusion matrix tells which are taken for which.

Messages of one talk are not independent of each other: a coder who misreads one tends to misread the next. From five
talks on, intervals are therefore the jackknife's over whole talks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.coding.assignment import Talks, generator
from negstats.coding.codebook import NONE, Codebook
from negstats.coding.coded_file import CodedFile, CodedMessage, check_together
from negstats.errors import NotEstimable
from negstats.stats import Kappa, KrippendorffAlpha, cohens_kappa, fleiss_kappa, krippendorffs_alpha
from negstats.stats.agreement.ratings import ClusterJackknife, Measure, cluster_jackknife
from negstats.stats.results.result import Interval, with_schema
from negstats.studies.provenance import CodeReliability

RESAMPLES = 1999
LEAST_TALKS = 5  # with fewer, an interval over talks is too wide to say anything


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
        Over whole talks where there are five or more, else a bootstrap over messages.
    reason : str
        Why there is no kappa, alpha or interval; empty where there are all.
    by_talk : bool
        Whether intervals are over whole talks; else they take messages for independent of each other.
    kappa_without : ClusterJackknife or None
        Kappa without each talk in turn, from which its interval over talks follows; None where it cannot be told.
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
    by_talk: bool = False
    kappa_without: ClusterJackknife | None = None

    def kappa_interval(self, confidence_level: float = 0.95) -> Interval | None:
        """Return the interval of kappa: over whole talks where there are five or more, else over messages.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval or None
            Its two ends, from -1 to 1; None where it cannot be told.
        """
        source = self.kappa_without if self.by_talk else self.kappa
        if source is None:
            return None
        ends = source.confidence_interval(confidence_level)
        return replace(ends, low=max(-1.0, float(ends.low)), high=min(1.0, float(ends.high)))

    def record(self, confidence_level: float = 0.95) -> CodeReliability:
        """Return what a study's provenance keeps of it.

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
        low, high = _read_ends(self.kappa_interval(confidence_level))
        alpha_low, alpha_high = _read_ends(self.alpha_interval)
        kappa = None if self.kappa is None else self.kappa.estimate
        alpha = None if self.alpha is None else self.alpha.estimate
        prevalence = float(np.mean(list(self.prevalence.values())))
        return CodeReliability(
            self.code, self.kind, self.n, self.agreement, prevalence, kappa, low, high, alpha, alpha_low, alpha_high,
            "talks" if self.by_talk else "messages",
        )  # fmt: skip


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

    @property
    def by_talk(self) -> bool:
        """Whether intervals are over whole talks; with fewer than five talks they take messages for independent."""
        return self.talks >= LEAST_TALKS

    def to_frame(self) -> pd.DataFrame:
        """Return one row a code or group, unrounded.

        Returns
        -------
        DataFrame
            The fields of ``CodeReliability``, each coder's share of messages with the code (``prevalence_`` and the
            coder's name), and ``reason``: why there is no kappa, alpha or interval. What cannot be told is missing.
        """
        rows = []
        for code in self.codes:
            record = code.record()
            row = {name: getattr(record, name) for name in CodeReliability.__dataclass_fields__}
            rows.append(row | {f"prevalence_{coder}": share for coder, share in code.prevalence.items()})
        frame = pd.DataFrame(rows)
        numbers = ["kappa", "kappa_low", "kappa_high", "alpha", "alpha_low", "alpha_high"]
        frame = frame.astype(dict.fromkeys(numbers, "float64")).assign(reason=[code.reason for code in self.codes])
        return with_schema(frame, "Agreement/1")


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
        Of the bootstrap of alpha over messages, where there are fewer than five talks.
    codebook
        That which all must have been coded with, if it is to be checked.

    Returns
    -------
    Agreement
        Kappa, alpha, agreement and prevalence by code, and the confusion of codes that exclude each other. Intervals
        are over whole talks where there are five or more.

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
    >>> round(agreement.codes[0].kappa.estimate, 2), str(agreement.codes[0].kappa_interval())
    (0.9, '95% CI [0.26, 0.99]')
    """
    check_together(files, talks, codebook)
    book = files[0].codebook
    decisions = {file.coder: file.decisions for file in files}
    keys = select_double(files)
    if not keys:
        raise NotEstimable(
            "no message was coded by two coders; agreement needs messages that both coded (--shared of `negstats code`)"
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
        {file.coder: file.assigned for file in files},
        len({talk for talk, _ in keys}),
        len(keys),
        (*codes, *groups),
        confusions,
        tuple(find_differences(files)),
    )


def select_double(files: Sequence[CodedFile]) -> list[tuple[int, int]]:
    """Return the messages that two coders or more coded, in order of talk and message."""
    times = Counter(key for file in files for key in file.decisions)
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
    for file in files:
        for key, own in file.decisions.items():
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
    pairs = [ratings[[coder, partner]].dropna() for coder, partner in combinations(coders, 2)]
    n_same = sum(int((pair.iloc[:, 0] == pair.iloc[:, 1]).sum()) for pair in pairs)
    prevalence = {coder: float((ratings[coder].dropna() != NONE).mean()) for coder in coders}
    kappa, reason = _estimate_kappa(ratings, [NONE, *members])
    alpha, interval, without = None, None, None
    by_talk = len({talk for talk, _ in keys}) >= LEAST_TALKS
    try:
        alpha = krippendorffs_alpha(ratings, coders)
        if by_talk:
            answers = _count_answers(ratings, keys)
            if kappa is not None:
                measure: Measure = "cohen" if len(coders) == 2 else "fleiss"
                without = cluster_jackknife(*answers, measure)
            interval = cluster_jackknife(*answers, "alpha").confidence_interval()
        else:
            interval = alpha.confidence_interval(rng=generator(seed, "alpha", name), n_resamples=RESAMPLES)
    except NotEstimable as error:
        reason = reason or str(error).replace("raters", "coders").replace("cluster", "talk")
    share = n_same / sum(map(len, pairs))
    return CodeAgreement(name, kind, len(keys), share, prevalence, kappa, alpha, interval, reason, by_talk, without)


def _count_answers(
    ratings: pd.DataFrame, keys: list[tuple[int, int]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the answers as numbers, -1 where there is none, and the number of each message's talk."""
    codes, _ = pd.factorize(ratings.to_numpy().ravel())
    talks = np.array([talk for talk, _ in keys], dtype=np.int64)
    return np.asarray(codes, dtype=np.int64).reshape(ratings.shape), talks


def _read_ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (float(interval.low), float(interval.high))


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
    pairs = [(_answer(first[key], members), _answer(second[key], members)) for key in first.keys() & second.keys()]
    met = Counter(pairs)
    rows = [[met[name, other] for other in names] for name in names]
    return pd.DataFrame(rows, index=pd.Index(names, name="first"), columns=pd.Index(names, name="second"))
