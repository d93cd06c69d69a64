"""A corpus of acts from the tables of a study: what `fit` learns from, wherever the dialogues come from."""

from __future__ import annotations

import numpy as np
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.games.dealornodeal import ACCEPT, CUTOFF, ISSUES, WALK, Dialogue, Scenarios, numbered
from negstats.simulate.dealornodeal.play import Played
from negstats.studies.study import Study

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
        If the items are not books, hats and balls, a message is no act, or acts break the rules (the message says
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
    place = {game: row for row, game in enumerate(games)}
    speaks = study.messages.sort_values(["game_id", "message"], kind="stable")
    unknown = sorted(set(speaks["act"].dropna()) - {"propose", *_ACTS})
    if unknown or speaks["act"].isna().any():
        raise DesignError(f"messages have the act {shown(unknown[0] if unknown else None)}; propose, accept or walk")
    first = study.messages[study.messages["message"] == 1].set_index("game_id")["sender"]
    scenarios = _scenarios(study, games, first)
    rows = speaks["game_id"].map(place).to_numpy(dtype=np.int64)
    utterance = speaks["message"].to_numpy(dtype=np.int64) - 1
    if len(utterance) and utterance.max() >= CUTOFF:
        raise DesignError(f"a dialogue has {utterance.max() + 1} utterances; at most {CUTOFF} are spoken")
    acts = np.full((len(games), CUTOFF), -1)
    acts[rows, utterance] = speaks["act"].map({"propose": -1, **_ACTS}).to_numpy(dtype=np.int64)
    items = study.items.merge(study.offers[["game_id", "offer", "round", "proposer"]], on=["game_id", "offer"])
    units_taken = items[items["receiver"] == items["proposer"]].pivot_table(
        index=["game_id", "round"], columns="item", values="quantity", fill_value=0, sort=False
    )
    units = units_taken.reindex(columns=list(ISSUES), fill_value=0).to_numpy().astype(np.int64)
    at = (
        units_taken.index.get_level_values("game_id").map(place).to_numpy(),
        units_taken.index.get_level_values("round").to_numpy(),
    )
    acts[at[0], at[1].astype(np.int64) - 1] = numbered(units)
    dialogue = Dialogue(scenarios)
    while not dialogue.over and dialogue.t < CUTOFF:
        dialogue.apply(dialogue.seat, acts[:, dialogue.t])
    return Played(scenarios, acts, dialogue.how, dialogue.length, dialogue.points)


def _scenarios(study: Study, games: list[str], first: pd.Series) -> Scenarios:
    """Return counts and values, those of the first speaker first."""
    values = study.tables["values"]
    items = sorted(set(values["item"]))
    if items != sorted(ISSUES):
        raise DesignError(f"the items are {', '.join(items)}; {', '.join(ISSUES)} are divided")
    values = values.assign(seat=(values["player"] != values["game_id"].map(first)).astype(int))
    order = pd.MultiIndex.from_product([games, (0, 1), ISSUES])
    values = values.set_index(["game_id", "seat", "item"]).reindex(order)
    if values["value"].isna().any():
        raise DesignError(f"game {shown(values.index[values['value'].isna()][0][0])} has not the values of two players")
    worth = values["value"].to_numpy().reshape(-1, 2, 3)
    return Scenarios.of(values["available"].to_numpy().reshape(-1, 2, 3)[:, 0], worth)
