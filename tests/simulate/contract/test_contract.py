"""Simulated studies: the same from one seed, legal throughout, the exchanges people think of, and the study we ship."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import negstats
from negstats.games.contract import Board, Offer, State, benefit, is_commitment, study_game
from negstats.games.contract.rules import Game, paths_of
from negstats.simulate.contract import CONDITIONS, as_study, games_of
from negstats.simulate.contract.calibrate import TARGETS, human_games
from negstats.simulate.contract.equilibrium_seats import sp_rapd
from negstats.simulate.contract.people import Menu, People, Reach, countries, people_of, rising
from negstats.studies.study import Study
from tests.conftest import ROOT, runs
from tests.shell import Shell


@pytest.mark.nightly
@pytest.mark.parametrize("condition", CONDITIONS)
def test_games_replay_by_the_rules(condition: str) -> None:
    """A referee that only knows the rules accepts every offer and step and comes to the same end."""
    game = study_game()
    for played in games_of(condition, "Israel", games=15, seed=3):
        state, transcript = game.start, played.transcript
        for number in range(1, transcript.rounds + 1):
            values = [one for one in transcript.offers if one.round == number]
            assert len(values) <= (2 if state.odd else 1)
            for one in values:
                assert one.proposer == (one.offer.provider if state.odd else 0)
                assert game.is_possible(state, one.offer)
                assert one.commitment == is_commitment(game, state, one.offer)
            accepted = [one.offer for one in values if one.accepted]
            assert len(accepted) <= 1
            state = game.accept(state, accepted[0] if accepted else None)
            path = [step.square for step in transcript.steps if step.round == number]
            state = game.move(state, path)
            assert game.ended(state) == (number == transcript.rounds)
        assert (game.goal_reached(state), game.scores(state)) == (transcript.goal, transcript.points)


@pytest.mark.nightly
def test_chips_are_kept_or_paid(game: Game) -> None:
    study = as_study(games_of("HvsH", "USA", games=40, seed=8))
    total = game.chip_points * sum(map(sum, game.chips))
    won = study.players.groupby("game_id")["reached_goal"].sum() * game.goal_points
    paid = study.moves.groupby("game_id").size().reindex(study.games["game_id"], fill_value=0) * game.chip_points
    points = study.players.groupby("game_id")["points"].sum()
    assert (points == total + won - paid).all()


@pytest.fixture
def game() -> Game:
    return study_game()


def test_a_known_game() -> None:
    """The first games of a seed, written down once: a change of the stream would change every seeded study."""
    played = games_of("HvsSP-RAP", "Israel", games=4, seed=1)
    assert [(one.transcript.rounds, one.transcript.goal, one.transcript.points) for one in played] == FIRST


FIRST = [(18, 2, (305, 195, 275)), (5, 2, (300, 200, 275)), (4, 2, (300, 200, 275)), (2, 2, (300, 200, 275))]


@pytest.mark.nightly
def test_agents_open_as_printed() -> None:
    printed = {  # Table 5 and the text: chips to the customer
        ("HvsSP-A", "Israel"): 40,
        ("HvsSP-RAP", "China"): 19,
        ("HvsSP-RAP", "Israel"): 26,
        ("HvsSP-RAP", "USA"): 33,
        ("HvsSP-RAPD", "Israel"): 21,
    }
    for (condition, country), chips in printed.items():
        offers = as_study(games_of(condition, country, games=1, seed=1)).offers
        first = offers[offers["proposer"] == "SP_y"].iloc[0]
        assert (first["units_to_responder"], first["units_to_proposer"]) == (chips, 11)
        assert first["commitment"]


@pytest.mark.nightly
def test_the_customer_agent_takes_and_makes_the_appendix_offer() -> None:
    offers = as_study(games_of("HvsCS-A", "Israel", games=30, seed=2)).offers
    second_round = offers[(offers["proposer"] == "CS") & (offers["round"] == 2)]
    assert (second_round["units_to_proposer"] - second_round["units_to_responder"]).median() == 29


class TestBenefitProvider:
    """SP-RAPD offers the commitment with its benefit where there is one that it prefers to no deal, or nothing."""

    @pytest.mark.parametrize(
        ("country", "benefit", "chips"),
        # China, 50: 1 - exp is worth .97681 with the deal and .97976 without. 140: 39 chips, worth less still.
        [("Israel", 50, 21), ("USA", 50, 21), ("China", 50, None), ("China", 40, 19), ("China", 140, None)],
    )
    def test_at_the_start(self, game: Game, country: str, benefit: float, chips: int | None) -> None:
        chance = {"Israel": 5 / 6, "USA": 14 / 15, "China": 9 / 15}[country]
        agent = sp_rapd(game, 2, pr=chance, alpha=0.0195, benefit=benefit)
        offer = agent.offer(game.start)
        assert (None if offer is None else sum(offer.to_customer)) == chips
        kept = 40 + 11 - (sum(offer.to_customer) if offer else 11 + math.ceil(benefit / 5))
        deal = sum(p * -math.expm1(-0.0195 * (5 * kept + goal)) for p, goal in ((chance, 150), (1 - chance, 0)))
        assert (deal > -math.expm1(-0.0195 * 200)) is (offer is not None)

    def test_in_random_states_it_offers_the_commitment_or_nothing(self, game: Game) -> None:
        agent = sp_rapd(game, 2, pr=5 / 6, alpha=0.0195, benefit=50)
        rng, squares = np.random.default_rng(5), [*paths_of(game).price, game.board.start]
        made = 0
        for _ in range(100):
            square = squares[rng.integers(len(squares))]
            if square in game.board.goals:
                continue
            hands = [rng.multinomial(total, np.full(3, 1 / 3)) for total in (12, 12, 14, 66)]
            chips = tuple(tuple(int(hand[seat]) for hand in hands) for seat in range(3))
            state = State(square, chips, odd=True)
            offer = agent.offer(state)
            if offer is None:
                continue
            made += 1
            assert is_commitment(game, state, offer)
            assert benefit(offer, 0, game.chip_points) == 50
            # What it offers it would take itself, were it asked.
            asked = state._replace(odd=False)
            values = [agent.solution.value(game.accept(state, choice))[2] for choice in (offer, None)]
            assert values[0] > values[1]
            assert agent.solution.response(asked, [offer]) in (offer, None)
        assert made > 5

    def test_a_committed_customer_gets_no_offer(self, game: Game) -> None:
        agent = sp_rapd(game, 2, pr=5 / 6, alpha=0.0195, benefit=50)
        state = game.start
        deal = game.move(game.accept(state, agent.offer(state)), ())
        assert agent.offer(game.move(game.accept(deal, None), ())) is None


@pytest.mark.nightly
def test_tables_say_who_sat_where() -> None:
    study = as_study(games_of("HvsCS-A", "China", games=3, seed=1))
    seats = study.players.iloc[:3]
    assert seats["role"].tolist() == ["customer", "provider_g", "provider_y"]
    assert seats["kind"].tolist() == ["agent", "human", "human"]
    assert study.players["participant_id"].dropna().is_unique
    assert "nobody took part" in study.provenance.notes[0]
    assert study.factors == ["condition", "country"]


def rate_of(people: People, what: str, games: int = 250) -> float:
    played = human_games(people, games, seed=12)
    return float(np.mean([one.goal > 0 if what == "goal" else one.rounds for one in played]))


@pytest.mark.nightly
def test_parameters_mean_what_they_say() -> None:
    people = people_of("Israel")
    assert rate_of(people.with_(lost=0.6), "goal") < rate_of(people, "goal") - 0.1
    assert rate_of(people.with_(slip=0.5), "goal") < rate_of(people, "goal") - 0.05
    assert rate_of(people.with_(enough=0.5), "rounds") < rate_of(people, "rounds") - 2
    accepted = [
        np.mean([offer.accepted for one in human_games(these, 150, seed=12) for offer in one.offers])
        for these in (people, people.with_(customer_wants=90.0))
    ]
    assert accepted[1] < accepted[0]


@pytest.mark.nightly
def test_acceptance_rises_with_benefit() -> None:
    offers = [offer for one in human_games(people_of("USA"), 300, seed=4) for offer in one.offers if offer.proposer]
    net, accepted = np.array([offer.offer.net for offer in offers]), np.array([offer.accepted for offer in offers])
    shares = [accepted[(net >= low) & (net < low + 6)].mean() for low in (-6, 0, 6, 12)]
    assert shares == sorted(shares)
    assert shares[-1] > shares[0] + 0.4


@pytest.mark.nightly
def test_some_customers_give_away_chips_that_they_need() -> None:
    """A last path's chips go only by a slip."""
    people = people_of("China").with_(lost=0.0, enough=0.05)
    stuck = [np.mean([one.goal == 0 for one in human_games(these, 150, seed=1)]) for these in _slips(people)]
    assert stuck[0] == 0
    assert stuck[0] < stuck[1] < stuck[2]


