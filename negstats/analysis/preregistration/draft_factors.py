"""What a draft may compare: the factors of a study, where they lie, and what speaks for an assignment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np
import pandas as pd

from negstats.analysis.plan import fields
from negstats.analysis.plan.schema import MOST_LEVELS
from negstats.analysis.preregistration.study_view import FactorPlace, StudyView
from negstats.analysis.questions.frames import as_text, count, home
from negstats.analysis.questions.linked import LinkedGames
from negstats.analysis.questions.units import measured
from negstats.analysis.roles import FACTOR_OF_GAMES, UNCLEAR, Role, is_bare, is_split, labels_of, pairs_off, role_of
from negstats.errors import NegstatsError
from negstats.stats.summaries.aggregation import aggregate
from negstats.studies.study import Study

SEATS = ("role", "kind", "agent")
MOST_SHOWN = 12  # levels of a condition by which measures are shown without being asked for
MOST_TRAIT_LEVELS = 6  # of an answer about a person that groups people
FEWEST_GAMES = 8  # below this, a factor may tell an outcome by chance
FEWEST_ENDS = 3  # games that agreed and that did not, likewise
RARE = 0.1  # share of the games at a level, up to which it may be a flag of games that do not count
LEAST_OF_EVEN = 0.25  # of an even share, that the rarest level has of what people were assigned to
EVEN = "its levels occur equally often"
UNFINISHED_MORE = 0.5  # by which the shares of games that lack a value differ, where a level flags those
FIT = 0.999  # of the variance of a factor's numbers
_NUMBERS = ("rounds", "offers", "joint_value")
# Roles of which a draft never asks: they tell rows apart, or follow from what is measured.
NEVER = frozenset({"repetition", "data split", "quality flag", "derived from the outcome", "covariate", "cluster"})
# Roles that a name suggests of what numbers games or splits them: of levels in words that were assigned it is not that.
_OF_NUMBERS = frozenset({"repetition", "data split"})
# Roles that a name suggests of what nobody assigns. What was assigned is none of them, whatever it is called.
_UNASSIGNED = frozenset({"quality flag", "derived from the outcome", "technical setting"})


@dataclass(frozen=True, slots=True)
class DraftFactor:
    """A factor of a study as a draft sees it.

    Attributes
    ----------
    name, column : str
        What it is called, and the column as a plan names it.
    levels : tuple of str
        In order: numbers by their size, then words.
    where : str
        Where it lies, in words.
    role : Role
        What it is.
    evidence : tuple of str
        What speaks for or against it, as `ranking.WEIGHTS` names it.
    why_not : str
        Why it is never compared; empty: it can be.
    fewest : int
        Units at the rarest level.
    twin : str
        A factor before it with which its levels pair off one to one.
    too_few : tuple of str
        Levels that are not compared, for fewer than two units have a value there.
    shares_levels : bool
        Whether another factor has the same levels, which say nothing without its name.
    """

    name: str
    column: str
    levels: tuple[str, ...] = ()
    where: str = ""
    role: Role = UNCLEAR
    evidence: tuple[str, ...] = ()
    why_not: str = ""
    fewest: int = 0
    twin: str = ""
    too_few: tuple[str, ...] = ()
    shares_levels: bool = False

    @property
    def of_games(self) -> bool:
        """Whether it is a column of the games."""
        return self.column.startswith("games.")

    def label(self, level: str) -> str:
        """Return what a level is called in a sentence: a long one by the words that no other level has."""
        return labels_of(self.levels).get(level, level)


def find_factors(view: StudyView, linked_games: LinkedGames) -> list[DraftFactor]:
    """Return the factors of a study: of its games, of its seats, and answers that group people."""
    stated = dict(view.study.provenance.roles)
    source = "mapping" if "mapping" in view.study.provenance.loader else "format"
    places = [("games", name) for name in view.study.factors]
    places += [("players", name) for name in SEATS if name not in view.study.factors and len(view.seats(name)) > 1]
    places += [("answers", name) for name in _find_groupings(view) if name not in (*view.study.factors, *SEATS)]
    factors = [_build_factor(view, table, name, linked_games, stated.get(name), source) for table, name in places]
    counts = Counter(factor.levels for factor in factors)
    factors = [replace(factor, shares_levels=counts[factor.levels] > 1) for factor in factors]
    return list(_add_outcomes(_pair_off(factors, view), view, stated))


def conditions_of(study: Study) -> list[str]:
    """Return the factor of the games that is the condition, by which measures are shown; none where there is none.

    It is the first that is stated or named to be one, else the first whose levels lie as a design puts them.

    Examples
    --------
    >>> import negstats
    >>> conditions_of(negstats.load("datasets/sample"))
    ['condition']
    """
    view = StudyView(study)
    if not study.factors or not view.games:
        return []
    factors = [factor for factor in find_factors(view, view.usual_units()[0]) if factor.of_games]
    usable = [factor for factor in factors if not factor.why_not and len(factor.levels) <= MOST_SHOWN]
    conditions = [factor.name for factor in usable if factor.role.name == "condition"]
    designed = [factor.name for factor in usable if factor.role == FACTOR_OF_GAMES and EVEN in factor.evidence]
    return [*conditions, *designed][:1]


def _build_factor(
    view: StudyView, table: str, name: str, linked_games: LinkedGames, stated_role: str | None, source: str
) -> DraftFactor:
    place, what = view.place_of(table, name, linked_games), linked_games.what
    levels = tuple(sorted(place.levels, key=_order))
    factor = DraftFactor(name, f"{table}.{name}", levels)
    try:
        for text in (name, *levels[:MOST_LEVELS]):
            fields.name(text)
    except fields.PlanFault:
        return replace(factor, why_not="holds characters that a plan cannot name")
    if len(levels) < 2:
        return replace(factor, why_not="has one level" if levels else "is missing in every row")
    if len(levels) > MOST_LEVELS:
        return replace(factor, why_not=f"has {len(levels)} levels, and a factor has at most {MOST_LEVELS}; merge them")
    where = {
        "between": f"varies between {what}s ({place.units})",
        "within": f"varies within {what}s ({place.several} of {place.units})",
        "partly": f"varies within some {what}s ({place.several} of {place.units})",
    }[place.lies]
    role = role_of(name, levels, of_games=table == "games", stated_role=stated_role, source=source)
    if table == "answers" and (role.name != "condition" or place.rarest * len(levels) < LEAST_OF_EVEN):
        role = Role("trait", "it is an answer about the person")
    elif table == "games" and stated_role is None:
        role = _weigh_name(role, view, name, place)
        if role == FACTOR_OF_GAMES and all(map(is_bare, levels)) and view.numbers_members(name, linked_games):
            role = Role("role in the game", "it numbers the members of each group")
    evidence = [f"role: {role.name}"]
    if stated_role is not None:
        evidence.append(f"it is stated {'' if stated_role == 'condition' else 'not '}to be assigned")
    if table == "games" and place.balance != "by chance":  # seats differ by the rules of a game, people by who they are
        is_even = place.balance == "even"
        evidence.append(EVEN if is_even else "it changes within units, not by a design")
    return replace(factor, where=where, role=role, evidence=tuple(evidence), fewest=place.fewest)


def _weigh_name(role: Role, view: StudyView, name: str, place: FactorPlace) -> Role:
    """Return the role of a factor of games that its name suggests, unless how its levels lie speaks against that."""
    has_words = not any(map(_has_digit, place.levels))
    if role.name == "order" and has_words:
        return Role("condition", "")  # words are not numbers of rounds: before and after are what a study compares
    if role.name == "quality flag":
        is_assigned = not _flags_games(view, name, place)
    elif role.name == "trait":  # people have one age: what is of several within a person was shown to them
        is_assigned = place.balance == "even" and place.lies == "within"
    else:
        is_numbering = any(re.fullmatch(r"\D*\d+([.,]\d+)?\D*", level) for level in place.levels)
        is_named = role.name in _OF_NUMBERS and not is_numbering and not is_split(place.levels)
        is_of_kind = role.name in _UNASSIGNED or is_named
        is_assigned = is_of_kind and place.balance == "even"
    return FACTOR_OF_GAMES if is_assigned else role


def _flags_games(view: StudyView, name: str, place: FactorPlace) -> bool:
    """Whether a factor that is called as a flag is one: a level is rare, or the games at one lack values."""
    if place.balance == "even" and place.lies != "between":
        return False
    if place.rarest <= RARE:
        return True
    shares = view.share_unfinished(name).values()
    return max(shares) - min(shares) >= UNFINISHED_MORE


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _order(level: str) -> tuple[float, str]:
    """Return what levels are sorted by: numbers by their size, then words."""
    try:
        return float(level), level
    except ValueError:
        return float("inf"), level


def _find_groupings(view: StudyView) -> list[str]:
    """Return the questions about people that group them: by a few words, by two codes, or called as what does.

    Where those meet who were given different things, what was set is of people.
    """
    if not count(view.study.frame("answers").head(1)):
        return []
    about_people = view.study.frame("answers").filter(nw.col("game_id").is_null() & ~nw.col("answer").is_null())
    answer_counts = home(about_people.group_by("question", "answer").agg(nw.len().alias("n")))
    groupings = []
    for question, answers in answer_counts.groupby("question", sort=True):
        is_named = role_of(str(question), (), of_games=False).name in ("trait", "condition")
        is_number = pd.to_numeric(answers["answer"], errors="coerce").notna().all()
        if 2 <= len(answers) <= MOST_TRAIT_LEVELS and (is_named or not is_number or len(answers) == 2):
            groupings.append(str(question))
    return groupings


def _pair_off(factors: Sequence[DraftFactor], view: StudyView) -> list[DraftFactor]:
    """Return the factors, each with the first one before it that it pairs off with, level by level."""
    usable = [factor.name for factor in factors if not factor.why_not and factor.of_games]
    twins = pairs_off(view.study.frames["games"], usable)
    return [replace(factor, twin=twins.get(factor.name, "")) for factor in factors]


def _add_outcomes(
    factors: Sequence[DraftFactor], view: StudyView, stated_roles: Mapping[str, str]
) -> Iterator[DraftFactor]:
    """Yield the factors; one that follows from an outcome is none to ask about."""
    for factor in factors:
        if factor.of_games and not factor.why_not and factor.role.name not in NEVER and factor.name not in stated_roles:
            measure = determined_by(view, factor.name)
            if measure is not None:
                hint = 'say role = "condition" in the mapping if it was assigned'
                why = f"it follows from {measure} in all games; {hint}"
                yield replace(factor, role=Role("derived from the outcome", why))
                continue
        yield factor


def determined_by(view: StudyView, name: str) -> str | None:
    """Return the measure that a factor of games follows from, by its values; None if it follows from none.

    A factor of words follows from an outcome if each level has one end; one of numbers, if it is a straight line of a
    measure. With few games that may be chance, and nothing is said.
    """
    frame = view.study.frame("games")
    level = as_text(name, frame.collect_schema()[name]).alias("level")
    games = home(frame.select("game_id", "ended", level).drop_nulls("level"))
    if len(games) < FEWEST_GAMES or games["level"].nunique() < 2:
        return None
    # A factor may say in other words how games ended.
    if _tells_ends(games):
        return "how games ended"
    # A factor of numbers may be a straight line of a measure.
    numbers = pd.to_numeric(games["level"], errors="coerce")
    if numbers.isna().any() or numbers.nunique() < 3:
        return None
    games = games.assign(number=numbers.astype("float64")).set_index("game_id")
    measures: list[tuple[str, str | None]] = [(measure_name, None) for measure_name in _NUMBERS]
    measures += [("points", role) for role in view.seats("role")]
    for measure, who in measures:
        values = _values(view, measure, who)
        measure_text = f"{measure} of the {who}" if who else measure
        rows = games.join(values.rename("value"), how="inner").dropna(subset=["number", "value"])
        if len(rows) >= FEWEST_GAMES and rows["value"].nunique() > 2 and rows["number"].nunique() > 2:
            r = float(np.corrcoef(rows["number"], rows["value"])[0, 1])
            if r * r >= FIT:
                return measure_text.replace("_", " ")
    return None


def _tells_ends(games: pd.DataFrame) -> bool:
    """Whether each level has only games that agreed, or only games that did not."""
    games_with_end = games[games["ended"] != "unknown"]
    is_agreement = games_with_end["ended"] == "agreement"
    if len(games_with_end) < FEWEST_GAMES or min(int(is_agreement.sum()), int((~is_agreement).sum())) < FEWEST_ENDS:
        return False
    shares = is_agreement.groupby(games_with_end["level"]).mean()
    return bool(shares.isin([0.0, 1.0]).all()) and len(shares) < len(games_with_end) / 2


def _values(view: StudyView, name: str, who: str | None = None) -> pd.Series:
    """Return a measure's value of each game; none where it cannot be computed."""
    try:
        definition = view.measure(name)
        if definition.lacking(view.study.frames) is not None:
            return pd.Series(dtype="float64")
        values = measured(view.study, definition, who)
        return home(aggregate(values, ["game_id"], value=("value", "mean"))).set_index("game_id")["value"]
    except NegstatsError:
        return pd.Series(dtype="float64")


def games_at(view: StudyView, name: str, level: str) -> int:
    """Return how many games a level of a factor of games has."""
    frame = view.study.frame("games")
    return count(frame.filter(as_text(name, frame.collect_schema()[name]) == level))
