"""The rows of a question: design and counts, the values that are tested, and the cells that results.json holds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.questions.design import Design, count_design, design_of, standing
from negstats.analysis.questions.exclusions import RemainingRows, apply_exclusions
from negstats.analysis.questions.frames import Lazy, count, fetched, home, whole_units
from negstats.analysis.questions.linked import LinkedGames, is_key, link_games
from negstats.analysis.questions.quality import quality
from negstats.analysis.questions.selection import Selection, average_people, columns_of, keep_rows, select_rows
from negstats.analysis.rules import choose_rule
from negstats.errors import DesignError, UsageError
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import number
from negstats.stats.summaries.aggregation import Function, aggregate
from negstats.studies import Study
from negstats.studies.frames import frames_of_pandas

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Exclusion, Plan, Question


ANSWERS = ("ordered", "nominal")  # kinds of which each value is counted
NO_INTERVAL = "fewer than two values, or all equal"


@dataclass(frozen=True, slots=True)
class Cell:
    """What of a cell's values its entry is made of.

    Attributes
    ----------
    n : int
        Values.
    mean, sd : float
        NaN where there are none, or one.
    units : int
        Units that they are of.
    squares : float
        The sum over units of the square of their summed residuals; of related rows it gives the error of a mean.
    times : Mapping of float to int
        Of ordered and nominal answers, how often each occurs.
    """

    n: int
    mean: float
    sd: float
    units: int
    squares: float = float("nan")
    times: Mapping[float, int] = field(default_factory=dict)

    @property
    def error(self) -> float:
        """The error of the mean by unit."""
        return float(np.sqrt(self.squares * self.units / (self.units - 1))) / self.n


def combinations(design: Design) -> Iterator[dict[str, str]]:
    """Yield each combination of levels, in the plan's order."""
    for levels in itertools.product(*design.levels.values()):
        yield dict(zip(design.levels, levels, strict=True))


def entry(
    summary: Cell, design: Design, asked: Selection, confidence_level: float, scores: Sequence[float] = ()
) -> dict[str, Any]:
    """Return a cell as results.json holds it.

    Parameters
    ----------
    summary
        What its values are.
    design, asked
        The question's design and rows.
    confidence_level
        Of the intervals. Where rows of a unit are related these go by unit: the units' summed residuals give the error
        of a mean, and a share's interval is Wilson's at the size that has this error.
    scores
        Of ordered answers that are not words, which there are in any cell.
    """
    kind = asked.kind if design.features.kind == asked.kind else design.features.kind
    n, mean, of_rows = summary.n, summary.mean, design.features.of_rows
    words = {float(place): word for place, word in enumerate(asked.words, start=1)}
    if kind == "nominal":
        return {"n": n, "answers": {word: summary.times.get(place, 0) for place, word in words.items()}}
    ends = _share(summary, confidence_level, of_rows=of_rows) if kind == "yes/no" else _mean(summary, confidence_level)
    interval: dict[str, Any] = {"low": None, "high": None, "why": dict.fromkeys(("low", "high"), NO_INTERVAL)}
    if ends is not None:
        interval = {"low": number(ends[0]), "high": number(ends[1])}
    if kind == "yes/no":
        return {"n": n, "count": round(mean * n) if n else 0, "share": number(mean) if n else None, **interval}
    cell: dict[str, Any] = {"n": n, "mean": number(mean) if n else None, "sd": number(summary.sd), **interval}
    if kind == "ordered":
        names = words or {score: f"{score:g}" for score in scores}
        cell["answers"] = {word: summary.times.get(place, 0) for place, word in names.items()}
    return cell


def _mean(cell: Cell, confidence_level: float) -> tuple[float, float] | None:
    """Return the t interval of a mean; of related rows from the units' summed residuals."""
    if cell.units < 2:
        return None
    if cell.units == cell.n:
        if not cell.sd > 0:
            return None
        single_cell = stats.Cells.from_table(n=cell.n, mean=cell.mean, sd=cell.sd)
        ends = stats.one_sample_t(single_cell).confidence_interval(confidence_level)
        return float(ends.low), float(ends.high)
    reach = float(quantile(confidence_level, cell.units - 1)) * cell.error
    return (cell.mean - reach, cell.mean + reach) if cell.error > 0 else None


