"""From logs to an offer: pr, risk aversion and threshold of a study, and what SP-RAPD offers by them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from negstats.estimate import Commitments, first_commitment, study_offers
from negstats.estimate.study_offer import revealed_aversion
from tests.shell import Shell

PR, ALPHA = 9 / 10, 0.01


def study(chips: list[int], *, least: int = 50, reached: float = PR) -> dict[str, pd.DataFrame]:
    """Human-only games: in the first round SP_y makes a commitment, and the customer accepts from `least` points on."""
    ids = [f"g{number}" for number in range(len(chips))]
    seats = [("CS", "customer"), ("G", "provider_g"), ("Y", "provider_y")]
    goals = np.arange(len(ids)) < round(reached * len(ids))
    players = pd.DataFrame(
        [
            {"game_id": name, "player": seat, "role": role, "kind": "human", "points": 200.0 + 20 * (place % 3),
             "reached_goal": bool(goals[place]) if seat == "CS" else None}
            for place, name in enumerate(ids)
            for seat, role in seats
        ]
    ).astype({"reached_goal": "boolean"})  # fmt: skip
    offers = pd.DataFrame(
        {
            "game_id": ids,
            "offer": 1,
            "round": 1,
            "proposer": "Y",
            "responder": "CS",
            "units_to_responder": chips,
            "units_to_proposer": 11,
            "value_responder": [5.0 * (given - 11) for given in chips],
            "commitment": pd.array([True] * len(ids), dtype="boolean"),
            "response": ["accepted" if 5 * (given - 11) >= least else "rejected" for given in chips],
        }
    )
    rival = offers.iloc[:1].assign(offer=2, proposer="G", units_to_responder=12, value_responder=5.0, commitment=False)
    games = pd.DataFrame({"game_id": ids, "country": "x"})
    return {"games": games, "players": players, "offers": pd.concat([offers, rival], ignore_index=True)}


def test_the_three_numbers_are_the_studys_own() -> None:
    chips = [first_commitment(PR, ALPHA)] * 10 + [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]
    [result] = study_offers(study(chips), n_draws=50)
    assert result.pr is not None
    assert result.alpha is not None
    assert result.threshold is not None
    assert result.pr.value == pytest.approx(PR)
    assert result.pr.low < PR < result.pr.high
    low, high = (revealed_aversion(PR, given, 11) for given in (max(chips), 16))
    assert low <= result.alpha.low <= result.alpha.value <= result.alpha.high <= high
    assert result.threshold.value == 50
    assert (result.threshold.low, result.threshold.high) == (50, 50)  # on whole chips: 45 refused, 50 accepted
    assert result.offer is not None
    assert (sum(result.offer.to_customer), sum(result.offer.to_provider)) == (21, 11)
    assert result.chips == (21, 21)


def test_no_offer_that_the_provider_would_not_accept_itself() -> None:
    chips = [12, 13, 14, 15, 16, 17, 18, 36, 37, 38]
    [result] = study_offers(study(chips, least=125, reached=0.3), n_draws=50)
    assert result.offer is None
    assert result.pr is not None
    assert result.alpha is not None
    at = Commitments().most(result.pr.value, result.alpha.value)
    assert at is None or at < 36
    assert "worth less to the provider than no deal" in result.reason


def test_what_a_study_does_not_give_is_said() -> None:
    tables = study([16, 17, 18, 19, 20, 21, 22, 23])
    tables["offers"]["commitment"] = pd.array([False] * len(tables["offers"]), dtype="boolean")
    [result] = study_offers(tables, n_draws=50)
    assert (result.alpha, result.offer) == (None, None)
    assert "0 human providers made a commitment in the first round; at least 3 are needed" in result.reason


def test_a_revealed_aversion_gives_back_the_offer() -> None:
    for alpha in (0.005, 0.01, 0.03):
        given = first_commitment(0.8, alpha)
        assert first_commitment(0.8, revealed_aversion(0.8, given, 11)) == given


@pytest.mark.slow
def test_the_command_says_what_is_estimated_and_what_is_the_papers(shell: Shell) -> None:
    folder = "datasets/contract_sim/study"
    code, out, error = shell(
        "threshold", folder, "--role", "provider_y", "--by", "country", "--offer", "--draws", "100"
    )
    assert code == 0, error
    text = " ".join(out.split())
    for country in ("China", "Israel", "USA"):
        assert f"{country}: SP-RAPD's offer by this study's own numbers" in text
    assert "estimated, pr: " in text
    assert "taken from haim2017: the board, 5 points a chip" in text
    as_json = json.loads(shell("threshold", folder, "--role", "provider_y", "--offer", "--draws", "100", "--json")[1])
    assert {"pr", "alpha", "threshold", "offer", "chips", "games"} <= set(as_json["offers"][0])
