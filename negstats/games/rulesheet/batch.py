"""Evaluating ground rules for many states at once: 64 states in a machine word, one pass in dependency order.

A row of words is an atom, a bit of it a state. Rules are sorted into layers, so that what a layer needs was worked out
before; a layer is a handful of numpy calls, whatever its number of rules. Only what the wanted atoms depend on is
evaluated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from negstats.games.rulesheet.grounding import GroundRule
from negstats.games.rulesheet.strata import cycles

Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

ALWAYS, NEVER = 0, 1  # the first two rows
_WORD = 8  # bytes


def packed(bits: Mask) -> Words:
    """Return (rows, states) truth values as (rows, words), 64 states a word."""
    octets = np.packbits(bits, axis=1, bitorder="little")
    n_padding = -octets.shape[1] % _WORD
    if n_padding:
        octets = np.pad(octets, ((0, 0), (0, n_padding)))
    return np.ascontiguousarray(octets).view(np.uint64)


def unpacked(words: Words, states: int) -> Mask:
    """Return (rows, words) as (rows, states) truth values."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=states, bitorder="little").view(np.bool_)


@dataclass(frozen=True, slots=True)
class _Layer:
    """Rules whose bodies are known.

    Attributes
    ----------
    columns
        The k-th holds the row of the k-th body literal of each rule that has so many; rules with longer bodies first.
    order, starts
        Rules by head, and where each head's begin; None where each head has one rule.
    heads, complements
        The rows that are written, and the rows of their negations.
    again
        Whether rules need each other: repeated until nothing changes.
    """

    columns: tuple[Places, ...]
    order: Places | None
    starts: Places | None
    heads: Places
    complements: Places
    again: bool

    def apply(self, values: Words) -> bool:
        """Work out the heads; return whether anything changed."""
        bodies = values.take(self.columns[0], axis=0)
        for rows in self.columns[1:]:
            bodies[: len(rows)] &= values.take(rows, axis=0)
        if self.order is not None and self.starts is not None:
            bodies = np.bitwise_or.reduceat(bodies.take(self.order, axis=0), self.starts, axis=0)
        changed = self.again and not np.array_equal(values[self.heads], bodies)
        values[self.heads] = bodies
        values[self.complements] = ~bodies
        return changed


@dataclass(frozen=True, slots=True)
class Circuit:
    """The ground rules that some wanted atoms depend on, ready to be evaluated.

    Attributes
    ----------
    inputs
        Which of the given rows are read.
    wanted
        The rows of the wanted atoms.
    rows
        How many atoms there are, the two constant ones among them. The negation of row i is row `rows` + i.
    """

    inputs: Places
    wanted: Places
    rows: int
    layers: tuple[_Layer, ...]

    @classmethod
    def of(cls, rules: Sequence[GroundRule], inputs: Sequence[int], outputs: Sequence[int | None]) -> Circuit:
        """Make the circuit.

        Parameters
        ----------
        rules
            Ground rules, facts simplified away.
        inputs
            The atoms that are given.
        outputs
            The atoms to work out; 0 stands for one that holds always and None for one that never does.
        """
        bodies: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        for head, body in rules:
            bodies[head].append(body)
        input_index = {atom: index for index, atom in enumerate(inputs)}
        needs = _find_needs(bodies, input_index, [atom for atom in outputs if atom])
        inputs_used = [atom for atom in needs if atom in input_index]
        derived = [atom for atom in needs if atom not in input_index]
        row = {atom: index for index, atom in enumerate([*inputs_used, *derived], start=2)}
        rows = len(row) + 2
        literal = dict(row) | {-atom: rows + index for atom, index in row.items()}
        # Layers in the order of dependence: each is evaluated once,
        # or until nothing changes if it is recursive.
        layers = []
        for heads, recursive in _layers({atom: needs[atom] for atom in derived}, input_index):
            rules_of_heads = [
                (row[head], [literal[signed_atom] for signed_atom in body]) for head in heads for body in bodies[head]
            ]
            if rules_of_heads:  # an atom that is named and has no rule never holds
                layers.append(_layer(rules_of_heads, rows, recursive))
        wanted_rows = [ALWAYS if atom == 0 else NEVER if atom is None else row[atom] for atom in outputs]
        return cls(
            np.array([input_index[atom] for atom in inputs_used], dtype=np.intp),
            np.array(wanted_rows, dtype=np.intp),
            rows,
            tuple(layers),
        )

    def evaluate(self, words: Words) -> Words:
        """Return the wanted rows, (wanted, words), for the input rows, (inputs, words)."""
        values = np.zeros((2 * self.rows, words.shape[1]), dtype=np.uint64)
        values[ALWAYS] = values[self.rows + NEVER] = ~np.uint64(0)
        inputs_end = 2 + len(self.inputs)
        values[2:inputs_end] = words[self.inputs]
        values[self.rows + 2 : self.rows + inputs_end] = ~values[2:inputs_end]
        values[self.rows + inputs_end :] = ~np.uint64(0)  # nothing is derived yet
        for layer in self.layers:
            while layer.apply(values):
                pass
        return values[self.wanted]


def _find_needs(
    bodies: Mapping[int, Sequence[tuple[int, ...]]], inputs: Mapping[int, int], targets: Sequence[int]
) -> dict[int, set[int]]:
    """Return the atoms that the wanted ones depend on, each with what its rules name."""
    needs: dict[int, set[int]] = {}
    pending = list(dict.fromkeys(targets))
    while pending:
        atom = pending.pop()
        if atom in needs:
            continue
        needs[atom] = (
            set() if atom in inputs else {abs(signed_atom) for body in bodies.get(atom, ()) for signed_atom in body}
        )
        pending += needs[atom] - needs.keys()
    return needs


def _layers(needs: Mapping[int, set[int]], inputs: Mapping[int, int]) -> list[tuple[list[int], bool]]:
    """Return atoms by layer, with whether they need each other."""
    component = cycles({atom: names - inputs.keys() for atom, names in needs.items()})
    members: dict[int, list[int]] = defaultdict(list)
    for atom, number in component.items():
        members[number].append(atom)
    level: dict[int, int] = {}
    for number in range(len(members)):
        levels_below = {component[needed] for atom in members[number] for needed in needs[atom] - inputs.keys()} - {
            number
        }
        level[number] = 1 + max([level[component_below] for component_below in levels_below], default=-1)
    layers: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, atoms in members.items():
        # A cycle is a layer of its own, after the plain atoms of its level.
        layers[level[number], number + 1 if len(atoms) > 1 else 0] += atoms
    return [(layers[key], key[1] > 0) for key in sorted(layers)]


def _layer(rules: Sequence[tuple[int, Sequence[int]]], rows: int, recursive: bool) -> _Layer:
    rules = sorted(rules, key=lambda rule: -len(rule[1]))
    longest = len(rules[0][1])
    columns = [np.array([body[k] for _, body in rules if len(body) > k], dtype=np.intp) for k in range(longest)]
    heads = np.array([head for head, _ in rules], dtype=np.intp)
    order = np.argsort(heads, kind="stable")
    unique, starts = np.unique(heads[order], return_index=True)
    if len(unique) == len(heads):
        return _Layer(tuple(columns), None, None, heads, rows + heads, recursive)
    return _Layer(tuple(columns), order, starts, unique, rows + unique, recursive)
