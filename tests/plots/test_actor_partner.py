"""The path picture holds the four effects, each on the path that it belongs to, and the residuals' correlation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Annotation

from negstats.plots import actor_partner_paths
from negstats.stats import actor_partner
from tests.plots.drawing import clashes

# Twelve pairs, the worked example of the model.
X = [[3, 5, 2, 8, 6, 7, 4, 9, 5, 3, 6, 8], [4, 3, 6, 7, 2, 8, 5, 6, 9, 4, 3, 7]]
Y = [[12, 15, 11, 22, 16, 21, 13, 24, 18, 10, 15, 23], [10, 9, 14, 18, 8, 20, 11, 17, 19, 12, 9, 16]]
PAIRS = pd.DataFrame(
    {"pair": [*range(12)] * 2, "role": ["buyer"] * 12 + ["seller"] * 12, "x": np.ravel(X), "y": np.ravel(Y)}
)


def test_effects_of_two_roles_stand_on_their_paths() -> None:
    result = actor_partner(PAIRS, "y", "x", pair="pair", role="role")
    ax = actor_partner_paths(result, predictor="aspiration", outcome="points", caption="Twelve pairs")
    boxes = ax.texts[:4]
    numbers = {text.get_text(): text.get_position() for text in ax.texts[4:8]}
    assert [box.get_text() for box in boxes] == [
        "aspiration\nbuyer", "points\nbuyer", "aspiration\nseller", "points\nseller",
    ]  # fmt: skip
    upper, lower = boxes[0].get_position()[1], boxes[2].get_position()[1]
    heights = [place[1] for place in numbers.values()]
    assert list(numbers) == ["1.89 [1.64, 2.14]", "1.76 [1.40, 2.13]", "0.37 [0.01, 0.73]", "0.63 [0.38, 0.88]"]
    # the buyer's own effect above, the seller's below; what the buyer's aspiration does to the seller leaves from above
    assert heights[0] > upper > heights[2] > (upper + lower) / 2 > heights[3] > lower > heights[1]
    assert any("r = −.17" in text.get_text() for text in ax.texts)
    assert "n = 12 pairs" in ax.get_title(loc="left")
    assert clashes(ax) == []


@pytest.mark.slow
def test_alike_seats_share_their_effects_and_paths_beyond_alpha_are_dashed() -> None:
    result = actor_partner(PAIRS, "y", "x", pair="pair")
    for alpha, dashed in ((0.05, 0), (0.01, 2)):
        ax = actor_partner_paths(result, alpha=alpha)
        arrows = [one.arrow_patch for one in ax.texts if isinstance(one, Annotation)]
        looks = [arrow.get_linestyle() for arrow in arrows if arrow is not None]
        p = [float(np.asarray(result.coefficient(name).p)) for name in ("actor", "partner")]
        assert looks.count("--") == 2 * sum(one >= alpha for one in p)
        assert (alpha, looks.count("--")) == (alpha, dashed)
