"""How many ground rules a sheet has at least, found without grounding: one that is too large is refused at once.

A rule has as many instances as its body has matches. Where the relations of a body are known, at least in part, their
number follows from the domains of variables that share no literal: it is the product of these parts. What is counted
are instances that differ in their head or in a literal that is no fact, since clingo simplifies all others away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from negstats.games.rulesheet.kif import Term, is_variable
from negstats.games.rulesheet.rules import Literal, Rule, Rules, arguments, relation

MOST_ATOMS = 20_000  # that are written down for one relation: fewer than there are leave a lower bound
MOST_STEPS = 50_000  # of matching, for a sheet
ROUNDS = 4  # of finding what may hold from what may hold
INPUTS = ("true", "does")

Values: TypeAlias = dict[str, Term]
Known: TypeAlias = dict[str, dict[tuple[Term, ...], None]]


class _TiredError(Exception):
    """There were too many steps."""


@dataclass(slots=True)
class _Atoms:
    """What may hold, as far as it was found: the arguments of each relation's atoms."""

    known: Known = field(default_factory=lambda: defaultdict(dict))
    steps: int = 0

    def add(self, name: str, terms: tuple[Term, ...]) -> None:
        if len(self.known[name]) < MOST_ATOMS:
            self.known[name][terms] = None

    def matches(self, literals: Sequence[Literal], values: Values) -> Iterator[Values]:
        """Yield the values of variables under which positive literals are known and `distinct` holds."""
        if not literals:
            yield values
            return
        first, rest = literals[0], literals[1:]
        if relation(first.atom) == "distinct":
            one, other = (_substitute(term, values) for term in arguments(first.atom))
            if (one != other) == first.positive:
                yield from self.matches(rest, values)
            return
        for terms in list(self.known.get(relation(first.atom), ())):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise _TiredError
            binding = dict(values)
            if all(_match(one, other, binding) for one, other in zip(arguments(first.atom), terms, strict=True)):
                yield from self.matches(rest, binding)


def least_rules(rules: Rules, limit: int) -> tuple[int, str]:
    """Return how many ground rules a sheet has at least, counted until `limit` is passed, and the relation with most.

    Examples
    --------
    >>> from negstats.games.rulesheet.rules import parse
    >>> digits = " ".join(f"(d {number})" for number in range(10))
    >>> text = f"(role a) {digits} (<= (legal a (take ?x ?y)) (d ?x) (d ?y) (distinct ?x ?y))"
    >>> least_rules(parse(text), 1000)
    (90, 'legal')
    """
    kinds, atoms = _kinds(rules), _Atoms()
    for rule in rules.rules:
        if not rule.body:
            _derive(atoms, rule.head)
    proper = [rule for rule in rules.rules if rule.body and all(_is_plain(literal) for literal in rule.body)]
    counts = [0] * len(proper)
    for _ in range(ROUNDS):
        n_atoms = sum(map(len, atoms.known.values()))
        for place, rule in enumerate(proper):
            try:
                counts[place] = _instances(rule, atoms, kinds, limit)
                total, most = _sum_instances(proper, counts, kinds)
                if total > limit:
                    return total, most
                _fill(rule, atoms)
            except _TiredError:
                return _sum_instances(proper, counts, kinds)
        if sum(map(len, atoms.known.values())) == n_atoms:
            break
    return _sum_instances(proper, counts, kinds)


def _sum_instances(proper: Sequence[Rule], counts: Sequence[int], kinds: Mapping[str, str]) -> tuple[int, str]:
    """Return the sum over relations, and the largest; facts that several rules give may be the same ones."""
    heads: dict[str, int] = defaultdict(int)
    for rule, count in zip(proper, counts, strict=True):
        name = relation(rule.head)
        heads[name] = max(heads[name], count) if kinds[name] == "fact" else heads[name] + count
    return sum(heads.values()), max(heads, key=lambda name: heads[name], default="")


