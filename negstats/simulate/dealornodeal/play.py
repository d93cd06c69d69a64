"""Dialogues of two policies on a batch of scenarios, with all that was said: played, or read from a study's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.games.dealornodeal import ACCEPT, CUTOFF, ENDS, ISSUES, WALK, Dialogue, Scenarios, numbered
from negstats.studies.study import Study

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]


class Policy(Protocol):
    """A policy of talking. It may use the counts, its own values, both sides' proposals and the time."""

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Integers:
        """Return one act a dialogue, (dialogues,); what it says where a dialogue has ended is passed over.

        Parameters
        ----------
        dialogue
            The dialogues that are played side by side.
        seat
            Whose turn it is, 0 or 1.
        rng
            Generator of the draws.
        """


@dataclass(frozen=True, slots=True)
class Played:
    """Dialogues that were played to their ends. Seats are in the order of speaking.

    Attributes
    ----------
    scenarios : Scenarios
        One a dialogue.
    acts : numpy.ndarray
        What was said at each utterance, (dialogues, cutoff); -1 after the end.
    how : numpy.ndarray
        How each ended, a place in `negstats.games.dealornodeal.ENDS`.
    length : numpy.ndarray
        Utterances.
    points : numpy.ndarray
        (dialogues, 2); 0 without agreement.
    """

    scenarios: Scenarios
    acts: Integers
    how: npt.NDArray[np.int8]
    length: Integers
    points: Integers

    def __len__(self) -> int:
        return len(self.how)

    @property
    def agreed(self) -> npt.NDArray[np.bool_]:
        """Whether each ended in agreement."""
        return np.asarray(self.how == ENDS.index("agreement"))


def play(
    first: Policy, second: Policy, scenarios: Scenarios, *, rng: np.random.Generator, cutoff: int = CUTOFF
) -> Played:
    """Let two policies divide the items of a batch of scenarios; `first` has the first seat and speaks first.

    Parameters
    ----------
    first, second
        The policies of the two seats.
    scenarios
        One for each dialogue.
    rng
        For the draws.
    cutoff
        The number of acts after which a dialogue is ended.

    Returns
    -------
    Played
        Acts and outcomes of all dialogues.

    Examples
    --------
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.people import People
    >>> rng = np.random.default_rng(1)
    >>> played = play(People(), People(), draw(500, rng=rng), rng=rng)
    >>> bool(0.75 < played.agreed.mean() < 0.9)
    True
    """
    dialogue, acts_by_dialogue = Dialogue(scenarios, cutoff=cutoff), np.full((len(scenarios), cutoff), -1)
    policies = (first, second)
    while not dialogue.over:
        live = dialogue.live
        acts = policies[dialogue.seat].acts(dialogue, dialogue.seat, rng)
        acts_by_dialogue[live, dialogue.t] = acts[live]
        dialogue.apply(dialogue.seat, acts)
    return Played(scenarios, acts_by_dialogue, dialogue.how, dialogue.length, dialogue.points)


def replay(scenarios: Scenarios, acts: Integers) -> Iterator[tuple[Dialogue, Integers]]:
    """Yield dialogues as they were before each utterance, with what is said then; the caller only looks."""
    dialogue = Dialogue(scenarios, cutoff=acts.shape[1])
    while not dialogue.over:
        yield dialogue, acts[:, dialogue.t]
        dialogue.apply(dialogue.seat, acts[:, dialogue.t])


def joined(parts: Sequence[Played]) -> Played:
    """Return several batches as one."""
    counts, values = (
        np.concatenate([getattr(played.scenarios, name) for played in parts]) for name in ("counts", "values")
    )
    acts, how, length, points = (
        np.concatenate([getattr(played, name) for played in parts]) for name in ("acts", "how", "length", "points")
    )
    return Played(Scenarios(counts, values), acts, how, length, points)


_ACTS = {"accept": ACCEPT, "walk": WALK}


