"""Thresholds by person: numbers computed with lme4 and by own sums, what the population is, whose decisions count.

Set A is `decisions(7, 40, effect=.8)`; its numbers and those of the robot study are lme4's 1.1-31 and equal to six
digits by the delta method in numpy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from negstats import datasets
from negstats.errors import NotEstimable
from negstats.estimate import Thresholds, mixed_thresholds, thresholds
from negstats.estimate.answers import AnswersOf, PersonDecisions, read_decisions
from negstats.estimate.thresholds import censored_likelihood, fit_thresholds
from negstats.plots import person_curves
from negstats.plots import thresholds as draw_thresholds
from negstats.stats import mixed
from negstats.stats.models.responses.spread import REFIT_NAGQ
from tests.conftest import DataFolder, runs
from tests.shell import Shell
from tests.stats.models.generators import decisions


def read(frame: pd.DataFrame, by: bool = True) -> PersonDecisions:
    group = frame["g"].map({0.0: "g0", 1.0: "g1"}) if by else "all"
    table = frame.assign(benefit=frame["x"], accepted=frame["y"] > 0, group=group)
    return PersonDecisions(table[["person", "group", "benefit", "accepted"]], "points", 0, None, "set A", ())


A = read(decisions(7, 40, effect=0.8))


@pytest.fixture(scope="module")
def set_a() -> Thresholds:
    return fit_thresholds(A)


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize(
    ("of", "share", "group", "benefit", "se"),
    [
        ("people", 0.5, "g0", 0.437913, 0.068020),
        ("decisions", 0.5, "g1", 0.183823, 0.071199),
        ("decisions", 0.8, "g0", 0.807687, 0.074038),
        ("decisions", 0.8, "g1", 0.553597, 0.072399),
        ("decisions", 0.9, "g0", 1.008464, 0.082028),
        ("decisions", 0.9, "g1", 0.754374, 0.078296),
        ("people", 0.8, "g0", 0.672855, 0.075823),
        ("people", 0.8, "g1", 0.418765, 0.074947),
        ("people", 0.9, "g0", 0.795663, 0.085509),
        ("people", 0.9, "g1", 0.541574, 0.082943),
    ],
)
def test_shares_of_people_and_of_decisions(
    set_a: Thresholds, of: str, share: float, group: str, benefit: float, se: float
) -> None:
    row = set_a.benefit(of, share, group)
    assert (row["benefit"], row["se"]) == pytest.approx((benefit, se), abs=2e-6)


def test_spread_and_difference(set_a: Thresholds) -> None:
    row = set_a.population.iloc[0]
    assert (row["sd"], row["sd_se"]) == pytest.approx((0.279154, 0.041606), abs=2e-6)
    two = set_a.difference.iloc[0]
    assert (two["difference"], two["se"], two["df"]) == pytest.approx((0.254090, 0.098035, 38), abs=2e-6)
    assert (two["first"], two["second"]) == ("g0", "g1")


@pytest.mark.slow
def test_few_people_get_the_bootstrap_of_their_groups_and_no_advice_to_call_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert mixed_thresholds.BOOTSTRAP_DRAWS == 399  # what a user gets; fewer show the same here
    monkeypatch.setattr(mixed_thresholds, "BOOTSTRAP_DRAWS", 49)
    few = fit_thresholds(read(decisions(7, 12, effect=0.8)), seed=4)
    (note,) = (note for note in few.notes if "bootstrap" in note)
    assert note.startswith("with 12 people the t tests of groups are rough; the likelihood ratio of all: χ²(1) = ")
    assert note.endswith("by 49 bootstrap draws")
    assert few.notes == fit_thresholds(read(decisions(7, 12, effect=0.8)), seed=4).notes
    assert not any("bootstrap" in note for note in fit_thresholds(read(decisions(7, 12), by=False)).notes)


def test_people_are_shrunken_modes(set_a: Thresholds) -> None:
    people = set_a.people.set_index("person").loc[[f"p00{place}" for place in range(6)]]
    expected = [0.721887, -0.145119, 0.381421, 0.195197, 0.153217, 0.672084]
    np.testing.assert_allclose(people["threshold"], expected, atol=2e-6)
    np.testing.assert_allclose(people["sd"], [0.104853, 0.175883, 0.105215, 0.106979, 0.120314, 0.101489], atol=2e-6)
    assert people["n"].iloc[1] == people["accepted"].iloc[1] == 20  # of one answer: a mode, no infinity
    assert any("shrunken" in note for note in set_a.notes)


def test_the_unit_of_benefits_does_not_matter(set_a: Thresholds) -> None:
    moved = A.frame.assign(benefit=100 * A.frame["benefit"] + 5000)
    other = fit_thresholds(PersonDecisions(moved, "cents", 0, None, "", ()))
    np.testing.assert_allclose(other.shares["benefit"], 100 * set_a.shares["benefit"] + 5000, rtol=1e-6)
    np.testing.assert_allclose(other.population["sd"], 100 * set_a.population["sd"], rtol=1e-4)
    assert other.difference["p"].iloc[0] == pytest.approx(set_a.difference["p"].iloc[0], rel=1e-4)


@pytest.mark.slow
def test_pooled_is_near_to_decisions_and_says_nothing_of_people() -> None:
    pooled = fit_thresholds(read(decisions(7, 40, effect=0.8)), "pooled")
    row = pooled.benefit("decisions", 0.9, "g0")
    assert row["benefit"] == pytest.approx(1.0279, abs=1e-3)
    assert set(pooled.shares["of"]) == {"decisions"}
    assert pooled.people.empty


def test_slopes_by_person_have_quantiles_and_no_mean() -> None:
    found = fit_thresholds(A, slope="person", seed=3)
    assert found.population["mean"].isna().all()
    assert any("without a mean" in note for note in found.notes)
    assert found.benefit("people", 0.8, "g0")["benefit"] == pytest.approx(0.66, abs=0.05)
    again = fit_thresholds(A, slope="person", seed=3)
    assert found.shares.equals(again.shares)


@pytest.mark.slow
def test_robot() -> None:
    found = thresholds(datasets.robot().tables)
    assert (found.n, found.accepted, found.persons) == (1569, 99, 66)
    row = found.population.iloc[0]
    assert (row["mean"], row["se"], row["sd"]) == pytest.approx((0.8392, 0.0189, 0.0753), abs=6e-5)
    shares = [found.benefit(of, share)["benefit"] for of in ("decisions", "people") for share in (0.8, 0.9)]
    assert shares == pytest.approx([0.9571, 1.0222, 0.9026, 0.9357], abs=6e-5)
    people = found.people["threshold"]
    assert (people.min(), people.max(), people.std()) == pytest.approx((0.7206, 0.9609, 0.0537), abs=6e-5)
    assert found.caption == "1,569 decisions of 66 people (1,569 to agents)"
    assert any("until one is accepted" in note for note in found.notes)
    frame = found_rows()
    model = mixed(frame, "accepted ~ benefit + (1 | person)", family="binomial", nagq=9)
    np.testing.assert_allclose(model.estimate, [-12.000759, 14.300647], atol=1e-3)
    assert next(iter(model.sds.values())) == pytest.approx(1.077055, abs=1e-4)
    assert model.log_likelihood == pytest.approx(-274.389745, abs=1e-5)


def found_rows() -> pd.DataFrame:
    return read_decisions(datasets.robot().tables).frame


@pytest.mark.slow
def test_robot_by_condition() -> None:
    found = thresholds(datasets.robot().tables, by="condition")
    assert (found.n, found.accepted) == (1003, 68)
    two = found.difference.iloc[0]
    assert (two["second"], -two["difference"], two["se"]) == ("FC", pytest.approx(0.0168, abs=1e-4),
                                                               pytest.approx(0.0106, abs=1e-4))  # fmt: skip
    assert 0 < found.interaction_p < 1
    frame = read_decisions(datasets.robot().tables, "condition").frame
    frame = frame[frame["group"].isin(["CL", "FC"])].assign(fc=lambda rows: (rows["group"] == "FC").astype(float))
    model = mixed(frame, "accepted ~ benefit + fc + (1 | person)", family="binomial", nagq=9)
    assert model.estimate[1:] == pytest.approx([39.1221, -0.657066], rel=1e-5)
    assert (model.sds["person"], model.log_likelihood) == pytest.approx((2.61412, -137.118641), rel=1e-5)
    assert model.likelihood_ratio("fc").statistic == pytest.approx(2.4706, abs=1e-4)
    assert "CL" in found.apa()
    assert len(found.to_frame()) == 2 * (2 + 6)


# --- whose decisions -------------------------------------------------------------------------------------------------


def tables(kinds: tuple[Any, Any], n: int = 40, people: int = 8, seed: int = 1) -> dict[str, pd.DataFrame]:
    draw = np.random.default_rng(seed)
    ids = [f"g{place}" for place in range(n)]
    players = pd.concat(
        [
            pd.DataFrame({"game_id": ids, "player": "A", "role": "x", "kind": kinds[0], "participant_id": None}),
            pd.DataFrame({"game_id": ids, "player": "B", "role": "y", "kind": kinds[1],
                          "participant_id": [f"p{place % people}" for place in range(n)]}),
        ]
    )  # fmt: skip
    value = draw.integers(0, 11, n)
    accepted = draw.random(n) < special.expit(value - 5 + draw.normal(0, 1, people)[np.arange(n) % people])
    offers = pd.DataFrame({"game_id": ids, "offer": 1, "proposer": "A", "responder": "B", "value_responder": value,
                           "response": np.where(accepted, "accepted", "rejected")})  # fmt: skip
    return {"games": pd.DataFrame({"game_id": ids, "country": ["x", "y"] * (n // 2)}), "players": players,
            "offers": offers}  # fmt: skip


def test_humans_answers_to_agents_count() -> None:
    found = thresholds(tables(("agent", "human")))
    assert found.caption == "40 decisions of 8 people (40 to agents)"


def test_unknown_kinds_are_taken_for_humans_and_said() -> None:
    found = thresholds(tables(("human", None)))
    assert "40 decisions by seats of unknown kind were taken for humans'" in found.notes


@pytest.mark.slow
def test_few_people_get_one_curve_and_the_reason() -> None:
    found = thresholds(tables(("agent", "human"), people=40))
    assert found.model == "pooled"
    assert any("0 people made two decisions or more" in note for note in found.notes)


def test_people_without_a_name_are_their_games() -> None:
    study = tables(("agent", "human"))
    study["players"]["participant_id"] = None
    found = thresholds(study)
    assert found.persons == 40
    assert any("each game counts as a person" in note for note in found.notes)


@pytest.mark.parametrize("model", ["auto", "mixed", "pooled"])
def test_offers_of_one_benefit_have_no_curve(model: Any) -> None:
    whole = tables(("human", "human"))
    for column in ("value_responder", "units_to_responder"):
        if column in whole["offers"]:
            whole["offers"][column] = 4.0
    with pytest.raises(NotEstimable, match=r"all offers have a benefit of .*; a curve needs different ones"):
        thresholds(whole, model=model)


@pytest.mark.slow
def test_levels_of_numbers_stand_by_size() -> None:
    study = tables(("agent", "human"), n=200, people=10)
    study["games"]["country"] = [str(8 + place % 3) for place in range(200)]
    for model in ("mixed", "pooled"):
        assert thresholds(study, by="country", model=model).population["group"].tolist() == ["8", "9", "10"]


@pytest.mark.slow
def test_a_level_of_one_answer_throughout_leaves_the_curve_of_the_others() -> None:
    study = tables(("agent", "human"))
    study["offers"].loc[study["games"]["country"].eq("y").to_numpy(), "response"] = "accepted"
    found = thresholds(study, by="country", model="pooled")
    assert found.population["group"].tolist() == ["x"]
    assert "y: 20 of 20 offers were accepted; a curve needs both answers" in found.notes
    study["offers"]["response"] = "accepted"
    with pytest.raises(NotEstimable, match="20 of 20 offers were accepted"):
        thresholds(study, by="country")


# --- least acceptable amounts ----------------------------------------------------------------------------------------

LEAST = np.array([0.2, 0.3, 0.3, 0.4, 0.5, 0.5, 0.5, 0.4, 0.3, 0.6, 0.1, 0.2])


def strategy(least: Any, pie: int = 10) -> dict[str, pd.DataFrame]:
    ids = [f"g{place}" for place in range(len(least))]
    people = [f"p{place}" for place in range(len(least))]
    seats = [pd.DataFrame({"game_id": ids, "player": seat, "role": role, "kind": "human", "participant_id": who})
             for seat, role, who in (("A", "x", None), ("B", "y", people))]  # fmt: skip
    offers = pd.DataFrame({"game_id": ids, "offer": 1, "proposer": "A", "responder": "B", "units_to_proposer": pie - 4,
                           "units_to_responder": 4, "response": np.where(least <= 4, "accepted", "rejected")}
    )  # fmt: skip
    answers = pd.DataFrame({"participant_id": people, "game_id": ids, "question": "least_acceptable",
                            "answer": [str(one) for one in least]})  # fmt: skip
    return {"games": pd.DataFrame({"game_id": ids}), "players": pd.concat(seats), "offers": offers, "answers": answers}


def test_least_amounts_are_censored_thresholds() -> None:
    # R's survreg(Surv(L − h, L, type = "interval2"), dist = "gaussian"), survival 3.5-3
    found = thresholds(strategy(np.round(10 * LEAST).astype(int)))
    row = found.population.iloc[0]
    assert found.model == "censored"
    assert found.unit == "share of the pie"
    assert (row["mean"], row["se"], row["sd"]) == pytest.approx((0.308329, 0.041583, 0.141127), abs=2e-5)
    assert row["sd_se"] / row["sd"] == pytest.approx(0.212767, abs=2e-4)
    assert found.benefit("people", 0.9)["benefit"] == pytest.approx(0.308329 + special.ndtri(0.9) * 0.141127, abs=1e-4)


@pytest.mark.parametrize("answers", ["humans", "humans-to-humans"])
def test_least_amounts_said_of_games_with_an_agent_do_not_count(answers: AnswersOf) -> None:
    study = strategy(np.array([1, 2, 3, 4, 5, 6]))
    first = study["players"]["game_id"].eq("g0") & study["players"]["player"].eq("A")
    study["players"]["kind"] = study["players"]["kind"].mask(first, "agent")
    elicited = read_decisions(study, answers=answers).elicited
    assert elicited is not None
    assert elicited.frame["person"].tolist() == ["p1", "p2", "p3", "p4", "p5"]


@pytest.mark.slow
def test_who_takes_everything_and_who_contradicts() -> None:
    study = strategy(np.array([0, 0, 3, 4, 5, 6]))
    found = thresholds(study)
    assert found.population["mean"].iloc[0] < 0.35
    assert not any("contradict" in note for note in found.notes)
    study["offers"].loc[0, "response"] = "rejected"  # said 0, refused 4
    assert any("1 answers to offers contradict" in note for note in thresholds(study).notes)


@pytest.mark.slow
def test_several_least_amounts_a_person() -> None:
    draw = np.random.default_rng(2)
    who = np.repeat(np.arange(40), 4)
    truth = 5 + draw.normal(0, 1.5, 40)[who] + draw.normal(0, 0.8, 160)
    low, high = np.floor(truth), np.floor(truth) + 1
    group = np.zeros(160, dtype=np.intp)

    def loss(point: np.ndarray) -> float:
        return -censored_likelihood(point, low, high, group, who, several=True)

    found = optimize.minimize(loss, [5.0, 0.0, 0.0], method="Nelder-Mead")
    assert np.exp(found.x[1:]) == pytest.approx([0.8, 1.5], rel=0.25)


# --- figures and the command -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_figures_draw_what_the_estimate_says(set_a: Thresholds) -> None:
    ax = person_curves(set_a, group="g0")
    drawn = [line for line in ax.lines if len(np.asarray(line.get_xdata())) > 10]
    assert len(drawn) == 20 + 2
    assert "mean threshold 0.438, SD 0.279" in ax.get_title(loc="left")
    other = draw_thresholds(set_a)
    assert [text.get_text() for text in other.get_yticklabels()] == ["g0", "g1"]
    assert "40 people" in other.get_title(loc="left")
    plt.close("all")


@pytest.mark.slow
def test_the_command_takes_a_study_without_games_of_humans_only(tmp_path: Path, shell: Shell) -> None:
    robot = str(datasets.folder("robot") / "study")
    code, out, _ = shell("threshold", robot, "--draws", "20", "--figure", str(tmp_path / "thresholds.svg"))
    assert code == 0
    assert "mean threshold 0.839" in (tmp_path / "thresholds.svg").read_text(encoding="utf-8")  # of people
    printed = " ".join(out.split())
    assert "90% of people accept 0.9357" in printed
    assert "nobody made an offer in a game of humans only" in printed
    told = shell.json("threshold", robot, "--model", "pooled", "--draws", "20")
    assert told["thresholds"][0]["model"] == "pooled"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("empirica_v2",), "several roles made offers; name one of them as role"),
        (("otree", "--by", "treatment"), "offers were accepted; a curve needs both answers"),
        (("solver_cl", "--by", "condition", "--apart"), "acceptance by people: CL: 466 decisions of 66 people"),
    ],
)
def test_no_study_with_decisions_of_humans_is_refused(
    real_data: DataFolder, shell: Shell, words: tuple[str, ...], printed: str
) -> None:
    code, out, error = shell("threshold", str(real_data(words[0])), *words[1:], "--draws", "20")
    assert code == 0, error
    assert printed in " ".join(out.split())


def test_a_mean_threshold_beyond_what_an_offer_can_bring_is_said_to_be(tmp_path: Path, shell: Shell) -> None:
    """Of 10 units 48 people accept 10 seldom: the mean lies beyond, and no share of one half or more is reached."""
    draw = np.random.default_rng(7)
    needs = draw.normal(11, 1.5, 48)
    rows = [(f"p{who}", offer, offer + draw.logistic(0, 0.8)) for who in range(48) for offer in (5, 7, 8, 9, 10)]
    lines = [f"{who},{offer},{int(felt > needs[int(who[1:])])}" for who, offer, felt in rows]
    (tmp_path / "log.csv").write_text("\n".join(["who,offer,accepted", *lines]) + "\n")
    (tmp_path / "map.toml").write_text(MAPPING)
    study = str(tmp_path / "study")
    assert shell("load", str(tmp_path / "log.csv"), "--map", str(tmp_path / "map.toml"), "--out", study)[0] == 0
    figure = tmp_path / "thresholds.svg"
    code, out, _ = shell("threshold", study, "--draws", "20", "--figure", str(figure))
    assert code == 0
    printed = " ".join(out.split())
    assert "more than the 1 that an offer can bring" in printed
    assert "the most that an offer can bring" in figure.read_text("utf-8")  # beside its line
    assert "50% to 90% of people and 50% to 90% of decisions: unreachable, for an offer brings at the most 1" in printed
    assert printed.count("mean threshold") == 1


MAPPING = """row = "player"
[games]
game_id = { row = true }
[players]
player = { constant = "responder" }
participant_id = "who"
[offers]
proposer = { constant = "proposer" }
units_to_responder = "offer"
response = "accepted"
total = 10
[levels.response]
rejected = ["0"]
accepted = ["1"]
"""


def test_the_offer_of_a_country_says_what_is_fitted(shell: Shell) -> None:
    _, out, _ = shell("threshold", "--country", "USA")
    assert "gives 33 chips" in out
    assert "alpha is fitted to the printed offers" in out
    assert "the printed, rounded pr of 0.93 gives USA 32 chips, not the printed 33" in " ".join(out.split())
    assert "32 chips" not in shell("threshold", "--country", "China")[1]
    code, out, _ = shell("threshold", "--country", "China", "--benefit", "50")
    assert code == 0
    assert "SP_y makes no offer: with pr 0.6 and alpha 0.01947 no commitment with a benefit of 50 points" in out


# --- cover -----------------------------------------------------------------------------------------------------------


@pytest.mark.calibration
@pytest.mark.parametrize("people", [12, 30])
def test_intervals_of_mean_thresholds_cover(people: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_thresholds, "BOOTSTRAP_DRAWS", 1)  # for the test of the groups, which is not asked for
    studies, covered, fitted = runs(200, 8), 0, 0
    for k in range(studies):
        try:
            found = fit_thresholds(read(decisions(900_000 + 1000 * people + k, people)), shares=(0.5,))
        except NotEstimable:
            continue
        if found.model != "mixed":
            continue
        row = found.population.iloc[0]
        fitted += 1
        covered += row["low"] <= 0.4 <= row["high"]
    assert covered / fitted >= 0.9 - (0.15 if studies < 50 else 0.0)


@pytest.mark.slow
def test_benefits_beyond_the_offers_are_said_to_be_extrapolated() -> None:
    decided = read(decisions(7, 40))
    within, beyond = (fit_thresholds(decided, shares=shares) for shares in ((0.5,), (0.5, 0.9999)))
    assert not any("extrapolated" in note for note in within.notes)
    (note,) = (note for note in beyond.notes if "extrapolated" in note)
    assert "lie outside the offers that were answered" in note


def test_whether_slopes_differ_is_a_likelihood_ratio(set_a: Thresholds) -> None:
    frame = A.frame.assign(y=A.frame["accepted"].astype(float))
    fits = [
        mixed(frame, f"y ~ benefit {sign} group + (1 | person)", family="binomial", nagq=REFIT_NAGQ).log_likelihood
        for sign in "+*"
    ]
    assert set_a.interaction_p == pytest.approx(stats.chi2.sf(2 * (fits[1] - fits[0]), 1), rel=1e-4)
