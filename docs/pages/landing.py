"""The first page of the site: a question, its figure and the sentences of its report, made when the site is built."""

from __future__ import annotations

import re
from html import escape

import negstats
from docs.pages.readme import first_report
from negstats.analysis import compare
from negstats.errors import NegstatsError
from negstats.papers.pages import NOTEBOOKS, SOURCES
from negstats.plots.style import captions_apart
from negstats.report.figures import draw_svg, inline_svg
from negstats.report.one_answer import to_html_sentences

# The colours of the report's figures and the names of those that stand for them in `site.css`, light and dark.
COLOURS = {
    "#1b3a6b": "--ns-first",
    "#a96400": "--ns-second",
    "#6c98be": "--ns-cloud",
    "#777777": "--ns-equal",
    "#262626": "--ns-ink",
    "#000000": "--ns-ink",
}
GAP = 0.53  # of the width of the figure, where its left panel ends and its right panel begins

WAYS = (
    (
        "I have logs",
        "Logs of oTree, Qualtrics, jsPsych, Empirica, LIONESS, NegMAS, NegoLog and Genius are recognised. For any "
        "other table, negstats drafts a mapping that says which column is which, and asks where it is not sure.",
        "negstats map logs.csv > mapping.toml\nnegstats load logs.csv --map mapping.toml --out study",
        "how-to/your-own-data.html",
        "Your own data",
    ),
    (
        "I have a paper",
        "The audit reads the test results of a manuscript or a published paper, computes each p value again, and lists "
        "what does not agree with its place in the text.",
        "negstats audit paper.pdf",
        "how-to/audit.html",
        "Check a paper",
    ),
    (
        "I have a plan",
        "A plan states the questions before the data are seen. It gives the number of participants that you need, "
        "chooses the tests, and becomes the report.",
        "negstats power plan.toml\nnegstats run plan.toml study --out report",
        "how-to/plan.html",
        "Plan, power and report",
    ),
)


def page() -> str:
    """Return what the first page shows below its title, in HTML."""
    return "\n".join(('<div class="ns">', _head(), _exhibit(), _ways(), _proofs(), _papers(), _citation(), "</div>\n"))


def _head() -> str:
    return (
        '<div class="ns-head"><div><p class="ns-lead">negstats reads what people and agents did in a negotiation, runs '
        "the test that the design calls for, and writes the Results section with its tables and figures.</p>"
        '<p class="ns-actions"><a class="ns-button ns-primary" href="start.html">Start: ten minutes</a>'
        '<a class="ns-button" href="trust/index.html">Why trust it</a></p></div>'
        '<div class="ns-install"><p>Python 3.11 or later, in the folder of the source</p>'
        f"{_code('python3 -m venv env && . env/bin/activate', 'python -m pip install .')}</div></div>"
    )


def _code(*lines: str) -> str:
    commands = (re.sub(r"(--\S+)", r'<span class="ns-option">\1</span>', escape(line)) for line in lines)
    return _pre("\n".join(f'<span class="ns-prompt" aria-hidden="true">$ </span>{command}' for command in commands))


def _pre(html: str) -> str:
    return f'<pre tabindex="0"><code>{html}</code></pre>'


def _exhibit() -> str:
    answer = first_report().questions["H1"]
    with captions_apart():
        file = draw_svg(answer.plot())
    panels = "".join(_panel(file, side) for side in ("left", "right"))
    return (
        f'<figure class="ns-exhibit"><div class="ns-panels">{panels}</div><figcaption>'
        f'<p class="ns-label">The report writes</p><blockquote>{to_html_sentences(answer)}</blockquote>'
        '<p class="ns-source">The study ships with negstats; <a href="start.html">Start</a> has the plan.</p>'
        f"{_code('negstats run plan.toml datasets/robot/study --out report')}</figcaption></figure>"
    )


def _panel(file: bytes, side: str) -> str:
    """Return one half of the figure, so that the halves stand below each other on a narrow page."""
    labels = {
        "left": "The agent's points in CL and FC, with a line for each person",
        "right": "The differences between CL and FC within people, with their mean and its interval",
    }
    svg = inline_svg(file, side, labels[side])
    width, height = (float(number) for number in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
    start, end = (0, GAP * width) if side == "left" else (GAP * width, width)
    svg = re.sub(r'viewBox="[^"]*"', f'viewBox="{start:.1f} 0 {end - start:.1f} {height}"', svg, count=1)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg)
    for colour, name in COLOURS.items():
        svg = svg.replace(f'"{colour}"', f'"var({name})"')
    return svg.replace('fill="#ffffff"', 'fill="none"').replace("<svg ", f'<svg style="flex: {end - start:.0f}" ', 1)


def _ways() -> str:
    cards = "".join(
        f'<article class="ns-card"><h3><a href="{link}">{title}</a></h3><p>{escape(words)}</p>'
        f'{_code(*commands.splitlines())}<p class="ns-go" aria-hidden="true">{name} →</p></article>'
        for title, words, commands, link, name in WAYS
    )
    return f'<section><h2>Where do you begin?</h2><div class="ns-cards">{cards}</div></section>'


def _proofs() -> str:
    try:
        compare(negstats.datasets.robot(), "points", by="session_x", who="agent")
        raise RuntimeError("a factor that is not there was compared")
    except NegstatsError as error:
        refusal = str(error)
    proofs = (
        ("Right", "Functions are compared with R and other programs, and the largest error of each is shown.",
         "trust/index.html", "All comparisons"),
        ("Whole", "Plan, power, logs, tests, report and audit are one package, so that nothing is copied by hand.",
         "tutorials/plan_to_paper.html", "From plan to paper"),
        ("Safe", f"Where it does not know, it stops and says what is wrong: “{escape(refusal)}”",
         "concepts.html", "Three ideas"),
        ("Yours", "The same functions work in a notebook and on the command line, and a report needs no network.",
         "start.html", "Start"),
    )  # fmt: skip
    items = "".join(
        f'<div class="ns-proof"><h3>{title}</h3><p>{words} <a href="{link}">{name}</a></p></div>'
        for title, words, link, name in proofs
    )
    return f'<section><h2>Why you can rely on it</h2><div class="ns-proofs">{items}</div></section>'


def _papers() -> str:
    rows = "".join(
        f'<li><div><h3><a href="papers/{paper}.html">{escape(about.authors)}</a></h3>'
        f"<p>{escape(about.system)}</p></div>"
        f"<ul>{''.join(_notebook(name) for name in about.notebooks)}</ul></li>"
        for paper, about in SOURCES.items()
    )
    return (
        "<section><h2>Have you read one of these papers?</h2><p>Each paper has a page with its agents, definitions, "
        "numbers and figures. Where its logs are not public, people and agents are simulated, and the notebook says "
        "so.</p>"
        f'<ul class="ns-papers">{rows}</ul></section>'
    )


def _notebook(name: str) -> str:
    line = NOTEBOOKS[name]
    return f'<li><a href="tutorials/{name}.html">{escape(line[0].upper() + line[1:])}</a></li>'


def _citation() -> str:
    return (
        '<section class="ns-cite"><div><h2>How to cite</h2><p>Cite the version that computed your numbers. The report '
        'lists the references of the tests that it used. <a href="cite.html">More on citing</a></p></div>'
        f"{_pre(escape(negstats.citation()))}</section>"
    )
