"""What is asked of kinds of study that have no condition of people: models that play, agents they meet, and surveys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis.preregistration.decisions import find_links
from negstats.analysis.preregistration.proposals import Proposals, propose
from tests.analysis.studies import mapped

Asked = tuple[str, str | None, tuple[str, ...], tuple[str, ...]]


def asked_of(proposals: Proposals) -> tuple[list[Asked], list[Asked]]:
    """Return whose outcome each question asks about, by what and with what: of the draft, and of its comments."""
    drafted, also = (
        [(question.measure, question.who, question.by, question.with_) for question in plan.questions.values()]
        for plan in (proposals.plan, proposals.also)
    )
    return drafted, also


def games(n: int, seats: int = 1) -> pd.DataFrame:
    """Return the seats of some games."""
    return pd.DataFrame({"game_id": np.repeat(np.arange(n), seats), "player": np.tile(np.arange(seats), n)})


def test_what_adds_up_over_games_follows_from_what_is_added() -> None:
    gets = np.random.default_rng(1).integers(0, 9, (8, 10))
    values = games(80, 2).assign(gets=np.random.default_rng(2).integers(0, 9, 160), total=0)
    values.loc[values["player"] == 0, "gets"] = gets.ravel()
    values["total"] = np.repeat(gets.cumsum(axis=1).ravel(), 2)  # one number of each game, of its first seat
    links = find_links(values)
    assert "total" in links.results
    assert "gets" not in links.results


@pytest.mark.parametrize("times", [1, 3])
def test_what_is_given_back_is_a_part_of_what_was_given(times: int) -> None:
    rng = np.random.default_rng(3)
    given = rng.integers(0, 11, 90)
    back = np.where(np.arange(90) % 9, rng.binomial(times * given, 0.3), times * given)
    values = games(90).assign(x=given, y=back, z=rng.integers(0, 11, 90))
    assert find_links(values).replies == {("y", "x")}


def test_a_reply_is_asked_about_with_what_it_answers_whatever_both_are_called(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    given = rng.integers(0, 11, 90)
    back = np.where(np.arange(90) % 9, rng.binomial(3 * given, 0.3), 3 * given)
    table = pd.DataFrame({"no": np.arange(90) + 1, "hall": np.tile(["a", "b"], 45), "x": given, "y": back})
    mapping = 'row = "game"\ngames.game_id = "no"\nfactors.hall = { column = "hall", role = "condition" }\n'
    mapping += 'measures = { x = "x", y = "y" }\n'
    drafted, _ = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert ("y", None, (), ("x",)) in drafted


def _tournament() -> pd.DataFrame:
    rng, rows = np.random.default_rng(5), []
    models = ("ash", "birch", "cedar", "elm")
    for one in models:
        for other in models:
            totals = np.zeros(2, dtype=int)
            for round_ in range(1, 13):
                acts = rng.random(2) < 0.3 + 0.1 * models.index(one)
                gains = {(1, 1): (8, 8), (1, 0): (0, 10), (0, 1): (10, 0), (0, 0): (5, 5)}[tuple(acts.astype(int))]
                totals += gains
                rows.append((f"{one}-{other}-{round_}", one, other, *acts.astype(int), *gains, *totals))
    names = ["no", "first", "second", "act1", "act2", "gain1", "gain2", "sum1", "sum2"]
    return pd.DataFrame(rows, columns=names)


def test_models_that_play_are_compared_by_what_each_side_gets(tmp_path: Path) -> None:
    mapping = """row = "game"
games.game_id = "no"
factors = { first = "first", second = "second" }
measures = { sum1 = "sum1", sum2 = "sum2", act1 = "act1", act2 = "act2" }
seats.one = { agent = "first", kind = { constant = "agent" }, points = "gain1" }
seats.two = { agent = "second", kind = { constant = "agent" }, points = "gain2" }
"""
    drafted, _ = asked_of(propose(mapped(_tournament(), tmp_path, mapping)))
    assert drafted[0] == ("points", "one", ("first",), ())
    assert ("points", "two", ("second",), ()) in drafted
    assert not {measure for measure, *_ in drafted} & {"sum1", "sum2"}


def test_the_points_of_the_agents_that_people_meet_are_offered(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"no": np.arange(60) + 1, "mood": np.tile(["calm", "glad"], 30)})
    table["mine"], table["its"] = rng.integers(10, 60, (2, 60))
    mapping = """row = "game"
games.game_id = "no"
factors.mood = { column = "mood", role = "condition" }
seats.person = { kind = { constant = "human" }, points = "mine" }
seats.robot = { kind = { constant = "agent" }, points = "its" }
"""
    drafted, also = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert drafted[0] == ("points", "human", ("mood",), ())
    assert ("points", "agent", ("mood",), ()) in also


def test_where_nothing_was_set_a_decision_is_asked_about_with_other_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    table = pd.DataFrame({"no": np.arange(80) + 1, "given": rng.binomial(10, 0.4, 80)})
    table["kin"], table["friends"] = rng.normal(0, 1, 80).round(3), rng.poisson(4, 80)
    mapping = 'row = "player"\ngames.game_id = "no"\nmeasures = { given = "given", kin = "kin", friends = "friends" }\n'
    mapping += 'players = { player = { constant = "person" }, participant_id = "no" }\n'
    drafted, also = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert {("given", None, (), ("kin",)), ("given", None, (), ("friends",))} <= {*drafted}
    assert ("kin", None, (), ("friends",)) not in [*drafted, *also]
    mapping += 'factors.arm = { column = "arm", role = "condition" }\n'
    table["arm"] = np.tile(["a", "b"], 40)
    (folder := tmp_path / "set").mkdir()
    drafted, _ = asked_of(propose(mapped(table, folder, mapping)))
    assert not any(with_ for *_, with_ in drafted)


def test_what_a_talk_ends_with_is_offered_with_how_it_was_opened(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(8), []
    for game in range(40):
        anchor = int(rng.integers(4, 9))
        rows += [
            (game, "a", anchor, "rejected"),
            (game, "b", anchor - 2, "rejected"),
            (game, "a", anchor - 1, "accepted"),
        ]
    table = pd.DataFrame(rows, columns=["game", "who", "amount", "reply"])
    table["price"] = 20 + 5 * table["game"].map(table.groupby("game")["amount"].max()) + table["game"] % 7
    table["tone"] = np.where(table["game"] % 2, "warm", "cold")
    mapping = """row = "offer"
