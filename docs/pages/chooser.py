"""The five questions of "Which test?": what is asked, which facts of a design each answer gives, and the cards."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from docs.pages import r_calls
from negstats.analysis.method import METHODS
from negstats.analysis.rules import LEADING, RULES, DesignFeatures, Rule

# name, question, and of each answer its words and the facts it gives (`negstats.analysis.rules.DesignFeatures`).
QUESTIONS: tuple[tuple[str, str, tuple[tuple[str, dict[str, Any]], ...]], ...] = (
    ("kind", "What is the outcome?", (
        ("a number: points, a price, seconds to think", {"kind": "interval"}),
        ("yes or no: agreed, accepted", {"kind": "yes/no"}),
        ("a count: offers, messages", {"kind": "count"}),
        ("an answer in order, such as 1 to 5", {"kind": "ordered"}),
        ("one of several kinds without an order", {"kind": "nominal"}),
        ("a time until games end, walking away among the ends", {"kind": "time", "competing": True}),
        ("a time until games end; only the clock stops some", {"kind": "time"}),
    )),
    ("shape", "What is compared?", (
        ("two groups of different people, pairs or games", {"shape": "two groups"}),
        ("three groups or more", {"shape": "groups"}),
        ("groups by two factors or more", {"shape": "factorial"}),
        ("two conditions, everybody in both", {"shape": "pairs"}),
        ("three conditions or more, everybody in all", {"shape": "within"}),
        ("two factors, everybody at every combination", {"shape": "two within"}),
        ("two conditions, everybody in both, between two groups", {"shape": "2 x 2 mixed"}),
        ("several conditions, everybody in all, between groups", {"shape": "mixed"}),
        ("the two seats of each game, such as buyer and seller", {"shape": "pairs", "seats": True}),
        ("nothing: one group, or only numbers", {}),
    )),
    ("extra", "Is there a covariate, or another number that may predict the outcome?", (
        ("no", {}),
        ("a covariate to adjust for", {"extra": "covariate"}),
        ("one number whose relation to the outcome is asked", {"extra": "number"}),
        ("several such numbers", {"extra": "numbers"}),
        ("one such number, and whether the relation differs between groups", {"extra": "number and factor"}),
    )),
    ("asked", "What do you ask?", (
        ("whether there is an effect", {}),
        ("named contrasts only", {"asked": "contrasts"}),
        ("whether two are equivalent within bounds", {"asked": "equivalent"}),
        ("whether it differs from a stated value", {"asked": "against"}),
    )),
    ("related", "How are the rows related?", (
        ("each unit (a person, or a pair as one) has one row in a condition", {}),
        ("each has one, and few have: an expected count under 5, or 2 to 4 in a group", {"small": True, "few": True}),
        ("a person has several rows in one condition", {"several": True}),
        ("both partners have a row, in the same condition", {"several": True, "people": True, "linked": "pairs"}),
        ("both partners have a row, and the condition can differ between them", {"inside": True, "linked": "pairs"}),
        ("groups of three or more, and the condition can differ inside a group", {"inside": True, "linked": "groups"}),
        ("a person decides again and again, and conditions vary over these rows", {"inside": True, "several": True}),
        ("everybody meets the same items or several partners", {"items": True}),
        ("everybody is linked with everybody through games", {"linked": "all"}),
    )),
)  # fmt: skip


def features_of(places: tuple[int, ...]) -> DesignFeatures:
    """Return the facts of a design that the answers at these places give."""
    facts: dict[str, Any] = {}
    for (_, _, answers), place in zip(QUESTIONS, places, strict=True):
        facts |= answers[place][1]
    # Several yes and no, counts or answers of a unit are averaged to a number first.
    if facts.get("several") and not facts.get("inside") and facts["kind"] in ("yes/no", "count", "ordered"):
        facts |= {"kind": "interval", "averaged": facts["kind"]}
    return DesignFeatures(**facts)


def describe_report(rule: Rule) -> str:
    """Return what a report adds to the test of a row, in sentences.

    Examples
    --------
    >>> describe_report(next(rule for rule in RULES if rule.row == 6))[:60]
    'The effect is reported as Welch–James F and ω²ₚ. It is follo'
    """
    parts = (
        ("The effect is reported as {}.", rule.effect),
        ("It is followed by {}.", rule.follow_up),
        ("As a check, the report adds {}.", rule.beside),
    )
    return " ".join(sentence.format(_enumerate(part)) for sentence, part in parts if part != "–")


def _enumerate(text: str) -> str:
    *first, last = text.split(", ")
    return f"{', '.join(first)} and {last}" if first else last


def _card(rule: Rule, named: dict[str, Any], reports: dict[int, dict[str, Any]]) -> dict[str, Any]:
    spss, r, pingouin = named["rows"][str(rule.row)]
    report, call = reports.get(rule.row, {}), r_calls.calls().get(rule.row, {})
    same = bool(rule.test) and report.get("test") == rule.test
    function = f"negstats.{METHODS[rule.test].function}" if rule.test else ""
    return {
        "row": rule.row,
        "wants": {"items": [False], **{name: list(allowed) for name, allowed in rule.conditions.items()}},
        "test": rule.test,
        "function": function,
        "design": rule.design.replace("`", ""),
        "why": rule.sentence,
        "gives": describe_report(rule),
        "figure": rule.figure or "",
        "plan": report.get("plan", "") if same else "",
        "report": report.get("report", "") if same else "",
        "elsewhere": {"SPSS": spss, "R": r, "pingouin": pingouin},
        "call": call.get("code", "").strip() if same else "",
        "printed": report.get("output", "") if same else "",
        "apart": call.get("apart", "") if same else "",
    }


def data(named: dict[str, Any]) -> dict[str, Any]:
    """Return what the page's script needs: the answers' facts, and a card a row of the table in its order."""
    reports = r_calls.kept()
    return {
        "questions": [[facts for _, facts in answers] for _, _, answers in QUESTIONS],
        "features": _defaults(),
        "leading": [_card(rule, named, {}) for rule in LEADING],
        "rules": [_card(rule, named, reports) for rule in RULES],
    }


def _defaults() -> dict[str, Any]:
    facts = DesignFeatures("interval")
    return {name: getattr(facts, name) for name in DesignFeatures.__slots__}


def block(named: dict[str, Any]) -> str:
    """Return the form for the page, hidden where no script runs, and its data."""
    fields = []
    for name, asked, answers in QUESTIONS:
        options = "".join(f'<option value="{at}">{escape(words)}</option>' for at, (words, _) in enumerate(answers))
        label = f'<label for="question-{name}">{escape(asked)}</label>'
        fields.append(f'<p>{label}\n<select id="question-{name}">{options}</select></p>')
    text = json.dumps(data(named), ensure_ascii=False).replace("</", "<\\/")
    return (
        '```{raw} html\n<form id="test-questions" hidden>\n' + "\n".join(fields) + "\n</form>\n"
        '<div id="test-card" aria-live="polite" hidden></div>\n'
        f'<script type="application/json" id="test-data">{text}</script>\n'
        '<script src="../_static/which-test.js" defer></script>\n```\n'
    )
