"""
Acceptance curve
================

Each offer, the fitted probability that it is accepted, and the threshold. Synthetic: no contract game is public.
"""

from pathlib import Path

import numpy as np

import negstats
from negstats import estimate, plots

folder = Path(negstats.__file__).parents[1] / "datasets" / "contract_sim"
study = negstats.load(folder / "study")
curve = estimate.acceptance_curve(study.offers, study.players, "provider_y", rng=np.random.default_rng(1))
plots.acceptance_curve(
    curve.offers, curve.curve, label="benefit of the provider (points)", caption="The contract game, synthetic people"
)
