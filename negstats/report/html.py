"""The page of a report: a self-contained file whose security policy loads nothing from elsewhere.

The policy names the SHA-256 of the page's one script and one style. Games stand inside the page while they are few;
else in script files beside it, which only the page's own script can add (``strict-dynamic``, one trusted policy).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from negstats.pages import page_template, show_hidden, source_hash
from negstats.report.apa_table import html_prose, padded
from negstats.report.blocks import Words
from negstats.report.games import Chunk, shown_games
from negstats.report.latex import SYMBOLS
from negstats.sanitize import HIDDEN, embedded_json
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.answers import Report

BESIDE = "report_games"
INSIDE = 4_000_000  # bytes of games up to which they stand inside the page
MOST = 500  # games that are shown of a study whose rows stay with an engine


class Page:
    """A page and the files beside it, as text."""

    def __init__(self, html: str, beside: Mapping[str, str]) -> None:
        self.html, self.beside = html, beside


def page_of(report: Report, words: Words, *, one_file: bool = False) -> Page:
    """Return the page of a report.

    Parameters
    ----------
    report, words
        The report, and what it says.
    one_file
        Keep the games inside the page however many bytes they are.
    """
    study, part = _select_games(report)
    games = shown_games(study, _factors(report))
    is_inline = one_file or games.size <= INSIDE
    source = files("negstats.report") / "page"
    style, copying, browsing = (source.joinpath(name).read_text("utf-8") for name in ("page.css", "copy.js", "page.js"))
    signs = f"const SIGNS = {json.dumps(SYMBOLS, ensure_ascii=False)};"
    script = f"{copying.replace('const SIGNS = {};', signs)}\n{browsing}"  # one script, whose hash the policy names
    form = {"finalize": show_hidden, "keep_trailing_newline": True}
    html = page_template("negstats.report", "page/page.html.jinja", **form).render(
        words=words,
        policy=_policy(script, style, is_inline=is_inline),
        style=style,
        script=script,
        blocks=[(type(block).__name__, block) for block in words.blocks],
        prose=html_prose,
        padded=padded,
        folder="figures",
        factors=games.index["factors"],
        part=part,
        hidden=HIDDEN,
        index=embedded_json({**games.index, "folder": "" if is_inline else BESIDE}),
        chunks=[chunk.text for chunk in games.chunks] if is_inline else [],
    )
    return Page(html, {} if is_inline else _build_files(games.chunks))


def _select_games(report: Report) -> tuple[Study, str]:
    """Return the games that the page shows, and what it says of those that stay with an engine."""
    if report.study.in_memory:
        return report.study, ""
    sample, total = report.study.some(MOST), int(report.results["study"]["games"])
    if len(sample.games) == total:
        return sample, ""
    return sample, f"The first {len(sample.games):,} of {total:,} games by their ids; the others stay where they are."


def _build_files(chunks: Sequence[Chunk]) -> dict[str, str]:
    return {f"{place:04d}.js": f"negstatsGames({place},{chunk.text});\n" for place, chunk in enumerate(chunks)}


def _policy(script: str, style: str, *, is_inline: bool) -> str:
    scripts = source_hash(script) + ("" if is_inline else " 'strict-dynamic'")
    return (
        f"default-src 'none'; script-src {scripts}; style-src {source_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types negstats"
    )


def _factors(report: Report) -> list[str]:
    """Return the columns of ``games`` that the questions compare by, in the plan's order."""
    names = dict.fromkeys(name for question in report.plan.questions.values() for name in question.by)
    columns = (report.plan.factor(name).column for name in names)
    return [column.partition(".")[2] for column in columns if column.startswith("games.")]
