"""Sentences of fitted models, of assumptions as measured, and of partners."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import datasets, stats
from negstats.analysis import run
from negstats.analysis.assumptions import assumptions_of
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.plan.parse import parse
from negstats.report.answer_tables import alternatives_table
from negstats.report.apa_table import Table
from negstats.report.blocks import Paragraph
from negstats.report.method_section import method_section
from negstats.report.results_section import words_of
from negstats.report.sentences import Question, names_of, paragraph
from negstats.studies.study import Study
from tests.analysis.studies import meetings
from tests.report.page.reports import synthetic

PEOPLE = [(f"p{place}", f"q{place}") for place in range(180)]


def told(plan: str, study: Study) -> dict[str, str]:
    report = run(parse(plan), study)
    return {
        name: str(paragraph(Question(report.results, place, report.plan))) for place, name in enumerate(report.answers)
    }


@pytest.mark.slow
def test_an_exact_p_is_said_to_be_exact_and_has_its_own_statistic() -> None:
    """R: wilcox.test(first + gains, first, paired = TRUE) gives V = 45, p = .08398; its normal one .07446."""
    first = [3, 5, 7, 4, 9, 8, 6, 12, 11, 2]
    gains = [1, -2, 4, 5, 3, 6, 7, -8, 9, 10]
    people = [(f"p{place}",) for place in range(10)]
    points = [*(value + gain for value, gain in zip(first, gains, strict=True)), *first]
    study = meetings(people * 2, ["a"] * 10 + ["b"] * 10, points=points)
    plan = parse(
        'questions.H1 = { asks = "More in a?", measure = "points", by = "condition" }\n'
        'questions.H2 = { asks = "More in a?", measure = "points", by = "condition", '
        'direction = "a > b" }'
    )
    report = run(plan, study)
    texts = [str(paragraph(Question(report.results, place, plan))) for place in range(2)]
    assert "T+ = 45.00, exact p = .084" in texts[0]
    assert ", z =" not in "".join(texts)
    assert "T+ = 45.00, one-sided exact p = .042" in texts[1]
    table = alternatives_table([Question(report.results, 0, plan)])
    assert [str(row[4]) for row in table.rows if "Wilcoxon" in str(row[0])] == ["T+ = 45.00, exact"]


@pytest.mark.slow
def test_levels_that_are_numbers_begin_no_clause_and_stand_with_their_factor() -> None:
    people = [(f"p{place}",) for place in range(12)]
    noise = np.random.default_rng(2).normal(size=36)
    points = [10 * place + noise[12 * place + person] for place in range(3) for person in range(12)]
    study = meetings(people * 3, ["1"] * 12 + ["2"] * 12 + ["3"] * 12, points=points)
    (text,) = told('questions.H1 = { asks = "?", measure = "points", by = "condition" }', study).values()
    assert "Points differed between the levels 1, 2, and 3 of condition, F(" in text
    assert "comparisons, level 2 exceeded level 1 by" in text
    assert not re.search(r"[.;,] \d exceeded", text)


@pytest.mark.slow
def test_levels_that_say_nothing_alone_are_compared_with_their_factor_and_contrasts_have_their_weights() -> None:
    """ "None lay below strong" would say that nobody did."""
    people = [(f"p{place}",) for place in range(36)]
    noise = np.random.default_rng(2).normal(size=36)
    points = [10 * (place // 12) + noise[place] for place in range(36)]
    study = meetings(people, ["none"] * 12 + ["mild"] * 12 + ["strong"] * 12, points=points)
    study.games["pressure"] = study.games["condition"]
    weights = "weights = { strong = 2, none = -1, mild = -1 }"
    plan = parse(f"""
        [questions]
        H1 = {{ asks = "?", measure = "points", by = "pressure" }}
        H2 = {{ asks = "?", measure = "points", by = "pressure", contrasts = [{{ name = "strong", {weights} }}] }}
        """)
    text = words_of(run(plan, study)).text
    assert "the mild-pressure condition exceeded the none-pressure condition by" in text
    assert text.count("The weights of the contrast “strong” are 2 (strong), −1 (none), and −1 (mild).") == 1


@pytest.mark.slow
def test_means_that_an_exploration_repeats_have_one_table() -> None:
    people = [(f"p{place}",) for place in range(40)]
    points = list(np.random.default_rng(5).normal(size=40))
    study = meetings(people, ["a", "b", "c", "d"] * 10, points=points)
    asked = 'asks = "?", measure = "points", by = "condition"'
    plan = parse(f'questions.H1 = {{ {asked} }}\nquestions.E1 = {{ {asked}, test = "kruskal_wallis", explore = true }}')
    words = words_of(run(plan, study))
    tables = [block.key for block in words.main if isinstance(block, Table)]
    assert [key for key in tables if key.startswith("cells")] == ["cells:H1"]
    assert words.text.count("Table 1 shows the means.") == 2


@pytest.mark.slow
def test_people_who_each_answered_once_took_part_in_no_negotiations() -> None:
    """A survey has a row a person: neither seats nor negotiations are spoken of, and exploration is said once."""
    study = meetings([(f"p{place}",) for place in range(36)], ["a", "b", "c"] * 12)
    explored = 'measure = "points", by = "condition", explore = true }'
    plan = parse(f"""
        [questions]
        E1 = {{ asks = "a and b?", only.condition = ["a", "b"], {explored}
        E2 = {{ asks = "a and c?", only.condition = ["a", "c"], {explored}
        """)
    report = run(plan, study)
    questions = [Question(report.results, place, plan) for place in range(2)]
    text = " ".join(str(block.text) for block in method_section(report, questions) if isinstance(block, Paragraph))
    assert text.startswith("Thirty-six people took part. ")
    assert "24 of the 36 people were analyzed" in text
    assert "Exploratory analyses E1 and E2 were not planned; their p values are not corrected" in text
    assert str(names_of(questions)) == "exploratory analyses E1 and E2"
    assert "not planned" not in "".join(str(paragraph(question)) for question in questions)


@pytest.mark.slow
def test_an_effect_on_yes_or_no_is_per_a_step_that_can_be_pictured_in_each_row() -> None:
    """One unit more of a share is all of it: a table has no 116 percentage points for it, but a ratio per 0.1."""
    rng = np.random.default_rng(2)
    shares = rng.integers(1, 9, 120) / 10
    is_agreed = rng.random(120) < 1 / (1 + np.exp(3 - 6 * shares - np.repeat(rng.normal(size=30), 4)))
    people = [(f"p{place // 4}",) for place in range(120)]
    ended = ["agreement" if yes else "walkaway" for yes in is_agreed]
    study = meetings(people, ["a"] * 120, ended, points=shares.tolist())
    plan = parse('questions.H1 = { asks = "More?", measure = "agreed", with = "points" }')
    question = Question(run(plan, study).results, 0, plan)
    table = alternatives_table([question])
    estimates = [str(row[2]) for row in table.rows if str(row[2])]
    assert len(estimates) == 2
    assert all(text.startswith("OR per 0.1 = ") for text in estimates)
    assert "percentage points" not in str(table.note)
    assert "multiplied by" in (text := str(paragraph(question)))
    assert "with each increase of 0.1 in points" in text


@pytest.mark.slow
def test_times_name_how_games_ended_and_until_when_they_are_compared() -> None:
    plan = """
        measures.time = { measure = "offers", kind = "time" }
        factors.two = { column = "games.condition", levels = ["selfish", "fair"] }
        [questions]
        H1 = { asks = "Times?", measure = "time", by = "two" }
        H2 = { asks = "Times of three?", measure = "time", by = "condition" }
        """
    said = told(plan, synthetic(200))
    assert "Of 134 negotiations, 108 ended in agreement, 20 ended without one, and 6 were cut off." in said["H1"]
    assert (
        "By 5 offers, the share that had agreed was 9.7 percentage points lower in the selfish condition than in the "
        "fair condition, 95% CI [−3.5, 22.8]."
    ) in said["H1"]
    assert "Gray's test, χ²(1, N = 134) = 1.98, p = .160" in said["H1"]
    assert "A log-rank test led to the same conclusion, χ²(1" in said["H1"]
    assert "The cumulative incidence of agreement did not differ significantly between" in said["H2"]
    assert "Gray's test, χ²(2, N = 200) = 2.03, p = .363." in said["H2"]
    ended = [end if end == "agreement" else "timeout" for end in synthetic(200).games["ended"]]
    alone = synthetic(200)
    alone = Study(**{**alone.tables, "games": alone.games.assign(ended=ended)}, provenance=alone.provenance)
    text = told(plan, alone)["H1"]
    assert "ended without one" not in text
    assert "the median time to agreement was" in text
    assert "the mean times were the same to two decimals, 95% CI" in text
    assert "log-rank χ²" in text


@pytest.mark.slow
def test_answers_in_order_are_said_by_the_chance_of_the_higher() -> None:
    rng = np.random.default_rng(3)
    points = [float(rng.integers(1, 6)) for _ in PEOPLE]
    study = meetings(PEOPLE, ["a", "b"] * 90, points=points)
    said = told(
        """
        measures.answer = { measure = "joint_value", kind = "ordered" }
        questions.H1 = { asks = "Answers?", measure = "answer", by = "condition" }
        """,
        study,
    )
    assert "An answer in a was higher than one in b with a probability of ." in said["H1"]
    assert "(ties count half), Brunner–Munzel t(" in said["H1"]


@pytest.mark.slow
def test_the_odds_of_an_answer_are_said_by_factor_and_interaction() -> None:
    rng = np.random.default_rng(5)
    study = meetings(PEOPLE, ["a", "b"] * 90, points=[float(rng.integers(1, 6)) for _ in PEOPLE])
    games = study.games.assign(place=["x", "x", "y"] * 60)
    said = told(
        """
        measures.answer = { measure = "joint_value", kind = "ordered" }
        questions.H1 = { asks = "Answers?", measure = "answer", by = ["condition", "place"] }
        """,
        Study(**{**study.tables, "games": games}, provenance=study.provenance),
    )["H1"]
    parts = [
        "The effect of condition on the odds of a higher answer did not differ significantly by place, χ²(1, N = "
        "180) = ",
        "The odds of a higher answer did not differ significantly by condition, χ²(1, N = 180) = ",
        "The odds of a higher answer did not differ significantly by place, χ²(1, N = 180) = ",
    ]
    places = [said.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.slow
def test_a_rate_of_agreement_is_said_by_number_and_by_groups() -> None:
    said = told(
        """
        measures.time = { measure = "offers", kind = "time" }
        [questions]
        H1 = { asks = "By a number?", measure = "time", with = "joint_value" }
        H2 = { asks = "By groups?", measure = "time", by = "condition", test = "cox" }
        """,
        synthetic(200),
    )
    assert (
        "The rate of agreement was multiplied by 1.16 with each increase of 1 point in joint value, 95% CI [1.12, "
        "1.21], "
        "z = 8.06, p < .001."
    ) in said["H1"]
    assert (
        "The rate of agreement did not differ significantly by condition, χ²(2, N = 200) = 1.68, p = .432."
        in said["H2"]
    )
    assert "averaged" not in said["H2"]


@pytest.mark.slow
def test_shares_of_seats_are_said_with_their_clusters() -> None:
    study = datasets.casino()
    happy = study.answers["question"].eq("satisfaction") & study.answers["answer"].str.startswith("Extremely s")
    answers = study.answers.assign(answer=study.answers["answer"].mask(happy, "yes"))
    others = answers["question"].eq("satisfaction") & ~happy
    answers = answers.assign(answer=answers["answer"].mask(others, "no"))
    said = told(
        """
        factors.orientation = { column = "answers.svo", levels = ["prosocial", "proself"] }
        measures.content = { answer = "satisfaction", kind = "yes/no", scale = ["no", "yes"] }
        questions.H1 = { asks = "Are prosocial people content?", measure = "content", by = "orientation" }
        """,
        Study(**{**study.tables, "answers": answers}, provenance=study.provenance),
    )["H1"]
    assert said.startswith(
        "Of the seats in the prosocial group, 46.9% (479 of 1,021) answered “yes”, and of those in the proself group, "
        "45.7% (458 of 1,002), a difference of "
    )
    assert " by estimating equations with the 1,030 dyads as clusters, t(1028) = 0.51, p = .607" in said


def measured(values: Any, groups: Any, method: str = "welch") -> dict[str, Any]:
    data = pd.DataFrame({"unit": range(len(values)), "value": values, "group": groups})
    test = TestRecord(None, method, "t", 1.0, 0.5)
    found = assumptions_of(data, test, kind="interval", within=[], between=["group"], numbers=[])
    return {one["kind"]: one for one in found}


def test_what_is_far_from_an_assumption_is_measured_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(["a", "b"], 60)
    assert measured(rng.normal(size=120), groups) == {}
    skewed = measured(rng.lognormal(sigma=1.0, size=120), groups)
    assert skewed["skew"]["value"] > 1
    assert not skewed["skew"]["robust"]  # 60 in a group are less than 25 times its squared skewness
    piled = measured(np.where(rng.random(120) < 0.4, 0.0, rng.uniform(0, 1, 120)), groups)
    assert piled["bound"]["which"] == "least"
    unlike = measured(np.r_[rng.normal(size=90), 5 * rng.normal(size=30)], np.repeat(["a", "b"], [90, 30]))
    assert "spread" not in unlike  # Welch's test takes no spreads as equal
    pooled = measured(np.r_[rng.normal(size=90), 5 * rng.normal(size=30)], np.repeat(["a", "b"], [90, 30]), "anova")
    assert not pooled["spread"]["robust"]
    own = measured(np.r_[rng.normal(size=90), 5 * rng.normal(size=30)], np.repeat(["a", "b"], [90, 30]), "welch_james")
    assert "spread" not in own
    far = rng.normal(size=20)
    far[0] = 60.0
    assert measured(far, np.repeat(["a", "b"], 10))["influence"]["value"] > 0.5


def over_a_number(x: Any, yes: Any) -> list[dict[str, Any]]:
    """Return what is far from the assumptions of a logistic regression on one number."""
    fit = stats.logistic({"x": x, "y": yes}, "y ~ x")
    at_ends = [float(1 / (1 + np.exp(-(fit.estimate[0] + fit.estimate[1] * end)))) for end in (x.min(), x.max())]
    details = dict(zip(("fitted_low", "fitted_high"), at_ends, strict=True))
    test = replace(TestRecord(None, "logistic", "chi2", 1.0, 0.5), details=details)
    data = pd.DataFrame({"unit": range(len(x)), "value": yes, "number": x})
    return assumptions_of(data, test, kind="yes/no", within=[], between=[], numbers=["number"])


def test_a_curve_that_the_shares_do_not_follow_is_named() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=2000)
    bent = (rng.random(2000) < np.exp(-(x**2))).astype(int)
    (departure,) = over_a_number(x, bent)
    assert departure["kind"] == "curve"
    assert (departure["shares"], departure["tenths"], departure["robust"]) == (10, True, False)
    # By hand: the shares in tenths of the rows against the mean of the fitted chances there.
    order = np.argsort(x)
    fit = stats.logistic({"x": x, "y": bent}, "y ~ x")
    fitted = 1 / (1 + np.exp(-(fit.estimate[0] + fit.estimate[1] * x)))
    differences = np.abs([bent[part].mean() - fitted[part].mean() for part in np.array_split(order, 10)])
    assert departure["value"] == pytest.approx(differences.max())
    assert departure["apart"] >= 3


@pytest.mark.nightly
def test_shares_that_follow_the_curve_are_seldom_named() -> None:
    rng = np.random.default_rng(3)
    named = 0
    for _ in range(100):
        x = rng.integers(0, 9, size=400).astype(float)
        named += bool(over_a_number(x, (rng.random(400) < 1 / (1 + np.exp(2 - 0.5 * x))).astype(int)))
    assert named <= 5