def _slips(people: People) -> list[People]:
    return [people.with_(slip=slip) for slip in (0.0, 0.1, 0.8)]


@pytest.mark.calibration
@pytest.mark.parametrize("country", countries())
def test_human_games_end_as_printed(country: str) -> None:
    """Goals reached and rounds, within four standard errors of what haim2017 prints."""
    games = runs(4000, 800)
    played, target = human_games(people_of(country), games, seed=20260303), TARGETS[country]
    rounds = np.array([one.rounds for one in played])
    reached = np.mean([one.goal > 0 for one in played])
    print(country, reached, rounds.mean())
    assert abs(reached - target.reached) < 4 * np.sqrt(target.reached * (1 - target.reached) / games)
    assert abs(rounds.mean() - target.rounds) < 4 * rounds.std() / np.sqrt(games)


@pytest.mark.nightly
def test_thresholds_of_a_simulated_study(shell: Shell, tmp_path: Path) -> None:
    out, log = str(tmp_path / "study"), str(tmp_path / "log.jsonl")
    words = ["--condition", "HvsH", "--country", "Israel", "--games", "30", "--seed", "1"]
    shell("simulate", "contract", *words, "--out", out, "--log", log)
    code, text, _ = shell("threshold", out, "--by", "country", "--draws", "50")
    assert code == 0
    assert "condition 2" in text
    content = shell.json("threshold", log, "--draws", "50")
    assert content["pr"][0]["n"] == 30
    assert {"benefit", "answered_always", "as_generous", "reason"} <= set(content["acceptance"][0]["threshold"])