games.game_id = "game"
factors.tone = { column = "tone", role = "condition" }
offers = { proposer = "who", units_to_responder = "amount", response = "reply" }
measures.price = "price"
"""
    _, also = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert any(with_ == ("first_amount",) for *_, with_ in also)


@pytest.mark.parametrize(("levels", "is_compared"), [(("7:3", "5:5"), True), (("fold1", "fold2"), False)])
def test_a_split_that_is_no_numbering_may_be_what_was_set(
    tmp_path: Path, levels: tuple[str, str], is_compared: bool
) -> None:
    rng = np.random.default_rng(9)
    table = pd.DataFrame({"no": np.arange(60) + 1, "split": np.tile(levels, 30), "given": rng.binomial(10, 0.4, 60)})
    mapping = 'row = "game"\ngames.game_id = "no"\nfactors.split = "split"\nmeasures.given = "given"\n'
    drafted, also = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert (("given", None, ("split",), ()) in [*drafted, *also]) == is_compared


@pytest.mark.parametrize(("shares", "role"), [((0.5, 0.5), "condition"), ((0.97, 0.03), "trait")])
def test_an_answer_that_hardly_anybody_gives_was_not_assigned(
    tmp_path: Path, shares: tuple[float, float], role: str
) -> None:
    rng = np.random.default_rng(10)
    table = pd.DataFrame({"no": np.arange(100) + 1, "given": rng.binomial(10, 0.4, 100)})
    table["job_group"] = np.where(np.arange(100) < 100 * shares[0], "office", "field")
    mapping = 'row = "player"\ngames.game_id = "no"\nmeasures.given = "given"\nperson.job_group = "job_group"\n'
    mapping += 'players = { player = { constant = "person" }, participant_id = "no" }\n'
    factors = {factor.name: factor.role.name for factor in propose(mapped(table, tmp_path, mapping)).factors}
    assert factors["job_group"] == role


def test_which_model_wins_is_offered_though_each_game_has_one_winner(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(11), []
    for game in range(60):
        winner = int(rng.integers(5))
        for seat, model in enumerate(rng.permutation(["ash", "birch", "cedar", "elm", "fir", "oak"])[:5]):
            rows.append((game, seat, model, "ab"[game % 2], int(seat == winner), int(rng.integers(20))))
    table = pd.DataFrame(rows, columns=["game", "seat", "model", "rule", "won", "bluffs"])
    table["run"] = np.arange(len(table))
    mapping = """row = "player"
games.game_id = "game"
factors.rule = { column = "rule", role = "condition" }
players = { player = "seat", participant_id = "run", agent = "model" }
[measures]
won = { column = "won", kind = "yes/no", per = "player" }
bluffs = { column = "bluffs", per = "player" }
"""
    proposals = propose(mapped(table, tmp_path, mapping))
    drafted, also = asked_of(proposals)
    assert ("won", None, ("agent",), ()) in [*drafted, *also]
    evidence = {piece for one in proposals.ranked if one.outcome.name == "won" for piece in one.evidence}
    assert "units are alike in it, as in what they are shown" not in evidence


@pytest.mark.parametrize("key", ["age", "worry"])
def test_what_lone_people_decide_is_asked_about_with_their_age_and_answers(key: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    table = pd.DataFrame({"no": np.arange(80) + 1, "arm": np.tile(["a", "b"], 40), "given": rng.binomial(10, 0.4, 80)})
    table[key] = rng.integers(18, 70, 80) if key == "age" else rng.normal(0, 1, 80).round(3)
    mapping = f"""row = "player"
games.game_id = "no"
factors.arm = {{ column = "arm", role = "condition" }}
measures.given = "given"
players = {{ player = {{ constant = "person" }}, participant_id = "no" }}
person.{key} = "{key}"
"""
    drafted, also = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert drafted[0] == ("given", None, ("arm",), ())
    assert ("given", None, (), (key,)) in (drafted if key == "age" else [*drafted, *also])


def test_what_models_are_known_for_is_asked_about_with_their_results(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    table = pd.DataFrame({"no": np.arange(120) + 1, "model": np.tile([f"m{n}" for n in range(12)], 10)})
    table["rules"] = np.repeat(["plain", "hard"], 60)
    table["rating"] = table["model"].map({f"m{n}": 1000 + 7 * n * n for n in range(12)})
    table["gain"] = rng.normal(50, 9, 120).round(2)
    mapping = """row = "player"
games.game_id = "no"
factors = { model = "model", rules = { column = "rules", role = "condition" } }
measures.rating = "rating"
players = { player = { constant = "program" }, participant_id = "no", points = "gain" }
"""
    drafted, _ = asked_of(propose(mapped(table, tmp_path, mapping)))
    assert drafted[0][0] == "points"
    assert ("points", None, (), ("rating",)) in drafted
    assert ("rating", None, ("rules",), ()) not in drafted[:2]