def acts_of(study: Study) -> Played:
    """Return the dialogues of a study whose messages are acts, as the loader of `dealornodeal_acts` gives them.

    Parameters
    ----------
    study
        A study that the loader of `dealornodeal_acts` has read.

    Returns
    -------
    Played
        Acts and outcomes of all dialogues.

    Raises
    ------
    DesignError
        If the items are not books, hats and balls, a message is not an act, or acts break the rules (the message says
        which dialogue and act).

    Examples
    --------
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal import People, as_study, meet
    >>> rng = np.random.default_rng(1)
    >>> met = meet(("people", People()), ("people", People()), draw(10, rng=rng), rng=rng, seed=1)
    >>> bool((acts_of(as_study([met])).acts == met.played.acts).all())
    True
    """
    games = study.games["game_id"].tolist()
    row_of = {game: row for row, game in enumerate(games)}
    utterances = study.messages.sort_values(["game_id", "message"], kind="stable")
    unknown = sorted(set(utterances["act"].dropna()) - {"propose", *_ACTS})
    if unknown or utterances["act"].isna().any():
        raise DesignError(f"messages have the act {shown(unknown[0] if unknown else None)}; propose, accept or walk")
    first_speakers = study.messages[study.messages["message"] == 1].set_index("game_id")["sender"]
    scenarios = _scenarios(study, games, first_speakers)
    rows = utterances["game_id"].map(row_of).to_numpy(dtype=np.int64)
    utterance = utterances["message"].to_numpy(dtype=np.int64) - 1
    if len(utterance) and utterance.max() >= CUTOFF:
        raise DesignError(f"a dialogue has {utterance.max() + 1} utterances; at most {CUTOFF} are spoken")
    # Proposals are numbered by the units that they take, and filled in below.
    acts = np.full((len(games), CUTOFF), -1)
    acts[rows, utterance] = utterances["act"].map({"propose": -1, **_ACTS}).to_numpy(dtype=np.int64)
    items = study.items.merge(study.offers[["game_id", "offer", "round", "proposer"]], on=["game_id", "offer"])
    units_taken = items[items["receiver"] == items["proposer"]].pivot_table(
        index=["game_id", "round"], columns="item", values="quantity", fill_value=0, sort=False
    )
    units = units_taken.reindex(columns=list(ISSUES), fill_value=0).to_numpy().astype(np.int64)
    act_index = (
        units_taken.index.get_level_values("game_id").map(row_of).to_numpy(),
        units_taken.index.get_level_values("round").to_numpy(),
    )
    acts[act_index[0], act_index[1].astype(np.int64) - 1] = numbered(units)
    # Played again, the acts give how each dialogue ended and its points.
    dialogue = Dialogue(scenarios)
    while not dialogue.over and dialogue.t < CUTOFF:
        dialogue.apply(dialogue.seat, acts[:, dialogue.t])
    return Played(scenarios, acts, dialogue.how, dialogue.length, dialogue.points)


def _scenarios(study: Study, games: list[str], first_speakers: pd.Series) -> Scenarios:
    """Return counts and values, those of the first speaker first."""
    values = study.tables["values"]
    items = sorted(set(values["item"]))
    if items != sorted(ISSUES):
        raise DesignError(f"the items are {', '.join(items)}; {', '.join(ISSUES)} are divided")
    values = values.assign(seat=(values["player"] != values["game_id"].map(first_speakers)).astype(int))
    order = pd.MultiIndex.from_product([games, (0, 1), ISSUES])
    values = values.set_index(["game_id", "seat", "item"]).reindex(order)
    if values["value"].isna().any():
        raise DesignError(f"game {shown(values.index[values['value'].isna()][0][0])} has not the values of two players")
    worth = values["value"].to_numpy().reshape(-1, 2, 3)
    return Scenarios.of(values["available"].to_numpy().reshape(-1, 2, 3)[:, 0], worth)
