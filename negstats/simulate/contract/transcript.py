"""The decisions of a customer and a provider, the loop that plays a game, and its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from negstats.games.contract.board import Offer, Square, State
from negstats.games.contract.commitment import is_commitment
from negstats.games.contract.rules import Game


class Customer(Protocol):
    """Sits at the start of the board and may walk."""

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Return the offer of an even round; None for none."""

    def answer(self, state: State, offers: Sequence[Offer], rng: np.random.Generator) -> Offer | None:
        """Return which of the offers of an odd round is accepted; None for none."""

    def walk(self, state: State, rng: np.random.Generator) -> Sequence[Square]:
        """Return the squares that are entered, one after the other; none to stay."""


class Provider(Protocol):
    """Has a goal and chips."""

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Return the offer of an odd round; None for none."""

    def accepts(self, state: State, offer: Offer, rng: np.random.Generator) -> bool:
        """Whether the customer's offer of an even round is accepted."""


class Made(NamedTuple):
    """An offer that was made. Seats are numbered as the game's players: 0 is the customer."""

    round: int
    proposer: int
    offer: Offer
    commitment: bool
    accepted: bool


class Step(NamedTuple):
    """A square that the customer entered."""

    round: int
    square: tuple[int, int]
    paid: str


class Transcript(NamedTuple):
    """One game: its offers and steps in order, and its end. `goal` is the provider whose goal was reached, or 0."""

    offers: tuple[Made, ...]
    steps: tuple[Step, ...]
    rounds: int
    goal: int
    points: tuple[int, ...]


def play(game: Game, customer: Customer, providers: Sequence[Provider], rng: np.random.Generator) -> Transcript:
    """Play one game to its end."""
    offers: list[Made] = []
    steps: list[Step] = []
    state, rounds = game.start, 0
    while not game.ended(state):
        rounds += 1
        round_offers, accepted_offer = _offers(state, customer, providers, rng)
        for offer in round_offers:
            commitment = is_commitment(game, state, offer)
            offers.append(Made(rounds, offer.provider if state.odd else 0, offer, commitment, offer == accepted_offer))
        state = game.accept(state, accepted_offer)
        path = customer.walk(state, rng)
        steps += [Step(rounds, square, str(game.board.colour(square))) for square in path]
        state = game.move(state, path)
    return Transcript(tuple(offers), tuple(steps), rounds, game.goal_reached(state), game.scores(state))


def _offers(
    state: State, customer: Customer, providers: Sequence[Provider], rng: np.random.Generator
) -> tuple[list[Offer], Offer | None]:
    """Return the round's offers and the accepted one. Providers offer without seeing each other's offers."""
    if state.odd:
        offers = [offer for provider in providers if (offer := provider.offer(state, rng)) is not None]
        return offers, customer.answer(state, offers, rng) if offers else None
    offer = customer.offer(state, rng)
    if offer is None:
        return [], None
    return [offer], offer if providers[offer.provider - 1].accepts(state, offer, rng) else None
