r"""What a policy sees of each act it could choose: 18 numbers, none of which knows the partner's values.

With own(x) the worth of the share x to the speaker as a part of 10 points, τ the time as a part of 20 utterances, y the
partner's latest proposal, grant(x) the share of the units in y that x leaves to the partner (of all units before there
is a y), and o the worth of what the partner offers as a part of 10 points (0 before there is one):

propose x : own, own·τ, own², grant, grant·τ, own·grant, whether x is one's own last proposal, whether own(x) < o,
    whether x is what the partner offers, units kept that are worth nothing as a share of all units
accept : 1, o, o², o·τ, τ
walk : 1, τ, o
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.games.dealornodeal.divisions import Tables
from negstats.games.dealornodeal.scenarios import TOTAL

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]

CLOCK = 20  # utterances that τ counts as one
PROPOSE = ("own", "own·τ", "own²", "grant", "grant·τ", "own·grant", "again", "less", "offered", "worthless")
FEATURES = (*PROPOSE, *(f"accept {x}" for x in ("1", "o", "o²", "o·τ", "τ")), *(f"walk {x}" for x in ("1", "τ", "o")))
_P, _A = len(PROPOSE), len(PROPOSE) + 5  # where accepting's and walking's parameters begin


@dataclass(frozen=True, slots=True)
class Menu:
    """The options of one seat in each dialogue of a batch: places of divisions, then accept, then walk.

    Attributes
    ----------
    kind : numpy.ndarray
        Kind of counts of each dialogue, (dialogues,).
    propose : numpy.ndarray
        Features of the proposals, (dialogues, places, 10).
    accept, walk : numpy.ndarray
        Features of the two other acts, (dialogues, 5) and (dialogues, 3).
    legal : numpy.ndarray
        Which options are legal, (dialogues, places + 2).
    """

    kind: Integers
    propose: Numbers
    accept: Numbers
    walk: Numbers
    legal: Mask

    def __len__(self) -> int:
        return len(self.legal)

    def scores(self, theta: Numbers) -> Numbers:
        """Return θ · φ of each option, (dialogues, places + 2).

        Parameters
        ----------
        theta
            The weights of the 18 features.

        Returns
        -------
        ndarray of float
            One score an option.
        """
        scores = np.empty(self.legal.shape)
        scores[:, :-2] = self.propose @ theta[:_P]
        scores[:, -2] = self.accept @ theta[_P:_A]
        scores[:, -1] = self.walk @ theta[_A:]
        return scores

    def probabilities(self, theta: Numbers) -> Numbers:
        """Return the chance of each option, proportional to exp(θ · φ); 0 where it is not legal.

        Parameters
        ----------
        theta
            The weights of the 18 features.

        Returns
        -------
        ndarray of float
            Shape (dialogues, places + 2); each row adds up to 1.
        """
        scores = np.where(self.legal, self.scores(theta), -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def expected(self, chances: Numbers) -> Numbers:
        """Return the mean of the features under chances of the options, (dialogues, 18).

        Parameters
        ----------
        chances
            Probabilities of the options, (dialogues, places + 2).

        Returns
        -------
        ndarray of float
            One mean a feature.
        """
        proposals = np.matmul(chances[:, np.newaxis, :-2], self.propose)[:, 0]
        return np.concatenate([proposals, chances[:, -2:-1] * self.accept, chances[:, -1:] * self.walk], axis=1)

    def squares(self, chances: Numbers) -> Numbers:
        """Return the sum over dialogues of the mean of φ φᵀ under chances of the options, (18, 18).

        Parameters
        ----------
        chances
            Probabilities of the options, (dialogues, places + 2).

        Returns
        -------
        ndarray of float
            A symmetric matrix.
        """
        total = np.zeros((len(FEATURES), len(FEATURES)))
        flat = self.propose.reshape(-1, _P)
        total[:_P, :_P] = flat.T @ (chances[:, :-2].reshape(-1, 1) * flat)
        total[_P:_A, _P:_A] = self.accept.T @ (chances[:, -2:-1] * self.accept)
        total[_A:, _A:] = self.walk.T @ (chances[:, -1:] * self.walk)
        return total

    def chosen(self, options: Integers) -> Numbers:
        """Return the features of one option in each dialogue, (dialogues, 18).

        Parameters
        ----------
        options
            Places in the menu, one a dialogue.

        Returns
        -------
        ndarray of float
            One row a dialogue.
        """
        places = self.propose.shape[1]
        rows = np.arange(len(self))
        proposal = self.propose[rows, np.minimum(options, places - 1)] * (options < places)[:, np.newaxis]
        acceptance, walked = (options == places)[:, np.newaxis], (options > places)[:, np.newaxis]
        return np.concatenate([proposal, acceptance * self.accept, walked * self.walk], axis=1)

    def phi(self) -> Numbers:
        """Return all features of all options, (dialogues, places + 2, 18).

        Returns
        -------
        ndarray of float
            Features of options that are not legal are among them.
        """
        features = np.zeros((*self.legal.shape, len(FEATURES)))
        features[:, :-2, :_P] = self.propose
        features[:, -2, _P:_A] = self.accept
        features[:, -1, _A:] = self.walk
        return features


def menu(
    tables: Tables,
    kind: Integers,
    counts: Integers,
    values: Integers,
    worth: Integers,
    own: Integers,
    other: Integers,
    t: int,
) -> Menu:
    """Return the menu of a seat in a batch of dialogues; for the meaning of places see `divisions`.

    Parameters
    ----------
    tables, kind
        Divisions, and the kind of each dialogue's counts.
    counts
        Units of each issue, (dialogues, 3).
    values
        Points for a unit to the speaker, (dialogues, 3).
    worth
        What each place is worth to the speaker, (dialogues, places).
    own, other
        Place of the speaker's and of the partner's latest proposal; -1 for none.
    t
        Utterances spoken so far.

    Returns
    -------
    Menu
        Arrays with one row a dialogue and one column an option.
    """
    places = worth.shape[1]
    tau, rows = t / CLOCK, np.arange(len(kind))
    size = tables.size[kind]
    has_proposal = other >= 0
    mirrored = np.where(has_proposal, size - 1 - other, -1)  # what the partner offers
    offer = np.where(has_proposal, worth[rows, mirrored], 0) / TOTAL
    part = worth / TOTAL
    grant = tables.granted[kind, np.where(has_proposal, other, places)]
    at = np.arange(places)
    nothing = (tables.units[kind] * (values == 0)[:, np.newaxis]).sum(axis=2) / counts.sum(axis=1, keepdims=True)
    propose = np.empty((len(kind), places, _P))
    for place, feature in enumerate(
        (
            part,
            part * tau,
            part * part,
            grant,
            grant * tau,
            part * grant,
            at == own[:, np.newaxis],
            part < offer[:, np.newaxis],
            at == mirrored[:, np.newaxis],
            nothing,
        )
    ):
        propose[:, :, place] = feature
    one, time = np.ones(len(kind)), np.full(len(kind), tau)
    legal = np.empty((len(kind), places + 2), dtype=bool)
    legal[:, :-2] = at < size[:, np.newaxis]
    legal[:, -2] = has_proposal
    legal[:, -1] = t >= 2
    accept = np.stack([one, offer, offer * offer, offer * tau, time], axis=1)
    return Menu(kind, propose, accept, np.stack([one, time, offer], axis=1), legal)
