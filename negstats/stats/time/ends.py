"""`SurvivalData`: how many units ended at each time, by group and by kind of end; the summary of every test of time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.results.numbers import FloatArray, settled
from negstats.stats.summaries import Factor
from negstats.stats.summaries.coerce import as_frame
from negstats.stats.summaries.frames import IntArray, check_columns, coded_factor, level_codes, numbers

CENSORED = "censored"
# How often a combination of values occurs, where an engine counted them.
TIMES = "__times"

Names = str | int | np.integer[Any] | Sequence[str] | Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalData:
    """Counts of units that ended at each time: the summary that survival, incidence and their tests need.

    Attributes
    ----------
    time : ndarray, shape (times,)
        The distinct times, ascending.
    n : ndarray, shape (strata, groups, times, kinds)
        Units that ended there.
    kinds : tuple of str
        "censored", the event, then the ends that compete with it.
    group, stratum : Factor
        One level without a name where there is none.
    place, cluster : ndarray of int, or None
        Of each distinct combination of n's place and a cluster: the flat place in `n`, and the cluster.
    times : ndarray or None
        How many rows each of these has.
    missing : int
        Rows that lacked a value.

    Examples
    --------
    >>> games = {"rounds": [3, 5, 5, 8], "ended": ["agreement", "walkaway", "agreement", "timeout"]}
    >>> ends = SurvivalData.of(games, "rounds", "ended", "agreement", "timeout")
    >>> ends.kinds, ends.n[0, 0].tolist()
    (('censored', 'agreement', 'walkaway'), [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    """

    time: FloatArray
    n: FloatArray
    kinds: tuple[str, ...]
    group: Factor
    stratum: Factor
    place: IntArray | None
    cluster: IntArray | None
    times: FloatArray | None
    missing: int

    @property
    def event(self) -> str:
        """What the event is called."""
        return self.kinds[1]

    @property
    def clusters(self) -> int:
        """How many clusters; 0 without any."""
        return 0 if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many units each group has."""
        return tuple(int(size) for size in self.n.sum(axis=(0, 2, 3)))

    @property
    def at_risk(self) -> FloatArray:
        """Units that had not ended before each time, shape (strata, groups, times)."""
        return np.asarray(self.n.sum(axis=-1)[..., ::-1].cumsum(axis=-1)[..., ::-1])

    @property
    def competing(self) -> int:
        """How many units ended otherwise than by the event, and were not censored."""
        return int(self.n[..., 2:].sum())

    @property
    def one_cause(self) -> SurvivalData:
        """The same with competing ends taken as censored."""
        n = np.stack([self.n[..., 0] + self.n[..., 2:].sum(axis=-1), self.n[..., 1]], axis=-1)
        positions = self.place
        if positions is not None:
            end_code = positions % len(self.kinds)
            positions = positions // len(self.kinds) * 2 + (end_code == 1)
        return replace(self, n=n, kinds=self.kinds[:2], place=positions)

    @property
    def unstratified(self) -> SurvivalData:
        """The same with the strata taken together."""
        if len(self.stratum) == 1:
            return self
        n, positions = self.n.sum(axis=0, keepdims=True), self.place
        if positions is not None:
            positions = positions % n.size
        return replace(self, n=n, stratum=Factor("", ("",)), place=positions)

    def only(self, groups: Sequence[int]) -> SurvivalData:
        """Return some of the groups.

        Parameters
        ----------
        groups
            Places of the groups, counted from 0.

        Returns
        -------
        SurvivalData
            The same counts, of these groups in this order.
        """
        n = self.n[:, groups]
        factor = Factor(self.group.name, tuple(self.group.levels[code] for code in groups))
        positions, cluster, times = self.place, self.cluster, self.times
        if positions is not None and cluster is not None and times is not None:
            indices = list(np.unravel_index(positions, self.n.shape))
            new_code = np.full(len(self.group), -1)
            new_code[list(groups)] = np.arange(len(groups))
            indices[1] = new_code[indices[1]]
            in_groups = indices[1] >= 0
            positions = np.ravel_multi_index(tuple(axis[in_groups] for axis in indices), n.shape)
            cluster, times = np.unique(cluster[in_groups], return_inverse=True)[1], times[in_groups]
        return replace(self, n=n, group=factor, place=positions, cluster=cluster, times=times)

    def cause(self, event: str) -> SurvivalData:
        """Return the same with another of the ends as the event.

        Parameters
        ----------
        event
            The end that becomes the event, as the data name it.

        Returns
        -------
        SurvivalData
            The same counts; the former event competes with the new one.
        """
        if event not in self.kinds[1:]:
            raise DesignError(f"no unit ended with {shown(event)}; {meant(event, self.kinds[1:], 'units ended with')}")
        event_code = self.kinds.index(event)
        order = [0, event_code, *(code for code in range(1, len(self.kinds)) if code != event_code)]
        positions = self.place
        if positions is not None:
            new_code = np.argsort(order)
            positions = positions // len(order) * len(order) + new_code[positions % len(order)]
        kinds = tuple(self.kinds[code] for code in order)
        return replace(self, n=self.n[..., order], kinds=kinds, place=positions)

    @classmethod
    def of(
        cls,
        data: Any,
        time: str,
        ended: str,
        event: Names | None = None,
        censored: Names = (),
        *,
        by: str | None = None,
        strata: str | None = None,
        cluster: str | None = None,
    ) -> SurvivalData:
        """Count the ends of a frame of any engine, or of arrays by name, with one row a unit.

        Parameters
        ----------
        data
            A frame of any engine, or arrays by name; counted ends are returned as they are.
        time, ended
            When each unit ended or was last seen, and how.
        event, censored
            The levels of `ended` that are the event, and those that only say that watching stopped. All others compete
            with the event. Not needed where `ended` holds truth values: true is the event, false is censored.
        by, strata, cluster
            Columns of the group, the stratum, and of what makes rows dependent (the game, the pair, the person).

        Raises
        ------
        DesignError
            If a column is not there or named twice, a time is negative or no number, or `event` is not among the ends.
        NotEstimable
            If no row is complete.
        """
        if isinstance(data, cls):
            return data
        columns = {"by": by, "strata": strata, "cluster": cluster}
        extra = [name for name in columns.values() if name is not None]
        frame, times = _reduced(data, [time, ended, *extra])
        end_times = numbers(frame[time], time)
        codes, kinds = kinds_of(frame[ended], ended, listed(event), listed(censored))
        codes_by_column = {name: level_codes(frame[name]) for name in extra}
        is_complete = ~np.isnan(end_times) & (codes >= 0)
        for code, _, _ in codes_by_column.values():
            is_complete &= np.asarray(code) >= 0
        missing = int(times[~is_complete].sum())
        if not is_complete.any():
            raise NotEstimable(f"no row has a value in every column of {', '.join([time, ended, *extra])}")
        if (end_times[is_complete] < 0).any():
            raise DesignError(f"{time!r} is {end_times[is_complete].min():g} in a row; times are counted from 0")
        distinct, time_codes = _code_times(end_times[is_complete])
        factors, codes_by_role = {}, {}
        for role, name in columns.items():
            coded = None if name is None else codes_by_column[name]
            factors[role], codes_by_role[role] = _code_factor(name, coded, is_complete)
        shape = (len(factors["strata"]), len(factors["by"]), len(distinct), len(kinds))
        cell_codes = np.ravel_multi_index(
            (codes_by_role["strata"], codes_by_role["by"], time_codes, codes[is_complete]), shape
        )
        n = np.asarray(np.bincount(cell_codes, times[is_complete], int(np.prod(shape))), dtype=np.float64).reshape(
            shape
        )
        is_clustered = cluster is not None
        return cls(
            time=distinct,
            n=n,
            kinds=kinds,
            group=factors["by"],
            stratum=factors["strata"],
            place=cell_codes if is_clustered else None,
            cluster=np.asarray(codes_by_role["cluster"], dtype=np.intp) if is_clustered else None,
            times=times[is_complete] if is_clustered else None,
            missing=missing,
        )


def _code_times(end_times: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct times, and each unit's place among them; times that differ by rounding alone are one."""
    distinct, time_codes = np.unique(end_times, return_inverse=True)
    codes_of_ties = settled(distinct)
    return distinct[np.flatnonzero(np.diff(codes_of_ties, prepend=-1))], codes_of_ties[time_codes]


def listed(names: Names | None) -> list[str] | None:
    """Return one name or several as a list of text."""
    if names is None:
        return None
    return [str(names)] if isinstance(names, str | int | np.integer) else [str(name) for name in names]


def _reduced(data: Any, columns: list[str]) -> tuple[pd.DataFrame, FloatArray]:
    """Return the distinct rows of the columns and how often each occurs; engines other than pandas count themselves."""
    if isinstance(data, pd.DataFrame | Mapping):
        frame = as_frame(data, columns, "time, ended, by, strata and cluster")
        return frame, np.ones(len(frame))
    check_columns(data, columns, "time, ended, by, strata and cluster")
    counts_of_rows = nw.from_native(data).lazy().group_by(columns).agg(nw.len().alias(TIMES)).sort(columns)
    frame = counts_of_rows.collect(backend="pandas").to_pandas()
    return frame[columns], frame[TIMES].to_numpy(dtype=np.float64)


def _code_factor(
    name: str | None, coded: tuple[Any, Sequence[Any], bool] | None, is_complete: npt.NDArray[np.bool_]
) -> tuple[Factor, npt.NDArray[np.intp]]:
    """Return the factor of a column and the level of each complete row; without a column, one level for all."""
    if name is None or coded is None:
        return Factor("", ("",)), np.zeros(int(is_complete.sum()), dtype=np.intp)
    code, levels, is_ordered = coded
    return coded_factor(name, np.asarray(code)[is_complete], levels, is_ordered)


def kinds_of(
    values: pd.Series, name: str, event: list[str] | None, censored: list[str] | None
) -> tuple[IntArray, tuple[str, ...]]:
    """Return the kind of each row's end, −1 where it is missing, and the kinds' names."""
    code, levels, _ = level_codes(values)
    code = np.asarray(code, dtype=np.intp)
    if event is None:
        if set(levels) <= {0, 1}:
            kind_codes = np.array([*(int(level) for level in levels), -1])
            return kind_codes[code], (CENSORED, name)
        raise DesignError(
            f"{name!r} holds {', '.join(shown(level, 20) for level in levels[:6])}; say with event= which is the event "
            "and with censored= which only say that watching stopped"
        )
    level_names = [str(level) for level in levels]
    for event_name in event:
        if event_name not in level_names:
            raise DesignError(
                f"no unit ended with {shown(event_name)}; {meant(event_name, level_names, f'{name!r} holds')}"
            )
    in_both = set(event) & set(censored or ())
    if in_both or not event:
        raise DesignError(f"event is {shown(event)} and censored {shown(censored)}; an end is one or the other")
    competing = [level for level in level_names if level not in event and level not in (censored or ())]
    kinds = (CENSORED, " or ".join(event), *competing)
    kind_codes = np.array([*_kind_codes(level_names, event, competing), -1], dtype=np.intp)
    return kind_codes[code], kinds


def _kind_codes(levels: Iterable[str], event: list[str], competing: list[str]) -> list[int]:
    return [1 if level in event else 2 + competing.index(level) if level in competing else 0 for level in levels]
