"""What is checked in a rule sheet before it is played: one fault, one message with line and word.

In a sheet that passes, terms do not grow within a state, and there is one meaning: no relation depends on its own
negation, so what can be derived is worked out stratum by stratum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from negstats.errors import SheetError
from negstats.games.rulesheet.kif import Term, kif, variables
from negstats.games.rulesheet.rules import Literal, Rule, arguments, relation
from negstats.games.rulesheet.strata import cycles

# The words with a meaning, and how many arguments each takes.
WORDS = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "next": 1,
    "legal": 2,
    "goal": 2,
    "terminal": 0,
    "distinct": 2,
}
NOT_IN_A_HEAD = ("true", "does", "distinct")
NOT_IN_A_BODY = ("init", "next", "base", "input")
STATE = ("true", "does", "legal", "terminal", "goal")
# What may not depend, however indirectly, on what.
INDEPENDENT = {"init": STATE, "legal": ("does",), "goal": ("does",), "terminal": ("does",)}


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The rules with what the checks ask of them: which relations each depends on, and which cycle each is in."""

    rules: Sequence[Rule]
    name: str
    needs: dict[str, set[str]]
    cycle: dict[str, int]

    def fault(self, rule: Rule, word: str, reason: str) -> SheetError:
        return SheetError(reason, file=self.name, line=rule.line, word=word)

    def in_cycle(self, rule: Rule, literal: Literal) -> bool:
        """Whether head and literal depend on each other."""
        return self.cycle[relation(rule.head)] == self.cycle[relation(literal.atom)]


def check(rules: Sequence[Rule], name: str) -> None:
    """Raise the SheetError of the first fault of a sheet."""
    needs: dict[str, set[str]] = {}
    for rule in rules:
        needs.setdefault(relation(rule.head), set()).update(relation(literal.atom) for literal in rule.body)
        for literal in rule.body:
            needs.setdefault(relation(literal.atom), set())
    sheet = _Sheet(rules, name, needs, cycles(needs))
    for one in CHECKS:
        one(sheet)


def _atoms(rule: Rule) -> list[Term]:
    return [rule.head, *(literal.atom for literal in rule.body)]


def _check_visibility(sheet: _Sheet) -> None:
    for rule in sheet.rules:
        if any(relation(atom) == "sees" for atom in _atoms(rule)):
            reason = "hidden information (GDL-II) is not played here; all roles see everything"
            raise sheet.fault(rule, "sees", reason)
        if relation(rule.head) == "role" and arguments(rule.head) == ("random",):
            raise sheet.fault(rule, "random", "chance (GDL-II) is not played here; give the role another name")


def _arities(sheet: _Sheet) -> None:
    n_arguments: dict[str, int] = {}
    for rule in sheet.rules:
        for atom in _atoms(rule):
            word, number = relation(atom), len(arguments(atom))
            if word in WORDS and number != WORDS[word]:
                raise sheet.fault(rule, word, f"takes {WORDS[word]} arguments and has {number}")
            if n_arguments.setdefault(word, number) != number:
                raise sheet.fault(rule, word, f"has {number} arguments here and {n_arguments[word]} before")


def _roles(sheet: _Sheet) -> None:
    for rule in sheet.rules:
        if relation(rule.head) == "role" and (rule.body or variables(rule.head)):
            raise sheet.fault(rule, "role", "a role is a fact without variables, such as (role a1)")
    if "role" not in {relation(rule.head) for rule in sheet.rules}:
        raise SheetError("there is no role; give a fact such as (role a1)", file=sheet.name, word="role")


def _places(sheet: _Sheet) -> None:
    for rule in sheet.rules:
        word = relation(rule.head)
        if word in NOT_IN_A_HEAD:
            raise sheet.fault(rule, word, "is in the head of no rule")
        for literal in rule.body:
            if relation(literal.atom) in NOT_IN_A_BODY:
                raise sheet.fault(rule, relation(literal.atom), "is in the body of no rule")


def _independence(sheet: _Sheet) -> None:
    for word, forbidden in INDEPENDENT.items():
        dependencies, fresh = set[str](), {word} & sheet.needs.keys()
        while fresh:
            dependencies |= fresh
            fresh = set().union(*(sheet.needs[one] for one in fresh)) - dependencies
        for other in forbidden:
            if other in dependencies:
                rule = next(rule for rule in sheet.rules if relation(rule.head) == word and rule.body)
                raise sheet.fault(rule, word, f"depends on {other!r}, and may not")


def _safety(sheet: _Sheet) -> None:
    for rule in sheet.rules:
        bound = _bound(rule.body)
        for atom in _atoms(rule):
            for loose in sorted(variables(atom) - bound):
                raise sheet.fault(rule, loose, "is in no positive literal of the rule's body, so it has no values")


def _stratification(sheet: _Sheet) -> None:
    for rule in sheet.rules:
        for literal in rule.body:
            if not literal.positive and sheet.in_cycle(rule, literal):
                word = relation(literal.atom)
                raise sheet.fault(rule, word, f"{relation(rule.head)!r} depends on its own negation through this")


def _recursion(sheet: _Sheet) -> None:
    for rule in sheet.rules:
        recursive = [literal for literal in rule.body if sheet.in_cycle(rule, literal)]
        bound = _bound(literal for literal in rule.body if literal not in recursive)
        for literal in recursive:
            for argument in arguments(literal.atom):
                if argument not in arguments(rule.head) and not variables(argument) <= bound:
                    reason = (
                        f"terms could grow for ever through {kif(literal.atom)}; give the argument in the head "
                        "too, or in a literal outside the recursion"
                    )
                    raise sheet.fault(rule, kif(argument), reason)


def _bound(body: Iterable[Literal]) -> frozenset[str]:
    """Return the variables that the positive literals give values to; `distinct` only compares."""
    binding = [literal.atom for literal in body if literal.positive and relation(literal.atom) != "distinct"]
    return frozenset().union(*map(variables, binding))


CHECKS: tuple[Callable[[_Sheet], None], ...] = (
    _check_visibility,
    _arities,
    _roles,
    _places,
    _independence,
    _safety,
    _stratification,
    _recursion,
)
