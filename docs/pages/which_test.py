"""Write "Which test?": the table of `negstats.analysis.rules`, what each row replaces elsewhere, and its figure."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docs.pages import chooser
from negstats.analysis.method import METHODS
from negstats.analysis.rules import LEADING, RULES, Rule

ELSEWHERE = Path(__file__).with_name("elsewhere.toml")

TITLES = {
    "interval": "Numbers",
    "yes/no": "Yes or no",
    "count": "Counts",
    "ordered": "Answers in order",
    "nominal": "Kinds without an order",
    "time": "Times to an end",
    "any": "Anything",
}

HEAD = """# Which test?

The test follows from the design and the kind of the outcome, never from the values. Answer the questions
below and read which test your design gets, why, and how it is reported. `negstats plan --check` says the same of a plan
before any outcome is read, and `test = "..."` in a plan names another test ([how a test is chosen](../how-to/run.md)).

The tables hold all designs: the first row that fits is taken. Their columns on the right name the equivalent call in
SPSS, in R and in pingouin. The package itself chooses the test from these tables.
"""

FIGURES = """
## Figures

{pictures}
"""

# What is drawn for each kind of figure, on the studies in the box.
PLANS = {
    "robot": """
factors.condition.levels = ["CL", "FC"]
[questions]
lines = { asks = "Does the robot earn more in CL?", measure = "points", who = "agent", by = "condition" }
scatter = { asks = "Do people who talk longer earn more?", measure = "points", with = "rounds", who = "human" }
cells = { asks = "Who gains where?", measure = "points", by = ["condition", "kind"] }
""",
    "casino": """
factors.svo = { column = "answers.svo", levels = ["prosocial", "proself"] }
factors.split.levels = ["train", "valid", "test"]
measures.time = { measure = "utterances", kind = "time" }
[measures.satisfaction]
answer = "satisfaction"
who = "mturk_agent_1"
scale = ["Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"]
[questions]
points = { asks = "Do proself people earn more?", measure = "points", by = "svo" }
bars = { asks = "Do the parts agree as often?", measure = "agreed", by = "split" }
answers = { asks = "Are the parts as satisfied?", measure = "satisfaction", by = "split" }
curves = { asks = "Do the parts agree as soon?", measure = "time", by = "split" }
""",
}


def elsewhere() -> dict[str, Any]:
    """Return what tests are called here, and what rows replace elsewhere."""
    return tomllib.loads(ELSEWHERE.read_text(encoding="utf-8"))


def page() -> str:
    """Return the page in Markdown."""
    told = elsewhere()
    text = HEAD + "\n" + chooser.block(told)
    for kind, title in TITLES.items():
        rows = [rule for rule in (*RULES, *LEADING) if rule.outcome == kind]
        rows.sort(key=lambda rule: rule.row)
        text += f"\n## {title}\n\n"
        if sum(bool(rule.test) for rule in rows) > 1:
            picture = kind.replace("/", "-")
            text += f"![{title}: from the design to the test, the rows of the table below as a tree]({picture}.png)\n\n"
        text += "| row | design | test, and why | what the report adds | figure | SPSS | R | pingouin |\n"
        text += "|---|---|---|---|---|---|---|---|\n" + "".join(_row(rule, told) for rule in rows)
    names = dict.fromkeys(rule.figure for rule in RULES if rule.figure)
    pictures = "\n\n".join(f"### {name}\n\n![An answer drawn as {name}]({name}.png)" for name in sorted(names))
    return text + FIGURES.format(pictures=pictures)


def _row(rule: Rule, told: dict[str, Any]) -> str:
    name = f"`{rule.test}`" if rule.test else "no test" if rule in RULES else "as the row that follows"
    if rule.test:
        function = f"negstats.{METHODS[rule.test].function}"
        name += f" ({{py:obj}}`{function.removeprefix('negstats.')} <{function}>`)"
    drawn = f"[{rule.figure}](#{rule.figure})" if rule.figure else "–"
    there = [f"`{call}`" if call != "–" else call for call in told["rows"][str(rule.row)]]
    cells = [
        str(rule.row),
        rule.design,
        f"{name}. {rule.sentence}",
        chooser.describe_report(rule) or "–",
        drawn,
        *there,
    ]
    return f"| {' | '.join(cells)} |\n"


def _branch(rule: Rule) -> str:
    """Return the question of a design that leads to a row, by what the row wants."""
    wants = {name: tuple(allowed) for name, allowed in rule.conditions.items()}
    cases = (
        (wants.get("asked") == ("equivalent",), "equivalence"),
        (wants.get("asked") == ("contrasts",), "planned contrasts"),
        (wants.get("inside") == (True,), "factors vary within units, row by row"),
        ("none" not in wants.get("extra", ("none",)), "covariates or other numbers"),
        (wants.get("shape", ("none",))[0] in ("two groups", "groups", "factorial"), "factors between units"),
        (wants.get("shape", ("none",)) != ("none",) and "none" not in wants["shape"], "factors within units"),
    )
    return next((name for holds, name in cases if holds), "no factor, or any design")


def tree(kind: str, path: Path) -> None:
    """Draw the rows of a kind of outcome as a tree: what the design is asked, its rows, and the test of each."""
    from matplotlib.figure import Figure

    rules = [rule for rule in RULES if rule.outcome == kind]
    names = list(dict.fromkeys(map(_branch, rules)))
    rules.sort(key=lambda rule: (names.index(_branch(rule)), rule.row))
    figure = Figure(figsize=(9, 0.32 * len(rules) + 0.4), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set(xlim=(0, 10), ylim=(len(rules) - 0.4, -0.6))
    for name in names:
        places = [place for place, rule in enumerate(rules) if _branch(rule) == name]
        middle = sum(places) / len(places)
        axes.text(0, middle, name, va="center", weight="bold")
        for place in places:
            axes.plot([3.1, 3.5, 3.7], [middle, place, place], color="0.6", linewidth=1)
            axes.text(3.8, place, rules[place].design.replace("`", ""), va="center")
            axes.text(
                8, place, f"{rules[place].test or 'refused'} ({rules[place].row})", va="center", family="monospace"
            )
    figure.savefig(path, dpi=110)


def write_figures(folder: Path, kinds: Sequence[str] = tuple(TITLES)) -> None:
    """Draw the trees, and an answer for each kind of figure."""
    import matplotlib.pyplot as plt

    from negstats import datasets
    from negstats.analysis import run
    from negstats.analysis.plan import parse
    from negstats.plots import save_figure
    from negstats.report.figure_kinds import DRAWN
    from negstats.report.figure_view import View

    for kind in kinds:
        if sum(bool(rule.test) for rule in RULES if rule.outcome == kind) > 1:
            tree(kind, folder / f"{kind.replace('/', '-')}.png")
    for study, text in PLANS.items():
        report = run(parse(text), getattr(datasets, study)())
        for name, answer in report.questions.items():
            axes, _ = DRAWN[name](View(report, answer))
            save_figure(axes, folder / f"{name}.png", dpi=110)
    plt.close("all")
