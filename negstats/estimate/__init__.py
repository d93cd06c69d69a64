"""Estimators: acceptance of offers and risk aversion, tournaments of agents, forecasts from talk.

The third number that the agents need, the chance `pr` that customers get to a goal, is a measure with its interval:
``negstats.metrics.goal_rate(players, games, by="country", role="customer", humans_only=True)``.

Glossary
--------
benefit : what an offer brings to the one who is asked, beyond going without; *decision* : an offer that was accepted or
refused; *threshold* : the benefit from which on offers are accepted; *elicited* : of a threshold that a person said;
*curve* : the share accepted by benefit; *α* : risk aversion; *pairing* : two strategies that met; *turn* : a step of a
talk after which a forecast is made.
"""

from negstats.estimate._thresholds import Thresholds
from negstats.estimate.acceptance import Acceptance, AcceptanceCurve, AcceptancePoint, acceptance, acceptance_curve
from negstats.estimate.forecast import Forecast, forecast
from negstats.estimate.study_offer import (
    Commitments,
    RiskAversion,
    StudyOffer,
    first_commitment,
    risk_aversion,
    study_offers,
)
from negstats.estimate.threshold import Bracket, Threshold, acceptance_threshold
from negstats.estimate.thresholds import thresholds
from negstats.estimate.tournament import Tournament, tournament

__all__ = [
    "Acceptance",
    "AcceptanceCurve",
    "AcceptancePoint",
    "Bracket",
    "Commitments",
    "Forecast",
    "RiskAversion",
    "StudyOffer",
    "Threshold",
    "Thresholds",
    "Tournament",
    "acceptance",
    "acceptance_curve",
    "acceptance_threshold",
    "first_commitment",
    "forecast",
    "risk_aversion",
    "study_offers",
    "thresholds",
    "tournament",
]
