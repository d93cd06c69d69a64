"""What follows from what, by the numbers alone, and which numbers a draft asks about because of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis.preregistration.decisions import find_links
from negstats.analysis.preregistration.proposals import Proposals, propose
from negstats.analysis.preregistration.ranking import WEIGHTS
from tests.analysis.studies import mapped


def games(n: int, seats: int = 1) -> pd.DataFrame:
    """Return the seats of some games."""
    return pd.DataFrame({"game_id": np.repeat(np.arange(n), seats), "player": np.tile(np.arange(seats), n)})


def share_pot(seed: int, n: int = 40) -> pd.DataFrame:
    """Return public goods: what each of three gives, and what each is left with."""
    values = games(n, 3).assign(give=np.random.default_rng(seed).binomial(20, 0.4, 3 * n))
    values["pot"] = values.groupby("game_id")["give"].transform("sum")
    return values.assign(left=(20 - values["give"] + 0.5 * values["pot"]).round(2))


def test_a_payoff_follows_from_what_everybody_gives() -> None:
    links = find_links(share_pot(1))
    assert (links.results, links.choices) == ({"pot", "left"}, {"give"})


def test_a_choice_is_known_where_a_name_alone_tells_the_payoff_from_the_sum() -> None:
    values = share_pot(2).assign(game_id=range(120), player=0)  # each row is a game: nobody knows whose sum it is
    assert find_links(values).choices == {"give"}
    assert find_links(values, ["left"]).results == {"left"}


def test_shares_of_what_lies_between_two_limits_follow_from_the_price() -> None:
    rng = np.random.default_rng(3)
    high, low = rng.choice([90, 100, 110], 80), rng.choice([50, 60, 70], 80)
    price = rng.integers(60, 101, 80)
    values = games(80).assign(high=high, low=low, price=price, of_buyer=high - price, of_seller=price - low)
    links = find_links(values)
    assert links.results == {"of_buyer", "of_seller"}
    assert "price" in links.choices


def test_a_payoff_follows_from_an_amount_and_its_answer() -> None:
    rng = np.random.default_rng(4)
    offer, answer = rng.integers(0, 11, 300), rng.integers(0, 2, 300)
    links = find_links(games(300).assign(offer=offer, answer=answer, gets=offer * answer))
    assert (links.results, links.choices) == ({"gets"}, {"offer", "answer"})


@pytest.mark.parametrize("called", [(), ("other",)])
def test_of_the_choices_of_two_seats_only_a_name_tells_whose_is_whose(called: tuple[str, ...]) -> None:
    own = np.random.default_rng(5).integers(0, 2, 120)
    other = own.reshape(-1, 2)[:, ::-1].ravel()
    values = games(60, 2).assign(own=own, other=other, gets=np.array([[2, 8], [0, 5]])[own, other])
    links = find_links(values, called)
    assert "gets" in links.results
    assert links.results - {"gets"} == set(called)


def test_what_is_left_is_another_form_of_what_is_given() -> None:
    give = np.random.default_rng(6).integers(0, 11, 90)
    links = find_links(games(90).assign(give=give, keep=10 - give, euro=give / 10))
    assert links.results == links.choices == set()


@pytest.mark.parametrize("seed", range(12))
def test_nothing_follows_from_numbers_by_chance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = {f"v{place}": rng.integers(0, place + 3, 60) for place in range(8)}
    links = find_links(games(30, 2).assign(**numbers, rt=rng.normal(900, 80, 60).round()))
    assert links.results == links.choices == set()


def outcomes_by(proposals: Proposals, factor: str) -> list[str]:
    """Return the outcomes that are compared by a factor, the first one first."""
    compared = [each.outcome.name for each in proposals.ranked if each.question.by == (factor,)]
    return list(dict.fromkeys(compared))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("are_named", [True, False])
def test_a_contribution_comes_before_its_sum_the_payoff_and_the_time(*, are_named: bool, tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(7), []
    for group in range(16):
        usual = rng.normal(9, 4, 4)
        for period in range(1, 9):
            gives = np.clip(rng.normal(usual, 3).round(), 0, 20)
            for seat, give in enumerate(gives):
                left, time = round(20 - give + 0.4 * gives.sum(), 2), round(float(rng.gamma(4, 3)), 2)
                person = f"s{4 * group + seat + 1:03}"
                rows.append((person, group + 1, period, "ab"[group % 2], time, left, gives.sum(), give))
    names = ["subject", "group", "period", "treatment", "seconds", "payoff", "total_contribution", "contribution"]
    meaningless = [f"c{place}" for place in range(len(names))]
    table = pd.DataFrame(rows, columns=names if are_named else meaningless)
    order = outcomes_by(propose(mapped(table, tmp_path)), str(table.columns[3]))
    assert order[0] == table.columns[7]


@pytest.mark.slow
def test_ratings_settings_and_what_hardly_varies_come_after_a_price(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    n = 120
    table = pd.DataFrame(
        {
            "pair": np.arange(n) + 1,
            "arm": np.tile(["x", "y"], n // 2),
            "v1": np.clip(rng.normal(4, 1.4, n).round(), 1, 7),  # a rating
            "v2": rng.choice([10, 20, 30], n),  # a setting
            "v6": np.repeat([2, 5, 10, 5], n // 4),  # a setting of blocks
            "v3": np.where(np.arange(n) % 40 == 0, 13, 12),  # pages that nearly all saw
            "v4": rng.gamma(5, 60, n).round(2),  # a time
            "v5": (rng.normal(60, 12, n) / 5).round() * 5,  # a price
        }
    )
    proposals = propose(mapped(table, tmp_path))
    order = outcomes_by(proposals, "arm")
    assert order[0] == "v5"
    pieces = {one.outcome.name: one.outcome.evidence for one in proposals.ranked}
    assert "its values are those of a rating" in pieces["v1"]
    assert "its few values occur as often as if they were drawn" in pieces["v6"]
    assert "its values hardly repeat, as those that are measured" in pieces["v4"]
    assert "v3" not in {one.outcome.name for one in proposals.drafted}


def test_what_each_person_has_one_of_in_all_rounds_is_no_decision(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(9), []
    letters = rng.choice(["d", "h"], 48)
    for group in range(12):
        for period in range(1, 7):
            for seat in range(4):
                person = 4 * group + seat
                rows.append(
                    (group, period, seat + 1, f"s{person}", "ab"[group % 2], letters[person], rng.binomial(8, 0.3))
                )
    table = pd.DataFrame(rows, columns=["group", "period", "seat", "subject", "arm", "letter", "take"])
    mapping = """row = "player"
