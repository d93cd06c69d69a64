"""Simulated people of the favor game: exact expectations, what they give by simulation, seeds, and what is refused."""

from __future__ import annotations

import math
from itertools import product
from statistics import mean, median, pstdev

import numpy as np
import pytest
from scipy import stats

from negstats.games.favors import FINAL, STUDY, History, Past, game_of
from negstats.simulate import favors
from negstats.simulate.favors.people import histories
from negstats.simulate.favors.play import words

# Player, agent and joint value of 1 to 4; both of 1 and 2, both of 3 and 4 accepted; acceptance of 3: by enumeration.
EXPECTED = {
    "favor-seeking": (64.716, 39.312, 104.028, 0.4153, 0.4244, 0.4467),
    "cooperative": (64.716, 39.312, 104.028, 0.4153, 0.4244, 0.4467),
    "betraying": (18.122, 38.081, 56.203, 0.0656, 0.0362, 0.2413),
    "competitive": (17.916, 43.012, 60.928, 0.0656, 0.0670, 0.4467),
}
# Negotiation 5: mean of the player and of the agent, joint value, share of 16 : 16.
FINALS = {
    "favor-seeking": (13.67, 11.97, 25.64, 0.49),
    "betraying": (14.59, 9.84, 24.43, 0.40),
    "cooperative": (11.85, 10.95, 22.80, 0.34),
    "competitive": (12.75, 8.84, 21.59, 0.27),
}


@pytest.mark.parametrize("condition", EXPECTED)
def test_expectations(condition: str) -> None:
    result = favors.expectations(favors.PRINTED[condition])
    values = (result.player, result.agent, result.joint, *result.both, result.accepts[2])
    assert values == pytest.approx(EXPECTED[condition], abs=5.1e-4)
    assert result.accepts[0] == pytest.approx(73 / 167)
    final = (result.final_player, result.final_agent, result.final_player + result.final_agent, result.final_both)
    assert final == pytest.approx(FINALS[condition], abs=0.006)


@pytest.mark.parametrize("condition", favors.AGENTS)
def test_courses_of_a_session_are_all_there_are(condition: str) -> None:
    courses = list(histories(favors.AGENTS[condition], favors.participant()))
    assert sum(likely for likely, _ in courses) == pytest.approx(1, abs=1e-12)
    assert len({history for _, history in courses}) == len(courses)


SESSIONS = 20_000


@pytest.mark.nightly
@pytest.mark.parametrize("condition", favors.PRINTED)
def test_simulated_sessions_meet_their_expectations(condition: str) -> None:
    sessions = favors.favor_games_of(condition, SESSIONS, seed=20)
    results = [list(session.negotiations()) for session in sessions]
    points = np.array([[one.points for one in session] for session in results])
    answers = np.array([[one.accepted for one in session] for session in results])
    exact = favors.expectations(favors.PRINTED[condition])
    player, agent = points[:, :4].sum(axis=1).T
    samples = {
        exact.player: player,
        exact.agent: agent,
        exact.joint: player + agent,
        exact.both[0]: answers[:, 0] & answers[:, 1],
        exact.both[1]: answers[:, 2] & answers[:, 3],
        exact.accepts[0]: answers[:, 0],
        exact.accepts[2]: answers[:, 2],
        exact.final_player: points[:, 4, 0],
        exact.final_agent: points[:, 4, 1],
        exact.final_both: (points[:, 4] == 16).all(axis=1),
    }
    for wanted, sample in samples.items():
        error = np.std(sample) / math.sqrt(SESSIONS)
        assert abs(np.mean(sample) - wanted) <= 4 * error


@pytest.mark.nightly
def test_an_agent_with_chance_meets_its_expectations() -> None:
    sessions = favors.favor_games_of("random", SESSIONS, seed=20)
    exact = favors.expectations(favors.AGENTS["random"])
    sample = [sum(one.points[0] for one in list(session.negotiations())[:4]) for session in sessions]
    assert abs(mean(sample) - exact.player) <= 4 * pstdev(sample) / math.sqrt(SESSIONS)


