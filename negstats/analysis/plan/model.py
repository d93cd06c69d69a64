"""A plan as data: what a study asks, written down before it is answered.

Each class is one table of ``plan.toml`` and each attribute one field of it, with the default that stands there. What is
a set in a plan (its order means nothing) is a sorted tuple, what is a list a tuple in the plan's order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

_SEAT = ("role", "kind", "agent")

Scalar: TypeAlias = str | int | float | bool
Kind: TypeAlias = Literal["interval", "yes/no", "count", "ordered", "nominal", "time"]
Relation: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "missing", "missing in all", "repeated"]
Takes: TypeAlias = Literal["row", "person", "game"]

KINDS: tuple[Kind, ...] = ("interval", "yes/no", "count", "ordered", "nominal", "time")
OF_GAMES: tuple[Relation, ...] = ("missing in all", "repeated")
WITHOUT_VALUE: tuple[Relation, ...] = ("missing", *OF_GAMES)
RELATIONS: tuple[Relation, ...] = ("=", "!=", "<", "<=", ">", ">=", "in", "not in", *WITHOUT_VALUE)
GAME_ID = "games.game_id"  # the column of "repeated"
CORRECTIONS = ("holm", "bonferroni", "hochberg", "hommel", "bh", "by", "none")


def default_column(factor: str) -> str:
    """Return the column of a factor that names none: of the games, but for what tells seats apart.

    Examples
    --------
    >>> default_column("condition"), default_column("role")
    ('games.condition', 'players.role')
    """
    return f"{'players' if factor in _SEAT else 'games'}.{factor}"


def default_takes(column: str, relation: Relation = "=") -> Takes:
    """Return what a rule on a column takes, where it does not say.

    Examples
    --------
    >>> default_takes("answers.age"), default_takes("games.session")
    ('person', 'row')
    """
    if relation in OF_GAMES:
        return "game"
    return "person" if column.startswith("answers.") else "row"


@dataclass(frozen=True, slots=True)
class Data:
    """Where the data are and what an independent unit is.

    Attributes
    ----------
    path : str or None
        Study, folder or file of logs, relative to the plan. It is not part of the plan's meaning.
    mapping : str or None
        The mapping file, relative to the plan.
    unit : {"independent", "game"}
        "game" takes games for independent of each other, though people play several.
    mapped : Mapping or None
        What the mapping file says, which is what is registered of it.
    cite : str
        The reference of the data, as APA writes it. It is not part of the plan's meaning.
    """

    path: str | None = None
    mapping: str | None = None
    unit: Literal["independent", "game"] = "independent"
    mapped: Mapping[str, Any] | None = None
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rule that leaves rows out.

    Attributes
    ----------
    column : str
        ``table.column`` of games, players, offers or messages, or ``answers.QUESTION``.
    reason : str
        Why, in words; shown in the flow of units.
    relation : str
        One of `RELATIONS`, between the column and `value`.
    value : str, number, bool, tuple or None
        A sorted tuple for "in" and "not in", None for those of `WITHOUT_VALUE`.
    takes : {"row", "person", "game"}
        What goes: the row (a game, seat, offer, message), all seats of the person, or the game.
    place : int
        Which rule of the file it is, from 0; for messages.
    """

    column: str
    reason: str
    relation: Relation = "="
    value: Scalar | tuple[Scalar, ...] | None = None
    takes: Takes = "row"
    place: int = field(default=0, compare=False, repr=False)

    @property
    def table(self) -> str:
        """The table that is looked at."""
        return self.column.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Factor:
    """What is compared.

    Attributes
    ----------
    column : str
        ``games.COLUMN``, ``players.role``, ``players.kind``, ``players.agent`` or ``answers.QUESTION``; or derived from
        seats and order: ``partner.…`` and ``pair.…`` of ``role``, ``kind``, ``agent`` or ``answers.QUESTION`` (the
        level of the other seat; those of both seats of a game), ``order.COLUMN`` (which of a person's games it is, by a
        column of games), ``first.COLUMN`` (which level of a column of games the person met first: ``"CL first"``).
    levels : tuple of str
        In order, after `merge`: a difference is first minus second. Levels that are not named are left out and
        counted. Empty: all, sorted.
    labels : Mapping of str to str
        What a level is called in text and figures.
    merge : Mapping of str to tuple of str
        New level and the old ones that become it.
    within : bool or None
        Whether the same units stand at several levels; None: as the data say.
    level : str or None
        Of ``pair.…``: the level that both seats, one or neither of them have; None: the levels of both are named.
    order : str or None
        Of ``first.…``: the column of games that says which came first; None: the only one that can, such as
        ``session``.
    """

    column: str
    levels: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    merge: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    within: bool | None = None
    level: str | None = None
    order: str | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """An outcome that a plan defines, where the name of a registered measure is not enough.

    Attributes
    ----------
    measure : str
        A name in `negstats.metrics.MEASURES`; "" if it is an answer.
    who : str or None
        Whose: a kind, role, agent or seat.
    answer : str or None
        The question of a survey item, instead of a measure.
    scale : tuple of str
        The answers' words in ascending order, scored 1, 2, ...; empty if they are numbers.
    kind : str or None
        One of `KINDS`; None: as the measure says.
    without_agreement : str or float
        What a seat scores without a deal: "as recorded", "leave out", "batna" or a number.
    """

    measure: str
    who: str | None = None
    answer: str | None = None
    scale: tuple[str, ...] = ()
    kind: Kind | None = None
    without_agreement: str | float = "as recorded"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A named comparison: weights of the levels of one factor, which sum to 0."""

    name: str
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a study.

    Attributes
    ----------
    asks : str
        The sentence.
    measure : str
        The outcome: a measure of the plan or of the registry.
    who : str or None
        Whose values, for a measure of seats.
    by, with_, covariates : tuple of str
        Factors compared; measures related to the outcome (``with`` in the file); measures held constant.
    items : tuple of str
        Factors whose levels are a sample, crossed with the units: items, scenarios, or partners. Each level has a
        random intercept; rows are not averaged.
    only : Mapping of str to tuple of str
        Factor and the levels that are kept for this question.
    effect : tuple of str
        Which terms answer, such as ``"condition"`` or ``"condition:country"``; empty: all.
    against : float or None
        A number that the mean, share or median is tested against.
    direction : str or None
        ``"CL > FC"``, ``"positive"``, ``"negative"``, ``"above"`` or ``"below"``: the test is one-sided.
    predicts : str or None
        The same words, and for contrasts a chain ``"A > B > C"``: the sign that is predicted, with p two-sided. Its
        grammar is that of `negstats.analysis.plan.predictions`.
    equivalent : float, tuple of two floats, Mapping or None
        A bound, low and high in the measure's unit, or ``{"sd": bound}``.
    smallest : float, Mapping or None
        The smallest effect that would matter, in the unit of the estimate or as ``{"sd": share}`` of the pooled SD of
        the cells. It changes how a result is read and never the test.
    contrasts : tuple of Contrast
        They answer instead of `effect`.
    test : str
        "auto", or a name in the table of `negstats.analysis.rules`.
    explore : bool
        Whether it is only explored.
    note : str
        Shown beside the answer.
    expect : Mapping or None
        What is expected, for power: ``cells`` (a tuple of tables), ``sd``, ``r``, ...
    """

    asks: str
    measure: str
    who: str | None = None
    by: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    covariates: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    effect: tuple[str, ...] = ()
    against: float | None = None
    direction: str | None = None
    predicts: str | None = None
    equivalent: float | tuple[float, float] | Mapping[str, float] | None = None
    smallest: float | Mapping[str, float] | None = None
    contrasts: tuple[Contrast, ...] = ()
    test: str = "auto"
    explore: bool = False
    note: str = ""
    expect: Mapping[str, Any] | None = None

    @property
    def sought(self) -> Literal["effect", "contrasts", "equivalent", "against"]:
        """What is asked: the effect, contrasts, equivalence, or the difference from a stated value."""
        if self.equivalent is not None:
            return "equivalent"
        return "contrasts" if self.contrasts else "against" if self.against is not None else "effect"


