"""Who offers what to whom, read from arithmetic between columns and from what answers go with.

payoff = (T - x) · a says that the payoff's owner gave x away; payoff = x · a that x came to the owner. Which side of an
offer that is, the sign tells of the relation between amount and acceptance: whoever answers accepts more of what comes
to them.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.facts import MOST_COMPARED, MOST_OF_CONDITION, Facts
from negstats.loaders.reading.families import has_one_sum
from negstats.loaders.reading.relations import are_drawn_together, determination, is_set_within, share_of_usual_units
from negstats.loaders.reading.spellings import NO, YES, known_as, levels_by_name
from negstats.loaders.reading.words import are_seat_words, is_named, names_game

Side: TypeAlias = Literal["proposer", "responder"]
_MOST_NUMBERS, _MOST_ANSWERS = 24, 8
ROUNDING = 1e-6  # by which a payoff may miss what an identity gives
_EXACT = 0.98  # share of rows in which an identity must hold
_LEAST_ROWS, _LEAST_SIDE = 20, 5
_MOST_BINARY = 12
_CHANCE = 3.0  # standard errors of a rho of 0
_CODES_OF_ANSWERS = frozenset({-1.0, 0.0, 1.0, 2.0})
_MOST_AMOUNTS = 60  # different amounts of a column that is not called an amount


def other_of(side: Side) -> Side:
    """Return the other side of an offer."""
    return "proposer" if side == "responder" else "responder"


@dataclass(frozen=True)
class Identity:
    """A payoff that follows from an amount and an answer.

    Attributes
    ----------
    payoff, amount, answer : Column
        The columns.
    accepted : int
        The code of the level of the answer that is acceptance.
    total : float or None
        T of payoff = (T - amount) · answer; None for payoff = amount · answer.
    """

    payoff: Column
    amount: Column
    answer: Column
    accepted: int
    total: float | None

    @property
    def text(self) -> str:
        """The identity as a formula."""
        share = self.amount.name if self.total is None else f"({self.total:g} - {self.amount.name})"
        return f"{self.payoff.name} = {share} · {self.accepting}"

    @property
    def accepting(self) -> str:
        """The answer in words: its name where 1 accepts, else its name and the level that does."""
        return self.answer.name if self.answer.is_binary else f"({self.answer.name} = {self.accepted_level})"

    @property
    def accepted_level(self) -> str:
        """The level of the answer that is acceptance."""
        return self.answer.levels[self.accepted]

    @property
    def acceptance(self) -> npt.NDArray[np.float64]:
        """For each row 1 for acceptance, 0 for refusal, NaN for no answer."""
        return np.where(self.answer.filled, self.answer.codes == self.accepted, np.nan)

    @property
    def rows(self) -> str:
        """In how many rows it holds."""
        payoffs, amounts = (np.asarray(column.numbers, dtype=np.float64) for column in (self.payoff, self.amount))
        is_whole = self.payoff.filled & self.amount.filled & self.answer.filled
        share = amounts if self.total is None else self.total - amounts
        n_held, n = int((np.abs(payoffs - share * self.acceptance)[is_whole] < ROUNDING).sum()), int(is_whole.sum())
        return f"all {n} rows" if n_held == n else f"{n_held} of {n} rows"


@dataclass(frozen=True)
class OfferReading:
    """What offers are.

    Attributes
    ----------
    amount, answer : Column
        How much is offered, and whether it is accepted.
    person : str or None
        Which side the person of the row is; None where that is to be asked.
    to : str
        To whom the amount goes.
    total : float or None
        What both sides get together.
    evidence : str
        Why.
    is_certain : bool
        Whether nothing is to be asked.
    accepted : str
        The level of the answer that is likely acceptance.
    is_identity : bool
        Whether a payoff follows from amount and answer.
    is_spelled : bool
        Whether words say which answer accepts.
    rest : Column or None
        What is left of each offer for the other side.
    is_clear : bool
        Whether amount and answer go together beyond any chance.
    """

    amount: Column
    answer: Column
    person: Side | None
    to: Side
    total: float | None
    evidence: str
    is_certain: bool
    accepted: str
    is_identity: bool = False
    is_spelled: bool = False
    rest: Column | None = None
    is_clear: bool = True

    def side_if(self, accepted: str) -> Side:
        """Who gets the amount if this level of the answer accepts: whoever answers accepts more of what is theirs."""
        return self.to if accepted == self.accepted else other_of(self.to)


def find_identities(facts: Facts) -> list[Identity]:
    """Return the payoffs that follow from an amount and an answer in nearly all rows."""
    numbers = [
        column
        for column in facts.columns
        if column.has_numbers and column.n_levels >= 3 and not (column.is_unique and column.is_count)
    ][:_MOST_NUMBERS]
    answers = [column for column in facts.discrete if column.n_levels == 2]
    answers = sorted(answers, key=lambda column: not column.is_binary)[:_MOST_ANSWERS]
    identities = []
    for payoff, amount in itertools.permutations(numbers, 2):
        for answer in answers:
            # Of two words, in whatever language, or 1 and 2 either may be what accepts.
            for accepted in (1,) if answer.is_binary else (0, 1):
                identity = _identity(payoff, amount, answer, accepted)
                if identity is not None:
                    identities.append(identity)
    return identities


def _identity(payoff: Column, amount: Column, answer: Column, code: int) -> Identity | None:
    if payoff.numbers is None or amount.numbers is None:
        return None
    is_whole = payoff.filled & amount.filled & answer.filled
    accepted, rejected = is_whole & (answer.codes == code), is_whole & (answer.codes == 1 - code)
    if is_whole.sum() < _LEAST_ROWS or min(accepted.sum(), rejected.sum()) < _LEAST_SIDE:
        return None
    # One amount that nearly all accepted fits any payoff that is the same for nearly all.
    if np.unique(amount.numbers[accepted], return_counts=True)[1].max() > _EXACT * accepted.sum():
        return None
    # Whoever is refused gets nothing.
    if np.mean(payoff.numbers[rejected] == 0) < _EXACT:
        return None
    sums = payoff.numbers[accepted] + amount.numbers[accepted]
    total = float(np.median(sums))
    if np.mean(np.abs(sums - total) < ROUNDING) > _EXACT:
        return Identity(payoff, amount, answer, code, total)
    if np.mean(np.abs(payoff.numbers[accepted] - amount.numbers[accepted]) < ROUNDING) > _EXACT:
        return Identity(payoff, amount, answer, code, None)
    return None


def read_offers(facts: Facts, person: Column | None, used: set[Column], *, is_alone: bool) -> OfferReading | None:
    """Return what the offers are; None where nothing is offered and answered.

    Parameters
    ----------
    facts
        Of the table.
    person
        Who repeats; None where rows are cases of their own.
    used
        Columns that name people, games, seats and orders.
    is_alone
        Whether rows are cases of their own, of which nobody has several.
    """
    identities = find_identities(facts)
    if identities:
        best = min(identities, key=lambda each: (-is_named(each.amount, "amount"), each.amount.name))
        return _from_identity(best)
    candidates = _candidates(facts, person, used)
    if not candidates:
        return None
    _, rho, amount, answer = max(candidates, key=lambda each: (each[0], each[2].name))
    if not is_named(amount, "amount") and abs(rho) < _CHANCE / math.sqrt(facts.rows):
        return None  # of numbers that nothing calls an offer one has to decide the answer
    known = _accepted_level(answer)
    rest = next((column for column in facts.complements if has_one_sum(amount, column)), None)
    # Of a code 1 is yes, where it may be either side's amount; else the level that goes with more is accepted.
    is_code = set(answer.levels) == {"0", "1"} and (rest is not None or not is_named(amount, "amount"))
    accepted = known or ("1" if is_code else answer.levels[int(rho > 0)])
    # Whoever answers accepts more of what comes to them.
    rises = (rho > 0) == (accepted == answer.levels[1]) or rho == 0
    to: Side = "responder" if rises else "proposer"
    # Codes of labels stand in the order of their words, so that the sign says something only beside the level.
    is_turned = accepted != answer.levels[1]
    level = f"{answer.name} = {accepted}" if is_turned else answer.name
    relation = f"{level} goes with {amount.name}, rho = {-rho if is_turned else rho:.2f}"
    if person is not None and share_of_usual_units(person.codes, amount) > 0.9:
        reason = f"each {person.name} has the same {amount.name}: it was offered to them; {relation}"
        is_certain = known is not None and rho != 0
        return OfferReading(amount, answer, "responder", to, None, reason, is_certain, accepted, rest=rest)
    has_name = is_named(amount, "amount") or is_named(answer, "outcome")
    if has_name or abs(rho) > 0.4 or (not is_alone and person is not None and amount.is_whole):
        reading = OfferReading(amount, answer, None, to, None, relation, False, accepted, rest=rest)
        is_clear = abs(rho) >= _CHANCE / math.sqrt(facts.rows)
        return replace(reading, is_spelled=_is_spelled(answer), is_clear=is_clear)
    return None


def _accepted_level(answer: Column) -> str | None:
    """Return the level of an answer that its words, or its name, say to be acceptance; None if they do not."""
    spelled = levels_by_name(answer.name, "response", answer.levels) or {}
    words = spelled.get("accepted", [])
    return words[0] if len(words) == 1 and len(spelled) == 2 else None


def _is_spelled(answer: Column) -> bool:
    """Whether words of acceptance, or a name that says what yes means, stand behind an answer."""
    is_truth = {known_as(level) for level in answer.levels} <= YES | NO
    return _accepted_level(answer) is not None and (
        not is_truth or levels_by_name(answer.name, "response", ("0", "1")) is not None
    )


def _from_identity(identity: Identity) -> OfferReading:
    amount, answer = identity.amount, identity.answer
    assert amount.numbers is not None  # noqa: S101 - an identity is of numbers
    both = amount.filled & answer.filled
    rho = float(np.corrcoef(amount.numbers[both], identity.acceptance[both])[0, 1]) if both.sum() > 2 else 0.0
    is_certain = abs(rho) > 3 / both.sum() ** 0.5
    gives_away = identity.total is not None
    # More is accepted by whoever gets it.
    person: Side = "proposer" if gives_away == (rho > 0) else "responder"
    to: Side = "responder" if rho > 0 else "proposer"
    reason = f"{identity.text} in {identity.rows}, and {identity.accepting} goes with {amount.name}, rho = {rho:.2f}"
    return OfferReading(amount, answer, person, to, identity.total, reason, is_certain, identity.accepted_level, True)


def _candidates(facts: Facts, person: Column | None, used: set[Column]) -> list[tuple[float, float, Column, Column]]:
    """Return pairs of an amount and an answer that goes with it, each with a strength and its rank correlation."""
    answers = [column for column in facts.discrete if _may_be_answer(column, person, used)]
    if person is None:  # what was drawn with each level of others as often is no answer
        even = [column for column in facts.discrete if column.is_even and column.n_levels <= MOST_OF_CONDITION]
        answers = [
            answer
            for answer in answers
            if sum(are_drawn_together(answer, each) for each in even if each is not answer) <= 1
        ]
    answers = sorted(answers, key=lambda column: (-is_named(column, "outcome"), column.name))[:_MOST_BINARY]
    amounts = sorted(facts.columns, key=lambda each: (-is_named(each, "amount"), each.n_levels, each.name))
    amounts = [column for column in amounts[:MOST_COMPARED] if _may_be_amount(column, used)]
    candidates = []
    for amount, answer in itertools.product(amounts, answers):
        # What is one thing of each person was neither offered nor answered row by row.
        if person is not None and (determination(person, answer) > 0.9 or determination(person, amount) > 0.9):
            continue
        rho = _rank_correlation(amount, answer)
        if rho is None and _are_called_so(amount, answer):
            candidates.append((0.6, 0.0, amount, answer))
        if rho is None or abs(rho) <= _least_correlation(amount, answer, person):
            continue
        is_stimulus = person is not None and share_of_usual_units(person.codes, amount) > 0.9
        strength = abs(rho) + 0.3 * (is_named(amount, "amount") + is_named(answer, "outcome") + is_stimulus)
        candidates.append((strength, rho, amount, answer))
    return candidates


def _are_called_so(amount: Column, answer: Column) -> bool:
    """Whether names say what is offered and answered, where too few rows could show it."""
    is_answer = answer.n_levels == 2 and (is_named(answer, "outcome") or _accepted_level(answer) is not None)
    return is_named(amount, "amount") and is_answer


def _may_be_answer(column: Column, person: Column | None, used: set[Column]) -> bool:
    if column.n_levels != 2 or column in used or column.aliases or column.share_filled <= 0.5:
        return False
    if is_named(column, "trait") or are_seat_words(column):
        return False
    if column.has_numbers and not set(column.values.tolist()) <= _CODES_OF_ANSWERS:
        return False  # two amounts, such as those of two pies
    if person is None:
        return not column.is_even or is_named(column, "outcome") or _accepted_level(column) is not None
    if is_named(column, "outcome") and _accepted_level(column) is not None:
        return True
    return not is_set_within(person.codes, column)


def _may_be_amount(column: Column, used: set[Column]) -> bool:
    if not column.has_numbers or column in used or column.n_levels < 4:
        return False
    if column.is_unique and not is_named(column, "amount"):
        return False
    if names_game(column) and not is_named(column, "amount"):
        return False  # it numbers games
    if is_named(column, "trait", "time"):
        return False
    return (column.n_levels <= _MOST_AMOUNTS and not is_named(column, "order")) or is_named(column, "amount")


def _rank_correlation(amount: Column, answer: Column) -> float | None:
    """Return the correlation of an amount's ranks with an answer; None where there are too few rows or amounts."""
    both = amount.filled & answer.filled
    if amount.numbers is None or both.sum() < 30:
        return None
    values, codes = amount.numbers[both], answer.codes[both]
    if min(len(np.unique(values[codes == level])) for level in (0, 1)) < 3:
        return None
    return float(np.corrcoef(pl.Series(values).rank().to_numpy(), codes)[0, 1])


def _least_correlation(amount: Column, answer: Column, person: Column | None) -> float:
    """Return how strong a relation must be to be more than chance: less where names say what the columns are."""
    root = math.sqrt(float((amount.filled & answer.filled).sum()))
    if is_named(amount, "amount") and is_named(answer, "outcome"):
        return 1.5 / root
    if person is not None and amount.is_whole and set(answer.levels) <= {"0", "1"}:
        return 2 / root
    return max(0.25, 3 / root)
