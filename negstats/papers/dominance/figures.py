"""The trees of answers of the dominance note, drawn from its text: the pictures are lost, so the order is a reading."""

from __future__ import annotations

from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from negstats.games.dominance import ANY, Preferences, Statement, Value, restaurants
from negstats.papers.figure import Figure, sources_of
from negstats.papers.ledger import ledger
from negstats.plots.style import TWO
from negstats.simulate.dominance.agent import Memory
from negstats.simulate.dominance.sides import agent_of
from negstats.simulate.dominance.words import ACTS, Accept, Propose, Reject, Utterance, ask_openly, label, state

PAPER = "dominance"
RELATIONS = ("dominant", "peer", "submissive")
BEST, DISLIKED = ("french", "cheap", "quiet"), ("japanese", "moderate", "quiet")
LETTERS = 8  # points, at the width of a printed page
MOST = 3  # candidates of an answer that are drawn

# What the user says to an agent that likes french best and mexican least, cheap best, and quiet better than lively.
HEARD: dict[str, Utterance] = {
    "it likes italian better than french": state(Statement("cuisine", "french", "italian")),
    "what price does the agent like?": ask_openly("price"),
    "it proposes mexican": Propose(Value("cuisine", "mexican")),
    "it proposes an option worth nothing": Propose(DISLIKED),
    "it accepts french": Accept(Value("cuisine", "french")),
    "it accepts the best option": Accept(BEST),
    "it rejects french": Reject(Value("cuisine", "french")),
    "it rejects the best option": Reject(BEST),
}


def figures() -> list[Figure]:
    """Return the figures that can be drawn."""
    return [_trees()]


def _trees() -> Figure:
    """Ask each agent, fresh, what it could say to each kind of utterance; the first candidate is what it says."""
    records = []
    for user, heard in HEARD.items():
        for relation in RELATIONS:
            agent = agent_of(relation, Preferences.in_order(restaurants()))
            candidates = agent.candidates(Memory().heard(heard), heard) or []
            records += [
                {"user": user, "relation": relation, "place": place, "answer": _describe(answer)}
                for place, answer in enumerate(candidates[:MOST], start=1)
            ]
    rows = [row for row in ledger(PAPER) if row.id.startswith(f"{PAPER}.definition.tree")]
    return Figure(
        PAPER,
        "1 4-8",
        "trees",
        pd.DataFrame(records),
        _draw_trees,
        sources_of(rows),
        f"the answers of three agents to eight utterances of the running example; at most {MOST} candidates each",
        "by what figures 1 and 4 to 8 are said to show, a tree for each kind of utterance; the pictures are lost",
    )


def _describe(answer: Utterance) -> str:
    return f"{ACTS[type(answer)]} {label(answer).replace(ANY, '∗')}".strip()


def _draw_trees(table: pd.DataFrame) -> Axes:
    """Draw one tree an utterance: what the user says, a branch for each relation, the candidates at its end."""
    groups = list(table.groupby("user", sort=False))
    _, panels = plt.subplots(len(groups), 1, figsize=(TWO, 1.02 * len(groups)), layout="constrained")
    for ax, (user, rows) in zip(panels, groups, strict=True):
        middle = (len(RELATIONS) - 1) / 2
        ax.text(0, middle, fill(f"The user: {user}", 20), ha="left", va="center", fontsize=LETTERS)
        for height, relation in enumerate(reversed(RELATIONS)):
            answers = rows.loc[rows["relation"] == relation, "answer"].tolist()
            ax.plot([4.2, 4.8], [middle, height], color="0.4", linewidth=0.8)
            ax.plot([6.9, 7.2], [height, height], color="0.4", linewidth=0.8)
            ax.text(4.9, height, relation, va="center", fontsize=LETTERS, style="italic")
            ax.text(7.3, height, fill(", else ".join(answers) or "nothing", 70), va="center", fontsize=LETTERS)
        ax.set_xlim(0, 18)
        ax.set_ylim(-0.5, len(RELATIONS) - 0.5)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.axis("off")
    first: Axes = panels[0]
    first.set_title("Answers by the agent's relation to the user, the first candidate first", loc="left", fontsize=9)
    return first