@dataclass(frozen=True, slots=True)
class Family:
    """Questions whose p values are corrected together, by one of `CORRECTIONS`."""

    questions: tuple[str, ...]
    correction: str = "holm"


@dataclass(frozen=True, slots=True)
class Power:
    """How power is computed: units in the smallest cell, the wished power, studies a point, a simulated game."""

    n: tuple[int, ...] = ()
    wished: float = 0.8
    studies: int = 1000
    simulate: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The questions of a study, and how they are answered.

    Attributes
    ----------
    plan : int
        Version of the plan's schema.
    title, known, stop : str
        The title; what anybody has seen of these data; how many are collected, and when that ends. In the file `known`
        may be a list of sentences and of results that were looked at: ``{ looked_at = "points", by = ["condition"] }``.
    authors : tuple of str
        Who wrote it.
    alpha : float
        The one level, of tests, families and power; intervals are at 1 − alpha.
    resamples, seed : int
        For bootstrap, permutation and power.
    data : Data
        Where the data are.
    leave_out : tuple of LeaveOut
        Which rows are left out.
    accept : tuple of str
        The doubts about the study that are answered: each a kind of record and its place, or a kind alone.
    factors, measures : Mapping
        By name, those that the plan describes; a factor or measure that it does not describe is that of the study or
        of the registry with the same name.
    questions : Mapping of str to Question
        By id, in the order of the file.
    families : Mapping of str to Family
        By id.
    power : Power
        How power is computed.
    file : str
        Where it was read, for messages. Two plans that differ in this or in `lines` are equal.
    lines : Mapping
        Line of each field's path in the file: ``("questions", "H1", "who")``, ``("leave_out", 0, "column")``.
    aliases : Mapping
        By the path of a field the other name of a measure that was typed there; the plan has the registered one.

    Examples
    --------
    >>> Plan(questions={"H1": Question("Do people earn more?", "points", by=("condition",))}).alpha
    0.05
    """

    plan: int = 1
    title: str = ""
    authors: tuple[str, ...] = ()
    known: str = ""
    stop: str = ""
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int = 1
    data: Data = field(default_factory=Data)
    leave_out: tuple[Exclusion, ...] = ()
    accept: tuple[str, ...] = ()
    factors: Mapping[str, Factor] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    questions: Mapping[str, Question] = field(default_factory=dict)
    families: Mapping[str, Family] = field(default_factory=dict)
    power: Power = field(default_factory=Power)
    file: str = field(default="plan.toml", compare=False)
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict, compare=False, repr=False)
    aliases: Mapping[tuple[str | int, ...], str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def confidence_level(self) -> float:
        """The level of intervals, 1 − alpha."""
        return 1 - self.alpha

    @property
    def one_sided_level(self) -> float:
        """The level of intervals of one-sided tests and of equivalence, 1 − 2 alpha."""
        return 1 - 2 * self.alpha

    def factor(self, name: str) -> Factor:
        """Return the factor called `name`: as the plan describes it, else the column of games, or of a seat.

        Parameters
        ----------
        name
            A name in ``[factors]``, or a column.

        Returns
        -------
        Factor
            The factor with its column and, where the plan says so, its levels.
        """
        return self.factors.get(name) or Factor(default_column(name))

    def measure(self, name: str) -> Measure:
        """Return the measure called `name`: as the plan describes it, else the registry's.

        Parameters
        ----------
        name
            A name in ``[measures]``, or in the registry.

        Returns
        -------
        Measure
            The measure with its kind and unit.
        """
        return self.measures.get(name) or Measure(name)

    def family(self, question: str) -> str | None:
        """Return the id of the family that a question is in; None if it is in none.

        Parameters
        ----------
        question
            The question's id.

        Returns
        -------
        str or None
            The id of the family, within which p values are corrected.
        """
        return next((name for name, family in self.families.items() if question in family.questions), None)