def test_expectations_of_a_longer_and_a_cheaper_game() -> None:
    """Points add up: with three pairs the first two bring what they did, and a favor of 12 brings the agent less."""
    agent = favors.PRINTED["competitive"]
    shorter, longer = favors.expectations(agent), favors.expectations(agent, negotiations=game_of(3))
    assert longer.both[:2] == pytest.approx(shorter.both)
    assert longer.accepts[:4] == pytest.approx(shorter.accepts)
    cheaper = favors.expectations(agent, negotiations=game_of(benefit=12))
    assert shorter.agent - cheaper.agent == pytest.approx(12 * (shorter.accepts[0] + shorter.accepts[2]))
    assert cheaper.player == pytest.approx(shorter.player)


def test_returning_pays_the_agent_when_betrayal_costs_it_enough() -> None:
    """From 1/24 (the poor offer rejected) and 7/24 (accepted) of lost acceptance in 3 on."""
    agents = {chance: favors.RandomReturn("random", "favor", "", chance) for chance in (0.0, 1.0)}
    for poor, least in ((0.0, 1 / 24), (1.0, 7 / 24)):
        for lost in (least - 0.01, least + 0.01):
            people = favors.participant().with_(
                poor=poor, good=1.0, kept=0.7, betrayed=0.7 - lost, refused=0.7, first=1.0
            )
            never, always = (three_negotiations(agents[chance], people) for chance in (0.0, 1.0))
            assert (always > never) == (lost > least)


def three_negotiations(agent: favors.FavorAgent, people: favors.Participant) -> float:
    """The agent's expected points of 1 to 3: what it returns in 4 has no negotiation after it."""
    total = 0.0
    for likely, history in histories(agent, people, STUDY[:3]):
        for negotiation, past in zip(STUDY, history, strict=False):
            gets = negotiation.offer("good" if past.good else "poor") if past.accepted else negotiation.batna
            total += likely * gets[1]
    return total


@pytest.mark.nightly
def test_conditions_have_random_numbers_of_their_own() -> None:
    first, second = favors.favor_games_of("favor-seeking", 200, 1), favors.favor_games_of("cooperative", 200, 1)
    assert [s.history[0].accepted for s in first] != [s.history[0].accepted for s in second]
    alone = favors.favor_games_of("betraying", 40, 1)
    assert [session for session in favors.favor_cells(seed=1) if session.agent.name == "betraying"] == alone


@pytest.mark.nightly
def test_the_four_cells_have_the_printed_sizes() -> None:
    study = favors.as_study(favors.favor_cells(seed=3))
    sizes = study.games.drop_duplicates("session")["condition"].value_counts()
    assert (
        sizes.to_dict() == favors.SIZES == {"favor-seeking": 38, "betraying": 40, "cooperative": 48, "competitive": 41}
    )
    assert "nobody took part" in study.provenance.notes[0]
    assert set(study.games["study"]) == {"simulated: nobody took part"}


@pytest.mark.nightly
def test_what_the_paper_does_not_print_is_missing() -> None:
    study = favors.as_study(favors.favor_cells({"betraying": 3}, seed=3))
    last = study.games.loc[study.games["negotiation"] == 5, "game_id"]
    assert study.players[study.players["game_id"].isin(last)]["batna"].isna().all()
    assert study.offers[["time_s", "time_share", "units_to_proposer", "units_to_responder"]].isna().all(axis=None)
    assert study.moves.empty
    assert study.answers.empty
    assert set(study.messages["sender"]) == {"agent"}


def test_the_solved_number_gives_about_the_printed_chi_squared() -> None:
    """73 accepters, a share of 40/167 of whom are betrayed: .2290 gives χ² = 12.17, and the rounded .23 gives 12.12."""
    sizes = np.array([40, 127]) / 167 * 73

    def chi2(betrayed: float, kept: float = favors.participant().kept) -> float:
        accepts = sizes * [betrayed, kept]
        table = np.array([accepts, sizes - accepts])
        return float(stats.chi2_contingency(table, correction=False).statistic)

    assert chi2(favors.participant().betrayed) == pytest.approx(12.12, abs=0.005)
    assert chi2(0.2290) == pytest.approx(12.17, abs=0.005)


