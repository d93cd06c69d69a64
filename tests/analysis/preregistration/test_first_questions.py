"""Which question of a table comes first: simulated designs from file to draft, nothing said about their columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis.preregistration.proposals import propose
from tests.analysis.studies import mapped


def drafted_of(table: pd.DataFrame, folder: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Return the outcome and factors of each drafted question, the first one first."""
    drafted = [proposal for proposal in propose(mapped(table, folder)).ranked if proposal.id]
    return [(proposal.outcome.name, proposal.question.by) for proposal in drafted]


@pytest.mark.slow
def test_what_is_sent_is_asked_about_and_not_its_triple(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    sent = rng.binomial(10, 0.5, 72)
    returned = np.round(3 * sent * rng.uniform(0.1, 0.6, len(sent)))
    table = pd.DataFrame(
        {
            "pair": np.arange(len(sent)) + 1,
            "visibility": np.where(np.arange(len(sent)) % 2, "named", "anonymous"),
            "amount_sent": sent,
            "tripled": 3 * sent,
            "amount_returned": returned,
        }
    )
    drafted = drafted_of(table, tmp_path)
    assert ("amount_sent", ("visibility",)) in drafted
    assert ("amount_returned", ("visibility",)) in drafted
    assert "tripled" not in {outcome for outcome, _ in drafted}


@pytest.mark.slow
def test_both_models_of_a_talk_and_their_interaction_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    models = ("gpt", "claude", "llama")
    rows = [(buyer, seller) for buyer in models for seller in models for _ in range(12)]
    table = pd.DataFrame(rows, columns=["buyer_model", "seller_model"])
    table.insert(0, "run_id", [f"run{place}" for place in range(len(rows))])
    table["final_price"] = np.round(rng.normal(70, 8, len(rows)), 2)
    table["tokens"] = rng.integers(500, 4000, len(rows))
    assert drafted_of(table, tmp_path)[0] == ("final_price", ("buyer_model", "seller_model"))


@pytest.mark.slow
def test_a_choice_comes_before_the_payoff_that_both_choices_give(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    payoffs = {(1, 1): 5, (1, 0): 0, (0, 1): 8, (0, 0): 2}
    rows = []
    for pair in range(30):
        treatment = ("chat", "none")[pair % 2]
        for period in range(1, 11):
            choices = (rng.random(2) < (0.7 if treatment == "chat" else 0.4)).astype(int)
            for seat, (own, other) in enumerate((choices, choices[::-1])):
                rows.append(
                    (pair + 1, f"{pair + 1}{'AB'[seat]}", "AB"[seat], period, treatment, payoffs[own, other], own)
                )
    names = ["paire", "joueur", "role", "periode", "traitement", "gain", "choix"]
    drafted = drafted_of(pd.DataFrame(rows, columns=names), tmp_path)
    assert drafted.index(("choix", ("traitement",))) < drafted.index(("gain", ("traitement",)))


@pytest.mark.slow
def test_a_column_that_is_called_as_a_measure_of_offers_is_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    status = np.tile(["high", "low"], 60)
    table = pd.DataFrame(
        {
            "ResponseID": [f"R_{place:x}q" for place in rng.permutation(9000)[:120] + 4096],
            "status": status,
            "first_offer": np.round(rng.normal(4200, 600, 120) + 300 * (status == "high"), 1),
        }
    )
    proposals = propose(mapped(table, tmp_path))
    first = next(proposal for proposal in proposals.ranked if proposal.id)
    assert (first.outcome.measure, first.question.by) == ("games.first_offer", ("status",))


@pytest.mark.slow
def test_a_yes_or_no_to_rising_amounts_is_asked_about_as_the_least_that_is_accepted(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    arm = np.tile(["ctrl", "stress"], 50)
    least = rng.integers(0, 5, 100)
    table = pd.DataFrame({"subj": np.arange(100) + 101, "arm": arm, "my_offer": rng.binomial(10, 0.4, 100)})
    for amount in range(6):  # everybody accepts 5, and some accept 0
        table[f"acc_{amount}"] = (amount >= least).astype(int)
    drafted = drafted_of(table, tmp_path)
    assert {("units_to_responder", ("arm",)), ("least_acceptable", ("arm",))} <= set(drafted)
    assert not [outcome for outcome, _ in drafted if outcome.startswith(("acc", "accept_at"))]


@pytest.mark.slow
def test_the_number_of_a_block_is_no_condition_beside_a_stimulus(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = []
    for person in range(30):
        for block in (1, 2):
            faces = rng.permutation(["glad", "angry"] * 5)
            for trial, face in enumerate(faces, start=1):
                rating = round(float(rng.normal(50 + 5 * (face == "glad"), 10)), 1)
                rows.append((f"VP{person + 1:02d}", block, trial, face, rating))
    table = pd.DataFrame(rows, columns=["vp", "blk", "trl", "gesicht", "urteil"])
    drafted = drafted_of(table, tmp_path)
    assert drafted[0] == ("urteil", ("gesicht",))
    assert not [outcome for outcome, by in drafted if outcome == "blk" or "blk" in by]


@pytest.mark.slow
def test_the_choice_among_profiles_is_asked_about_by_their_attributes(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for person in range(1, 61):
        for task in range(1, 7):
            speeds, brands = rng.choice(["fast", "slow"], 2), rng.choice(["A", "B", "C"], 2)
            taken = int(np.argmax((speeds == "fast") * 0.8 + rng.gumbel(size=2)))
            rows += [(person, task, at + 1, speeds[at], brands[at], int(at == taken)) for at in range(2)]
    table = pd.DataFrame(rows, columns=["resp_id", "task", "alt", "speed", "brand", "choice"])
    drafted = drafted_of(table, tmp_path)
    assert {outcome for outcome, _ in drafted} == {"choice"}
    assert {"speed", "brand"} <= {factor for _, by in drafted for factor in by}
