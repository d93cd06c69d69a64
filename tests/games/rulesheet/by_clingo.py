"""A third engine: clingo grounds and solves, one solve a state, with the inputs as externals."""

from __future__ import annotations

from collections.abc import Mapping

import clingo

from negstats.games.rulesheet import Rules, Term, kif
from negstats.games.rulesheet.grounding import Growth, program
from negstats.games.rulesheet.rules import arguments, relation


class ByClingo:
    """A sheet as a game, with states as sets of terms."""

    def __init__(self, rules: Rules) -> None:
        text, self.names = program(rules)
        self.roles = rules.roles
        self.asked = {self.names.symbol("r", word) for word in ("init", "legal", "terminal", "goal", "next")}
        self.control = clingo.Control(["--warn=none"], logger=lambda _, __: None, message_limit=0)
        self.control.add("base", [], text)
        self.control.ground([("base", [])], context=Growth(rules))
        self.inputs: dict[Term, int] = {}
        self.atoms: list[tuple[Term, int]] = []
        for found in self.control.symbolic_atoms:
            if found.symbol.name != "possible":
                atom = self.names.read(found.symbol)
                self.atoms.append((atom, found.literal))
                if found.is_external:
                    self.inputs[atom] = found.literal
        (model,) = [self.solve(set())]
        self.first = frozenset(arguments(atom)[0] for atom in model if relation(atom) == "init")

    def solve(self, given: set[Term]) -> list[Term]:
        """Everything that holds."""
        for atom, literal in self.inputs.items():
            self.control.assign_external(literal, atom in given)
        with self.control.solve(yield_=True) as handle:
            (model,) = handle
            return [self.names.read(one) for one in model.symbols(atoms=True) if one.name in self.asked]

    def look(self, state: frozenset[Term]) -> tuple[bool, dict[str, tuple[str, ...]], dict[str, list[str]]]:
        model = self.solve({("true", term) for term in state})
        legal = {role: tuple(sorted(map(kif, self.of(model, "legal", role)))) for role in self.roles}
        return "terminal" in model, legal, {role: sorted(map(kif, self.of(model, "goal", role))) for role in self.roles}

    def next(self, state: frozenset[Term], does: Mapping[Term, Term]) -> frozenset[Term]:
        given: list[Term] = [("true", term) for term in state]
        given += [("does", role, move) for role, move in does.items()]
        model = self.solve(set(given))
        return frozenset(arguments(atom)[0] for atom in model if relation(atom) == "next")

    @staticmethod
    def of(model: list[Term], word: str, role: str) -> list[Term]:
        return [arguments(atom)[1] for atom in model if relation(atom) == word and kif(arguments(atom)[0]) == role]