def _share(cell: Cell, confidence_level: float, *, of_rows: bool) -> tuple[float, float] | None:
    """Return Wilson's interval of a share; of related rows at the size that has the error by unit."""
    n, share = cell.n, cell.mean
    if not n:
        return None
    if not of_rows:
        ends = stats.proportion(round(share * n), n).confidence_interval(confidence_level)
        return float(ends.low), float(ends.high)
    error = cell.error if cell.units > 1 else 0.0
    if not error > 0:
        return None
    from negstats.stats.counts.proportions import wilson  # a description of a study needs no interval

    size = share * (1 - share) / error**2
    critical = float(quantile(confidence_level, cell.units - 1))
    low, high = wilson(np.asarray(share * size), np.asarray(size), critical)
    return float(low), float(high)


BY_INTERCEPT = ("mixed", "dyad")  # tests that take what is alike in a unit for one number that its rows share
PAIR, FEWEST_PAIRS = 2, 3  # seats of a game with a partner, and pairs of a correlation


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows there are, lack a value, lack a number beside it, and were averaged to how many values."""

    rows: int
    missing: int
    lacking: int
    averaged: int


def double_entry_r(rows: pd.DataFrame, name: str) -> float | None:
    """Return Pearson's r of each value with the partner's, every pair entered in both orders; None of constants.

    Griffin and Gonzalez (1995), Psychological Bulletin, 118(3).

    Examples
    --------
    >>> rows = pd.DataFrame({"game_id": [1, 1, 2, 2, 3, 3], "points": [5, 1, 4, 2, 3, 3]})
    >>> round(double_entry_r(rows, "points"), 2)
    -1.0
    """
    values = rows.groupby("game_id", sort=False)[name].agg(["first", "last", "count"]).astype(float)
    first, second = values.loc[values["count"] == PAIR, ["first", "last"]].to_numpy().T
    own, partners = np.concatenate([first, second]), np.concatenate([second, first])
    if len(first) < FEWEST_PAIRS or own.min() == own.max():
        return None
    return number(np.corrcoef(own, partners)[0, 1])


def designed(selection: Selection, question: Question) -> Design:
    """Return the design of a question's rows, looked at blind or not."""
    counts = count_design(
        selection.frame, selection.levels, selection.kind, columns_of(question), question.with_, selection.within
    )
    return design_of(
        counts,
        selection.levels,
        selection.kind,
        what=selection.what,
        numbers=question.with_,
        covariates=question.covariates,
        asked=question.sought,
        seats=selection.seats,
        competing=selection.competing,
        items=bool(selection.items),
        test=question.test,
        of_people=selection.came is not None,
    )


def of_people(selection: Selection, question: Question, study: Study) -> tuple[Selection, Design]:
    """Return a selection whose rows a model may take that has an intercept for each unit, and its design.

    Where units hold several rows of a person at one level, these are averaged.

    Left as they are: rows of which each unit's mean is tested, rows for equations and correlations whose errors go by
    unit, whatever is alike in it, and decisions and counts where the unit is a person, which the intercept stands for.
    """
    design = designed(selection, question)
    is_person = selection.what == "participant" and selection.kind != "interval"
    if design.features.items or is_person:
        return selection, design
    try:
        test = choose_rule(design.features, question.test).rule.test
    except (DesignError, UsageError):  # the design or the test that is named is refused, where the question is answered
        return selection, design
    averaged = average_people(selection, question, study) if test in BY_INTERCEPT else selection
    return (selection, design) if averaged is selection else (averaged, designed(averaged, question))


