"""Heat map of transitions: which act follows which, with how often, and what is beyond chance."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.plots.heatmap import draw_squares, size_of_squares
from negstats.plots.style import axes_for, captioned, letters
from negstats.stats.results.apa import number
from negstats.stats.results.options import check_choice
from negstats.stats.sequences import Transitions


def transition_heat_map(
    result: Transitions,
    *,
    show: Literal["probability", "z"] = "probability",
    caption: str = "",
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw a heat map of transitions from row to column, with n, and a star where they differ from chance.

    Parameters
    ----------
    result
        Of `transitions`.
    show
        "probability" (of each row, what follows) or "z" (the adjusted residual; colours part at 0).
    caption
        What the figure shows.
    alpha
        Below this corrected p a square has a star.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the squares.

    Examples
    --------
    >>> from negstats.stats import transitions
    >>> talk = {"game_id": [1] * 5, "message": [1, 2, 3, 4, 5], "act": ["ask", "tell", "ask", "tell", "offer"]}
    >>> ax = transition_heat_map(transitions(talk))
    >>> ax.texts[2].get_text()
    '1.00\n2'
    """
    check_choice("show", show, ("probability", "z"))
    k = len(result.acts)
    values = result.probabilities if show == "probability" else result.z
    stars = np.where(result.p_adjusted < alpha, "*", "")
    words = [
        ["–" if np.isnan(values[i, j]) else f"{number(values[i, j])}{stars[i, j]}\n{result.counts[i, j]:.0f}"
         for j in range(k)] for i in range(k)
    ]  # fmt: skip
    table = pd.DataFrame(values, index=list(result.acts), columns=list(result.acts))
    ax = axes_for(ax, **size_of_squares(table))
    most = float(np.nanmax(np.abs(values))) if not np.isnan(values).all() else 1.0
    if show == "z":
        draw_squares(ax, table, words, label="adjusted residual z", cmap="PuOr_r", vmin=-most, vmax=most)
    else:
        draw_squares(ax, table, words, label="share of what follows", vmin=0, vmax=1)
    ax.set_ylabel("act")
    ax.set_xlabel("next act" if result.lag == 1 else f"act {result.lag} later")
    starred = f"; star: corrected p < {alpha:g} against other orders inside games" if result.n_resamples else ""
    captioned(ax, caption, f"{result.sequences} games; numbers: value and, beneath, n{starred}")
    # above the topmost number of the colour bar, which stands half over the axes
    ax.set_title(ax.get_title(loc="left"), fontsize=letters(ax), loc="left", pad=12)
    return ax