@pytest.mark.nightly
def test_a_curve_that_cannot_be_drawn_takes_no_table_with_it(shell: Shell, tmp_path: Path) -> None:
    out, figure = tmp_path / "study", tmp_path / "curve.png"
    words = ["--condition", "HvsH", "--country", "Israel", "--games", "2", "--seed", "1"]
    shell("simulate", "contract", *words, "--out", str(out))
    asked = ("threshold", str(out), "--draws", "50", "--figure", str(figure))
    code, text, err = shell(*asked)
    assert (code, err) == (0, "")
    assert "acceptance curve:" in text
    assert "no figure: " in text
    assert not figure.exists()
    content = shell.json(*asked)
    assert (content["figure"], content["no_figure"]) == (None, content["acceptance"][0]["no_curve"])


@pytest.mark.slow
def test_the_offer_command(shell: Shell) -> None:
    benefit = shell.json("threshold", "--pr", ".83", "--alpha", ".0195", "--benefit", "50")
    assert benefit["gives"] == {"purple": 7, "red": 14}


FOLDER = ROOT / "datasets" / "contract_sim"


@pytest.fixture(scope="module")
def shipped() -> Study:
    return negstats.open_study(FOLDER / "study")


@pytest.fixture(scope="module")
def script() -> dict[str, object]:
    return runpy.run_path(str(FOLDER / "make_contract_sim.py"))