@dataclass(frozen=True, eq=False)
class QuestionData:
    """The rows of a question.

    Attributes
    ----------
    asked : Selection
    design : Design
    data : narwhals.LazyFrame
        One row a unit and level: ``unit``, ``value``, and the columns of factors and numbers.
    lost : RowCounts
    study : Study
        Keeps what is needed more than once: the study, or one in memory where the question's rows came home.
    columns : Mapping of str to str
        The column of each factor and number.
    most : int
        Rows that may be brought home; where a question has more, the tests and figures that need them are refused.
    """

    asked: Selection
    design: Design
    data: Lazy
    lost: RowCounts
    study: Study
    columns: Mapping[str, str]
    most: int

    @classmethod
    def of(
        cls, remaining: RemainingRows, plan: Plan, question: Question, linked: LinkedGames | None, most: int
    ) -> QuestionData:
        """Return the rows of a question with its design; errors as of `select_rows`."""
        selection, columns = select_rows(remaining, plan, question, linked), columns_of(question)
        study = remaining.study
        if not study.in_memory and count(selection.frame) <= most:  # few: what follows needs no engine
            selection = replace(selection, frame=study.bring_home(selection.frame))
            study = Study.of_frames(frames_of_pandas({}), study.provenance)
        else:
            selection = keep_rows(selection, study)
        counted_rows = selection.frame
        selection, design = of_people(selection, question, study)
        numbers = [columns[name] for name in dict.fromkeys((*question.with_, *question.covariates))]
        keys = [columns[name] for name in selection.levels]
        frame: Lazy = selection.frame
        whole = frame.drop_nulls(["value", *numbers])
        rows = home(counted_rows.select(nw.len().alias("rows"), nw.col("value").count().alias("held")))
        all_rows, n_with_value = int(rows["rows"].iloc[0]), int(rows["held"].iloc[0])
        if all_rows == design.units:  # each row is a unit's only one, and its own mean
            columns_of_unit = (nw.col(name).cast(nw.Float64) for name in ("value", *numbers))
            means = whole.select("unit", *keys, *columns_of_unit)
        else:
            means_of: dict[str, tuple[str, Function]] = {name: (name, "mean") for name in ("value", *numbers)}
            means = aggregate(whole, ["unit", *keys], **means_of)
        data = study.keep(study.in_order(means, ["unit", *keys]))
        complete = count(counted_rows.drop_nulls(["value", *numbers])) if numbers else n_with_value
        n_averaged = count(data) if selection.came is None else count(whole)
        row_counts = RowCounts(all_rows, all_rows - n_with_value, n_with_value - complete, n_averaged)
        return cls(selection, design, data, row_counts, study, columns, most)

    def cells(self, confidence_level: float) -> list[dict[str, Any]]:
        """Return the cells as results.json holds them."""
        of_rows = self.design.features.of_rows
        rows = self.asked.frame.filter(~nw.col("value").is_null()) if of_rows else self._select_tested()
        names = list(self.design.levels)
        by_level = _compute_cells(rows, [self.columns[name] for name in names], of_rows=of_rows)
        times: dict[tuple[str, ...], dict[float, int]] = {}
        scores: list[float] = []
        if self.asked.kind in ANSWERS:
            answer_counts = rows.group_by(*(self.columns[name] for name in names), "value").agg(nw.len().alias("n"))
            for *key, value, n in home(answer_counts).itertuples(index=False):
                times.setdefault(tuple(key), {})[float(value)] = int(n)
            if self.asked.kind == "ordered" and not self.asked.words:
                answers = home(self.asked.frame.select("value").drop_nulls().unique())["value"]
                scores = sorted(map(float, answers))
        entries = []
        for levels in combinations(self.design):
            where = tuple(levels.values())
            cell = replace(by_level.get(where, Cell(0, float("nan"), float("nan"), 0)), times=times.get(where, {}))
            entries.append({"levels": levels, **entry(cell, self.design, self.asked, confidence_level, scores)})
        return entries

    def at_levels(self, name: str) -> dict[str, int]:
        """Return how many units that are tested have a value at each level of a factor."""
        tested = self._select_tested()
        pairs = tested if self._has_one_row_each else tested.select("unit", self.columns[name]).unique()
        unit_counts = home(pairs.group_by(self.columns[name]).agg(nw.len().alias("n")))
        units = dict(zip(unit_counts[self.columns[name]], unit_counts["n"], strict=True))
        return {level: int(units.get(level, 0)) for level in self.design.levels[name]}

    def standing(self, name: str, few: int) -> tuple[int, int, list[str]]:
        """Return how many units stand at several levels of a factor, how many there are, and the first few of these."""
        n_units_within, n_units = standing(self.asked.frame, self.columns[name])
        level_counts = (
            self.asked.frame.select("unit", self.columns[name]).unique().group_by("unit").agg(nw.len().alias("n"))
        )
        first = home(level_counts.filter(nw.col("n") > 1).select("unit").sort("unit").head(few))
        return n_units_within, n_units, [str(unit) for unit in first["unit"]]

    @property
    def units(self) -> int:
        """How many units are tested."""
        tested = self._select_tested()
        return count(tested if self._has_one_row_each else tested.select("unit").unique())

    @property
    def with_value(self) -> int:
        """How many units have a value with all that stands beside it, at any level."""
        return count(self.data if self._has_one_row_each else self.data.select("unit").unique())

    @property
    def _has_one_row_each(self) -> bool:
        """Whether a unit has one value: no factor differs within it."""
        return all(place == "between" for place in self.design.factors.values())

    @property
    def games(self) -> int:
        """How many games have a row whose unit is tested."""
        own = {"unit", "value", *(self.columns[name] for name in self.design.levels)}
        numbers = [name for name in self.data.collect_schema().names() if name not in own]
        came = self.asked.frame if self.asked.came is None else self.asked.came
        whole: Lazy = came.drop_nulls(["value", *numbers])
        if self.tests_whole_units:  # else every unit that has a value is tested
            whole = whole.join(self._select_tested().select("unit").unique(), on="unit", how="semi")
        return count(whole.select("game_id").unique())

    def variables(self, question: Question) -> list[dict[str, Any]]:
        """Return n, mean, SD and range of the outcome and of each number, of the rows that have all of them.

        Where two people play each game, ``partner_r`` is the association between them.
        """
        pairs = self._pairs() if self.asked.row == "seat" else None
        numbers = {name: self.columns[name] for name in dict.fromkeys((*question.with_, *question.covariates))}
        frame: Lazy = self.asked.frame.drop_nulls(["value", *numbers.values()])
        entries = []
        for name, column in {"": "value", **numbers}.items():
            value = nw.col(column).cast(nw.Float64)
            row = home(frame.select(
                nw.len().alias("n"), value.mean().alias("mean"), value.std(ddof=1).alias("sd"),
                value.min().alias("low"), value.max().alias("high"),
            )).iloc[0]  # fmt: skip
            entries.append({"name": name, "n": int(row["n"])})
            entries[-1] |= {
                key: None if row[key] is None else number(float(row[key])) for key in ("mean", "sd", "low", "high")
            }
            r = None if pairs is None else double_entry_r(pairs, name or "value")
            entries[-1] |= {} if r is None else {"partner_r": r}
        return entries

    def _pairs(self) -> pd.DataFrame | None:
        """Return the rows of games of two at most; None where all have one, one has more, or rows stay with an engine.

        Whether anybody has a partner is asked first, so that a million people who play alone are not brought home.
        """
        frame: Lazy = self.asked.frame
        if not {"game_id", "player"} <= set(frame.collect_schema().names()) or is_key(self.study, frame, "game_id"):
            return None
        rows = self.rows()
        if rows is None or rows["game_id"].is_unique:
            return None
        sizes = rows.groupby("game_id", sort=False)["player"].agg(["size", "nunique"])
        is_pair = (sizes["size"] == sizes["nunique"]) & (sizes["size"] <= PAIR)
        return rows if is_pair.all() else None

    @property
    def missing(self) -> tuple[int, int]:
        """How many rows lack a value, of how many."""
        return self.lost.missing, self.lost.rows

    def rows(self) -> pd.DataFrame | None:
        """Return the rows that came, by the plan's names; None where they stay with an engine."""
        return self._in_order(self._bring_home(self.asked.frame))

    def values(self) -> pd.DataFrame | None:
        """Return one row a unit and level, by the plan's names; None where they stay with an engine."""
        return self._in_order(self._values)

    @cached_property
    def _values(self) -> pd.DataFrame | None:
        return self._bring_home(self.data)

    def _in_order(self, frame: pd.DataFrame | None) -> pd.DataFrame | None:
        """Return a frame whose factors are categories in the plan's order."""
        if frame is None:
            return None
        return frame.assign(**{name: pd.Categorical(frame[name], categories=list(levels))
                               for name, levels in self.design.levels.items()})  # fmt: skip

    def _bring_home(self, frame: Lazy) -> pd.DataFrame | None:
        return None if count(frame) > self.most else fetched(frame, self.columns)

    def drawn(self, question: Question) -> pd.DataFrame | None:
        """Return what a figure draws, if so many rows may be brought home."""
        names = list(self.design.levels)
        values: pd.DataFrame | None
        if self.design.features.inside or self.asked.kind == "time":
            numbers = dict.fromkeys((*question.with_, *question.covariates))
            columns = ["unit", *(self.columns[name] for name in (*names, *numbers)), "value"]
            time = self.asked.kind == "time"
            rows: Lazy = self.asked.frame.select(*columns, *(["ended"] if time else []))
            values = self._bring_home(rows.drop_nulls(["value"] if time else columns))
        else:
            values = self._values
        if values is None:
            return None
        return values.rename(columns={"value": "time"}) if self.asked.kind == "time" else values

    @property
    def tests_whole_units(self) -> bool:
        """Whether a unit is tested only if it lacks no level of the factors within units."""
        features = self.design.features
        return "within" in self.design.factors.values() and not features.of_rows and not features.incomplete

    def _select_tested(self) -> Lazy:
        """Return the values that are tested: where factors lie within units, those of units that lack no level."""
        levels_within = {
            name: level_names
            for name, level_names in self.design.levels.items()
            if self.design.factors[name] == "within"
        }
        if not self.tests_whole_units:
            return self.data
        return self.data.join(
            whole_units(self.data, self.columns, levels_within, ()).select("unit"), on="unit", how="semi"
        )