games.game_id = ["group", "period"]
factors.arm = "arm"
players = { player = "seat", participant_id = "subject" }
levels.letter = { yes = ["d"], no = ["h"] }
[measures]
letter = { column = "letter", kind = "yes/no", per = "player" }
take = { column = "take", per = "player" }
"""
    proposals = propose(mapped(table, tmp_path, mapping))
    assert {one.outcome.name for one in proposals.drafted} == {"take"}


def test_what_all_people_are_shown_comes_after_what_they_reply(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(10), []
    offers = rng.binomial(10, 0.35, 40)  # the same for all, in an order of each person's own
    for person in range(24):
        usual = rng.normal(4, 1.5)
        for trial, offer in enumerate(rng.permutation(offers), start=1):
            reply = int(np.clip(round(usual + 0.3 * offer + rng.normal()), 0, 10))
            rows.append((f"s{person}", trial, "ab"[int(rng.integers(2))], offer, reply))
    table = pd.DataFrame(rows, columns=["subject", "trial", "face", "offer", "x"])
    mapping = """row = "player"
games.game_id = ["subject", "trial"]
factors.face = { column = "face", role = "condition" }
measures = { offer = "offer", x = "x" }
players = { player = { constant = "human" }, participant_id = "subject" }
"""
    proposals = propose(mapped(table, tmp_path, mapping))
    assert outcomes_by(proposals, "face")[:2] == ["x", "offer"]


def test_names_are_worth_a_point_at_most() -> None:
    assert all(abs(points) <= 1 for piece, points in WEIGHTS.items() if piece.startswith("it is named"))
