"""Rule sheets: from text to rules that were checked (one fault, one message with line and word), and back to text.

In a sheet that passes, terms do not grow within a state, and there is one meaning: no relation depends on its own
negation, so what can be derived is worked out stratum by stratum.

The language is GDL, the Game Description Language, as dejonge2016 uses it: a game is a set of rules about what holds at
first (``init``), what may be played (``legal``), what holds after a step (``next``), when the game is over
(``terminal``) and what it pays (``goal``). ``or``, ``and`` and nested ``not`` are rewritten away when a sheet is read:
a rule with alternatives becomes several rules.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from negstats.errors import SheetError, shown
from negstats.games.rulesheet.strata import cycles
from negstats.games.rulesheet.terms import Node, Term, expressions, is_variable, kif, term_of, variables

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
    for check_sheet in CHECKS:
        check_sheet(sheet)


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
        dependencies, frontier = set[str](), {word} & sheet.needs.keys()
        while frontier:
            dependencies |= frontier
            frontier = set().union(*(sheet.needs[name] for name in frontier)) - dependencies
        for forbidden_word in forbidden:
            if forbidden_word in dependencies:
                rule = next(rule for rule in sheet.rules if relation(rule.head) == word and rule.body)
                raise sheet.fault(rule, word, f"depends on {forbidden_word!r}, and may not")


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


ALTERNATIVES = 1000  # that one rule may have: `or` within `and` multiplies
IGNORED = ("base", "input")  # lists of what may ever hold or be played; public sheets have them
_CONNECTIVES = ("<=", "and", "not", "or")


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom in a rule's body, or its negation by failure (it holds if the atom cannot be derived)."""

    atom: Term
    positive: bool = True

    def __str__(self) -> str:
        return kif(self.atom) if self.positive else f"(not {kif(self.atom)})"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: the head holds if the whole body does. A fact has no body. `line` is where it stands in its sheet."""

    head: Term
    body: tuple[Literal, ...] = ()
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(<= {kif(self.head)} {' '.join(map(str, self.body))})" if self.body else kif(self.head)


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule sheet that was read and checked.

    Attributes
    ----------
    roles : tuple[str, ...]
        The players, in the order of their `role` facts: the order of payoffs and of moves.
    rules : tuple[Rule, ...]
        In the order of the text, without `base` and `input`.
    source_sha256 : str
        SHA-256 of the text.
    name : str
        What messages call the sheet.
    """

    roles: tuple[str, ...]
    rules: tuple[Rule, ...]
    source_sha256: str
    name: str = "sheet"

    def facts(self, name: str) -> list[tuple[Term, ...]]:
        """Return the arguments of each fact of a relation, in the order of the text.

        Parameters
        ----------
        name
            The name of the relation.

        Returns
        -------
        list[tuple[Term, ...]]
            One tuple a fact.
        """
        return [arguments(rule.head) for rule in self.rules if not rule.body and relation(rule.head) == name]

    def defines(self, name: str) -> bool:
        """Whether a relation is the head of some rule.

        Parameters
        ----------
        name
            The name of the relation.

        Returns
        -------
        bool
            True if a rule of the sheet, which may be a fact, is about it.
        """
        return any(relation(rule.head) == name for rule in self.rules)


def relation(atom: Term) -> str:
    """Return the name of an atom's relation.

    Examples
    --------
    >>> relation(("goal", "a1", "8")), relation("terminal")
    ('goal', 'terminal')
    """
    return atom if isinstance(atom, str) else str(atom[0])


def arguments(atom: Term) -> tuple[Term, ...]:
    """Return an atom's arguments."""
    return () if isinstance(atom, str) else atom[1:]


def parse(text: str, *, name: str = "sheet") -> Rules:
    """Read a rule sheet and check it.

    Parameters
    ----------
    text
        The sheet in KIF.
    name
        What messages call it: a file's name, say.

    Returns
    -------
    Rules
        The rules of the sheet.

    Raises
    ------
    SheetError
        Naming line and word: brackets that do not match, a word with the wrong number of arguments or in the wrong
        place, a relation with two arities, an unsafe variable, a relation that depends on its own negation, a recursion
        in which terms can grow, hidden information or chance (GDL-II), no role. See `negstats.games.rulesheet.rules`.

    Examples
    --------
    >>> rules = parse("(role a) (<= (h ?x) (or (true ?x) (not (p ?x))) (q ?x)) (q 1) (p 1)")
    >>> [str(rule) for rule in rules.rules[1:3]]
    ['(<= (h ?x) (true ?x) (q ?x))', '(<= (h ?x) (not (p ?x)) (q ?x))']
    """
    rules = [rule for node in expressions(text, name) for rule in _rules_of(node, name)]
    return checked(rules, name=name, source_sha256=hashlib.sha256(text.encode()).hexdigest())