def _compute_cells(rows: Lazy, keys: list[str], *, of_rows: bool) -> dict[tuple[str, ...], Cell]:
    """Return the cell at each combination of levels that has rows."""
    value = nw.col("value")
    all_rows = rows.with_columns(nw.lit("all").alias("all"))
    groups = keys or ["all"]
    of_cells: dict[str, tuple[str, Function]] = {
        "n": ("value", "len"), "mean": ("value", "mean"), "sd": ("value", "std"), "low": ("value", "min"),
        "high": ("value", "max"),
    }  # fmt: skip
    # What every cell has of its values.
    summary = home(aggregate(all_rows, groups, **of_cells))
    # Of rows in units, also the squared sums of residuals by unit, from which a standard error by unit follows.
    squares: dict[tuple[str, ...], tuple[int, float]] = {}
    if of_rows:
        means = aggregate(all_rows, groups, mean=("value", "mean"))
        rest = all_rows.join(means, on=groups).with_columns((value - nw.col("mean")).alias("rest"))
        sums = aggregate(rest, [*groups, "unit"], rest=("rest", "sum"))
        square = nw.col("rest") * nw.col("rest")
        sums = sums.with_columns(square.alias("square"))
        by_unit = aggregate(sums, groups, units=("square", "len"), square=("square", "sum"))
        for *key, units, sum_ in home(by_unit).itertuples(index=False):
            squares[tuple(key) if keys else ()] = (int(units), float(sum_))
    # Equal values have no spread, which rounding must not give them.
    cells = {}
    for *key, n, mean, sd, low, high in summary[[*groups, "n", "mean", "sd", "low", "high"]].itertuples(index=False):
        place = tuple(key) if keys else ()
        units, sum_ = squares.get(place, (int(n), float("nan")))
        spread = float("nan") if n < 2 else float(sd) if high > low else 0.0
        cells[place] = Cell(int(n), float(mean), spread, units, sum_)
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class PreparedStudy:
    """A study without what a plan leaves out, as `negstats.analysis.run` looks at it."""

    remaining: RemainingRows
    most: int

    @classmethod
    def of(cls, study: Study, rules: Sequence[Exclusion], most: int) -> PreparedStudy:
        """Leave out what rules say."""
        return cls(apply_exclusions(study, rules), most)

    def linked(self, plan: Plan) -> LinkedGames:
        """Return the unit of each game."""
        return link_games(self.remaining.study, plan.data.unit)

    def read_values(self, plan: Plan, question: Question, linked: LinkedGames | None) -> QuestionData:
        """Return the rows of a question."""
        return QuestionData.of(self.remaining, plan, question, linked, self.most)

    def units(self, linked: LinkedGames) -> int:
        """Return how many units the games are of."""
        return int(home(linked.games.select(nw.col("unit").n_unique()))["unit"].iloc[0])

    @property
    def games(self) -> int:
        """How many games are left."""
        return self.remaining.study.rows("games")

    @property
    def ends(self) -> dict[str, int]:
        """How many of the games that are left ended in each way."""
        end_counts = home(self.remaining.study.frame("games").group_by("ended").agg(nw.len().alias("n"))).dropna()
        ends = {str(end): int(n) for end, n in end_counts[["ended", "n"]].itertuples(index=False)}
        return dict(sorted(ends.items(), key=lambda ending: (-ending[1], ending[0])))

    @property
    def people(self) -> int:
        """How many people are left, as far as they are known."""
        players = self.remaining.study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
        if self.remaining.seats is not None:
            players = players.join(self.remaining.seats, on=["game_id", "player"], how="semi")
        ids = players.select("participant_id").drop_nulls()
        return int(home(ids.select(nw.col("participant_id").n_unique().alias("people")))["people"].fillna(0).iloc[0])

    def quality(self, missing: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
        """Return what was looked for in the data, and found; of outcomes by name, values missing and rows."""
        return quality(self.remaining.study, missing)
