"""Where walking away has points, the answers among agreements only are computed, and said where they differ."""

from __future__ import annotations

import pytest

from negstats import datasets
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.report.sentences import Question, paragraph
from tests.analysis.studies import meetings

WORTH = [48, 52, 56, 60, 64, 68] * 4  # points of 24 deals

CASINO = """
factors.own = { column = "answers.svo", levels = ["proself", "prosocial"] }
factors.partner = { column = "partner.answers.svo", levels = ["proself", "prosocial"] }
families.main.questions = ["H1", "H2", "H3", "H4"]
[questions]
H1 = { asks = "Own?", measure = "points", by = ["own", "partner"], effect = "own", predicts = "proself > prosocial", smallest = 1 }
H2 = { asks = "Partner?", measure = "points", by = ["own", "partner"], effect = "partner", predicts = "proself < prosocial", smallest = 1 }
H3 = { asks = "Both?", measure = "points", by = ["own", "partner"], effect = "own:partner", smallest = 1 }
H4 = { asks = "Talk?", measure = "walked_away", with = "utterances", predicts = "positive" }
"""  # noqa: E501


@pytest.mark.slow
@pytest.mark.parametrize(("lower", "is_same"), [(8, True), (0, False), (-8, False)])
@pytest.mark.parametrize(("end", "noun"), [("disagreement", "disagreement"), ("walkaway", "walking away")])
def test_a_conclusion_changes_only_where_the_verdict_of_agreements_alone_is_another(
    lower: int, is_same: bool, end: str, noun: str
) -> None:
    """Deals are worth less in loss by `lower`, and 10 of 24 end without one: the difference is larger with these."""
    points = [*WORTH, *([0] * 10), *(worth - lower for worth in WORTH[:14])]
    ended = ["agreement"] * 24 + [end] * 10 + ["agreement"] * 14
    study = meetings([("p", "q")] * 48, ["gain"] * 24 + ["loss"] * 24, ended, points)
    plan = parse('data.unit = "game"\nquestions.H1 = { asks = "Joint?", measure = "joint_value", by = "condition" }')
    results = run(plan, study).results
    (entry,) = results["questions"]
    (answer,) = (test for test in entry["tests"] if test["role"] == "answer")
    (alternative,) = entry["alternatives"]
    assert answer["p"] < 0.05
    assert alternative["estimate"]["high"] < answer["estimate"]["value"]
    assert alternative["agrees"] is is_same
    says = f"This result depends on how {noun} is counted: the analysis of agreements alone gave a difference of"
    assert (says in str(paragraph(Question(results, 0, plan)))) is not is_same


@pytest.mark.slow
def test_an_effect_that_appears_among_agreements_is_said_in_the_main_text() -> None:
    """Own orientation makes .31 points, p = .048 and .097 after Holm; among the 968 agreements .42, p < .001."""
    plan = parse(CASINO)
    results = run(plan, datasets.casino()).results
    entries = {entry["id"]: entry for entry in results["questions"]}
    (alternative,) = entries["H1"]["alternatives"]
    (answer,) = (test for test in entries["H1"]["tests"] if test["role"] == "answer")
    assert (alternative["without"], alternative["agrees"], alternative["n"]) == (None, False, [1936])
    assert (round(answer["p"], 3), round(answer["p_adjusted"], 3)) == (0.048, 0.097)
    assert (round(alternative["estimate"]["value"], 2), alternative["p"] < 0.001) == (0.42, True)
    text = str(paragraph(Question(results, 0, plan)))
    assert "the analysis of agreements alone (n = 1,936) gave a difference of 0.42 points, 95% CI [0.18, 0.67]" in text
    assert "Hypothesis 1 was not supported after correction" in text
    assert "A difference of 1 point or more can be ruled out, 90% CI" in text
    # Two effects that are the same among agreements are not said again; how often people walk away has no such check.
    assert "is counted: the analysis of agreements" not in str(paragraph(Question(results, 1, plan)))
    assert entries["H4"]["alternatives"] == []
    # The interaction of the report's example: 90% CI [-0.26, 0.76], t(990) = -2.43, p = .008.
    (verdict,) = entries["H3"]["verdicts"]
    size = verdict["size"]
    assert [round(size[end], 2) for end in ("low", "high", "statistic")] == [-0.26, 0.76, -2.43]
    assert (verdict["noun"], size["answer"], round(size["p"], 3)) == ("interaction", "ruled out", 0.008)
