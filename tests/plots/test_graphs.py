"""The graph of a game: layers, the path, and what its marks say."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import LineCollection

from negstats.games.rulesheet import explore, ground, own_payoff, parse, sheet
from negstats.plots import game_graph


def test_it_draws_every_state_and_the_path() -> None:
    game = ground(parse(sheet.negotiating_prisoners(3)))
    solved = own_payoff(game, ties="last")
    path = [game.first]
    while not game.over(path[-1]):
        path.append(game.next(path[-1], {role: solved.move(role, path[-1]) for role in game.roles}))
    states, edges = explore(game).to_frames(path)
    assert edges["moves"].sum() == 257
    assert edges["played"].sum() == len(path) - 1 == 3
    ax = game_graph(states, edges)
    marks = [kept for kept in ax.collections if not isinstance(kept, LineCollection)]
    assert sum(len(np.asarray(kept.get_offsets())) for kept in marks) == 50
    # Every edge leads to a later layer, and the played path starts at the first state.
    lines = [kept.get_segments() for kept in ax.collections if isinstance(kept, LineCollection)]
    assert [len(part) for part in lines] == [len(edges) - 3, 3]
    assert all(segment[0][0] < segment[1][0] for part in lines for segment in part)
    assert sorted(text.get_text() for text in ax.texts) == ["0, 10", "10, 0", "2, 2", "8, 8"]


def test_a_game_of_one_state() -> None:
    states, edges = explore(ground(parse("(role a) terminal (goal a 5)"))).to_frames()
    assert [text.get_text() for text in game_graph(states, edges).texts] == ["5"]
