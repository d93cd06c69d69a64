"""Negotiations over a game: a protocol, a game and what an agreement commits to, put together in two ways.

In the *server* (`negotiation_game`) the protocol is played first, then the game with the moves that the agreement
leaves. In the *sheet* (`with_commitments`) one set of rules says both. The two give the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from negstats.errors import DesignError
from negstats.games.rulesheet.formulas import Does, Formula, True_, moves_of
from negstats.games.rulesheet.game import Game, GroundGame, Move, Payoffs, Profile
from negstats.games.rulesheet.rules import Literal, Rule, Rules, arguments, checked, relation
from negstats.games.rulesheet.terms import Term, read_term

Agreement: TypeAlias = Mapping[str, Formula]  # what each role may still do


class Stages(NamedTuple):
    """A state of a negotiation game: where the protocol stands, and where the game stands."""

    talk: Hashable
    play: Hashable


@dataclass(frozen=True, slots=True, eq=False)
class NegotiationGame:
    """A negotiation over a game (de Jonge and Zhang, 2016): moves of the protocol until it is over, then of the game.

    While the protocol goes on the game stays at its first state; then what was agreed restricts each role's moves.
    Payoffs are the game's. `negotiation_game` makes it.

    References
    ----------
    de Jonge, D., & Zhang, D. (2016). Using GDL to represent domain knowledge for automated negotiations. Autonomous
    Agents and Multiagent Systems (AAMAS 2016).
    """

    protocol: Game
    game: Game
    commitment: Callable[[Any], Agreement]
    _agreed: dict[Hashable, Agreement] = field(default_factory=dict, repr=False)

    @property
    def roles(self) -> tuple[str, ...]:
        """The game's players."""
        return self.game.roles

    @property
    def first(self) -> Stages:
        """Both at their first states."""
        return Stages(self.protocol.first, self.game.first)

    def legal(self, state: Stages) -> dict[str, tuple[Move, ...]]:
        """Return the protocol's moves, or what the agreement leaves of the game's.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        dict[str, tuple[Move, ...]]
            The moves of each role.

        Raises
        ------
        DesignError
            If the agreement leaves a role no move.
        """
        if not self.protocol.over(state.talk):
            legal = self.protocol.legal(state.talk)
            return {role: legal[role] for role in self.roles}
        agreement = self.agreed(state)
        return {role: moves_of(agreement[role], self.game, state.play, role) for role in self.roles}

    def next(self, state: Stages, profile: Profile) -> Stages:
        """Return the state after each role made its move.

        Parameters
        ----------
        state
            A state of the game.
        profile
            The move of each role.

        Returns
        -------
        Stages
            A state of the protocol or, after it, of the game.
        """
        if not self.protocol.over(state.talk):
            return Stages(self.protocol.next(state.talk, profile), state.play)
        return Stages(state.talk, self.game.next(state.play, profile))

    def over(self, state: Stages) -> bool:
        """Whether both protocol and game are over.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        bool
            True if nothing is left to play.
        """
        return self.protocol.over(state.talk) and self.game.over(state.play)

    def payoffs(self, state: Stages) -> Payoffs:
        """Return the game's payoffs.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        Payoffs
            One number a role.
        """
        return self.game.payoffs(state.play)

    def holds(self, state: Stages, fluent: str) -> bool:
        """Whether something holds in the protocol's state while that goes on, then in the game's.

        Parameters
        ----------
        state
            A state of the game.
        fluent
            The text of a term.

        Returns
        -------
        bool
            True if it holds.
        """
        if not self.protocol.over(state.talk):
            return self.protocol.holds(state.talk, fluent)
        return self.game.holds(state.play, fluent)

    def agreed(self, state: Stages) -> Agreement:
        """Return what was agreed when the protocol ended.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        Agreement
            What the roles may do in the game that follows.
        """
        agreement = self._agreed.get(state.talk)
        if agreement is None:
            agreement = self._agreed[state.talk] = self.commitment(state.talk)
        return agreement


