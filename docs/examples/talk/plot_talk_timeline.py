"""
Timeline of a dialogue
======================

Who says what, and in which order: the acts of one dialogue.
"""

from negstats import datasets, plots

messages = datasets.robot().messages
game = messages.groupby("game_id").size().sort_values().index[60]
talk = messages[messages["game_id"] == game].assign(act=lambda rows: rows["act"].fillna("speaks"))
plots.talk_timeline(talk, words="text", caption="Robot study: one game; the robot shows an emotion")