def checked(rules: Iterable[Rule], *, name: str, source_sha256: str | None = None) -> Rules:
    """Return rules as a sheet, after all checks; without a text of their own they have that of `write`."""
    sheet_rules = tuple(rule for rule in rules if relation(rule.head) not in IGNORED)
    check(sheet_rules, name)
    roles = dict.fromkeys(kif(arguments(rule.head)[0]) for rule in sheet_rules if relation(rule.head) == "role")
    if source_sha256 is None:
        source_sha256 = hashlib.sha256(_format_rules(sheet_rules).encode()).hexdigest()
    return Rules(tuple(roles), sheet_rules, source_sha256, name)


def write(rules: Rules) -> str:
    """Return a sheet as text that parses to the same rules.

    Parameters
    ----------
    rules
        The sheet.

    Returns
    -------
    str
        The text of the sheet.

    Examples
    --------
    >>> print(write(parse("(ROLE a) (<= terminal (not (and (true p) (true q))))")), end="")
    (role a)
    (<= terminal (not (true p)))
    (<= terminal (not (true q)))
    """
    return _format_rules(rules.rules)


def _format_rules(rules: Iterable[Rule]) -> str:
    return "".join(f"{rule}\n" for rule in rules)


def _rules_of(node: Node, name: str) -> Iterator[Rule]:
    """Yield the rules that an expression stands for: one for each alternative of its body."""
    head, body = node, tuple[Node, ...]()
    if node.parts and node.parts[0].word == "<=":
        if len(node.parts) < 2:
            raise SheetError("a rule has a head: (<= head body ...)", file=name, line=node.line, word="<=")
        _, head, *body_nodes = node.parts
        body = tuple(body_nodes)
    atom = _atom(head, name)
    for literals in _all_of([_alternatives(body_node, True, name) for body_node in body], node, name):
        yield Rule(atom, literals, node.line)


Alternatives = list[tuple[Literal, ...]]


def _alternatives(node: Node, positive: bool, name: str) -> Alternatives:
    """Return the alternatives, each a conjunction, of a literal or (not `positive`) of its negation (De Morgan)."""
    word = node.parts[0].word if node.parts else None
    if word == "not":
        if len(node.parts) != 2:
            raise SheetError(f"takes 1 literal and has {len(node.parts) - 1}", file=name, line=node.line, word="not")
        return _alternatives(node.parts[1], not positive, name)
    if word in ("or", "and"):
        if len(node.parts) < 2:
            raise SheetError("takes literals and has none", file=name, line=node.line, word=word)
        alternatives_of_parts = [_alternatives(part_node, positive, name) for part_node in node.parts[1:]]
        if (word == "or") == positive:
            return list(itertools.chain.from_iterable(alternatives_of_parts))
        return _all_of(alternatives_of_parts, node, name)
    return [(Literal(_atom(node, name), positive),)]


def _all_of(conjuncts: list[Alternatives], node: Node, name: str) -> Alternatives:
    """Return the alternatives of a conjunction: one choice from each part."""
    number = 1
    for alternatives in conjuncts:
        number *= len(alternatives)
        if number > ALTERNATIVES:
            reason = f"the rule has more than {ALTERNATIVES} alternatives; give the parts names of their own"
            raise SheetError(reason, file=name, line=node.line, word="or")
    return [tuple(itertools.chain.from_iterable(choice)) for choice in itertools.product(*conjuncts)]


def _atom(node: Node, name: str) -> Term:
    atom = term_of(node, name)
    word = relation(atom)
    if is_variable(word) or word in _CONNECTIVES:
        raise SheetError(
            f"{shown(word)} is not a relation; an atom is a name or (name term ...)", file=name, line=node.line
        )
    return atom
