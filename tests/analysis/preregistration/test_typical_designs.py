"""What is drafted for typical designs, so that no reviewer would object to the outcome, whose it is, or how it lies."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.preregistration.proposals import Proposals, propose
from negstats.loaders.mapping import suggest
from negstats.report.sentences import Question, paragraph
from tests.analysis.studies import mapped

Asked = tuple[str, tuple[str, ...]]


def _drafted(proposals: Proposals) -> list[Asked]:
    return [(question.measure, question.by) for question in proposals.plan.questions.values()]


def _commented(proposals: Proposals) -> list[Asked]:
    return [(question.measure, question.by) for question in proposals.also.questions.values()]


def _people(n_people: int) -> pd.DataFrame:
    place = np.arange(n_people)
    arms = pd.DataFrame({"pid": [f"p{number:03d}" for number in place], "arm": np.where(place % 2, "chat", "none")})
    return arms.assign(sex=np.where(place % 5 < 2, "f", "m"))


@pytest.mark.slow
def test_each_outcome_and_who_people_are_is_offered(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = _people(120)
    names = [f"{letter * 3}" for letter in "bcdfghjklmnq"]
    proposals = propose(mapped(table.assign(**{name: rng.poisson(20, 120) for name in names}), tmp_path))
    offered = [*_drafted(proposals), *_commented(proposals)]
    assert {(name, ("arm",)) for name in names} <= set(offered)
    assert ("bbb", ("arm", "sex")) in offered
    assert len(_commented(proposals)) <= 16


@pytest.mark.slow
def test_what_both_seats_give_at_once_is_decided(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pair = np.repeat(np.arange(60), 2)
    table = pd.DataFrame({"pair": pair, "pid": np.arange(120), "treatment": np.where(pair % 2, "chat", "none")})
    table = table.assign(seat=np.tile([1, 2], 60), give=rng.integers(0, 11, 120), payoff=rng.integers(1, 40, 120))
    mapping = (
        'row = "player"\ngames.game_id = "pair"\nplayers = { player = "seat", participant_id = "pid" }\n'
        'offers.units_to_responder = "give"\nfactors.treatment = "treatment"\nmeasures.payoff = "payoff"\n'
    )
    proposals = propose(mapped(table, tmp_path, mapping))
    assert _drafted(proposals)[0] == ("units_to_responder", ("treatment",))


@pytest.mark.slow
def test_what_is_sent_comes_before_the_points_that_it_grows_to(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for pair in range(60):
        sent = int(rng.binomial(10, 0.5))
        returned = round(3 * sent * rng.uniform(0, 0.6))
        points = {"sender": 10 - sent + returned, "receiver": 3 * sent - returned}
        stakes = ("low", "high")[pair % 2]
        rows += [(pair, f"{role}{pair}", role, stakes, sent, returned, own) for role, own in points.items()]
    table = pd.DataFrame(rows, columns=["pair", "pid", "role", "stakes", "sent", "returned", "points"])
    assert _drafted(propose(mapped(table, tmp_path)))[:2] == [("sent", ("stakes",)), ("returned", ("stakes",))]


@pytest.mark.slow
def test_the_winner_of_each_auction_and_the_number_of_its_group_are_not_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for session in range(8):
        for period in range(6):
            for group in range(3):
                bids = rng.integers(10, 99, 3)
                is_won = bids == bids.max()
                is_won &= np.cumsum(is_won) == 1
                rows += [
                    (session, period, group + 1, 9 * session + 3 * group + at, ("first", "second")[session % 2],
                     bids[at], int(is_won[at]), bids.max())
                    for at in range(3)
                ]  # fmt: skip
    names = ["session", "round", "group", "subject", "format", "bid", "winner", "price"]
    proposals = propose(mapped(pd.DataFrame(rows, columns=names), tmp_path))
    drafted = _drafted(proposals)
    assert {by for _, by in drafted} == {("format",)}
    assert {"bid", "price"} <= {measure for measure, _ in drafted}
    assert "winner" not in {measure for measure, _ in [*drafted, *_commented(proposals)]}
    refusals = [proposal.refusal for proposal in proposals.ranked if proposal.outcome.name == "winner"]
    assert "the seats of a game have as much of winner together in each" in refusals


@pytest.mark.slow
def test_the_points_of_the_seat_are_asked_about_whose_model_was_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    place = np.arange(120)
    price = rng.integers(40, 100, 120)
    table = pd.DataFrame(
        {
            "run": [f"r{number:03d}" for number in place], "buyer_model": np.array(["gpt", "llama"])[place % 2],
            "seller_model": "gpt", "buyer_surplus": 100 - price, "seller_surplus": price - 40,
        }
    )  # fmt: skip
    proposals = propose(mapped(table, tmp_path))
    question = next(iter(proposals.plan.questions.values()))
    assert (question.measure, question.who, question.by) == ("points", "buyer", ("buyer_model",))


@pytest.mark.slow
def test_amounts_that_were_shown_to_those_who_answer_are_no_outcome(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = [
        (f"s{person:02d}", face, amount, int(amount + rng.normal(0, 1.3) > 2.3))
        for person in range(40)
        for face in ("happy", "angry")
        for amount in (1, 2, 3, 4, 5)
    ]
    proposals = propose(mapped(pd.DataFrame(rows, columns=["subject", "face", "offer", "accepted"]), tmp_path))
    assert _drafted(proposals)[0] == ("agreed", ("face",))
    assert not {"units_to_responder", "share_to_responder"} & {measure for measure, _ in _commented(proposals)}


@pytest.mark.slow
@pytest.mark.parametrize("turns", [1, 3])
def test_claims_are_asked_about_though_the_whole_is_not_told(turns: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for game in range(80):
        for turn in range(turns):
            keep = int(rng.integers(50, 90))
            is_accepted = turn == turns - 1 and keep + rng.normal(0, 10) < 75
            rows.append((game, ("60s", "180s")[game % 2], turn + 1, "AB"[turn % 2], keep, ("no", "yes")[is_accepted]))
    table = pd.DataFrame(rows, columns=["game", "deadline", "turn", "proposer", "keep", "accepted"])
    mapping = (
        'row = "offer"\ngames.game_id = "game"\nfactors.deadline = "deadline"\nplayers.player = "proposer"\n'
        'offers = { round = "turn", units_to_proposer = "keep", response = "accepted" }\n'
        'levels.response = { accepted = ["yes"], rejected = ["no"] }\n'
    )
    proposals = propose(mapped(table, tmp_path, mapping))
    assert ("units_to_proposer", ("deadline",)) in _drafted(proposals)
    related = {(question.measure, question.with_) for question in proposals.plan.questions.values()}
    assert (("agreed", ("units_to_proposer",)) in related) == (turns == 1)


@pytest.mark.slow
def test_a_condition_of_which_a_level_has_one_session_is_refused_with_a_reason(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    table = _people(80).assign(arm=np.repeat(["a", "a", "b", "c"], 20), lab=np.repeat(["k", "l", "m", "n"], 20))
    table["effort"] = rng.poisson(12, 80)
    mapping = (
        'row = "player"\ngames.game_id = "pid"\nplayers = { player.constant = "x", participant_id = "pid" }\n'
        'factors = { arm = "arm", lab = { column = "lab", role = "cluster" } }\nmeasures.effort = "effort"\n'
    )
    text = draft(mapped(table, tmp_path, mapping))
    assert "#   arm: condition; 'b' has 1 group with a value" in text


@pytest.mark.slow
def test_people_who_all_met_in_clusters_are_no_single_unit(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    rows = [
        (period, f"p{one}", f"p{other}", ("a", "b")[pair % 2], int(rng.integers(20)))
        for period in range(6)
        for pair, (one, other) in enumerate(rng.permutation(24).reshape(12, 2))
    ]
    table = pd.DataFrame(rows, columns=["period", "one", "other", "arm", "price"])
    mapping = (
        'row = "game"\ngames.game_id = ["period", "one"]\nmeasures.price = "price"\nfactors.arm = "arm"\n'
        'factors.period = { column = "period", role = "cluster" }\n'
        'seats = { x.participant_id = "one", y.participant_id = "other" }\n'
    )
    proposals = propose(mapped(table, tmp_path, mapping))
    assert (proposals.plan.data.unit, _drafted(proposals)[0]) == ("game", ("price", ("arm",)))


@pytest.mark.slow
def test_periods_in_which_the_same_people_meet_are_not_asked_about_as_clusters(tmp_path: Path) -> None:
    rng = np.random.default_rng(10)
    rows = [
        (period, group + 1, ("a", "b")[period // 4], *people, *rng.integers(0, 21, 3))
        for period in range(8)
        for group, people in enumerate(rng.permutation(np.arange(100, 136)).reshape(12, 3))
    ]
    seats = [f"subject_{seat}" for seat in (1, 2, 3)] + [f"contribution_{seat}" for seat in (1, 2, 3)]
    pd.DataFrame(rows, columns=["session", "group", "treatment", *seats]).to_csv(tmp_path / "log.csv", index=False)
    assert 'subject = "cluster"' not in suggest(tmp_path / "log.csv")


@pytest.mark.slow
def test_what_was_set_for_people_who_meet_is_compared_between_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    game = np.repeat(np.arange(60), 2)
    table = pd.DataFrame({"game": game, "pid": np.arange(120), "seat": np.tile(["A", "B"], 60)})
    table = table.assign(treatment=rng.integers(0, 2, 120), bid=rng.integers(0, 50, 120))
    mapping = (
        'row = "player"\ngames.game_id = "game"\nplayers = { player = "seat", participant_id = "pid" }\n'
        'measures.bid = { column = "bid", per = "player" }\nperson.treatment = "treatment"\n'
    )
    question = propose(mapped(table, tmp_path, mapping)).plan.questions["H1"]
    assert (question.measure, question.by) == ("bid", ("treatment",))


@pytest.mark.slow
def test_of_two_seats_without_a_role_that_divide_a_pie_one_is_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    share, place = rng.integers(20, 80, 60), np.arange(60)
    table = pd.DataFrame({"pair": place, "arm": np.where(place % 2, "a", "b"), "left": share, "right": 100 - share})
    mapping = (
        'row = "game"\ngames.game_id = "pair"\nfactors.arm = "arm"\nseats = { L.points = "left", R.points = "right" }\n'
    )
    question = next(iter(propose(mapped(table, tmp_path, mapping)).plan.questions.values()))
    assert (question.measure, question.who) == ("points", "L")


@pytest.mark.slow
def test_groups_of_four_are_no_dyads_and_the_mean_of_all_is_their_sum(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    rows = [
        (4 * group + member, group, member, period, ("N", "P")[period % 2], ("NP", "PN")[group % 2],
         int(rng.integers(20, 30)) + 6 * (period % 2))
        for group in range(12) for period in range(6) for member in range(4)
    ]  # fmt: skip
    names = ["pid", "group", "member", "period", "phase", "sequence", "points"]
    mapping = (
        'row = "player"\ngames.game_id = ["group", "period"]\nfactors = { phase = "phase", sequence = "sequence" }\n'
        'players = { player = "member", participant_id = "pid", points = "points" }\n'
    )
    study = mapped(pd.DataFrame(rows, columns=names), tmp_path, mapping)
    assert _drafted(propose(study)) == [("points", ("phase", "sequence"))]
    report = run(parse('questions.H1 = { asks = "?", measure = "joint_value", by = ["phase", "sequence"] }'), study)
    text = str(paragraph(Question(report.results, 0, report.plan)))
    assert re.search(r"Groups reached [0-9.]+ fewer points together", text), text


@pytest.mark.slow
@pytest.mark.parametrize("levels", [("a", "b"), ("strong", "weak")], ids=" ".join)
def test_the_letters_of_the_members_of_each_pair_were_not_set(levels: tuple[str, str], tmp_path: Path) -> None:
    rng = np.random.default_rng(14)
    rows = [
        (f"{pair}{level}", pair, level, item, ("alone", "together")[(item + pair) % 2], int(rng.integers(40, 100)))
        for pair in range(30) for level in levels for item in range(8)
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["pid", "pair", "member", "item", "talk", "confidence"])
    mapping = (
        'row = "player"\ngames.game_id = ["pid", "item"]\nplayers = { player.constant = "x", participant_id = "pid" }\n'
        'factors = { talk = "talk", member = "member", pair = { column = "pair", role = "cluster" } }\n'
        'measures.confidence = "confidence"\n'
    )
    proposals = propose(mapped(table, tmp_path, mapping))
    is_compared = any("member" in by for _, by in _drafted(proposals))
    assert is_compared == (levels == ("strong", "weak"))
    assert any("talk" in by for _, by in _drafted(proposals))


@pytest.mark.slow
def test_what_is_returned_of_each_amount_is_asked_about_by_its_mean_first(tmp_path: Path) -> None:
    rng = np.random.default_rng(15)
    table = _people(100).assign(sent=rng.binomial(10, 0.5, 100))
    for amount in (2, 4, 6, 8, 10):
        table[f"return_{amount}"] = np.round(3 * amount * rng.uniform(0, 0.6, 100)).astype(int)
    drafted = _drafted(propose(mapped(table, tmp_path)))
    assert drafted[1] == ("return", ("arm",))
    assert drafted[0][0] in ("units_to_responder", "sent")