def studies(number: int, rng: np.random.Generator) -> np.ndarray:
    """F of language and of quality on joint value and on the points of both seats in studies of the printed sizes."""
    people = favors.participant()
    cells = []
    for condition, size in favors.SIZES.items():
        place = rng.choice(len(FINAL), size=(number, size), p=people.weights(favors.PRINTED[condition], ()))
        points = FINAL[place].astype(np.float64)
        cells.append(np.concatenate([points.sum(axis=2, keepdims=True), points], axis=2))  # joint, player, agent
    n = np.array(list(favors.SIZES.values()))
    means = np.array([cell.mean(axis=1) for cell in cells])
    within = sum(((cell - cell.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for cell in cells) / (n.sum() - 4)
    values = []
    for contrast in ([1, 1, -1, -1], [1, -1, 1, -1]):
        difference = np.tensordot(np.array(contrast) / 2, means, axes=1)
        values.append(difference**2 / (within * (1 / n).sum() / 4))
    return np.array(values)  # (language or quality, studies, measure)


@pytest.mark.calibration
def test_drawn_studies_have_about_the_printed_f() -> None:
    """Medians of 4000 studies: 5.69, 5.89 (language on joint and player), 1.49 and 5.34 (quality on player, agent)."""
    number = 4000
    f = studies(number, np.random.default_rng(5))
    expected_points = {
        "joint": f[0, :, 0],
        "player": f[0, :, 1],
        "quality player": f[1, :, 1],
        "quality agent": f[1, :, 2],
    }
    wanted = {
        "joint": (5.69, 0.66),
        "player": (5.89, 0.68),
        "quality player": (1.49, 0.22),
        "quality agent": (5.34, 0.63),
    }
    for name, (middle, power) in wanted.items():
        spread = np.std(np.sqrt(expected_points[name])) * math.sqrt(math.pi / 2 / number)  # of a median of √F
        assert abs(math.sqrt(median(expected_points[name])) - math.sqrt(middle)) <= 5 * spread + 0.01
        rejected = float((stats.f.sf(expected_points[name], 1, sum(favors.SIZES.values()) - 4) < 0.05).mean())
        assert abs(rejected - power) <= 4 * math.sqrt(power * (1 - power) / number) * math.sqrt(2) + 0.005


def test_agents_with_a_memory_get_the_offers_of_the_agent_they_were_like() -> None:
    people, granted = favors.participant(), Past(asked=True, good=False, accepted=True)
    betrayed: History = (granted, Past(asked=False, good=False, accepted=True))
    values: History = (granted, Past(asked=False, good=True, accepted=True))
    random = favors.AGENTS["random"]
    assert np.array_equal(people.weights(random, betrayed), people.weights(favors.PRINTED["betraying"], ()))
    assert np.array_equal(people.weights(random, values), people.weights(favors.PRINTED["favor-seeking"], ()))


def test_a_base_agent_decides_nothing() -> None:
    with pytest.raises(TypeError, match=r"abstract method '?returns"):
        favors.FavorAgent("nobody", "favor", "never")  # type: ignore[abstract]


def test_generic_words_differ_by_negotiation() -> None:
    assert len({words("generic", number) for number in (1, 2, 3, 4)}) == 4
    assert words("generic", 5) == words("generic", 1)


def test_agents_keep_their_rules_after_whatever_happened() -> None:
    """Each rule as its condition says it, in words of counts, over all histories before negotiations 2 and 4."""
    chance = favors.AGENTS["random"].returns((Past(asked=True, good=False, accepted=True),))
    (credit,) = (agent for agent in favors.AGENTS.values() if isinstance(agent, favors.Credit))
    assert 0 < chance < 1
    for length in (1, 3):
        for history in product([Past(*three) for three in product([False, True], repeat=3)], repeat=length):
            is_granted = history[-1].asked and history[-1].accepted
            refusals = [not past.accepted for past in history[::2]].count(True)
            n_favors = [past.asked and past.accepted for past in history[::2]].count(True)
            is_returned = length == 3 and all(history[0][::2]) and history[1].good
            rules = {
                "favor-seeking": True, "cooperative": True, "betraying": False, "competitive": False,
                "conditional": is_granted, "grim": refusals == 0, "forgiving": history[-1].accepted or refusals == 1,
                "random": chance * is_granted,
                "credit": is_granted and n_favors - is_returned >= credit.most,
            }  # fmt: skip
            assert {name: agent.returns(history) for name, agent in favors.AGENTS.items()} == rules
            for most in (1, 2):
                agent = favors.Credit("credit", "favor", "at the limit", most=most)
                assert agent.asks(history) is (n_favors - is_returned < most)
                assert agent.returns(history) == (is_granted and n_favors - is_returned >= most)
    assert all(favors.agent_of(name) is agent for name, agent in favors.AGENTS.items())
    asking = {name for name, agent in favors.AGENTS.items() if agent.asks(())}
    assert asking == set(favors.AGENTS) - {"cooperative", "competitive"}
