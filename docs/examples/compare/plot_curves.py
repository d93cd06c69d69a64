"""
Curves of a number over another
===============================

Power by n, or learning by games: one line for each group, with bars where there are intervals.
"""

import pandas as pd

from negstats import plots, stats

n = [20, 30, 40, 66, 100, 150]
table = pd.DataFrame(
    [
        {"n": size, "d_z": f"{effect}", "power": float(stats.power.power("paired t", effect=effect, n=size).power)}
        for effect in (0.2, 0.3, 0.5)
        for size in n
    ]
)
plots.curves(table, x="n", y="power", by="d_z", labels=("people, each in both conditions", "power"),
             caption="Paired t-test; the robot study had 66 people and d_z = 0.30")  # fmt: skip