def _kinds(rules: Rules) -> Mapping[str, str]:
    """Return for each relation whether its atoms are facts ("fact"), follow from what changes ("open"), or "both"."""
    bodies = defaultdict(list)
    for rule in rules.rules:
        bodies[relation(rule.head)].append({relation(literal.atom) for literal in rule.body} - {"distinct"})
    moving = set(INPUTS)
    while fresh := {name for name, all_of in bodies.items() if any(one & moving for one in all_of)} - moving:
        moving |= fresh
    kinds = dict.fromkeys(bodies, "fact")
    for name in moving & set(bodies):
        kinds[name] = "open" if all(one & moving for one in bodies[name]) else "both"
    return kinds | dict.fromkeys(INPUTS, "open")


def _is_plain(literal: Literal) -> bool:
    return literal.positive or relation(literal.atom) == "distinct"


def _derive(atoms: _Atoms, head: Term) -> None:
    """Add an atom, and what follows from it: what is or may become true, and what may be done."""
    name, terms = relation(head), arguments(head)
    atoms.add(name, terms)
    if name in ("init", "next"):
        atoms.add("true", terms)
    elif name == "legal":
        atoms.add("does", terms)


def _parts(rule: Rule) -> list[tuple[set[str], list[Literal]]]:
    """Return the body's literals in parts that share no variable, with the variables of each."""
    parts: list[tuple[set[str], list[Literal]]] = []
    for literal in rule.body:
        own = variables_of(literal.atom)
        overlapping = [part for part in parts if part[0] & own]
        parts = [part for part in parts if not part[0] & own]
        literals = [one for _, some in overlapping for one in some]
        parts.append((own.union(*(names for names, _ in overlapping)), [*literals, literal]))
    # What makes variables distinct has no values of its own, and comes after what has.
    return [
        (names, sorted(literals, key=lambda literal: relation(literal.atom) == "distinct")) for names, literals in parts
    ]


def _instances(rule: Rule, atoms: _Atoms, kinds: Mapping[str, str], limit: int) -> int:
    """Return how many ground rules a rule has at least."""
    if kinds[relation(rule.head)] == "both":
        return 0  # some of its heads may be facts anyway
    head_variables = variables_of(rule.head).union(
        *(variables_of(literal.atom) for literal in rule.body if kinds.get(relation(literal.atom)) == "open")
    )
    sizes = []
    for names, literals in _parts(rule):
        own = sorted(names & head_variables)
        bindings = set()
        for values in atoms.matches(literals, {}):
            bindings.add(tuple(values[name] for name in own))
            if len(bindings) > limit:
                break
        sizes.append(len(bindings))
    return prod(sizes)


def _fill(rule: Rule, atoms: _Atoms) -> None:
    """Add the heads of a rule, at most as many as are written down."""
    room = MOST_ATOMS - len(atoms.known[relation(rule.head)])
    literals = [literal for _, some in _parts(rule) for literal in some]
    for number, values in enumerate(atoms.matches(literals, {})):
        if number >= room:
            return
        _derive(atoms, _substitute(rule.head, values))


def variables_of(term: Term) -> set[str]:
    """Return the variables of a term."""
    if isinstance(term, str):
        return {term} if is_variable(term) else set()
    return set().union(*map(variables_of, term[1:])) if len(term) > 1 else set()


def _substitute(term: Term, values: Values) -> Term:
    if isinstance(term, str):
        return values.get(term, term)
    return (term[0], *(_substitute(part, values) for part in term[1:]))


def _match(pattern: Term, term: Term, values: Values) -> bool:
    """Whether a term is an instance of a pattern under the values so far, to which it adds those of new variables."""
    if isinstance(pattern, str):
        if not is_variable(pattern):
            return pattern == term
        return values.setdefault(pattern, term) == term
    if isinstance(term, str) or len(pattern) != len(term) or pattern[0] != term[0]:
        return False
    return all(_match(one, other, values) for one, other in zip(pattern[1:], term[1:], strict=True))
