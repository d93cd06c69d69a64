"""
Paths of offers
===============

Every offer of a game in the plane of both values, in the order in which they were made.
"""

from negstats import datasets, plots

robot = datasets.robot()
game = robot.games.query("condition == 'CL' and rounds == 10")["game_id"].iloc[0]
offers = robot.offers[robot.offers["game_id"] == game]
ax = plots.offer_paths(
    offers, ("Human", "Agent"), labels=("value to the human (points)", "value to the robot (points)")
)
ax.set_title("Robot study: one game", loc="left")
