"""
Graph of the states of a game
=============================

Every state that can be reached, and the path that is played in equilibrium. The game is a rule sheet.
"""

from negstats import plots
from negstats.games.rulesheet import explore, ground, own_payoff, parse, sheet

game = ground(parse(sheet.negotiating_prisoners(rounds=3)))
graph = explore(game)
solved = own_payoff(game, ties="last")
path = [game.first]
while not game.over(path[-1]):
    path.append(game.next(path[-1], {role: solved.move(role, path[-1]) for role in game.roles}))
states, edges = graph.to_frames(path)
plots.game_graph(states, edges, caption="Negotiating prisoners, three rounds. Beside an end: both payoffs (points).")
