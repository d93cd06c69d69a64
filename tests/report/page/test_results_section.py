"""What a report says: paragraphs by test, verdicts, numbers with their places in results.json, tables in order."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import negstats
from negstats import datasets
from negstats.analysis import rules, run
from negstats.analysis.method import METHODS
from negstats.analysis.plan.parse import parse
from negstats.metrics.registry import MEASURES
from negstats.report.apa_table import Table
from negstats.report.blocks import Figure, Heading, Paragraph, Words
from negstats.report.fields import Fields
from negstats.report.labels import estimate
from negstats.report.latex import SIGNS, article
from negstats.report.numerals import shown
from negstats.report.prose import Prose, Slot, number_words, with_indices
from negstats.report.references import CITES, WORKS, bibtex, cited, data_references
from negstats.report.results_section import words_of
from negstats.report.sentences import Question, paragraph
from negstats.report.word import LETTER_CM, STAND_IN
from negstats.tables import conform
from tests.analysis.methods.designs import BY_ROW, alone, study_of
from tests.nets.reports import PLANS, report_of
from tests.report.page.reports import synthetic, two_groups
from tests.test_plain_words import found as find_faults

ROBOT = (PLANS / "robot.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def robot() -> Any:
    return report_of("robot")


@pytest.fixture(scope="module")
def casino() -> Any:
    return report_of("casino")


def told(report: Any, name: str) -> str:
    place = list(report.answers).index(name)
    return str(paragraph(Question(report.results, place, report.plan)))


EXPLORED = """
factors.condition.levels = ["CL", "FC"]
[questions]
E1 = { asks = "Does the agent earn more in CL?", measure = "points", who = "agent", by = "condition", explore = true }
E2 = { asks = "Are negotiations shorter in CL?", measure = "rounds", by = "condition", explore = true }
"""


def test_explorations_alone_have_no_conclusions_that_depend_on_a_method() -> None:
    words = words_of(run(parse(EXPLORED), datasets.robot()))
    texts = [str(block.text) for block in words.blocks if isinstance(block, Paragraph)]
    assert any("repeats the tests with other methods" in text for text in texts)
    assert not any("conclusion" in text for text in texts)


@pytest.mark.slow
def test_people_among_themselves_are_not_said_to_meet_the_agent() -> None:
    case = BY_ROW[1]
    study = study_of(case)
    of_agent = study.players["game_id"].isin(study.games["game_id"][:5]) & (study.players["player"] == "B")
    agents = {"game_id": study.games["game_id"][:5], "player": ["robot"] * 5, "kind": ["agent"] * 5}
    people = study.players[~of_agent]
    mixed = replace(study, players=conform("players", pd.concat([people, pd.DataFrame(agents)], ignore_index=True)))
    text = next(str(one.text) for one in words_of(run(case.plan(), mixed)).blocks if isinstance(one, Paragraph))
    assert text.startswith("Twenty-four people took part in 24 negotiations, five of them with a robot.")


def test_a_relation_that_turns_within_people_is_said_to_mix_the_two(robot: Any) -> None:
    entry = copy.deepcopy(robot.results["questions"][list(robot.answers).index("E2")])
    within = next(test for test in entry["tests"] if test["address"].endswith("#within"))
    within["statistic"] = -within["statistic"]
    opposed = str(paragraph(Question(robot.results | {"questions": [entry]}, 0, robot.plan)))
    assert "but within people it was r(65) = .35" in opposed
    assert "the relation across all values mixes the two." in opposed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("smallest", "verdict", "says"),
    [
        (None, "no difference was shown", "95% CI [−2.21, 0.30]"),
        (
            5.0,
            "no difference was shown; effects of 5 or more are ruled out",
            "A difference of 5 rounds or more can be ruled out, 90% CI",
        ),
        (
            1.0,
            "no difference was shown; inconclusive, for effects of 1 or more are not ruled out",
            "The result is inconclusive: the interval includes no difference and differences of 1 round or more",
        ),
    ],
)
def test_the_smallest_effect_changes_how_a_result_is_read_and_never_the_test(
    smallest: float | None, verdict: str, says: str
) -> None:
    field = "" if smallest is None else f", smallest = {smallest}"
    text = ROBOT.split("families.main")[0]
    plan = parse(f'{text}[questions]\nH1 = {{ asks = "?", measure = "rounds", by = "condition"{field} }}')
    report = run(plan, datasets.robot())
    assert report.results["questions"][0]["verdict"] == verdict
    assert says in told(report, "H1")
    assert report.results["questions"][0]["tests"][0]["p"] == pytest.approx(0.13415, abs=5e-5)


@pytest.mark.slow
def test_the_other_way_is_its_own_verdict(robot: Any) -> None:
    report = run(parse(ROBOT.replace('direction = "CL > FC"', 'direction = "FC > CL"')), datasets.robot())
    assert report.results["questions"][0]["verdict"] == "not supported; the difference lies in the opposite direction"
    assert "Hypothesis 1 was not supported; the difference lies in the opposite direction." in told(report, "H1")


# Numbers ------------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r"\d")
OURS = re.compile(r"\d+% CI|95% band|CR2")


def at(results: Any, address: str) -> Any:
    found = results
    for part in address.strip("/").split("/"):
        found = found[int(part)] if isinstance(found, Sequence) else found[part]
    return found


def proses(words: Words) -> Iterator[Prose]:
    for block in words.blocks:
        if isinstance(block, (Paragraph, Heading)):
            yield block.text
        elif isinstance(block, Table):
            yield from (cell for row in block.rows for cell in row)


def value_of(results: Any, slot: Slot) -> float:
    if "|" in slot.address:
        one, other = (float(at(results, address)) for address in slot.address.split("|"))
        return one / other
    found = at(results, slot.address)
    if isinstance(found, Sequence):
        return float(len(found)) if not found or isinstance(found[0], str) else float(sum(found))
    return float(found)


WORDS = ("none", *(number_words(count) for count in range(100)))


@pytest.mark.parametrize("name", ["robot", "casino"])
def test_every_number_is_that_of_its_place_in_the_results(name: str, request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(name)
    words, slots = words_of(report), 0
    results = json.loads(json.dumps(report.results))
    for text in proses(words):
        for run_ in text.runs:
            if run_.slot is None:
                if not run_.named:
                    assert not NUMBER.search(OURS.sub("", run_.text)), f"{run_.text!r} in {text}"
                continue
            if run_.slot.kind == "text":
                assert run_.text.replace("\u00a0", " ") in at(results, run_.slot.address)
                continue
            slots += 1
            expected = shown(value_of(results, run_.slot), run_.slot.kind, run_.slot.digits)
            assert run_.text.lower() in (expected, *WORDS), f"{run_.text} is {expected} at {run_.slot.address}"
    assert slots > 100


@pytest.mark.parametrize("name", ["robot", "casino"])
def test_intervals_hold_their_estimates_and_degrees_of_freedom_their_n(
    name: str, request: pytest.FixtureRequest
) -> None:
    for entry in request.getfixturevalue(name).results["questions"]:
        for test in entry["tests"]:
            for part in ("estimate", "effect"):
                found = test[part]
                if found and None not in (found["low"], found["high"], found["value"]):
                    assert found["low"] <= found["value"] <= found["high"], (test["address"], found)
            if test["method"] == "paired":
                assert test["df"] == [test["n"][0] - 1]


@pytest.mark.parametrize("name", ["robot", "casino"])
def test_the_flow_adds_up_for_each_question(name: str, request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(name)
    study, flow = report.results["study"], report.results["flow"]
    assert study["loaded"]["games"] - sum(row["games"] for row in flow) == study["games"]
    assert sum(study["ends"].values()) == study["games"]
    for entry in report.results["questions"]:
        rows = entry["rows"]
        assert rows["came"] - sum(each["count"] for each in rows["excluded"]) == rows["rows"]
        assert rows["values"] <= rows["rows"]
        if not entry["tests"][0]["df"] or entry["design"]["factors"]:
            assert sum(cell["n"] for cell in entry["cells"]) in (rows["values"], rows["rows"])


@pytest.mark.slow
def test_numbers_over_the_columns_of_tables_are_fields_too(robot: Any) -> None:
    """So that a manuscript gets the degrees of freedom of a new run: t(65)."""
    words = words_of(robot)
    fields = Fields(robot.results, words)
    known = set(fields.texts)
    runs = [run for block in words.blocks if isinstance(block, Table)
            for column in block.columns for text in (column.over, column.name) for run in text.runs]  # fmt: skip
    slots = [run for run in runs if run.slot is not None and run.slot.address]
    assert {fields.name_of(run) for run in slots} <= known
    assert slots


def _assert_numbers_fit(table: Table) -> None:
    """Digits of DejaVu Serif of 12 points are 0.27 cm wide; it stands in where there is no Times."""
    widths = table.widths(LETTER_CM, wider=STAND_IN)
    if not table.is_narrow(LETTER_CM * STAND_IN):
        return
    for place, column in enumerate(table.columns):
        if column.kind != "text":
            longest = max(len(str(row[place])) for row in table.rows)
            assert widths[place] >= 0.2 + 0.265 * longest


@pytest.mark.parametrize("name", ["robot", "casino"])
def test_tables_are_numbered_in_order_and_each_is_named_before_it_stands(
    name: str, request: pytest.FixtureRequest
) -> None:
    words = words_of(request.getfixturevalue(name))
    for blocks, series in ((words.main, ""), (words.supplement, "S")):
        said, numbers = "", []
        for block in blocks:
            if isinstance(block, Paragraph):
                said += str(block.text)
            elif isinstance(block, Table):
                numbers.append(words.numbers[block.key])
                assert re.search(rf"Tables?\s[^.]*\b{numbers[-1]}\b", said)
                assert all(len(row) == len(block.columns) for row in block.rows)
                assert sum(block.widths()) <= 16.01
                _assert_numbers_fit(block)
        assert numbers == [f"{series}{place}" for place in range(1, len(numbers) + 1)]
    assert "\ue000" not in words.text
    assert "–" not in re.findall(r"(?:Table|Figure)\s(\S)", words.text)


def test_works_are_those_that_the_text_cites(robot: Any) -> None:
    words = words_of(robot)
    assert set(words.works) == {"brunner2000", "hindriks2007", "holm1979", "lakens2018", "negstats"}
    for text in ("Holm, 1979", "Brunner & Munzel, 2000", "Lakens et al., 2018", "The negstats developers, 2026"):
        assert text in words.text
    of_measures = cited(" ".join(one.meaning for one in MEASURES.values()))
    assert {work for keys in CITES.values() for work in keys} | set(of_measures) == set(WORKS)
    assert bibtex(["holm1979"]).startswith("@article{holm1979,\n  author = {Holm, S.}")


def test_the_data_are_cited_where_the_study_or_the_plan_knows_them(casino: Any) -> None:
    (corpus,) = data_references(casino.results["study"])
    assert corpus.citation == "Chawla et al. (2021)"
    assert "author = {Chawla, K. and Ramirez, J." in bibtex([], [corpus])
    own = {"cite": ["Lee, A., & Roe, B. (2020, May). *Offers*. Press."]}
    assert [one.citation for one in data_references(own)] == ["Lee and Roe (2020)"]


# Reports made by hand -----------------------------------------------------------------------------------------------


def handmade(**changes: Any) -> Any:
    report = two_groups(synthetic(40), asks="Do they?")
    report.results["questions"][0] |= changes
    return report


def test_levels_are_called_as_the_plan_calls_them() -> None:
    report = handmade()
    level = report.results["questions"][0]["design"]["factors"][0]["levels"][0]
    factor = replace(report.plan.factors["condition"], labels={level: "closed"})
    report = replace(report, plan=replace(report.plan, factors={"condition": factor}))
    assert "closed" in told(report, "H1")


def test_a_question_that_was_not_tested_says_why() -> None:
    report = handmade(verdict="not tested: 'FC' has 1 person with a value; a test needs 2", tests=[], verdicts=[])
    assert "Hypothesis 1 was not tested: “FC” has 1 person with a value." in told(report, "H1")


def test_a_level_is_called_by_its_label_where_it_has_one() -> None:
    report = handmade()
    first, second = report.results["questions"][0]["design"]["factors"][0]["levels"]
    for code, said in (
        ("over_valued_buyer", "between the over_valued_buyer condition"),
        ("Closed", "between the Closed condition"),
    ):
        design = report.results["questions"][0]["design"]
        design["factors"][0]["levels"] = [code, second]
        assert said in told(report, "H1")
    report.results["questions"][0]["design"]["factors"][0]["levels"] = ["closed", second]
    labels = {"closed": "prosocial pairs"}
    factor = replace(report.plan.factors["condition"], levels=("closed", second), labels=labels)
    report = replace(report, plan=replace(report.plan, factors={"condition": factor}))
    assert "between prosocial pairs" in told(report, "H1")
    assert first not in told(report, "H1")


def test_a_plan_that_only_explores_says_so() -> None:
    report = handmade(explored=True)
    words = words_of(report)
    assert words.summary == ()
    assert "No hypothesis was stated in advance." in words.text


def test_several_hypotheses_that_no_family_corrects_are_said_to_be_so(robot: Any) -> None:
    said = "are not corrected for the number of hypotheses."
    assert f"The p values of Hypotheses 2 and 5 {said}" in words_of(robot).text
    assert said not in words_of(handmade()).text
    results = copy.deepcopy(robot.results)
    for test in results["questions"][1]["tests"]:
        test["p_adjusted"] = test["p"]  # then Hypothesis 5 alone is in no family
    assert said not in words_of(replace(robot, results=results)).text


def test_checks_of_the_data_that_found_nothing_are_said_in_a_sentence() -> None:
    report = handmade()
    report.results["quality"] = [
        {"what": "missing values of points", "count": 0, "of": 80},
        {"what": "games with identical offers", "count": 0, "of": 40},
    ]
    assert (
        "The checks of the data found no missing values of points and no games with identical offers."
        in words_of(report).text
    )


def test_games_that_agents_repeat_are_said_to_count_once() -> None:
    report = handmade()
    report.results["study"] |= {"participation": "agents", "games": 37, "loaded": {"games": 40, "people": None}}
    report.results["flow"] = [{"rule": "games.game_id repeated", "reason": "r", "games": 3, "seats": 6, "people": 0}]
    said = "In three of the 40 games, every offer was that of an earlier game of the same agents in the same scenario."
    text = words_of(report).text
    assert f"{said} Such a repetition adds no information, so each distinct game was analyzed once" in text
    assert "vary with other opponents and scenarios like these; in the games that were played, the differences" in text
    report.results["flow"] = []
    assert "differences are exact" not in words_of(report).text


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-2.211323742983887, 0.30223283389297817, "x = −0.95 points, 95% CI [−2.21, 0.30]"),
        (None, 0.3, "x = −0.95 points, 95% CI [−∞, 0.30]"),
        (None, None, "x = −0.95 points"),
        (-9541.2, 8000.1, "x = −1 points, 95% CI [−9541, 8000]"),
    ],
)
def test_an_estimate_keeps_two_figures_of_its_width(low: float | None, high: float | None, said: str) -> None:
    found = {"value": -0.9545454545454545, "low": low, "high": high, "level": 0.95}
    assert estimate(found, "x", "points") == said


def test_each_test_of_the_table_has_a_name_that_readers_know() -> None:
    assert not set(rules.tests()) - METHODS.keys()


# Words that no report prints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["robot", "casino"])
def test_no_report_says_what_no_reader_understands(name: str, request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(name)
    words = words_of(report)
    texts = [*map(str, proses(words)), *(one.verdict for one in words.summary), *report.lines()]
    assert [fault for text in texts for fault in find_faults(text)] == []


@pytest.mark.slow
def test_the_page_word_and_latex_say_the_same_and_the_audit_agrees(robot: Any, tmp_path: Path) -> None:
    from docx import Document

    from negstats.audit import audit_file
    from negstats.report.html import page_of
    from negstats.report.word import write_word

    words = words_of(robot)
    fields = Fields(robot.results, words)
    write_word(words, fields, tmp_path, tmp_path / "report.docx")
    write_word(words, fields, tmp_path, tmp_path / "supplement.docx", is_supplement=True)
    (tmp_path / "report.tex").write_text(article(words), encoding="utf-8")
    (tmp_path / "report.html").write_text(page_of(robot, words).html, encoding="utf-8")
    paragraph_texts = [block.text for block in words.blocks if isinstance(block, Paragraph)]
    sentences = [str(Prose(tuple(run for run, _ in with_indices(text)))) for text in paragraph_texts]
    assert any("dz = 0.30" in sentence for sentence in sentences)
    files = [Document(str(tmp_path / f"{name}.docx")) for name in ("report", "supplement")]
    plain = str.maketrans({"\u00a0": " ", "’": "'"})  # Word has the spaces and apostrophes of print
    paragraphs = {one.text.translate(plain) for document in files for one in document.paragraphs}
    assert not [sentence for sentence in sentences if sentence not in paragraphs]
    html = re.sub(r"<[^>]+>", "", (tmp_path / "report.html").read_text("utf-8")).replace("\u00a0", " ")
    html = unescape(html)
    assert "<i>d</i><sub>z</sub>" in (tmp_path / "report.html").read_text("utf-8")
    assert r"\textit{d}\textsubscript{z}" in (tmp_path / "report.tex").read_text("utf-8")
    assert not [sentence for sentence in sentences if sentence not in html]
    found = {}
    for ending in ("report.docx", "supplement.docx", "report.tex", "report.html"):
        result = audit_file(tmp_path / ending).to_frame()
        verdicts = list(result["verdict"])
        assert not [one for one in verdicts if "inconsistent" in one]
        found[ending] = len(verdicts)
    assert found["report.docx"] + found["supplement.docx"] == found["report.tex"] == found["report.html"]
    assert found["report.docx"] >= len(robot.results["questions"])


def test_latex_knows_each_letter_that_the_report_of_an_equivalence_has(robot: Any) -> None:
    """The names of pdflatex: those of its fonts, and those that the document declares."""
    letters = {letter for letter in article(words_of(robot)) if ord(letter) > 0xFF}
    assert "δ" in letters
    assert not letters - SIGNS.keys() - set("“”")


def test_the_command_keeps_its_hyphens_in_latex(robot: Any) -> None:
    assert r"\texttt{negstats run plan.toml STUDY -{}-out report}" in article(words_of(robot))


def test_figures_are_numbered_where_they_stand(robot: Any) -> None:
    from negstats.report.figures import Shown

    drawn: Mapping[str, Any] = {
        "H1": ([Shown("H1", "A Title", "A note.", "label", "<svg/>")], []),
        "H2": ([], ["H2: no values"]),
    }
    words = words_of(robot, drawn)
    assert [words.numbers[block.key] for block in words.blocks if isinstance(block, Figure)] == ["1"]
    assert "(see Figure 1)" in words.text
    assert "Figure for H2 was not drawn: H2: no values" in words.text


def test_the_supplement_has_alternatives_comparisons_and_the_residuals(robot: Any) -> None:
    from negstats.report.figures import Shown

    drawing = Shown("appendix.residuals", "A Title", "A note.", "label", "<svg/>")
    words = words_of(robot, {}, ([drawing], ["Residuals of E1 were not drawn: 2 residuals."]))
    assert words.sections[-1].anchor == "supplement"
    keys = [block.key for block in words.supplement if isinstance(block, (Table, Figure))]
    assert keys == ["flow:", "rows:", "alternatives:", "pairs:H5", "correlations:", "figure:appendix.residuals"]
    (others,) = (block for block in words.supplement if isinstance(block, Table) and block.key == "alternatives:")
    assert [str(each) for each in others.rows[0]] == ["Hypothesis 1", "", "", "", "", ""]
    assert "Figure S1 shows the residuals." in words.text
    assert "Residuals of E1 were not drawn: 2 residuals." in words.text


@pytest.mark.slow
def test_the_sample_reports_under_its_own_plan() -> None:
    plan = parse(
        '[questions.D1]\nasks = "How many points do people earn?"\nmeasure = "points"\nwho = "human"\nexplore = true'
    )
    report = run(plan, negstats.load("datasets/sample"))
    text = told(report, "D1")
    assert text.startswith("People earned 0.")


def test_outcomes_of_the_same_levels_are_one_table_as_the_model_has_it(robot: Any) -> None:
    words = words_of(robot)
    (table,) = (one for one in words.blocks if isinstance(one, Table) and one.key.startswith("cells:outcomes"))
    assert table.title == "Outcomes by Condition and Differences Within Persons"
    assert [(str(over), wide) for over, wide in table.spans if over] == [("CL", 2), ("FC", 2), ("CL − FC", 2)]
    singles = [one.key for one in words.blocks if isinstance(one, Table) and one.key in ("cells:H1", "cells:H4")]
    assert singles == []


def test_what_stands_over_columns_is_in_the_page_and_in_latex_with_its_rules(robot: Any) -> None:
    words = words_of(robot)
    text = article(words)
    assert r"{} & \multicolumn{2}{c}{CL} & \multicolumn{2}{c}{FC} & \multicolumn{2}{c}{CL − FC} &  & " in text
    assert r"\cmidrule(lr){2-3}\cmidrule(lr){4-5}\cmidrule(lr){6-7}" in text


@pytest.mark.slow
def test_what_stands_over_columns_is_one_cell_in_word_over_its_rule(robot: Any) -> None:
    from docx import Document

    from negstats.report.word import add_table

    words = words_of(robot)
    (table,) = (one for one in words.blocks if isinstance(one, Table) and one.key.startswith("cells:outcomes"))
    document = Document()
    add_table(document, table, "7", Fields(robot.results, words))
    (grid,) = document.tables
    first = [element for element in grid.rows[0]._tr.iterchildren() if element.tag.endswith("}tc")]
    assert ["".join(text.text for text in cell.xpath(".//w:t")) for cell in first] == [
        "",
        "CL",
        "FC",
        "CL − FC",
        "",
        "",
    ]
    assert [cell.text for cell in grid.rows[1].cells][:3] == ["Measure", "M", "SD"]
    assert len(grid.rows) == 2 + len(table.rows)
    for row, edges in ((0, ("top",)), (1, ("bottom",)), (len(grid.rows) - 1, ("bottom",))):
        borders = grid.cell(row, 0)._tc.get_or_add_tcPr().xpath("./w:tcBorders/*")
        assert tuple(one.tag.rpartition("}")[2] for one in borders) == edges


@pytest.mark.slow
def test_groups_that_differ_in_size_have_their_df_and_n_by_question() -> None:
    plan = """
    factors.condition.levels = ["fair", "selfish"]
    [questions]
    H1 = { asks = "Points together?", measure = "joint_value", by = "condition" }
    H2 = { asks = "Offers?", measure = "points", who = "A", by = "condition" }
    H3 = { asks = "Theirs?", measure = "points", who = "B", by = "condition" }
    E1 = { asks = "Alone?", measure = "joint_value", by = "condition", explore = true }
    """
    report = run(parse(plan), synthetic(60))
    words = words_of(report)
    (table,) = (one for one in words.main if isinstance(one, Table) and one.spans)
    assert table.title == "Outcomes by Condition and Differences Between Groups"
    assert str(table.columns[-2].name) == "t (df)"
    first, second = (entry["tests"][0] for entry in report.results["questions"][:2])
    for row, test in zip(table.rows, (first, second), strict=False):
        assert str(row[-2]) == f"{shown(test['statistic'], 'statistic')} ({shown(test['df'][0], 'df')})"
        assert str(row[-1]) == shown(test["p"], "p")
    assert "Two-sided Welch's t tests" in str(table.note)
    assert "planned" not in str(table.note)


@pytest.mark.slow
def test_a_predicted_interaction_is_in_words() -> None:
    """The grammar of the plan, "a - b in x > a - b in y", is not a sentence."""
    sheet = alone({"condition": ["chat", "silent"], "country": ["x", "y"]})
    asked = 'by = ["country", "condition"]\neffect = "country:condition"\n'
    case = replace(BY_ROW[6], sheet=sheet, question=asked + 'predicts = "x - y in chat > x - y in silent"')
    blocks = words_of(run(case.plan(), study_of(case))).blocks
    [method] = [str(block.text) for block in blocks if isinstance(block, Paragraph) and "predicted" in str(block.text)]
    assert "the difference in points by condition, chat minus silent, would be larger in x than in y" in method


@pytest.mark.slow
def test_levels_of_a_condition_that_are_words_stand_with_its_name() -> None:
    case = replace(BY_ROW[1], sheet=alone({"condition": ["chat", "silent"]}))
    blocks = words_of(run(case.plan(), study_of(case))).blocks
    text = "".join(str(block.text) for block in blocks if isinstance(block, Paragraph))
    assert "the chat condition" in text
    assert "when the condition was" not in text