@pytest.mark.nightly
def test_the_study_is_what_the_script_makes(shipped: Study, script: dict[str, object]) -> None:
    study = as_study(script["games"]())  # type: ignore[operator]
    for name, frame in study.tables.items():
        assert_frame_equal(shipped.tables[name], frame)


def test_people_are_as_many_as_printed(shipped: Study) -> None:
    people = shipped.players[shipped.players["kind"] == "human"].merge(shipped.games[["game_id", "country"]])
    assert people.groupby("country").size().to_dict() == {"China": 143, "Israel": 208, "USA": 149}
    assert f"{len(shipped.games)} games" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_it_is_small_and_labelled(shipped: Study) -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*.parquet")) < 300_000
    assert "nobody took part" in shipped.provenance.notes[0]
    assert shipped.games["study"].eq("simulated: nobody took part").all()


ROW = Board((("gray", None, "yellow"),), start=(0, 1), goals=((0, 0), (0, 2)))


@pytest.mark.parametrize("own", [{"red": 4}, {"red": 2, "yellow": 1}, {"gray": 1, "yellow": 2}])
@pytest.mark.parametrize("provider", [1, 2])
def test_a_menu_is_its_exchanges_one_by_one(own: dict[str, int], provider: int) -> None:
    """People are given chips in pairs, those of the board first, for chips of one colour of the board."""
    game = Game.of(ROW, own, [{"gray": 1, "red": 4}, {"yellow": 2, "red": 2}], dormant_after=1)
    reach, state, hand = Reach(game), game.start, game.chips[0]
    menu = Menu.of(reach, state.square, hand, provider, game.chips[provider])
    assert game.colours == ("gray", "yellow", "red")
    assert menu.given.tolist() == [[[0, 0, 0], [1, 0, 1], [1, 0, 3]], [[0, 0, 0], [0, 2, 0], [0, 2, 2]]][provider - 1]
    alone = [[count, 0, 0] for count in range(1, hand[0] + 1)] + [[0, count, 0] for count in range(1, hand[1] + 1)]
    assert menu.returned.tolist() == [[0, 0, 0], *alone]
    exchanges = [(given, back) for given in menu.given.tolist() for back in menu.returned.tolist()][1:]
    before = reach.goals(state.square, hand)
    assert menu.before.tolist() == [(goal in before) / max(len(before), 1) for goal in (1, 2)]
    for place, (given, back) in enumerate(exchanges):
        offer = menu.offer(place)
        assert offer == Offer(provider, tuple(given), tuple(back))
        after = reach.goals(state.square, tuple(a + b - c for a, b, c in zip(hand, given, back, strict=True)))
        chances = [(goal in after) / max(len(after), 1) for goal in (1, 2)]
        gains = [5 * offer.net + 150 * (bool(after) - bool(before))]
        gains += [150 * (chances[goal] - menu.before[goal]) - 5 * offer.net for goal in (0, 1)]
        for one, row in ((menu, place), (Menu.only(reach, state, offer), 0)):
            assert (one.after[row].tolist(), one.net[row]) == (chances, offer.net)
            assert one.stranding()[row] == (bool(before) and not after)
            assert [one.gain(player, 5, 150)[row] for player in (0, 1, 2)] == pytest.approx(gains)


@pytest.mark.parametrize("start", [0.0, 1e6, -1e6])
def test_a_noisy_reply_depends_on_differences_of_worth_alone(start: float) -> None:
    """Chances in proportion to exp(worth / noise), of points however large."""
    sums = rising(start + np.array([0.0, 10, -10]), 10)
    odds = np.exp([0, 1, -1])
    np.testing.assert_allclose(sums / sums[-1], np.cumsum(odds) / odds.sum())
