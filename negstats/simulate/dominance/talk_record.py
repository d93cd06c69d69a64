"""A talk that was held, with who held it, and what the study says of it."""

from __future__ import annotations

from dataclasses import dataclass

from negstats.games.dominance import Domain, Preferences, Relation
from negstats.simulate.dominance.talks import Seat, Transcript

PROTOCOL = "dialogue"


@dataclass(frozen=True, slots=True)
class Played:
    """A talk and its sides.

    Attributes
    ----------
    game_id
        Its name.
    relations
        Of A and of B to the other.
    preferences
        Of A and of B.
    opener
        Who spoke first.
    person
        The seat of a simulated person, if there is one.
    transcript
        What was said.
    """

    game_id: str
    relations: tuple[Relation, Relation]
    preferences: tuple[Preferences, Preferences]
    opener: Seat
    person: Seat | None
    transcript: Transcript

    @property
    def domain(self) -> Domain:
        """What there was to choose from."""
        return self.preferences[0].domain

    @property
    def scenario(self) -> str:
        """What was talked about."""
        return f"dominance dialogue: {self.domain.topic}"

    def participant(self, seat: Seat) -> str | None:
        """Return the name of the person in a seat; None for an agent.

        Parameters
        ----------
        seat
            One of the two seats of the talk.

        Returns
        -------
        str or None
            The person's id.
        """
        return f"{self.game_id} {seat}" if seat == self.person else None

    @property
    def points(self) -> tuple[int, int] | None:
        """Both sides' scores of the option that was booked; None without one, as there is no pay-off for no deal."""
        option = self.transcript.option
        if option is None:
            return None
        a, b = (likes.option_score(option) for likes in self.preferences)
        return a, b
