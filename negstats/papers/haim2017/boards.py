"""Figures 1 and 2 of haim2017: the study's board with its paths, and three squares with the states of the examples."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from negstats.games.contract import Board, solve, study_game, three_squares
from negstats.games.contract.rules import paths_of
from negstats.papers.figure import Figure, sources_of
from negstats.papers.haim2017.examples import EXAMPLES
from negstats.papers.ledger import ledger

PAPER = "haim2017"
SQUARE_COLOURS = {"gray": "#b8b8b8", "yellow": "#f2d13c", "purple": "#b79ad6", "red": "#e08a7d"}
PLAYERS = ("CS", "SP_g", "SP_y")


def study_board() -> Figure:
    """Draw the board as it follows from the text and the appendix, with the shortest path to each goal."""
    rows = [row for row in ledger(PAPER) if row.id.startswith((f"{PAPER}.board.steps", f"{PAPER}.appendix"))]
    return Figure(
        PAPER,
        "1",
        "board",
        _squares(),
        _draw_board,
        sources_of(rows),
        "the board and its paths: squares of which the printed values follow",
        "the board of the screen, not the picture; no square is printed as such",
    )


def _squares() -> pd.DataFrame:
    """Return a row a square of the board: its colour, what it is, and its place on the shortest path to a goal."""
    game = study_game()
    board, paths = game.board, paths_of(game)
    steps: dict[tuple[int, int], tuple[str, int]] = {}
    for provider in game.providers:
        need = paths.shortest(board.start, provider, game.chips[0])
        path = () if need is None else paths.path(board.start, provider, need)
        goal_name = str(board.colour(board.goals[provider - 1]))
        steps |= {square: (goal_name, number) for number, square in enumerate(path, start=1)}
    return pd.DataFrame(
        [
            {
                "row": row,
                "column": column,
                "colour": board.colour((row, column)) or "none",
                "is": _place(board, (row, column)),
                "path": steps.get((row, column), ("none", 0))[0],
                "step": steps.get((row, column), ("none", 0))[1],
            }
            for row in range(board.rows)
            for column in range(board.columns)
            if board.colour((row, column)) or (row, column) == board.start
        ]
    )


def _draw_board(table: pd.DataFrame) -> Axes:
    _, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
    for square in table.to_dict("records"):
        text = {"start": "CS\nstarts", "goal": f"goal\n{square['step']}"}.get(square["is"], str(square["step"] or ""))
        _draw_square(ax, square["column"], square["row"], square["colour"], text)
    _finish(ax, int(table["column"].max()) + 1, int(table["row"].max()) + 1)
    ax.set_title(
        "The board, put together from the text and the appendix; numbers: steps of the shortest paths",
        loc="left",
        fontsize=9,
    )
    return ax


def three_squares_states() -> Figure:
    """Draw the examples on three squares: who holds what, who offers, and what the equilibrium is worth to each."""
    rows = [row for row in ledger(PAPER) if row.id.startswith(f"{PAPER}.squares.")]
    return Figure(
        PAPER,
        "2",
        "three_squares",
        _states(),
        _draw_states,
        sources_of(rows),
        "offers and scores: the equilibrium of each state",
        "the small board that explains preferred offers and paths, with the states of the printed examples",
    )


def _states() -> pd.DataFrame:
    """Return a row a player and state of the printed examples: chips, the deal, and what the equilibrium is worth."""
    cases = [("1", "customer"), ("1", "providers"), ("2", "customer"), ("3", "providers")]
    records = []
    for example, offering in cases:
        game = three_squares(*EXAMPLES[example])
        state = game.start._replace(odd=offering == "providers")
        solution = solve(game)
        deal = solution.response(state, solution.offer(state))
        for player, (name, hand, value) in enumerate(zip(PLAYERS, game.chips, solution.value(state), strict=True)):
            chips = {colour: count for colour, count in zip(game.colours, hand, strict=True) if count}
            records.append(
                {
                    "example": int(example),
                    "offers": offering,
                    "player": name,
                    "chips": ", ".join(f"{count} {colour}" for colour, count in chips.items()),
                    "deal": "accepted" if deal is not None and deal.provider == player else "not accepted",
                    "score": value,
                }
            )
    return pd.DataFrame(records)


def _draw_states(table: pd.DataFrame) -> Axes:
    groups = list(table.groupby(["example", "offers"], sort=False))
    _, panels = plt.subplots(len(groups), 1, figsize=(6.8, 1.75 * len(groups)), layout="constrained")
    for ax, ((example, offering), rows) in zip(panels, groups, strict=True):
        for column, colour in enumerate(("gray", "", "yellow")):
            _draw_square(ax, column, 0, colour, "CS" if not colour else "goal")
        lines = [
            f"{row['player']}: {row['chips']}; scores {row['score']:g}"
            + (" (its deal is accepted)" if row["deal"] == "accepted" else "")
            for row in rows.to_dict("records")
        ]
        ax.text(3.3, 0.0, "\n".join(lines), va="center", fontsize=9)
        _finish(ax, 9.5, 1)
        who = "the customer offers" if offering == "customer" else "the providers offer"
        ax.set_title(f"Example {example}: {who}", loc="left", fontsize=9)
    last: Axes = panels[-1]
    return last


def _place(board: Board, square: tuple[int, int]) -> str:
    return "start" if square == board.start else "goal" if square in board.goals else "way"


def _draw_square(ax: Axes, column: float, row: float, colour: str, text: str) -> None:
    face = SQUARE_COLOURS.get(colour, "white")
    ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor="black", linewidth=0.8))
    ax.text(column, row, text, ha="center", va="center", fontsize=9)


def _finish(ax: Axes, columns: float, rows: float) -> None:
    ax.set_xlim(-0.6, columns - 0.4)
    ax.set_ylim(rows - 0.4, -0.6)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.axis("off")
