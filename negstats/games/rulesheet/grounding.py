"""From rules with variables to ground rules: clingo does it (the extra ``gdl``), told nothing but numbers.

Each name of a sheet is given to clingo as a number (``c7``, ``f2``, ``r4``), so no text of a sheet reaches it. What may
ever hold, or be played, is found from `init`, `next` and `legal` and is more than what can: it needs no ``base`` or
``input``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from negstats.errors import SheetError, UsageError
from negstats.games.rulesheet.rules import Literal, Rule, Rules, arguments, relation
from negstats.games.rulesheet.terms import Term, is_variable, variables

LIMIT = 300_000  # ground rules: the largest public sheet of a known game has 38,391; so many take 2 s
LARGEST_TERM = 200  # names in a term
MOST_DEEPER = 20_000  # terms with more names in each other than any that the sheet writes
MOST_RULES = 150_000  # ground rules of a sheet that has such terms
MANY_VARIABLES = 5  # of a rule: fewer have no billions of combinations in a sheet of ordinary size
MOST_TRIED = 200_000  # values of variables; counting them takes half a second
TRIED_EACH = 20  # more for each ground rule: variables of a rule that fits, and some that do not
GroundRule: TypeAlias = tuple[int, tuple[int, ...]]  # head and body: atoms' numbers, negative where negated


@dataclass(frozen=True, slots=True)
class GroundRules:
    """A grounded sheet: its ground rules over numbered atoms, and what the numbers mean.

    Attributes
    ----------
    rules : tuple[GroundRule, ...]
        Without facts: what always holds was simplified away.
    atoms : dict[Term, int]
        The number of each atom that may hold; `true` and `does` atoms are the inputs.
    always : frozenset[Term]
        The atoms that hold always.
    count : int
        How many ground rules clingo gave, facts among them: the measure of a sheet's size.
    """

    rules: tuple[GroundRule, ...]
    atoms: dict[Term, int]
    always: frozenset[Term]
    count: int


@dataclass(slots=True)
class Names:
    """The names of a sheet, by the symbols that stand for them, and the terms that clingo's symbols were read as."""

    symbols: dict[tuple[str, str], str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    terms: dict[Any, Term] = field(default_factory=dict)

    def symbol(self, kind: str, name: str) -> str:
        """Return the symbol of a constant (kind c), a name with arguments (f), a relation (r) or a variable (V)."""
        symbol = self.symbols.get((kind, name))
        if symbol is None:
            symbol = self.symbols[kind, name] = f"{kind}{len(self.symbols)}"
            self.names[symbol] = name
        return symbol

    def term(self, term: Term) -> str:
        """Return a term as clingo reads it."""
        if isinstance(term, str):
            return self.symbol("V" if is_variable(term) else "c", term)
        return f"{self.symbol('f', str(term[0]))}({','.join(map(self.term, term[1:]))})"

    def atom(self, atom: Term) -> str:
        """Return an atom as clingo reads it."""
        name, terms = self.symbol("r", relation(atom)), ",".join(map(self.term, arguments(atom)))
        return f"{name}({terms})" if terms else name

    def literal(self, literal: Literal) -> str:
        """Return a body literal as clingo reads it."""
        if relation(literal.atom) == "distinct":
            first_term, second_term = map(self.term, arguments(literal.atom))
            return f"{first_term}{'!=' if literal.positive else '='}{second_term}"
        return self.atom(literal.atom) if literal.positive else f"not {self.atom(literal.atom)}"

    def rule(self, rule: Rule) -> str:
        """Return a rule as clingo reads it."""
        body = [*map(self.literal, rule.body), *(f"@counted({name})=1" for name in self._searched(rule))]
        return f"{self.atom(rule.head)}:-{','.join(body)}."

    def _searched(self, rule: Rule) -> list[str]:
        """Return the variables whose values are counted while they are tried: of rules that have many."""
        names = variables(("", rule.head, *(literal.atom for literal in rule.body)))
        return [self.term(name) for name in sorted(names)] if len(names) >= MANY_VARIABLES else []

    def read(self, symbol: Any) -> Term:
        """Return the term or atom that a clingo symbol stands for."""
        if symbol not in self.terms:  # a fluent stands in several atoms
            name, terms = self.names[symbol.name], symbol.arguments
            self.terms[symbol] = (name, *map(self.read, terms)) if terms else name
        return self.terms[symbol]


def program(rules: Rules) -> tuple[str, Names]:
    """Return a sheet as a clingo program whose inputs (`true`, `does`) are external, and its names."""
    names = Names()
    init, following, true, does, legal, role = (
        names.symbol("r", word) for word in ("init", "next", "true", "does", "legal", "role")
    )
    lines = [names.rule(rule) for rule in rules.rules]
    lines += [
        f"possible(F):-{init}(F),@fits(F)=1.",
        f"possible(F):-{following}(F),@fits(F)=1.",
        f"#external {true}(F):possible(F).",
        f"#external {does}(R,M):{legal}(R,M),{role}(R).",
    ]
    return "\n".join(lines), names


class _Observer:
    """Gathers what clingo grounds, and stops it at a limit."""

    def __init__(self, limit: int, growth: Growth) -> None:
        self.limit, self.growth = limit, growth
        # Side by side, so that a fact, whose body is the one empty tuple, is no object that Python has to look after.
        self.heads: list[int] = []
        self.bodies: list[tuple[int, ...]] = []

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:  # noqa: ARG002 - clingo calls it so
        self.heads.append(head[0])
        self.bodies.append(tuple(body))
        self.growth.instances = count = len(self.heads)
        if count > self.limit:
            raise _TooLargeError
        if count > MOST_RULES and self.growth.deeper:
            raise _GrowingError


class _TooLargeError(Exception):
    """There are too many ground rules."""


class _GrowingError(Exception):
    """Terms grow from state to state."""


class _SearchError(Exception):
    """Values of variables are tried for long, and hardly any fit."""


class Growth:
    """Looks at each fact that may ever hold while clingo grounds, and stops it where terms grow without an end.

    A counter that adds one to itself, or a list that each state lengthens, has no largest term: with `next` all that
    may ever hold is infinite. Sheets of finite games build terms as deep as those that are written in them, or few
    deeper ones.
    """

    def __init__(self, rules: Rules) -> None:
        atoms = [atom for rule in rules.rules for atom in (rule.head, *(literal.atom for literal in rule.body))]
        self.written = max((_deep(term) for atom in atoms for term in arguments(atom)), default=0)
        self.sizes: dict[Any, tuple[int, int]] = {}
        self.deeper = 0
        self.name = ""
        self.tried = 0
        self.instances = 0
        self.one = _clingo().Number(1)

    def counted(self, _: Any) -> Any:
        """Return clingo's 1; raises _SearchError if many values were tried, and few of them made a ground rule."""
        self.tried += 1
        if self.tried > MOST_TRIED + TRIED_EACH * self.instances:
            raise _SearchError
        return self.one

    def fits(self, symbol: Any) -> Any:
        """Return clingo's 1; raises _GrowingError if a term is larger than a game needs, or too many are deep."""
        self.measured(symbol)
        return self.one

    def measured(self, symbol: Any) -> tuple[int, int]:
        """Return how many names stand in a term, and how many stand in each other."""
        measures = self.sizes.get(symbol)
        if measures is None:
            size, depth = 1, 0
            for argument in symbol.arguments:  # what they are made of was measured before
                argument_size, argument_depth = self.measured(argument)
                size, depth = size + argument_size, max(depth, argument_depth)
            measures = size, depth + 1
            self.sizes[symbol] = measures
            if measures[1] > self.written:
                self.deeper, self.name = self.deeper + 1, symbol.name
            if measures[0] > LARGEST_TERM or self.deeper > MOST_DEEPER:
                raise _GrowingError
        return measures


def _deep(term: Term) -> int:
    """Return how many names of a term stand in each other."""
    return 1 if isinstance(term, str) else 1 + max(map(_deep, term[1:]), default=0)


def ground_rules(rules: Rules, *, limit: int = LIMIT) -> GroundRules:
    """Ground a sheet.

    Raises
    ------
    SheetError
        If there are more than `limit` ground rules (names the relation with the most), or terms grow without an end.
    UsageError
        If clingo is not installed.
    """
    control_type = _clingo().Control
    # An observer and a function that clingo calls see each rule and term as it arises, and can stop it.
    control = control_type(["--warn=none"], logger=_silent, message_limit=0)
    growth = Growth(rules)
    observer = _Observer(limit, growth)
    control.register_observer(observer, replace=True)  # the solver, which nobody asks, is given nothing
    text, names = program(rules)
    control.add("base", [], text)
    try:
        control.ground([("base", [])], context=growth)
    except _GrowingError:
        name = names.names[growth.name]
        raise SheetError(
            "terms grow for ever, without an end; give a relation that lists the values, such as (succ 0 1) (succ 1 2)",
            file=rules.name,
            word=name,
        ) from None
    except _SearchError:
        raise SheetError(
            f"more than {MOST_TRIED:,} values of variables were tried, and hardly any fit together; split "
            "the rule into steps with fewer variables",
            file=rules.name,
        ) from None
    except _TooLargeError:
        raise _too_large(rules, limit, _largest(control, names)) from None
    # What always holds is taken out of the rules; the rest are atoms by number.
    derived_rules, facts = _drop_facts(list(zip(observer.heads, observer.bodies, strict=True)))
    atoms: dict[Term, int] = {}
    fact_terms = set[Term]()
    for atom in control.symbolic_atoms:
        if atom.symbol.name == "possible":
            continue
        if atom.is_fact or atom.literal in facts:
            fact_terms.add(names.read(atom.symbol))
        else:
            atoms[names.read(atom.symbol)] = atom.literal
    return GroundRules(tuple(derived_rules), atoms, frozenset(fact_terms), growth.instances)


def _drop_facts(rules: Sequence[GroundRule]) -> tuple[list[GroundRule], set[int]]:
    """Return the rules that are not facts, without facts in their bodies, and the facts.

    Clingo simplifies what it knows to be a fact; in a recursion it learns that of some atoms after it has used them.
    """
    facts: set[int] = set()
    while new_facts := {head for head, body in rules if not body} - facts:
        facts |= new_facts
        rules = [
            (head, tuple(literal for literal in body if literal not in facts))
            for head, body in rules
            if head not in facts and not any(-literal in facts for literal in body)
        ]
    return list(rules), facts


def _too_large(rules: Rules, limit: int, largest: str) -> SheetError:
    return SheetError(f"more than {limit:,} ground rules; the largest relation so far is {largest!r}", file=rules.name)


def _largest(control: Any, names: Names) -> str:
    """Return the relation with the most atoms: all are counted side by side, until one remains."""
    atoms = control.symbolic_atoms
    iterators = {name: iter(atoms.by_signature(name, count, sign)) for name, count, sign in atoms.signatures}
    iterators.pop("possible", None)
    while len(iterators) > 1:
        iterators = {
            name: iterator for name, iterator in iterators.items() if next(iterator, None) is not None
        } or dict([iterators.popitem()])
    return names.names[next(iter(iterators))] if iterators else ""


def _silent(code: object, message: str) -> None:
    """Keep clingo's remarks (a relation that no rule defines) from the error stream."""


def _clingo() -> Any:
    try:
        import clingo
    except ImportError:
        raise UsageError("rule sheets need clingo; install it with: python -m pip install 'negstats[gdl]'") from None
    return clingo
