"""What can be asked of a study: outcomes that vary, by their labels and groups, with whose values and what beside."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from negstats.analysis.describe import measure_table
from negstats.analysis.plan.columns import of_games
from negstats.analysis.preregistration.draft_factors import DraftFactor, find_factors
from negstats.analysis.preregistration.draft_outcomes import OneOffer, Outcome, find_outcomes, one_offer, whose
from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.roles import Role
from negstats.errors import NegstatsError
from negstats.metrics.definition import GROUPS
from negstats.metrics.lookup import group_of, label_of
from negstats.studies.study import Study

MOST_OWNERS = 8  # kinds and roles of seats that are offered
MOST_LEVELS = 12
LAST = ("data split", "repetition", "quality flag", "order")  # roles that are offered after all others


@dataclass(frozen=True, slots=True, eq=False)
class Askable:
    """What can be asked of a study.

    Attributes
    ----------
    outcomes : dict of str to Outcome
        By name, those that vary.
    factors : dict of str to DraftFactor
        By what `negstats.analysis.compare` takes as `by`: conditions first.
    table : pandas.DataFrame
        n, mean and SD of each outcome, as `negstats.analysis.measure_table` gives them.
    """

    view: StudyView
    offer: OneOffer | None
    outcomes: dict[str, Outcome]
    factors: dict[str, DraftFactor]
    table: pd.DataFrame

    def groups(self) -> dict[str, dict[str, str]]:
        """Return the labels of the outcomes by their names, in groups."""
        grouped: dict[str, dict[str, str]] = {group: {} for group in GROUPS}
        for name in self.outcomes:
            grouped[group_of(name)][name] = label_of(name)
        return {group: labels for group, labels in grouped.items() if labels}

    def owners(self, outcome: str) -> list[str]:
        """Return whose values may be asked about: kinds and roles of seats; none for a measure of whole games."""
        if outcome not in self.outcomes or self.outcomes[outcome].per == "game":
            return []
        kinds, roles = self.view.seats("kind"), self.view.seats("role")
        with_value = set(self.table[(self.table["outcome"] == outcome) & (self.table["n"] > 0)]["kind"].dropna())
        named = [kind for kind in kinds if kind in with_value or not with_value] if len(kinds) > 1 else []
        named += roles if len(roles) > 1 else []
        return list(dict.fromkeys(named))[:MOST_OWNERS]

    def usual_owner(self, outcome: str, factor: str | None) -> str | None:
        """Return whose values a draft would ask about; None for those of all seats, or of whole games."""
        if outcome not in self.outcomes:
            return None
        by = self.factors.get(factor or "")
        levels, role = (by.levels, by.role) if by else ((), Role("", ""))
        owner = whose(self.view, self.outcomes[outcome], self.offer, by.name if by else None, levels, role)
        owners = self.owners(outcome)
        return owner if owner in owners or owner is None else owners[0] if owners else None

    def factors_for(self, outcome: str) -> dict[str, DraftFactor]:
        """Return what an outcome can be compared by: seats of a game cannot differ in a measure of the game."""
        is_of_games = outcome in self.outcomes and self.outcomes[outcome].per == "game" and not self.view.has_one_seat
        return {by: factor for by, factor in self.factors.items() if not is_of_games or of_games(factor.column)}


def find_askable(study: Study) -> Askable:
    """Return what can be asked of a study.

    Parameters
    ----------
    study
        The study. Outcomes are looked at for whether they vary, never for what came of a factor.

    Examples
    --------
    >>> import negstats
    >>> askable = find_askable(negstats.load("datasets/sample"))
    >>> list(askable.groups()["Outcomes"].values())[:2], list(askable.factors)[:1]
    (['Points', 'Joint value'], ['condition'])
    """
    view = StudyView(study)
    linked_games = view.linked("independent")
    offer = one_offer(view)
    factors = [
        factor for factor in find_factors(view, linked_games)
        if not factor.why_not and 2 <= len(factor.levels) <= MOST_LEVELS
    ]  # fmt: skip
    factors.sort(key=lambda factor: (factor.role.name != "condition", factor.role.name in LAST))
    outcomes = {outcome.name: outcome for outcome in find_outcomes(view, offer, linked_games)}
    tables = [table for outcome in outcomes.values() if (table := _table_of(study, outcome)) is not None]
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["outcome"])
    varying = {name for name, rows in table.groupby("outcome", sort=False) if _varies(rows)}
    outcomes = {name: outcome for name, outcome in outcomes.items() if name in varying}
    return Askable(view, offer, outcomes, {_by(factor): factor for factor in factors}, table)


def _by(factor: DraftFactor) -> str:
    """Return what `compare` takes for a factor."""
    is_plain = "." not in factor.name and not factor.column.startswith("answers.")
    return factor.name if is_plain and factor.name not in ("player", "unit", "value") else factor.column


def _table_of(study: Study, outcome: Outcome) -> pd.DataFrame | None:
    try:
        return measure_table(study, names=[outcome.measure]).assign(outcome=outcome.name)
    except NegstatsError:  # what cannot be computed here cannot be asked
        return None


def _varies(rows: pd.DataFrame) -> bool:
    """Whether an outcome has two different values."""
    known = rows[rows["n"] > 0]
    return len(known) > 0 and bool(known["max"].max() > known["min"].min())
