"""The Results sections of CaSiNo and DealOrNoDeal, paragraph by paragraph, as one would send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import negstats
from negstats import datasets
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.report.answer_tables import follow_ups_table
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
    people = next(one.text for one in words_of(report).main if isinstance(one, Paragraph))
    return {"": str(people), **said}


@pytest.fixture(scope="module")
def casino_report() -> Any:
    return run(parse(CASINO), datasets.casino())


@pytest.fixture(scope="module")
def casino(casino_report: Any) -> Mapping[str, str]:
    return section(casino_report)


@pytest.fixture(scope="module")
def talk(real_data: DataFolder) -> Mapping[str, str]:
    return section(run(parse(TALK), negstats.load(real_data("dealornodeal"))))


@pytest.mark.nightly
def test_the_participants_of_casino(casino: Mapping[str, str]) -> None:
    assert casino[""].startswith(
        "The data come from Chawla et al. (2021). There were 1,030 negotiations with 2,060 seats. The data do not show "
        "who took part more than once, so different "
        "negotiations had to be treated as independent; the two seats of a dyad were treated as dependent. The mean "
        "recorded age was 36.2 years (SD = 10.4); five recorded ages below 18 were kept (the lowest was 3). Gender was "
        "recorded as male for 1,033 seats, female for 1,025, and other for two; "
    )
    assert (
        "Of the 1,030 negotiations, 1,005 (97.6%) ended in agreement and 25 (2.4%) ended when somebody walked away, "
        "after which each side received 5 points. No outcome was missing."
    ) in casino[""]
    assert (
        "For Hypothesis 2, 2,023 of the 2,060 seats were analyzed; 37 whose orientation was unclassified were excluded."
    ) in casino[""]


@pytest.mark.slow
def test_joint_value_of_three_kinds_of_pairs(casino: Mapping[str, str]) -> None:
    assert casino["H1"] == (
        "Joint value averaged 37.58 points in prosocial pairs (SD = 4.16, n = 236), 37.15 in mixed pairs (SD = 4.90, "
        "n = 531), and 37.22 in proself pairs (SD = 5.34, n = 226). Joint value did not differ significantly between "
        "prosocial pairs, mixed pairs, and proself pairs, Welch's F(2, 489.13) = 0.80, p_Holm > .999, ω² = .00, 95% "
        "CI "
        "[.00, .01]. Brunner and Munzel's test of several groups led to the same conclusion, F(1.87, 621.75) = 0.63, "
        "p = .522."
    )


@pytest.mark.slow
def test_the_interval_of_omega_squared_is_that_of_the_noncentral_f_over_all_observations(casino_report: Any) -> None:
    # R: l <- uniroot(function(l) pf(0.7953972600428866, 2, 489.13021432527864, l) - .025, c(0, 200), tol = 1e-12)$root
    # l = 8.739911, and l / (l + 993 - 3) = 0.0087509; over Welch's df2, which is not their number, it would be 0.0176.
    (answer,) = (test for test in casino_report.results["questions"][0]["tests"] if test["role"] == "answer")
    effect = answer["effect"]
    assert (effect["low"], effect["high"]) == (0.0, pytest.approx(8.739911 / (8.739911 + 990), rel=1e-6))


@pytest.mark.slow
def test_own_orientation_depends_on_the_method(casino: Mapping[str, str]) -> None:
    assert casino["H2"] == (
        "Points did not differ significantly between the prosocial group (M = 18.49, SD = 3.35, n = 1,021) and the "
        "proself group (M = 18.82, SD = 3.72, n = 1,002), an estimated difference of −0.30 points, 95% CI "
        "[−0.61, 0.01], t(2020.99) = −1.92, p_Holm = .381. This conclusion "
        "depends on the method: a regression with CR2 standard errors gave a difference of −0.34 points, 95% CI "
        "[−0.64, −0.03], t(1019.46) = −2.15, p = .032, possibly because units are weighted differently."
    )


@pytest.mark.slow
def test_points_and_satisfaction_between_and_within_dyads(casino: Mapping[str, str]) -> None:
    # R: coef(lm(satisfaction ~ points))[["points"]] is 0.11
    assert casino["H3"] == (
        "Satisfaction rose with points across 2,060 seats, r = .38, 95% CI [.32, .43], p_Holm < .001. Each further "
        "point went with 0.11 more scale points. Between dyads the relation was r(1028) = .46, 95% CI [.42, .51]; "
        "within dyads it was r(1029) = .29, 95% CI [.23, .34]."
    )


@pytest.mark.slow
def test_walking_away_is_counted_in_each_kind_of_pair(casino: Mapping[str, str]) -> None:
    assert casino["H4"] == (
        "Of the negotiations, 1.7% (4 of 236) in prosocial pairs, 2.6% (14 of 531) in mixed pairs, and 3.1% (7 of 226) "
        "in proself pairs ended when somebody walked away. The shares did not differ significantly between prosocial "
        "pairs, mixed pairs, and proself pairs, χ²(2, N = 993) = 0.99, p_Holm > .999, V = .03, 95% CI [.00, .08]."
    )


@pytest.mark.slow
def test_residuals_of_groups_have_the_labels_of_the_plan(casino_report: Any) -> None:
    place = list(casino_report.answers).index("H4")
    table = follow_ups_table(Question(casino_report.results, place, casino_report.plan))
    terms = [str(row[0]) for row in table.rows if "yes" in str(row[0])]
    assert terms == ["Prosocial pairs, yes", "Mixed pairs, yes", "Proself pairs, yes"]


@pytest.mark.slow
def test_conflict_of_priorities_is_not_related(casino: Mapping[str, str]) -> None:
    assert casino["H5"] == (
        "Agreement was not significantly related to the conflict of priorities, odds ratio per 0.1 = 0.56, 95% CI "
        "[0.21, 1.51], χ²(1, N = 1,030) = 1.31, p_Holm > .999."
    )


@pytest.mark.slow
def test_the_terminal_prints_the_odds_ratio_of_the_report(casino_report: Any) -> None:
    (test,) = (one for one in casino_report.results["questions"][4]["tests"] if one["role"] == "answer")
    assert test["apa"] == "χ²(1, N = 1030) = 1.31, p = .253, OR per SD = 0.79, 95% CI [0.53, 1.18]"


@pytest.mark.slow
def test_an_interaction_comes_before_its_main_effects(casino: Mapping[str, str]) -> None:
    assert casino["H6"] == (
        "The effect of genders on joint value did not differ significantly by pair, Welch–James F(4, 280.07) = 1.64, "
        "p_Holm = .983, partial ω² = .00, 95% CI [.00, .02]. Joint value did not differ significantly by genders, "
        "Welch–James F(2, 324.96) = 1.29, p_Holm > .999, partial ω² = .00, 95% CI [.00, .01]. Joint value did not "
        "differ significantly by pair, Welch–James F(2, 222.82) = 0.24, p_Holm > .999, partial ω² = .000, 95% CI "
        "[.000, "
        ".005]."
    )


@pytest.mark.slow
def test_exploration_in_casino_has_no_verdict(casino: Mapping[str, str]) -> None:
    assert "an estimated difference of −0.03 points, 95% CI [−0.34, 0.27], t(2021.04) = −0.23, p = .822" in casino["E1"]
    assert "supported" not in casino["E1"]


@pytest.mark.nightly
def test_talk_in_dealornodeal(talk: Mapping[str, str]) -> None:
    assert talk[""].startswith(
        "The data come from Lewis et al. (2017). There were 6,318 negotiations. "
        "Participants were not recorded, so the number of different people is "
        "unknown. Of the 6,318 negotiations, 4,766 (75.4%) ended in agreement, 918 (14.5%) ended in disagreement, 591 "
        "(9.4%) ended when somebody walked away, and 43 (0.7%) ended because a connection was lost. Without an "
        "agreement, each side received 0 points. "
    )
    assert talk["H1"] == (
        "As predicted, joint value fell with the number of utterances, r(6316) = −.44, 90% CI [−.46, −.43], one-sided "
        "p_Holm < .001. "
        "Each further utterance went with 1.08 fewer points, 90% CI [1.03, 1.12]. Hypothesis 1 was supported. "
        "Spearman's correlation led to the same conclusion, r_s(6316) = −.40, 90% CI [−.41, −.38], one-sided p < .001."
    )
    assert talk["H2"] == (
        "As predicted, agreement was less frequent with more utterances, odds ratio per utterance = 0.73, 90% CI "
        "[0.71, "
        "0.74], χ²(1, N = 6,318) = 923.34, one-sided p_Holm < .001. The estimated probability is 90.3% at 2 and 41.8% "
        "at 10 utterances. Hypothesis 2 was supported."
    )
    assert talk["H3"] == (
        "As predicted, of 4,766 deals, 3,672 (77.0%) were Pareto optimal, 90% CI [76.0, 78.0], above the stated share "
        "of 50%, exact binomial test one-sided p_Holm < .001. Hypothesis 3 was supported."
    )
    assert talk["E1"].startswith("Joint value fell with words per utterance, r(6316) = −.11, 95% CI [−.13, −.08]")
    assert talk["E2"] == "The distance of deals to the Pareto frontier averaged 0.42 points, 95% CI [0.40, 0.45]."


@pytest.mark.slow
def test_the_slope_has_the_interval_of_a_regression() -> None:
    """statsmodels: OLS(joint_value, utterances) has the same slope and interval."""
    import statsmodels.api as sm

    plan = parse('[questions.H1]\nasks = "?"\nmeasure = "joint_value"\nwith = "utterances"')
    report = run(plan, datasets.casino())
    details = report.results["questions"][0]["tests"][0]["details"]
    values = report.answers["H1"].values
    fit = sm.OLS(values["value"].astype(float), sm.add_constant(values["utterances"].astype(float))).fit()
    low, high = fit.conf_int().loc["utterances"]
    found = [details[key] for key in ("slope", "slope_low", "slope_high")]
    assert found == pytest.approx([fit.params["utterances"], low, high], rel=1e-9)