def negotiation_game(protocol: Game, game: Game, commitment: Callable[[Any], Agreement]) -> NegotiationGame:
    """Put a protocol before a game.

    Protocol and game are put together as in de Jonge and Zhang [1]_.

    Parameters
    ----------
    protocol
        How is talked. Its payoffs do not count.
    game
        What is played then.
    commitment
        What each role may still do, given the state in which the protocol ended: a formula for each role, `True_()` for
        no restriction. Where nobody agreed that is the conflict deal.

    Returns
    -------
    NegotiationGame
        A game whose first part is the protocol.

    Raises
    ------
    DesignError
        If the two have not the same roles.

    References
    ----------
    .. [1] de Jonge, D., & Zhang, D. (2016). Using GDL to represent domain knowledge for automated negotiations.
       Autonomous Agents and Multiagent Systems (AAMAS 2016).

    Examples
    --------
    >>> from negstats.games.rulesheet import equilibrium_payoffs, ground, parse, sheet
    >>> protocol, game = ground(parse(sheet.set_offers(rounds=3))), ground(parse(sheet.prisoners()))
    >>> equilibrium_payoffs(negotiation_game(protocol, game, accepted_sets(protocol)))
    frozenset({(8, 8)})
    """
    if set(protocol.roles) != set(game.roles):
        raise DesignError(f"the protocol's roles are {', '.join(protocol.roles)}, the game's {', '.join(game.roles)}")
    return NegotiationGame(protocol, game, commitment)


def accepted_sets(protocol: GroundGame) -> Callable[[Any], Agreement]:
    """Return the commitments of `sheet.set_offers`: each role keeps to its part of the accepted offer.

    Each letter of a part is a move that it allows; a part that allows both is not a restriction.

    Parameters
    ----------
    protocol
        The grounded sheet of the protocol.

    Returns
    -------
    Callable[[Any], Agreement]
        A function from a state of the protocol to an agreement.
    """

    def find_commitment(state: Any) -> Agreement:
        if not protocol.holds(state, "accepted"):
            return dict.fromkeys(protocol.roles, True_())
        (offer,) = (term for term in map(read_term, protocol.holding(state)) if relation(term) == "offer")
        action_sets = map(str, arguments(offer))
        return {
            role: True_() if len(action_set) > 1 else Does(action_set)
            for role, action_set in zip(protocol.roles, action_sets, strict=True)
        }

    return find_commitment


def with_commitments(rules: Rules) -> Rules:
    """Write into a sheet that commitments are kept.

    The sheet's protocol part says ``(committed R A)``: role R may play A. Its ``legal`` becomes ``pure_legal``, and
    legal is what is pure_legal and not ``excluded``. Where the sheet does not say what is excluded, it is for a
    committed role each move that it has not committed to.

    Parameters
    ----------
    rules
        The sheet of a protocol.

    Returns
    -------
    Rules
        A new sheet; the old one stays as it is.

    Raises
    ------
    DesignError
        If no rule says that a role is committed, or the sheet has a relation ``pure_legal`` of its own.

    Examples
    --------
    >>> from negstats.games.rulesheet import explore, ground, parse, sheet
    >>> free = parse(sheet.negotiating_prisoners(rounds=2, committed=False))
    >>> [explore(ground(rules)).histories() for rules in (free, with_commitments(free))]
    [360, 340]
    """
    heads = [rule.head for rule in rules.rules]
    if not any(relation(head) == "next" and relation(arguments(head)[0]) == "committed" for head in heads):
        raise DesignError(f"sheet {rules.name!r} has no rule (<= (next (committed R A)) ...): nobody ever commits")
    if rules.defines("pure_legal"):
        raise DesignError(f"sheet {rules.name!r} has a relation 'pure_legal' already")
    new_rules = [
        Rule(("legal", "?r", "?a"), (Literal(("pure_legal", "?r", "?a")), Literal(("excluded", "?r", "?a"), False)))
    ]
    if not rules.defines("excluded"):
        committed: Term = ("true", ("committed", "?r", "?b"))
        conditions = (Literal(committed), Literal(("pure_legal", "?r", "?a")))
        is_uncommitted = Literal(("true", ("committed", "?r", "?a")), False)
        new_rules.append(Rule(("excluded", "?r", "?a"), (*conditions, is_uncommitted)))
    return checked([*map(_pure, rules.rules), *new_rules], name=rules.name)


def _pure(rule: Rule) -> Rule:
    body = tuple(replace(literal, atom=_renamed(literal.atom)) for literal in rule.body)
    return replace(rule, head=_renamed(rule.head), body=body)


def _renamed(atom: Term) -> Term:
    return ("pure_legal", *arguments(atom)) if relation(atom) == "legal" else atom
