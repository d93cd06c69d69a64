"""
Joint value by condition
========================

Cell means of sessions, with those that the paper prints. Synthetic sessions, printed means of mell2015.
"""

from negstats import papers
from negstats.metrics import favors
from negstats.plots import joint_value_by_condition
from negstats.simulate.favors import as_study, favor_cells

study = as_study(favor_cells(seed=2015))
final = favors.session_points(study.games, study.players, ["language", "returns"], negotiations=[5])
sessions = final.drop_duplicates("session")
printed = papers.printed("mell2015")
joint = printed[printed["of"] == "joint value, negotiation 5"].set_index("factor_a")["mean"].to_dict()
joint_value_by_condition(sessions, printed=joint, caption="Joint value by language and returns, synthetic")
