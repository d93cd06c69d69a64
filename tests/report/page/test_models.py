"""The Results sections of CaSiNo and DealOrNoDeal, paragraph by paragraph, as one would send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import negstats
from negstats import datasets
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.report import answer_tables
from negstats.report.apa_table import Table
from negstats.report.blocks import Paragraph
from negstats.report.results_section import words_of
from negstats.report.sentences import Question, paragraph
from tests.conftest import DataFolder

CASINO = """
families.main = { questions = ["H1", "H2", "H3", "H4", "H5", "H6"], correction = "holm" }
factors.orientation = { column = "answers.svo", levels = ["prosocial", "proself"] }
factors.gender = { column = "answers.gender", levels = ["male", "female"] }
[factors.pair]
column = "pair.answers.svo"
levels = ["prosocial + prosocial", "proself + prosocial", "proself + proself"]
labels = { "prosocial + prosocial" = "prosocial pairs", "proself + prosocial" = "mixed pairs", "proself + proself" = "proself pairs" }
[factors.genders]
column = "pair.answers.gender"
levels = ["female + female", "female + male", "male + male"]
[measures]
satisfaction = { answer = "satisfaction", kind = "interval", scale = ["Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"] }
[questions]
H1 = { asks = "Do pairs of two prosocial people reach more?", measure = "joint_value", by = "pair" }
H2 = { asks = "Do prosocial people get as many points as proself people?", measure = "points", by = "orientation" }
H3 = { asks = "Are people who got more points more satisfied?", measure = "satisfaction", with = "points" }
H4 = { asks = "Do pairs of two proself people walk away more often?", measure = "walked_away", by = "pair" }
H5 = { asks = "Do games with more conflict of priorities agree less often?", measure = "agreed", with = "conflict_opposition" }
H6 = { asks = "Does the effect of orientation differ by gender?", measure = "joint_value", by = ["pair", "genders"] }
E1 = { asks = "Do men get more points?", measure = "points", by = "gender", explore = true }
"""  # noqa: E501
TALK = """
families.main = { questions = ["H1", "H2", "H3"], correction = "holm" }
[questions]
H1 = { asks = "Do pairs that talk longer get less together?", measure = "joint_value", with = "utterances", direction = "negative" }
H2 = { asks = "Do games with longer talk agree less often?", measure = "agreed", with = "utterances", direction = "negative" }
H3 = { asks = "Are more than half of the deals Pareto optimal?", measure = "pareto_optimal", against = 0.5, direction = "above" }
E1 = { asks = "Do longer utterances bring more?", measure = "joint_value", with = "words_per_utterance", explore = true }
E2 = { asks = "How far from the frontier do deals lie?", measure = "distance_to_frontier", explore = true }
"""  # noqa: E501


def section(report: Any) -> dict[str, str]:
    """Return the paragraph of each question by its name, and that of the participants by none."""
    places = enumerate(report.answers)
    said = {name: str(paragraph(Question(report.results, place, report.plan))) for place, name in places}
    return {"": str(next(one.text for one in words_of(report).blocks if isinstance(one, Paragraph))), **said}


@pytest.fixture(scope="module")
def casino_report() -> Any:
    return run(parse(CASINO), datasets.casino())


@pytest.fixture(scope="module")
def casino(casino_report: Any) -> Mapping[str, str]:
    return section(casino_report)


@pytest.fixture(scope="module")
def talk(real_data: DataFolder) -> Mapping[str, str]:
    return section(run(parse(TALK), negstats.load(real_data("dealornodeal"))))


@pytest.mark.slow
def test_the_participants_of_casino(casino: Mapping[str, str]) -> None:
    assert casino[""].startswith(
        "The logs held 1,030 negotiations with 2,060 seats. Whether people took part in several negotiations is not "
        "recorded, so the number of different people is unknown. Negotiations were therefore treated as independent of "
        "each other. The plan excluded no negotiation; some questions exclude rows. Age as recorded averaged 36.16 "
        "years (SD = 10.44, range 3 to 72; five are below 18 and were kept). Gender was recorded as male for 1,033 "
        "seats, female for 1,025, and other for 2; social value orientation was recorded as prosocial for 1,021 seats, "
        "proself for 1,002, and unclassified for 37. Of the 1,030 negotiations 1,005 (97.6%) ended in agreement and 25 "
        "(2.4%) ended by walking away (5 points each). No outcome was missing."
    )


def test_joint_value_of_three_kinds_of_pairs(casino: Mapping[str, str]) -> None:
    assert casino["H1"].startswith(
        "Joint value (H1). Joint value averaged 37.58 points (SD = 4.16, n = 236) in prosocial pairs, 37.15 (SD = "
        "4.90, n = 531) in mixed pairs, and 37.22 (SD = 5.34, n = 226) in proself pairs. Joint value was not shown to "
        "differ between the three groups, Welch F(2, 489.13) = 0.80, p = .452, p > .999 after Holm's correction for "
        "eight tests, ω² = .000, 95% CI [.000, .009]. No difference was shown for H1. Comparisons of two groups are "
        "not interpreted; "
    )
    assert "test of several groups agreed, F(1.87, 621.75) = 0.63, p = .522." in casino["H1"]


def test_the_interval_of_omega_squared_is_that_of_the_noncentral_f_over_all_observations(casino_report: Any) -> None:
    # R: l <- uniroot(function(l) pf(0.7953972600428866, 2, 489.13021432527864, l) - .025, c(0, 200), tol = 1e-12)$root
    # l = 8.739911, and l / (l + 993 - 3) = 0.0087509; over Welch's df2, which is not their number, it would be 0.0176.
    (answer,) = (test for test in casino_report.results["questions"][0]["tests"] if test["role"] == "answer")
    effect = answer["effect"]
    assert (effect["low"], effect["high"]) == (0.0, pytest.approx(8.739911 / (8.739911 + 990), rel=1e-6))


def test_own_orientation_depends_on_the_method_and_names_the_partner(casino: Mapping[str, str]) -> None:
    said = casino["H2"]
    order = [
        "Points (H2). Players earned 18.49 points (SD = 3.35, n = 1,021) in the prosocial group and 18.82 (SD = 3.72, "
        "n = 1,002) in the proself group. The difference in the model of pairs was −0.30 points on a scale from "
        "0 to 36, 95% CI [−0.61, 0.01], t(2020.99) = −1.92, "
        "p = .054, p = .381 after Holm's correction for eight tests. The correlation of partners' residuals was −.07. "
        "No difference was shown for H2 (depends on the method)",
        "The conclusion depends on the method: cluster-robust regression gave −0.34 points, 95% CI [−0.64, −0.03], "
        "p = .032",
        "a person's own level went with a difference of −0.31 points, 95% CI [−0.625, −0.001]",
        "Inside the 531 mixed pairs the difference was −0.81 points, 95% CI [−1.24, −0.37], t(530) = −3.63, p < .001.",
    ]
    places = [said.index(part) for part in order]
    assert places == sorted(places)


def test_points_and_satisfaction_between_and_within_games(casino: Mapping[str, str]) -> None:
    assert casino["H3"] == (
        "Satisfaction (H3). Satisfaction and points were positively related over 2,060 seats of 1,030 games, r = .38, "
        "95% CI [.32, .43], p < .001, also after Holm's correction for eight tests. Satisfaction averaged 4.17 "
        "(SD = 1.03) on a scale from 1 (“Extremely dissatisfied”) to 5 (“Extremely satisfied”). A rise of one standard "
        "deviation in points (3.54) went with a rise of 0.39 answer steps in satisfaction. A relation was found for "
        "H3: positive. "
        "The relation was closer "
        "between games, r(1028) = .46, 95% CI [.42, .51], than within, r(1029) = .29, 95% CI [.23, .34]; as these "
        "intervals do not overlap, the pooled .38 is a mixture of both."
    )


def test_walking_away_is_counted_in_each_kind_of_pair(casino: Mapping[str, str]) -> None:
    assert casino["H4"].startswith(
        "Walking away (H4). 4 of 236 (1.7%) in prosocial pairs, 14 of 531 (2.6%) in mixed pairs, and 7 of 226 (3.1%) "
        "in proself pairs ended by walking away. The groups were not shown to differ, χ²(2, N = 993) = 0.99, p = .609, "
        "p > .999 after Holm's correction for eight tests, V = .03, 95% CI [.00, .08]. No difference was shown for H4."
    )
    assert (  # Newcombe's square-and-add interval, written out in R: −0.014024 [−0.047243, 0.016287]
        "Of the differences between two levels the largest was prosocial pairs minus proself pairs, −1.4 percentage "
        "points, 95% CI [−4.7, 1.6]; "
    ) in casino["H4"]


def test_residuals_of_groups_have_the_labels_of_the_plan(casino_report: Any) -> None:
    place = list(casino_report.answers).index("H4")
    table = answer_tables.tests_table(Question(casino_report.results, place, casino_report.plan))
    terms = [str(row[1]) for row in table.rows if "residual" in str(row[0])]
    assert terms == ["prosocial pairs, yes", "mixed pairs, yes", "proself pairs, yes"]


def test_the_note_on_hypotheses_says_one_unit_of_an_odds_ratio(casino_report: Any) -> None:
    tables = {one.key: one for one in words_of(casino_report).blocks if isinstance(one, Table)}
    note = next(str(one.note) for one in tables.values() if one.title == "Hypotheses and Their Results")
    assert "for one standard deviation more of the predictor" in note
    assert "an increase of" not in note  # H5 prints the ratio of one standard deviation, and no other


def test_conflict_of_priorities_over_its_observed_range(casino: Mapping[str, str]) -> None:
    assert casino["H5"] == (
        "Agreement (H5). Over the observed range of the conflict of priorities (0.594 to 0.707, five values) fitted "
        "agreement goes from 98.3% to 96.7%. Per standard deviation (0.040) OR = 0.79, 95% CI [0.53, 1.18], "
        "χ²(1, N = 1,030) = 1.31, p = .253, p > .999 after Holm's correction for eight tests. No relation was "
        "shown for H5."
    )


def test_the_terminal_prints_the_odds_ratio_of_the_report(casino_report: Any) -> None:
    (test,) = (one for one in casino_report.results["questions"][4]["tests"] if one["role"] == "answer")
    assert test["apa"] == "χ²(1, N = 1030) = 1.31, p = .253, OR per SD = 0.79, 95% CI [0.53, 1.18]"


def test_an_interaction_comes_before_its_main_effects_and_one_verdict_ends_them(casino: Mapping[str, str]) -> None:
    said = casino["H6"]
    assert (
        "The effect of genders on joint value was not shown to differ by pair, Welch–James F(4, 280.07) = 1.64, "
        "p = .164, p = .983 after Holm's correction for eight tests, ωp² = .003, 95% CI [.000, .017]. Joint value was "
        "not shown to differ by genders, Welch–James F(2, 324.96) = 1.29, p = .277, p > .999 after Holm's correction "
        "for eight tests, ωp² = .001, 95% CI [.000, .011]. Joint value was not shown to differ by pair, Welch–James "
        "F(2, 222.82) = 0.24, p = .786, p > .999 after Holm's correction for eight tests, ωp² = .000, 95% CI [.000, "
        ".005]. No effect was shown for H6. "
    ) in said
    assert "Standard deviations differed by a factor of 3.24" in said
    assert said.count("for H6") == 1


def test_exploration_in_casino_has_no_verdict(casino: Mapping[str, str]) -> None:
    assert casino["E1"].startswith(
        "Points (E1). Not planned: players earned 18.63 points (SD = 3.77, n = 1,033) in the male group and 18.65 "
        "(SD = 3.29, n = 1,025) in the female group. The difference in the model of pairs was −0.03 points, 95% CI "
        "[−0.34, 0.27], "
        "t(2021.04) = −0.23, p = .822."
    )
    assert "supported" not in casino["E1"]


@pytest.mark.slow
def test_talk_in_dealornodeal(talk: Mapping[str, str]) -> None:
    assert talk[""].startswith(
        "The logs held 6,318 negotiations. Participants were not recorded, so the number of different people is "
        "unknown. Negotiations were therefore treated as independent of each other. The plan excluded no negotiation; "
        "some questions exclude rows. Of the 6,318 negotiations 4,766 (75.4%) ended in agreement, 918 (14.5%) ended in "
        "disagreement (0 points each), 591 (9.4%) ended by walking away (0 points each), and 43 (0.7%) ended by a lost "
        "connection (0 points each)."
    )
    assert talk["H1"] == (
        "Joint value (H1). As predicted, joint value and utterances were negatively related, r(6316) = −.44, 90% CI "
        "[−.46, −.43] (one-sided test at α = .05), p < .001, also after Holm's correction for three hypotheses. A rise "
        "of one standard deviation in utterances (2.78) went with a fall of 3.00 points in joint value. H1 was "
        "supported. Spearman's ρ agreed, r_s(6316) = −.40, p < .001."
    )
    assert talk["H2"] == (
        "Agreement (H2). Over the observed range of utterances (1 to 25) fitted agreement goes from 92.7% to 0.6%. Per "
        "standard deviation (2.78) OR = 0.41, 90% CI [0.39, 0.43] (one-sided test at α = .05), χ²(1, N = 6,318) = "
        "923.34, p < .001, also after Holm's correction for three hypotheses. H2 was supported. The observed shares "
        "did not follow the fitted curve: the 95% CI of 6 of 8 shares (in deciles) did not include it, and the largest "
        "difference was 17.9 percentage points. The test is not known to be robust to this at this size (n = 6,318)."
    )
    assert talk["H3"] == (
        "Pareto optimality (H3). Of 4,766 games 3,672 (77.0%) were Pareto optimal, 90% CI [76.0, 78.0] (one-sided test "
        "at α = .05). The share was tested against 50%: exact binomial test p < .001, also after Holm's correction for "
        "three hypotheses. H3 "
        "was supported."
    )
    assert talk["E1"] == (
        "Joint value (E1). Not planned: joint value and words per utterance were negatively related, r(6316) = −.11, "
        "95% CI [−.13, −.08], p < .001. A rise of one standard deviation in words per utterance (3.33) went with a "
        "fall of 0.72 points in joint value. Spearman's ρ agreed, r_s(6316) = −.16, p < .001."
    )
    assert talk["E2"] == (
        "Distance to frontier (E2). Not planned: the distance to the Pareto frontier averaged 0.42 points, 95% CI "
        "[0.40, 0.45]."
    )


def test_tables_say_what_their_intervals_are(casino_report: Any) -> None:
    notes = {one.key: str(one.note) for one in words_of(casino_report).blocks if isinstance(one, Table)}
    assert notes["cells:H4"].startswith("Wilson intervals of each share. ")
    assert notes["cells:H1"].startswith("Intervals are of each group's own mean. ")
    assert notes["cells:H2"].startswith("Intervals are of each group's own mean, with standard errors by game. ")
